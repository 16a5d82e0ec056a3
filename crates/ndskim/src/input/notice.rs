//! Notices: what a user should know of an input, though it is no error.

use std::fmt;
use std::sync::Arc;

use crate::format::Format;

/// Something about an input that its reader should know, and that is no error.
///
/// ```
/// use ndskim::{Format, NoticeKind, Scan};
/// let outcome = Scan::bytes(b"{\"a\":1}{\"a\":2}").format(Format::Auto).for_each(|_| ()).unwrap();
/// let notice = &outcome.notices[0];
/// assert_eq!(notice.kind(), NoticeKind::Format(Format::Concatenated));
/// assert_eq!(notice.to_string(), "<bytes>: read as concatenated");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    input: Arc<str>,
    kind: NoticeKind,
}

/// The kinds of notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// [`Format::Auto`] took this format.
    Format(Format),
    /// The input is read as [`Format::Lines`], and its first line is nothing but an opening bracket, as in a pretty-printed
    /// document. With [`OnFault::Fail`](crate::OnFault::Fail) that ends the scan.
    SeveralLines,
    /// Behind the last gzip member or zstd frame stood so many bytes that are none. They were left out.
    Trailing {
        /// `gzip member` or `zstd frame`.
        behind: &'static str,
        /// Bytes as they are stored.
        bytes: u64,
    },
}

impl Notice {
    pub(crate) fn new(input: Arc<str>, kind: NoticeKind) -> Self {
        Self { input, kind }
    }

    /// The name of the input.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// What there is to know.
    pub fn kind(&self) -> NoticeKind {
        self.kind
    }

    /// Whether something may be wrong with the input.
    pub fn is_warning(&self) -> bool {
        matches!(self.kind, NoticeKind::SeveralLines | NoticeKind::Trailing { .. })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.input, self.kind)
    }
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoticeKind::Format(format) => write!(f, "read as {format}"),
            NoticeKind::SeveralLines => f.write_str("looks pretty-printed, and is read line by line all the same"),
            NoticeKind::Trailing { behind, bytes } => {
                write!(f, "{bytes} bytes behind the last {behind} are none, and were left out")
            }
        }
    }
}
