//! JSON Pointers (RFC 6901), and many of them compiled into one [`Projection`].
//!
//! A projection is a trie over the pointers' tokens, so that a reader walks a record once for all of them. It is built once
//! for a scan and shared by all threads; it knows nothing of text or of engines.

use std::fmt;
use std::str::FromStr;

/// A JSON Pointer (RFC 6901): the path to one value inside a record.
///
/// A token such as `0` names the member `"0"` of an object and the first element of an array.
///
/// ```
/// use ndskim::{Pointer, Scan};
/// let language: Pointer = "/repo/language".parse().unwrap();
/// let outcome = Scan::bytes(br#"{"repo":{"language":"Rust"}}"#)
///     .map(|record| record.pointer(&language).unwrap().map(|value| value.raw().unwrap().to_vec()))
///     .unwrap();
/// assert_eq!(outcome.value, [Some(b"\"Rust\"".to_vec())]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    tokens: Vec<String>,
}

/// Why a text is not a JSON Pointer.
///
/// ```
/// use ndskim::{Pointer, PointerError};
/// assert!(matches!(Pointer::parse("repo.name"), Err(PointerError::NoSlash(_))));
/// assert!(matches!(Pointer::parse("/a~2"), Err(PointerError::BadEscape(_))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointerError {
    /// A pointer is empty or begins with `/`.
    #[error("a JSON Pointer begins with `/` (or is empty for the whole record), and {0:?} does not: try {fixed:?}", fixed = format!("/{}", .0.trim_start_matches("$.").replace('.', "/")))]
    NoSlash(String),
    /// A `~` that is not followed by `0` or `1`.
    #[error("in the JSON Pointer {0:?} a `~` is not followed by 0 or 1: `~0` stands for `~`, `~1` for `/`")]
    BadEscape(String),
    /// More tokens than any record may have levels.
    #[error("a JSON Pointer of {0} tokens is too long: {max} at most", max = Pointer::MAX_TOKENS)]
    TooLong(usize),
}

impl Pointer {
    /// The most tokens that a pointer may have: there is nothing at the end of one that has more.
    pub const MAX_TOKENS: usize = 1024;

