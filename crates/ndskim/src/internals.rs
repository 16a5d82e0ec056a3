//! Parts of the engine for this repository's benchmarks, which measure what no caller can ask for alone. No promise is made
//! about anything here.

use crate::block::Block;
use crate::kernel::Kernel;

/// The number of entries that pass 1 of the full engine makes of a block; `None` if it refuses the text.
///
/// A kernel that the machine does not have is replaced by the fastest that it has.
///
/// ```
/// use ndskim::{Kernel, Scan};
/// let mut blocks = Scan::bytes(b"{\"a\":1}\n").blocks();
/// let block = blocks.next().unwrap().unwrap();
/// // `{`, `:`, `}` and the newline.
/// assert_eq!(ndskim::internals::index(&block, Kernel::Portable), Some(4));
/// ```
pub fn index(block: &Block<'_>, kernel: Kernel) -> Option<usize> {
    block.index_entries(kernel)
}
