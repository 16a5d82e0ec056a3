//! The passes compiled for each kernel, as one table of functions a kernel.
//!
//! What goes in: a [`Kernel`]. What comes out: its passes, as function pointers, so that all above them is compiled
//! once; and the order in which they hold whole records against the grammar. A pass must never be inlined into another: one
//! function with all of them is a third slower.

use super::fields::{Finder, Scanned};
use super::tape::Tape;
use super::walk::walk;
use super::window::{Piece, Window};
use super::{brackets, dense, depths, fields, grammar, index, text};
use crate::kernel::portable::Portable;
use crate::kernel::{Kernel, Simd, with_features};
#[cfg(target_arch = "x86_64")]
use crate::kernel::{avx2::Avx2, avx512::Avx512};

/// A pass over a piece of text.
pub(super) type PiecePass = unsafe fn(&mut Window, Piece);

/// The variant of pass 1: what a window's text is expected to hold.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Variant {
    pub(super) floats: bool,
    pub(super) space: Space,
}

/// White space that a variant knows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Space {
    /// None in lines.
    #[default]
    None,
    /// Single spaces in lines.
    Single,
    /// Any in lines.
    Any,
    /// Any in and between values that are not lines.
    Values,
}

impl Variant {
    pub(super) const BOTH: Self = Self { floats: true, space: Space::Single };
    pub(super) const ANY: Self = Self { floats: true, space: Space::Any };
    pub(super) const VALUES: Self = Self { floats: true, space: Space::Values };

    /// Whether this is a variant for any white space.
    pub(super) fn is_dense(self) -> bool {
        matches!(self.space, Space::Any | Space::Values)
    }
}

/// The passes of one kernel. What each demands of its caller stands at the generic function of its name.
pub(super) struct Passes {
    /// By spaces, floats, many.
    index_tight: [[[PiecePass; 2]; 2]; 2],
    /// By values.
    condense: [PiecePass; 2],
    /// By floats.
    index_dense: [unsafe fn(&mut Window); 2],
    check_tight: PiecePass,
    check_dense: PiecePass,
    /// Whether passes 2 and 3 are worth it; else a walk is.
    shuffles: bool,
    /// Pass 2 with depths, without and with keeping them, and without depths.
    depths: [unsafe fn(&mut Window, usize, u8); 2],
    pub(super) depths_ignored: unsafe fn(&mut Window, usize, u8),
    pub(super) grammar: unsafe fn(&mut Window, usize),
    drop_pairs: unsafe fn(&mut Window),
    pub(super) find_fields: unsafe fn(&mut Finder, &Scanned<'_>),
    pub(super) find_columns: unsafe fn(&mut Finder, &Tape<'_>),
}

impl Passes {
    /// The table of a kernel that this machine has; of the portable one if it has not.
    pub(super) fn of(kernel: Kernel) -> &'static Self {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 if kernel.is_available() => &on_avx512::PASSES,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 if kernel.is_available() => &on_avx2::PASSES,
            _ => &on_portable::PASSES,
        }
    }

    /// Pass 1 over a piece.
    ///
    /// # Safety
    /// As for [`index::index`].
    pub(super) unsafe fn index(&self, variant: Variant, many: bool, window: &mut Window, piece: Piece) {
        let (floats, many) = (usize::from(variant.floats), usize::from(many));
        let tight = |spaces: usize| self.index_tight[spaces][floats][many];
        // SAFETY: what the passes demand of a piece, the caller meets, and the dense text is the one just made.
        unsafe {
            match variant.space {
                Space::None => tight(0)(window, piece),
                Space::Single => tight(1)(window, piece),
                Space::Any | Space::Values => {
                    self.condense[usize::from(variant.space == Space::Values)](window, piece);
                    self.index_dense[floats](window);
                }
            }
        }
    }

