//! The kinds of work, and who does them.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use ndskim::{BoxError, Pointer, Projection, Record, Scan, Validation};
use serde::Deserialize;

use crate::found::{Found, crc};
use crate::shapes::{Article, Item, Shape, Typed, User};

/// The values of `--work`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Says whether it is JSON
    Validate,
    /// One string of it
    Field,
    /// Every value, decoded one by one and not kept
    Values,
    /// A part of it, or all, as types
    Typed,
    /// All of it as a tree that owns its values
    Tree,
    /// Not measured: a lazy walk, for comparison with other parsers
    Digest,
    /// Not measured: a walk through the tree, for comparison with other parsers
    TreeDigest,
    /// Not measured: the sums of what was decoded as types
    TypedDigest,
}

/// The values of `--reader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reader {
    /// This library, every byte checked
    Full,
    /// This library, what is read is checked
    Visited,
    /// serde_json
    SerdeJson,
}

/// What is to be done with documents.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) kind: Kind,
    pub(crate) reader: Reader,
    pub(crate) pointer: Pointer,
    pub(crate) shape: Shape,
}

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

impl Job {
    /// The work on the documents of a file.
    pub(crate) fn file(&self, path: &Path) -> Result<Found> {
        if self.reader == Reader::SerdeJson {
            self.with_serde_json(&fs::read(path)?)
        } else {
            self.with_scan(Scan::new(path))
        }
    }

    /// The work on the documents of many files, in one scan.
    pub(crate) fn files(&self, paths: &[PathBuf]) -> Result<Found> {
        self.with_scan(Scan::new(paths.to_vec()))
    }

    /// The work on the documents in some text.
    pub(crate) fn bytes(&self, text: &[u8]) -> Result<Found> {
        if self.reader == Reader::SerdeJson { self.with_serde_json(text) } else { self.with_scan(Scan::bytes(text)) }
    }

    fn with_scan(&self, scan: Scan<'_>) -> Result<Found> {
        let validation = if self.reader == Reader::Visited { Validation::Visited } else { Validation::Full };
        let scan = scan.validation(validation);
        match self.kind {
            Kind::Validate => Ok(Found { documents: scan.validate()?.stats.records, ..Found::default() }),
            Kind::Field => each(scan.project(Projection::from(vec![self.pointer.clone()])), |found, record| {
                let text = record.field(0).map_or(Ok(None), |value| value.as_str())?;
                found.crc_sum = found.crc_sum.wrapping_add(crc(&text.unwrap_or_default()));
                Ok(())
            }),
            Kind::Values => each(scan, |found, record| Ok(found.add::<false>(record.value())?)),
            Kind::Digest => each(scan, |found, record| Ok(found.add::<true>(record.value())?)),
            Kind::Tree => each(scan, |_, record| {
                black_box(record.to_value()?);
                Ok(())
            }),
            Kind::TreeDigest => each(scan, |found, record| {
                found.add_owned(&record.to_value()?);
                Ok(())
            }),
            Kind::Typed | Kind::TypedDigest => each(scan, |found, record| match self.shape {
                Shape::Article => self.typed(found, record.deserialize::<Article<'_>>()?),
                Shape::Items => self.typed(found, record.deserialize::<Vec<Item<'_>>>()?),
                Shape::Users => self.typed(found, record.deserialize::<Vec<User<'_>>>()?),
            }),
        }
    }

    fn with_serde_json(&self, text: &[u8]) -> Result<Found> {
        let mut found = Found::document();
        match self.kind {
            Kind::Validate => {
                serde_json::from_slice::<serde::de::IgnoredAny>(text)?;
            }
            Kind::Tree => {
                black_box(serde_json::from_slice::<serde_json::Value>(text)?);
            }
            Kind::TreeDigest | Kind::Digest => found.add_owned(&serde_json::from_slice(text)?),
            Kind::Typed | Kind::TypedDigest => match self.shape {
                Shape::Article => self.typed(&mut found, from_text::<Article<'_>>(text)?)?,
                Shape::Items => self.typed(&mut found, from_text::<Vec<Item<'_>>>(text)?)?,
                Shape::Users => self.typed(&mut found, from_text::<Vec<User<'_>>>(text)?)?,
            },
            Kind::Field | Kind::Values => return Err("serde_json is not asked for this".into()),
        }
        // Without its feature `float_roundtrip`, as users have it, its doubles are not always the nearest ones.
        found.number_bits = 0;
        Ok(found)
    }

    /// What was decoded is summed up where it is to be compared, else only kept from being optimised away.
    fn typed(&self, found: &mut Found, value: impl Typed) -> std::result::Result<(), BoxError> {
        if self.kind == Kind::TypedDigest {
            value.found(found);
        } else {
            black_box(value);
        }
        Ok(())
    }
}

fn from_text<'a, T: Deserialize<'a>>(text: &'a [u8]) -> serde_json::Result<T> {
    serde_json::from_slice(text)
}

/// Every document of a scan, counted and looked at.
fn each(
    scan: Scan<'_>,
    look: impl Fn(&mut Found, Record<'_>) -> std::result::Result<(), BoxError> + Sync,
) -> Result<Found> {
    let count = |found: &mut Found, record: Record<'_>| {
        found.documents += 1;
        look(found, record)
    };
    Ok(scan.try_fold(Found::default, count, Found::merged)?.value)
}
