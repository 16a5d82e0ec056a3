//! What a command writes is none of what it reads, and no two of the files that it writes are one.
//!
//! In go the names of both, before anything is opened for writing; out comes wrong usage, or nothing. Files that are there are
//! known by device and inode, so that links and other spellings are seen through; others by their folder and name.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::args::is_stdin;
use crate::exit::Failure;
use crate::visible::visible_path;

/// A file that a command is going to write.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The flag that it is written for.
    flag: &'static str,
    path: PathBuf,
}

impl Written {
    /// A file that is written for a flag.
    pub(crate) fn new(flag: &'static str, path: impl Into<PathBuf>) -> Self {
        Self { flag, path: path.into() }
    }
}

/// What makes a file that one.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and inode of a regular file.
    There(u64, u64),
    /// Device and inode of the folder, and the name in it, of a file that is not there.
    NotYet(u64, u64, OsString),
}

fn numbers(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// The identity of a regular file, or of one to come; none for pipes, devices and folders, which nobody overwrites.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(metadata) => regular(&metadata),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let (device, inode) = numbers(&fs::metadata(folder).ok()?);
            Some(Identity::NotYet(device, inode, path.file_name()?.to_owned()))
        }
    }
}

fn regular(metadata: &Metadata) -> Option<Identity> {
    let (device, inode) = numbers(metadata);
    metadata.is_file().then_some(Identity::There(device, inode))
}

/// The identity of an input, or of a list of inputs: `-` is the file that standard input comes from.
fn input_identity(path: &Path) -> Option<Identity> {
    if !is_stdin(path) {
        return identity(path);
    }
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    regular(&file.metadata().ok()?)
}

/// Refuses files to write of which one is also read, or two are one.
///
/// # Errors
/// Wrong usage.
pub(crate) fn spare<'a>(written: &[Written], read: impl Iterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    if written.is_empty() {
        return Ok(());
    }
    let read: Vec<_> = read.filter_map(|path| input_identity(path)).collect();
    let mut before: Vec<(&Written, Option<Identity>)> = Vec::new();
    for file in written {
        let (flag, name) = (file.flag, visible_path(&file.path));
        let identity = identity(&file.path);
        if identity.as_ref().is_some_and(|identity| read.contains(identity)) {
            return Err(Failure::usage(format!("{flag} {name} would overwrite an input: name another file")));
        }
        let same = |(other, known): &&(&Written, Option<Identity>)| {
            other.path == file.path || identity.is_some() && *known == identity
        };
        if let Some((other, _)) = before.iter().find(same) {
            let message = format!("{} and {flag} cannot both be {name}: name two files", other.flag);
            return Err(Failure::usage(message));
        }
        before.push((file, identity));
    }
    Ok(())
}
