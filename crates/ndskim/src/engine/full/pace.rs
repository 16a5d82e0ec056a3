//! The pace: which way of reading is tried first, by what the text has needed of late.
//!
//! What goes in: the findings of each window. What comes out: the variant of pass 1 for the next, and whether wide stores
//! or reading without a tape are worth it. It must never decide what is valid: a wrong guess costs time alone.

use super::passes::{Space, Variant};
use super::window::{Findings, Spacing};

/// After so many windows without need, a variant or a wider store is left.
pub(super) const PATIENCE: u32 = 32;

/// The most windows that are read with any white space before a quicker variant is tried again.
const MOST_PATIENCE: u32 = 32 * PATIENCE;

/// The variant of pass 1 that the text has needed of late.
#[derive(Default)]
pub(super) struct Pace {
    pub(super) variant: Variant,
    /// Windows since floats, and since spaces, were last met.
    without_floats: u32,
    without_spaces: u32,
    /// Windows for which stores stay wide.
    pub(super) crowded: u32,
    /// Windows of lines for which any white space is expected, and how many it was the last time.
    any_space: u32,
    any_space_for: u32,
    /// Records that are taken for too deep for a tape.
    deep: u32,
    /// The records now complete may have keys with escapes; so may what is left over.
    pub(super) escaped_keys: bool,
    pub(super) escaped_keys_left: bool,
    /// The same of white space.
    pub(super) spacing: Spacing,
    pub(super) spacing_left: Spacing,
}

impl Pace {
    /// A record was too deep for a tape: the next may be too.
    pub(super) fn note_deep(&mut self) {
        self.deep = PATIENCE;
    }

    /// Whether the next record is to be read without a tape.
    pub(super) fn is_deep(&mut self) -> bool {
        let deep = self.deep > 0;
        self.deep = self.deep.saturating_sub(1);
        deep
    }

    /// Lines were read that have white space which only [`Space::Any`] knows: more of their kind are expected.
    pub(super) fn note_any_space(&mut self) {
        self.variant = Variant::ANY;
        self.any_space_for = (2 * self.any_space_for).clamp(PATIENCE, MOST_PATIENCE);
        self.any_space = self.any_space_for;
    }

    /// Whether such lines have been met.
    pub(super) fn has_met_any_space(&self) -> bool {
        self.any_space_for > 0
    }

    /// Chooses the variant for the next window by what this one held. `is_all_new`: what is left over is of this window.
    ///
    /// A variant may be left, or one entered alone, only where the last byte is no part of a number and no white space: what
    /// follows such a byte is judged by what was before it, and the carries of one variant mean nothing to another. (Behind a
    /// quote, one variant looks for a colon further on than the others.)
    pub(super) fn note(&mut self, findings: &Findings, is_all_new: bool, last: u8) {
        self.crowded = self.crowded.saturating_sub(1);
        self.escaped_keys = findings.escaped_keys || self.escaped_keys_left;
        self.escaped_keys_left = findings.escaped_keys || (self.escaped_keys_left && !is_all_new);
        self.spacing = findings.spacing.max(self.spacing_left);
        self.spacing_left = if is_all_new { findings.spacing } else { self.spacing };
        let has_spaces = findings.spacing != Spacing::None;
        self.without_floats = if findings.floats { 0 } else { self.without_floats + 1 };
        self.without_spaces = if has_spaces { 0 } else { self.without_spaces + 1 };
        let wanted = Variant {
            floats: if self.variant.floats { self.without_floats < PATIENCE } else { findings.floats },
            space: match self.variant.space {
                Space::None if has_spaces => Space::Single,
                Space::Single if self.without_spaces >= PATIENCE => Space::None,
                Space::Any => {
                    self.any_space = self.any_space.saturating_sub(1);
                    if self.any_space == 0 { Space::Single } else { Space::Any }
                }
                space => space,
            },
        };
        let may_change = !matches!(last, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-' | b' ' | b'\t' | b'\r');
        let may_change = match self.variant.space {
            Space::Any => may_change && last != b'"',
            Space::Values => may_change,
            _ => may_change || self.variant == Variant::default() || wanted == Variant::BOTH,
        };
        if may_change {
            self.variant = wanted;
        }
    }
}