    /// Holds the first `entries` entries, which are whole records, against the grammar, but for the text of scalars; a depth
    /// above `limit` is a fault. With `tape` the depths are kept, and the newlines listed.
    ///
    /// # Safety
    /// So many entries must exist.
    pub(super) unsafe fn check_grammar(&self, window: &mut Window, entries: usize, limit: u8, tape: bool) {
        if !self.shuffles {
            return if tape { walk::<true>(window, entries, limit) } else { walk::<false>(window, entries, limit) };
        }
        window.begin_stream();
        (window.newline_count, window.blank_count) = (0, 0);
        // SAFETY: the entries exist, says the caller; each pass finds what the one before has left.
        unsafe {
            (self.depths[usize::from(tape)])(window, entries, limit);
            window.end_stream();
            (self.grammar)(window, window.structural_len);
            (self.drop_pairs)(window);
        }
        brackets::match_shallow(window);
    }

    pub(super) fn check_text(&self, variant: Variant) -> PiecePass {
        if variant.is_dense() { self.check_dense } else { self.check_tight }
    }
}

/// A module with the passes for one kernel.
macro_rules! passes {
    ($module:ident, $kernel:ident, $type:ty, $new:expr) => {
        mod $module {
            use super::*;

            pub(super) static PASSES: Passes = Passes {
                index_tight: [
                    [
                        [index_tight::<false, false, false>, index_tight::<false, false, true>],
                        [index_tight::<true, false, false>, index_tight::<true, false, true>],
                    ],
                    [
                        [index_tight::<false, true, false>, index_tight::<false, true, true>],
                        [index_tight::<true, true, false>, index_tight::<true, true, true>],
                    ],
                ],
                condense: [condense::<false>, condense::<true>],
                index_dense: [index_dense::<false>, index_dense::<true>],
                check_tight: check_text::<false>,
                check_dense: check_text::<true>,
                shuffles: <$type>::SHUFFLES,
                depths: [depths_pass::<true, false>, depths_pass::<true, true>],
                depths_ignored: depths_pass::<false, false>,
                grammar,
                drop_pairs,
                find_fields,
                find_columns,
            };

            #[inline(always)]
            fn kernel() -> $type {
                // SAFETY: `Passes::of` hands these functions out only where the kernel is available.
                #[allow(unused_unsafe, reason = "the portable kernel needs no proof")]
                unsafe {
                    $new
                }
            }

            with_features!(
                $kernel,
                unsafe fn index_tight<const FLOATS: bool, const SPACES: bool, const MANY: bool>(
                    window: &mut Window,
                    piece: Piece,
                ) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { index::index::<_, FLOATS, SPACES, MANY>(kernel(), window, piece) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn condense<const VALUES: bool>(window: &mut Window, piece: Piece) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { dense::condense::<_, VALUES>(kernel(), window, piece) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn index_dense<const FLOATS: bool>(window: &mut Window) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { dense::index_dense::<_, FLOATS>(kernel(), window) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn check_text<const DENSE: bool>(window: &mut Window, piece: Piece) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { text::check_text::<_, DENSE>(kernel(), window, piece) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn depths_pass<const DEPTHS: bool, const TAPE: bool>(
                    window: &mut Window,
                    entries: usize,
                    limit: u8,
                ) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { depths::depths::<_, DEPTHS, TAPE>(kernel(), window, entries, limit) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn grammar(window: &mut Window, count: usize) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { grammar::grammar(kernel(), window, count) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn drop_pairs(window: &mut Window) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { brackets::drop_pairs(kernel(), window) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn find_columns(finder: &mut Finder, tape: &Tape<'_>) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { fields::find_columns(kernel(), finder, tape) }
                }
            );
            with_features!(
                $kernel,
                unsafe fn find_fields(finder: &mut Finder, scanned: &Scanned<'_>) {
                    // SAFETY: what the generic function demands, the caller meets.
                    unsafe { fields::find(kernel(), finder, scanned) }
                }
            );
        }
    };
}

#[cfg(target_arch = "x86_64")]
passes!(on_avx512, Avx512, Avx512, Avx512::new());
#[cfg(target_arch = "x86_64")]
passes!(on_avx2, Avx2, Avx2, Avx2::new());
passes!(on_portable, Portable, Portable, Portable);
