//! Nodes of simd-json's tape, seen as values.
//!
//! The tape keeps decoded strings and numbers but not where they stood. Where the text of a value is asked for, its place is
//! found by counting: the tape's nodes are the text's tokens (keys, scalars and opening brackets) in order.

use simd_json::StaticNode;
use simd_json::tape::Node as TapeNode;

use crate::kernel::Kernel;
use crate::padded::Text;
use crate::skim;
use crate::value::Kind;

/// One node of the tape of a record.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    tape: &'a RecordTape<'a>,
    at: usize,
}

/// The tape of a record beside its text, unchanged.
pub(crate) struct RecordTape<'a> {
    pub(crate) nodes: &'a [TapeNode<'a>],
    pub(crate) record: Text<'a>,
}

impl<'a> Node<'a> {
    /// The value of a record.
    pub(crate) fn root(tape: &'a RecordTape<'a>) -> Self {
        Self { tape, at: 0 }
    }

    pub(crate) fn kind(self) -> Kind {
        match self.tape.nodes[self.at] {
            TapeNode::String(_) => Kind::String,
            TapeNode::Object { .. } => Kind::Object,
            TapeNode::Array { .. } => Kind::Array,
            TapeNode::Static(StaticNode::Null) => Kind::Null,
            TapeNode::Static(StaticNode::Bool(_)) => Kind::Bool,
            TapeNode::Static(_) => Kind::Number,
        }
    }

    pub(crate) fn string(self) -> Option<&'a str> {
        match self.tape.nodes[self.at] {
            TapeNode::String(text) => Some(text),
            _ => None,
        }
    }

    /// A number that the tape holds as an integer.
    pub(crate) fn small_integer(self) -> Option<i64> {
        match self.tape.nodes[self.at] {
            TapeNode::Static(StaticNode::I64(integer)) => Some(integer),
            _ => None,
        }
    }

    /// The member of an object: the first with this key.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        if self.kind() != Kind::Object {
            return None;
        }
        let mut children = self.children();
        while let (Some(name), Some(value)) = (children.next(), children.next()) {
            if name.string() == Some(key) {
                return Some(value);
            }
        }
        None
    }

    /// The element of an array.
    pub(crate) fn index(self, index: u64) -> Option<Self> {
        if self.kind() != Kind::Array {
            return None;
        }
        self.children().nth(usize::try_from(index).ok()?)
    }

    /// The nodes right inside this one: elements, or keys and values in turn.
    pub(crate) fn children(self) -> Children<'a> {
        Children { next: Self { at: self.at + 1, ..self }, end: self.end() }
    }

    /// The number of the node behind this one and all that is inside it.
    fn end(self) -> usize {
        match self.tape.nodes[self.at] {
            TapeNode::Object { count, .. } | TapeNode::Array { count, .. } => self.at + 1 + count,
            _ => self.at + 1,
        }
    }

    /// The levels of containers, this one included.
    pub(crate) fn depth(self) -> u32 {
        let (mut deepest, mut open) = (0, Vec::new());
        for at in self.at..self.end() {
            while open.last().is_some_and(|&end| end <= at) {
                open.pop();
            }
            let node = Self { at, ..self };
            if matches!(node.kind(), Kind::Array | Kind::Object) {
                open.push(node.end());
                deepest = deepest.max(open.len() as u32);
            }
        }
        deepest
    }

    /// The text from the value's first byte to the end of the record.
    pub(crate) fn to_text(self) -> Text<'a> {
        let text = self.tape.record;
        let mut at = 0;
        for token in 0.. {
            while matches!(text.get(at), Some(b',' | b':' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')) {
                at += 1;
            }
            if token == self.at {
                break;
            }
            at = match text.get(at) {
                Some(b'"') => skim::skip_string(Kernel::Portable, text, at).unwrap_or(text.len()),
                Some(b'{' | b'[') => at + 1,
                _ => skim::skip_scalar(&text, at).unwrap_or(text.len()),
            };
        }
        text.from(at)
    }
}

/// The nodes right inside a container, in order.
pub(crate) struct Children<'a> {
    next: Node<'a>,
    end: usize,
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        if self.next.at >= self.end {
            return None;
        }
        let node = self.next;
        self.next.at = node.end();
        Some(node)
    }
}
