//! Skimming: going through JSON text for what was asked, leaving the rest unread as far as that can be.
//!
//! In goes text that may or may not have been validated; out come offsets of values. On valid text the answers are those of a
//! full parser. On any other text skimming stays inside the slice and ends: either with offsets, or with [`Malformed`] where
//! what had to be read breaks the grammar. It never promises to notice faults in what it skips.

use std::ops::Range;

use crate::exact::skip_white_space;
use crate::pointer::Projection;
use crate::text::content_is;

/// The bytes that had to be read are not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

pub(crate) type Result<T> = std::result::Result<T, Malformed>;

/// The offset behind the value that begins at `at`.
pub(crate) fn skip_value(text: &[u8], at: usize) -> Result<usize> {
    match text.get(at) {
        Some(b'"') => skip_string(text, at),
        Some(b'{' | b'[') => skip_rest(text, at + 1, text[at]),
        _ => skip_scalar(text, at),
    }
}

/// The offset behind the string whose opening quote is at `at`.
pub(crate) fn skip_string(text: &[u8], at: usize) -> Result<usize> {
    let mut i = at + 1;
    loop {
        let rest = text.get(i..).ok_or(Malformed)?;
        i += memchr::memchr2(b'"', b'\\', rest).ok_or(Malformed)?;
        if text[i] == b'"' {
            return Ok(i + 1);
        }
        i += 2;
    }
}

/// The offset behind the container opened by `open`, seen from inside it, outside strings.
///
/// Only brackets of the container's own kind are counted: in valid text the others are balanced in between.
pub(crate) fn skip_rest(text: &[u8], at: usize, open: u8) -> Result<usize> {
    let close = open + 2;
    let (mut i, mut depth) = (at, 1_usize);
    loop {
        let rest = text.get(i..).ok_or(Malformed)?;
        i += memchr::memchr3(b'"', open, close, rest).ok_or(Malformed)?;
        match text[i] {
            b'"' => {
                i = skip_string(text, i)?;
                continue;
            }
            byte if byte == open => depth += 1,
            _ => depth -= 1,
        }
        i += 1;
        if depth == 0 {
            return Ok(i);
        }
    }
}

/// The offset behind the number or literal that begins at `at`; its spelling is not checked.
pub(crate) fn skip_scalar(text: &[u8], at: usize) -> Result<usize> {
    let token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    match text.get(at..).unwrap_or_default().iter().take_while(|b| token(b)).count() {
        0 => Err(Malformed),
        length => Ok(at + length),
    }
}

/// A walk over the members or elements of one container, in order.
pub(crate) struct Walk<'t> {
    text: &'t [u8],
    at: usize,
    open: u8,
    /// Where the value handed out last begins, while its end has not been needed.
    pending: Option<usize>,
    first: bool,
}

/// A member of an object.
pub(crate) struct Member {
    /// The offset of the key's opening quote.
    pub(crate) key: usize,
    /// The key as it is written, between its quotes.
    pub(crate) content: Range<usize>,
    /// The offset of the value.
    pub(crate) value: usize,
}

impl<'t> Walk<'t> {
    /// A walk through the container whose bracket is at `at`.
    pub(crate) fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at: at + 1, open: text[at], pending: None, first: true }
    }

    /// Goes on to the next member; `None` at the end of the object.
    pub(crate) fn member(&mut self) -> Result<Option<Member>> {
        if !self.advance()? {
            return Ok(None);
        }
        let key = self.at;
        if self.text.get(key) != Some(&b'"') {
            return Err(Malformed);
        }
        let end = skip_string(self.text, key)?;
        let colon = skip_white_space(self.text, end);
        if self.text.get(colon) != Some(&b':') {
            return Err(Malformed);
        }
        let value = skip_white_space(self.text, colon + 1);
        self.hand_out(value)?;
        Ok(Some(Member { key, content: key + 1..end - 1, value }))
    }

    /// Goes on to the next element and tells its offset; `None` at the end of the array.
    pub(crate) fn element(&mut self) -> Result<Option<usize>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.hand_out(self.at)?;
        Ok(Some(self.at))
    }

    fn hand_out(&mut self, value: usize) -> Result<()> {
        match self.text.get(value) {
            Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.pending = Some(value);
                Ok(())
            }
            _ => Err(Malformed),
        }
    }

    fn skip_pending(&mut self) -> Result<()> {
        if let Some(value) = self.pending.take() {
            self.at = skip_value(self.text, value)?;
        }
        Ok(())
    }

    /// Moves to the next member or element; false at the container's end, which a further call does not pass.
    fn advance(&mut self) -> Result<bool> {
        self.skip_pending()?;
        self.at = skip_white_space(self.text, self.at);
        let first = std::mem::take(&mut self.first);
        match self.text.get(self.at) {
            Some(&byte) if byte == self.open + 2 => Ok(false),
            Some(b',') if !first => {
                self.at = skip_white_space(self.text, self.at + 1);
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => Err(Malformed),
        }
    }
}

