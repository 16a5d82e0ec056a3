//! Room for what a record's values become: decoded text, lower case, numbers as text. It is taken again for the next record, so
//! that nothing is allocated where earlier records needed as much.

use std::cell::RefCell;
use std::fmt::{self, Write};

use bumpalo::Bump;
use bumpalo::collections::{String, Vec};

/// Text and lists for as long as one record is looked at.
#[derive(Default)]
pub(crate) struct Room {
    arena: Bump,
    /// Where keys are put together, one at a time.
    scratch: RefCell<std::vec::Vec<u8>>,
}

impl Room {
    /// Makes the room free again.
    pub(crate) fn clear(&mut self) {
        self.arena.reset();
    }

    /// What `work` makes of an empty buffer.
    pub(crate) fn with_scratch<R>(&self, work: impl FnOnce(&mut std::vec::Vec<u8>) -> R) -> R {
        let mut scratch = self.scratch.borrow_mut();
        scratch.clear();
        work(&mut scratch)
    }

    pub(crate) fn text(&self, text: &str) -> &str {
        self.arena.alloc_str(text)
    }

    pub(crate) fn format(&self, text: fmt::Arguments<'_>) -> &str {
        let mut out = String::new_in(&self.arena);
        // Writing to memory cannot fail.
        let _ = out.write_fmt(text);
        out.into_bump_str()
    }

    /// Text in lower case, as [`str::to_lowercase`] gives it.
    pub(crate) fn lower(&self, text: &str) -> &str {
        if text.contains('Σ') {
            // Its lower case depends on what stands beside it.
            return self.text(&text.to_lowercase());
        }
        let mut out = String::with_capacity_in(text.len(), &self.arena);
        out.extend(text.chars().flat_map(char::to_lowercase));
        out.into_bump_str()
    }

    pub(crate) fn list<T>(&self) -> Vec<'_, T> {
        Vec::new_in(&self.arena)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_is_that_of_the_standard_library() {
        for text in ["", "abc", "GitHub", "ÄÖÜ ß ẞ", "ΑΣΣΑΣ Σ", "İstanbul", "日本 🦀"] {
            assert_eq!(Room::default().lower(text), text.to_lowercase());
        }
    }
}
