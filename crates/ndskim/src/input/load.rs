//! Whole files in memory, read by all threads at once.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rayon::prelude::*;

/// Bytes that one thread reads at once: enough that each touches its own stretch of the memory first.
const PART: usize = 4 << 20;

/// Reads a file into memory with all threads of the current rayon pool.
///
/// Each part of the memory is touched first by the thread that reads it, so that on a machine with several memory nodes it is
/// spread over them as the threads are. The file is read as it is: it is not decompressed.
///
/// # Errors
/// The file cannot be opened or read, or becomes shorter meanwhile.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("events.json");
/// # std::fs::write(&path, "{}\n{}\n").unwrap();
/// let bytes = ndskim::load(&path)?;
/// assert_eq!(ndskim::Scan::bytes(&bytes).for_each(|_| ()).unwrap().stats.records, 2);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn load(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    // Zeroed memory of this size comes from the system untouched.
    let mut bytes = vec![0; length];
    let parts = bytes.par_chunks_mut(PART).enumerate();
    parts.try_for_each(|(number, part)| file.read_exact_at(part, (number * PART) as u64))?;
    Ok(bytes)
}