/// The offset of the value of the first member with this key, of the object at `at`.
pub(crate) fn find_member(text: &[u8], at: usize, key: &[u8]) -> Result<Option<usize>> {
    let mut walk = Walk::new(text, at);
    while let Some(member) = walk.member()? {
        if content_is(&text[member.content], key) {
            return Ok(Some(member.value));
        }
    }
    Ok(None)
}

/// The offset of an element of the array at `at`.
pub(crate) fn find_element(text: &[u8], at: usize, index: u64) -> Result<Option<usize>> {
    let mut walk = Walk::new(text, at);
    let mut left = index;
    while let Some(element) = walk.element()? {
        if left == 0 {
            return Ok(Some(element));
        }
        left -= 1;
    }
    Ok(None)
}

/// Finds the fields of a projection in the record whose value begins at `at`, in one pass that ends with the last field found.
///
/// `fields` gets the offset of each field's value, by slot, and must hold `None` for each before.
pub(crate) fn find_fields(text: &[u8], at: usize, projection: &Projection, fields: &mut [Option<usize>]) -> Result<()> {
    if !projection.is_empty() {
        visit(text, at, projection, 0, fields)?;
    }
    Ok(())
}

/// Notes the value at `at` for its node's slots and looks inside it for the node's edges. The depth of recursion is that of
/// the projection.
fn visit(text: &[u8], at: usize, projection: &Projection, node: usize, fields: &mut [Option<usize>]) -> Result<()> {
    let node = &projection.nodes()[node];
    for &slot in &node.slots {
        fields[slot] = Some(at);
    }
    let is_object = match text.get(at) {
        _ if node.edges.is_empty() => return Ok(()),
        Some(b'{') => true,
        Some(b'[') => false,
        _ => return Ok(()),
    };
    let wanted =
        if is_object { node.edges.len() } else { node.edges.iter().filter(|edge| edge.index.is_some()).count() };
    let mut found = Found::new(node.edges.len());
    let mut walk = Walk::new(text, at);
    let mut elements = 0;
    while found.count < wanted {
        let (hit, value) = if is_object {
            let Some(member) = walk.member()? else { break };
            let content = &text[member.content];
            (node.edges.iter().position(|edge| content_is(content, &edge.key)), member.value)
        } else {
            let Some(element) = walk.element()? else { break };
            elements += 1;
            (node.edges.iter().position(|edge| edge.index == Some(elements - 1)), element)
        };
        // The first of two equal keys counts.
        if let Some(edge) = hit
            && found.insert(edge)
        {
            visit(text, value, projection, node.edges[edge].node, fields)?;
        }
    }
    Ok(())
}

/// Which edges of a node were found; no allocation up to 64 of them.
struct Found {
    count: usize,
    low: u64,
    high: Vec<bool>,
}

impl Found {
    fn new(edges: usize) -> Self {
        Self { count: 0, low: 0, high: vec![false; edges.saturating_sub(64)] }
    }

    /// Notes an edge; false if it was noted before.
    fn insert(&mut self, edge: usize) -> bool {
        let new = match edge.checked_sub(64) {
            None => self.low & 1 << edge == 0,
            Some(high) => !self.high[high],
        };
        if new {
            self.count += 1;
            match edge.checked_sub(64) {
                None => self.low |= 1 << edge,
                Some(high) => self.high[high] = true,
            }
        }
        new
    }
}