    /// Reads a pointer.
    ///
    /// # Errors
    /// [`PointerError`], for text that RFC 6901 does not allow.
    ///
    /// ```
    /// use ndskim::Pointer;
    /// assert_eq!(Pointer::parse("/a~1b/0").unwrap().tokens(), ["a/b", "0"]);
    /// assert!(Pointer::parse("a.b").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self { tokens: Vec::new() });
        }
        let tokens = text.strip_prefix('/').ok_or_else(|| PointerError::NoSlash(text.to_owned()))?;
        let count = tokens.split('/').count();
        if count > Self::MAX_TOKENS {
            return Err(PointerError::TooLong(count));
        }
        let decode = |token: &str| {
            let bad = token.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1']));
            if bad {
                Err(PointerError::BadEscape(text.to_owned()))
            } else {
                Ok(token.replace("~1", "/").replace("~0", "~"))
            }
        };
        Ok(Self { tokens: tokens.split('/').map(decode).collect::<Result<_, _>>()? })
    }

    /// A pointer of these tokens, which are taken as they are (`/` and `~` need no escape). With more than
    /// [`MAX_TOKENS`](Self::MAX_TOKENS) it leads nowhere.
    ///
    /// ```
    /// use ndskim::Pointer;
    /// assert_eq!(Pointer::from_tokens(["a/b", "0"]).to_string(), "/a~1b/0");
    /// ```
    pub fn from_tokens<T: Into<String>>(tokens: impl IntoIterator<Item = T>) -> Self {
        Self { tokens: tokens.into_iter().map(Into::into).collect() }
    }

    /// The tokens, unescaped.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Whether it may lead to anything. What follows a pointer may take stack for each token.
    pub(crate) fn can_lead(&self) -> bool {
        self.tokens.len() <= Self::MAX_TOKENS
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for Pointer {
    type Error = PointerError;

    fn try_from(text: &str) -> Result<Self, PointerError> {
        Self::parse(text)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.iter().try_for_each(|token| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

/// The element that a token names in an array: digits without a leading zero.
pub(crate) fn array_index(token: &str) -> Option<u64> {
    let canonical = token == "0"
        || (token.starts_with(|c: char| matches!(c, '1'..='9')) && token.bytes().all(|b| b.is_ascii_digit()));
    if canonical { token.parse().ok() } else { None }
}

/// Pointers compiled into a trie; the fields that a scan hands to the closure beside each record, in the pointers' order.
///
/// ```
/// use ndskim::{Projection, Scan};
/// let fields = Projection::new(["/type", "/actor/id"]).unwrap();
/// let outcome = Scan::bytes(br#"{"type":"PushEvent","actor":{"id":7}}"#)
///     .project(fields)
///     .map(|record| {
///         let [kind, id] = record.field_array();
///         (kind.unwrap().as_str().unwrap().unwrap().into_owned(), id.unwrap().as_i64().unwrap())
///     })
///     .unwrap();
/// assert_eq!(outcome.value, [("PushEvent".to_owned(), Some(7))]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Projection {
    nodes: Vec<Node>,
    pointers: Vec<Pointer>,
}

/// A value on the way to some field, or a field itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// The fields whose value this is: indices into the projection's pointers.
    pub(crate) slots: Vec<usize>,
    /// What to look for inside it.
    pub(crate) edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The token, as a key of an object.
    pub(crate) key: Box<[u8]>,
    /// The token, as an element of an array.
    pub(crate) index: Option<u64>,
    /// The node that it leads to.
    pub(crate) node: usize,
}

impl Projection {
    /// Compiles pointers. Equal pointers, and pointers into each other's values, are fine.
    ///
    /// # Errors
    /// [`PointerError`], for the first text that is no JSON Pointer.
    pub fn new<P>(pointers: impl IntoIterator<Item = P>) -> Result<Self, PointerError>
    where
        P: TryInto<Pointer>,
        PointerError: From<P::Error>,
    {
        Ok(pointers.into_iter().map(TryInto::try_into).collect::<Result<Vec<_>, _>>()?.into())
    }

    /// The pointers, in order.
    pub fn pointers(&self) -> &[Pointer] {
        &self.pointers
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.pointers.len()
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.pointers.is_empty()
    }

    /// The trie's nodes; the first stands for the record itself. Empty for a projection of nothing.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// The node that `token` leads to from `node`, made if it is new.
fn child(nodes: &mut Vec<Node>, node: usize, token: &str) -> usize {
    if let Some(edge) = nodes[node].edges.iter().find(|edge| *edge.key == *token.as_bytes()) {
        return edge.node;
    }
    let made = nodes.len();
    nodes.push(Node::default());
    nodes[node].edges.push(Edge { key: token.as_bytes().into(), index: array_index(token), node: made });
    made
}

impl From<Vec<Pointer>> for Projection {
    fn from(pointers: Vec<Pointer>) -> Self {
        let mut nodes = vec![Node::default()];
        for (slot, pointer) in pointers.iter().enumerate().filter(|(_, pointer)| pointer.can_lead()) {
            let end = pointer.tokens.iter().fold(0, |node, token| child(&mut nodes, node, token));
            nodes[end].slots.push(slot);
        }
        Self { nodes, pointers }
    }
}

impl From<std::convert::Infallible> for PointerError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_6901_are_read() {
        let tokens = |text: &str| Pointer::parse(text).unwrap().tokens;
        assert_eq!(tokens(""), Vec::<String>::new());
        assert_eq!(tokens("/"), [""]);
        assert_eq!(tokens("/foo/0"), ["foo", "0"]);
        assert_eq!(tokens("/a~1b/m~0n/~01"), ["a/b", "m~n", "~1"]);
        assert_eq!(tokens("/ /c%d"), [" ", "c%d"]);
    }

    #[test]
    fn what_is_no_pointer_says_what_to_do() {
        assert!(Pointer::parse("repo.name").unwrap_err().to_string().contains("try \"/repo/name\""));
        assert!(Pointer::parse("/a~2").unwrap_err().to_string().contains("`~0` stands for `~`"));
        assert!(matches!(Pointer::parse(&"/a".repeat(2000)), Err(PointerError::TooLong(2000))));
    }

    #[test]
    fn a_pointer_that_is_too_long_leads_nowhere() {
        let text = format!("{}1{}", "[".repeat(1024), "]".repeat(1024));
        let found = |tokens: usize| {
            let pointer = Pointer::from_tokens(vec!["0"; tokens]);
            let projection = Projection::from(vec![pointer.clone()]);
            let scan = || crate::Scan::bytes(text.as_bytes()).threads(1);
            let asked = scan().map(|record| record.pointer(&pointer).unwrap().is_some()).unwrap().value;
            let declared = scan().project(projection).map(|record| record.field(0).is_some()).unwrap().value;
            (asked, declared)
        };
        assert_eq!(found(1024), (vec![true], vec![true]));
        assert_eq!(found(1025), (vec![false], vec![false]));
        assert_eq!(found(1_000_000), (vec![false], vec![false]));
    }

    #[test]
    fn an_array_index_has_no_leading_zero_and_no_sign() {
        let index = |token| array_index(token);
        assert_eq!(
            ["0", "7", "10", "00", "01", "+1", "-1", "", "1x"].map(index),
            [Some(0), Some(7), Some(10), None, None, None, None, None, None]
        );
    }

    #[test]
    fn shared_tokens_share_nodes() {
        let projection = Projection::new(["/a/b", "/a/c", "/a", "/a/b"]).unwrap();
        assert_eq!(projection.nodes().len(), 4);
        assert_eq!(projection.nodes()[2].slots, [0, 3]);
    }
}
