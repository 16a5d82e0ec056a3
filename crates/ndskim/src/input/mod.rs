//! Inputs: where bytes come from, and how they become blocks.
//!
//! [`Input`] is what a caller names. It may be compressed, which its first bytes tell. A [`Source`](source::Source) opens the
//! inputs in order and hands blocks to workers, each of which reads for itself: there is no reading thread. Nothing here knows
//! what a record is beyond where a text may be cut.

mod buffer;
mod counted;
mod encoding;
mod file;
mod load;
mod memory;
mod notice;
mod open;
mod slices;
pub(crate) mod source;
mod stream;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use buffer::Buffer;
pub use load::load;
pub use notice::{Notice, NoticeKind};

/// The most bytes that a record may have: what has no end so far is not held in memory for ever.
pub(crate) const MAX_RECORD: u64 = 4 << 30;

/// The name of a file as text; a byte that is no UTF-8 is written as `\xff`, so that different files keep different names.
fn name_of(path: &Path) -> String {
    path.as_os_str().as_encoded_bytes().utf8_chunks().fold(String::new(), |name, chunk| {
        chunk.invalid().iter().fold(name + chunk.valid(), |name, byte| name + &format!("\\x{byte:02x}"))
    })
}

/// The error that a record is longer than `most` bytes.
fn too_long(most: u64) -> io::Error {
    let most = if most.is_multiple_of(1 << 30) { format!("{} GiB", most >> 30) } else { format!("{most} bytes") };
    let what = format!("the record that begins there is longer than {most}; is this the right format?");
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// One input of a scan.
///
/// ```
/// use ndskim::{Input, Scan};
/// let inputs = vec![Input::bytes(b"1\n2\n"), Input::reader(&b"3\n"[..]).named("the rest")];
/// let names = Scan::new(inputs).map(|record| record.input().to_owned()).unwrap().value;
/// assert_eq!(names, ["<bytes>", "<bytes>", "the rest"]);
/// ```
pub struct Input<'s> {
    pub(crate) name: Arc<str>,
    pub(crate) kind: InputKind<'s>,
}

pub(crate) enum InputKind<'s> {
    Path(PathBuf),
    Stdin,
    Bytes(&'s [u8]),
    Reader(Box<dyn Read + Send + 's>),
}

impl<'s> Input<'s> {
    /// A file, a named pipe or a device. It is opened when the scan comes to it.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { name: name_of(&path).into(), kind: InputKind::Path(path) }
    }

    /// Standard input.
    pub fn stdin() -> Self {
        Self { name: "<stdin>".into(), kind: InputKind::Stdin }
    }

    /// Bytes in memory, which are read where they are.
    pub fn bytes(bytes: &'s [u8]) -> Self {
        Self { name: "<bytes>".into(), kind: InputKind::Bytes(bytes) }
    }

    /// Any reader. It is read by one thread at a time, while others work on what was read; it must not itself wait for the
    /// rayon pool that the scan runs on.
    pub fn reader(reader: impl Read + Send + 's) -> Self {
        Self { name: "<reader>".into(), kind: InputKind::Reader(Box::new(reader)) }
    }

    /// The same input under another name, as faults and errors will show it.
    ///
    /// ```
    /// use ndskim::{Input, Scan};
    /// let error = Scan::new(Input::bytes(b"{").named("answer of the server")).for_each(|_| ()).unwrap_err();
    /// assert!(error.to_string().starts_with("answer of the server:1:2"));
    /// ```
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// The input's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Input").field(&self.name).finish()
    }
}

/// What [`Scan::new`](crate::Scan::new) and [`map_many`](crate::map_many) read: a path, an [`Input`], or many of either.
///
/// ```
/// use ndskim::{Input, Inputs};
/// assert_eq!("events.json".into_inputs().len(), 1);
/// assert_eq!(["a.json", "b.json"].into_inputs().len(), 2);
/// assert_eq!(vec![Input::stdin(), Input::bytes(b"{}")].into_inputs().len(), 2);
/// ```
pub trait Inputs<'s> {
    /// The inputs, in order.
    fn into_inputs(self) -> Vec<Input<'s>>;
}

impl<'s> Inputs<'s> for Input<'s> {
    fn into_inputs(self) -> Vec<Input<'s>> {
        vec![self]
    }
}

/// A path on its own is an input on its own.
macro_rules! path_is_input {
    ($($path:ty),*) => {$(
        impl<'s> From<$path> for Input<'s> {
            fn from(path: $path) -> Self {
                Input::path(path)
            }
        }

        impl<'s> Inputs<'s> for $path {
            fn into_inputs(self) -> Vec<Input<'s>> {
                vec![self.into()]
            }
        }
    )*};
}

path_is_input!(&str, &String, String, &Path, &PathBuf, PathBuf);

impl<'s, I: Into<Input<'s>>> Inputs<'s> for Vec<I> {
    fn into_inputs(self) -> Vec<Input<'s>> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<'s, I: Into<Input<'s>>, const N: usize> Inputs<'s> for [I; N] {
    fn into_inputs(self) -> Vec<Input<'s>> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<'s, I: Clone + Into<Input<'s>>> Inputs<'s> for &[I] {
    fn into_inputs(self) -> Vec<Input<'s>> {
        self.iter().cloned().map(Into::into).collect()
    }
}

/// How files are read.
///
/// ```
/// use ndskim::{Reading, Scan};
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("events.json");
/// # std::fs::write(&path, "{}\n").unwrap();
/// // SAFETY: nobody changes the file while this scan runs.
/// let reading = unsafe { Reading::map() };
/// let outcome = Scan::new(&path).reading(reading).for_each(|_| ()).unwrap();
/// assert_eq!(outcome.stats.records, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub(crate) map: bool,
}

impl Reading {
    /// The best way for the input; today blocks.
    pub const fn auto() -> Self {
        Self { map: false }
    }

    /// Reads of a block at a time into reused buffers (`pread`). It was faster than a memory map where it was measured, and a
    /// file that shrinks or a disk that fails is an error, not a signal.
    pub const fn blocks() -> Self {
        Self { map: false }
    }

    /// A memory map of regular files; other inputs are read as by [`blocks`](Self::blocks).
    ///
    /// # Safety
    /// As long as the scan runs, nobody may change or truncate the mapped files, in this process or in any other. Text that
    /// changes under a reader is undefined behaviour, and pages that are gone, or cannot be read from the disk, end the
    /// process with SIGBUS. No program can promise this for files that it does not own, which is why this is no default.
    pub const unsafe fn map() -> Self {
        Self { map: true }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn names_of_files_differ_where_their_bytes_do() {
        let name = |bytes: &[u8]| name_of(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(name("dir/größe.json".as_bytes()), "dir/größe.json");
        assert_eq!([name(b"a\xffb\xe2\x82"), name(b"a\xfeb")], ["a\\xffb\\xe2\\x82", "a\\xfeb"]);
    }
}
