//! The tape: a validated window's entries with their depths, and how to walk records over them.
//!
//! What goes in: the arrays that the passes have left, and the text. What comes out: members, elements and ends of
//! values, found by searching the kept depths for one byte or two; subtrees that are not asked for cost no more than
//! that search. It must never be asked about entries that the passes have not accepted.

use super::lookup::next_with_key;
use super::window::Spacing;
use crate::kernel::Kernel;
use crate::kernel::tables::{DEPTH_LIMIT, Id, TAG_CLOSE, TAG_COLON, TAG_COMMA};
use crate::padded::Text;
use crate::text::content_is;
use memchr::{memchr, memchr2};

/// The tape of the records of one window.
#[derive(Clone, Copy)]
pub(crate) struct Tape<'a> {
    /// The block's text.
    pub(super) text: Text<'a>,
    /// Where in the text the place 0 is.
    pub(super) base: usize,
    /// How many entries there are. The arrays go on behind them, by a vector at least, so that vector code may read there.
    pub(super) len: usize,
    pub(super) codes: &'a [u8],
    pub(super) places: &'a [u16],
    pub(super) kept: &'a [u8],
    /// Some key may hold a backslash.
    pub(super) escaped_keys: bool,
    pub(super) spacing: Spacing,
}

/// Where a value is: in the text, and on the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TapeValue {
    /// Offset of the value's first byte in the block.
    pub(crate) start: usize,
    /// The first entry at or behind the value's start.
    pub(crate) entry: u32,
}

/// A value with its tape: what a [`Value`](crate::Value) of this engine is made of.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    tape: &'a Tape<'a>,
    value: TapeValue,
}

impl<'a> Spot<'a> {
    pub(super) fn new(tape: &'a Tape<'a>, value: TapeValue) -> Self {
        Self { tape, value }
    }

    fn at(self, value: TapeValue) -> Self {
        Self { value, ..self }
    }

    /// See [`Tape::first_byte`].
    pub(crate) fn first_byte(self) -> u8 {
        self.tape.first_byte(self.value)
    }

    /// See [`Tape::raw`].
    pub(crate) fn raw(self) -> &'a [u8] {
        self.tape.raw(self.value)
    }

    /// The text from the value's first byte to the end of the block.
    pub(crate) fn text_on(self) -> Text<'a> {
        self.tape.text.from(self.value.start)
    }

    /// The bytes of the value, as they are in the text.
    pub(crate) fn text(self) -> Text<'a> {
        self.tape.text.part(self.value.start..self.tape.end(self.value))
    }

    /// See [`Tape::get`].
    pub(crate) fn get(self, kernel: Kernel, key: &str) -> Option<Self> {
        self.tape.get(kernel, self.value, key).map(|value| self.at(value))
    }

    /// See [`Tape::index`].
    pub(crate) fn index(self, index: u64) -> Option<Self> {
        self.tape.index(self.value, usize::try_from(index).ok()?).map(|value| self.at(value))
    }

    /// See [`Tape::members`].
    pub(crate) fn members(self) -> SpotMembers<'a> {
        SpotMembers { spot: self, members: self.tape.members(self.value) }
    }

    /// See [`Tape::elements`].
    pub(crate) fn elements(self) -> SpotElements<'a> {
        SpotElements { spot: self, elements: self.tape.elements(self.value) }
    }
}

/// The members of an object: the key with its quotes, and the value.
pub(crate) struct SpotMembers<'a> {
    spot: Spot<'a>,
    members: Members<'a>,
}

impl<'a> Iterator for SpotMembers<'a> {
    type Item = (Text<'a>, Spot<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.members.next()?;
        let key = self.spot.tape.text.part(member.key_start - 1..member.key_end + 1);
        Some((key, self.spot.at(member.value)))
    }
}

impl<'a> SpotMembers<'a> {
    /// The next member that has one of these keys: which key it is, and the value.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn next_with_key(&mut self, kernel: Kernel, keys: &[&str]) -> Option<(usize, Spot<'a>)> {
        let (which, member) = self.members.next_with_key(kernel, keys)?;
        Some((which, self.spot.at(member.value)))
    }
}

/// The elements of an array.
pub(crate) struct SpotElements<'a> {
    spot: Spot<'a>,
    elements: Elements<'a>,
}

impl<'a> Iterator for SpotElements<'a> {
    type Item = Spot<'a>;

    fn next(&mut self) -> Option<Spot<'a>> {
        self.elements.next().map(|value| self.spot.at(value))
    }
}

/// A member of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TapeMember {
    /// Offset of the key's first byte in the block, behind its quote.
    pub(crate) key_start: usize,
    /// Offset of the key's closing quote.
    pub(crate) key_end: usize,
    /// The member's value.
    pub(crate) value: TapeValue,
}

impl<'a> Tape<'a> {
    /// The first byte of a value: it tells what kind of value it is.
    pub(crate) fn first_byte(&self, value: TapeValue) -> u8 {
        self.text[value.start]
    }

    /// The offset behind a value's last byte.
    pub(crate) fn end(&self, value: TapeValue) -> usize {
        match self.first_byte(value) {
            b'{' | b'[' => self.offset(self.closing_entry(value)) + 1,
            _ => {
                let behind = self.offset(self.structural_entry(value.entry as usize));
                let blanks = self.text[value.start..behind].iter().rev().take_while(|byte| is_space(**byte)).count();
                behind - blanks
            }
        }
    }

    /// The bytes of a value, as they are in the text.
    pub(crate) fn raw(&self, value: TapeValue) -> &'a [u8] {
        &self.text.bytes()[value.start..self.end(value)]
    }

    /// The members of an object, in order; none of any other value.
    pub(crate) fn members(&'a self, object: TapeValue) -> Members<'a> {
        let is_object = self.first_byte(object) == b'{';
        Members { tape: self, next: object.entry as usize + 1, depth: self.depth_within(object, is_object) }
    }

    /// The elements of an array, in order; none of any other value.
    pub(crate) fn elements(&'a self, array: TapeValue) -> Elements<'a> {
        let is_array = self.first_byte(array) == b'[';
        let depth = self.depth_within(array, is_array);
        let first = (depth > 0)
            .then(|| self.value_behind(array.entry as usize))
            .filter(|first| self.first_byte(*first) != b']');
        Elements { tape: self, next: first, depth }
    }

    /// The value of the first member whose key, unescaped, is `key`; none of other values than objects.
    pub(crate) fn get(&'a self, kernel: Kernel, object: TapeValue, key: &str) -> Option<TapeValue> {
        self.members(object).next_with_key(kernel, &[key]).map(|(_, member)| member.value)
    }

    /// The element of that index; none of other values than arrays.
    pub(crate) fn index(&'a self, array: TapeValue, index: usize) -> Option<TapeValue> {
        self.elements(array).nth(index)
    }

    /// Whether the member's key, unescaped, is `key`.
    pub(crate) fn key_is(&self, member: TapeMember, key: &[u8]) -> bool {
        let raw = &self.text[member.key_start..member.key_end];
        if self.escaped_keys { content_is(raw, key) } else { raw == key }
    }

    /// The depth of what is in a container; 0 for other values, which no entry has inside anything.
    fn depth_within(&self, value: TapeValue, is_container: bool) -> u8 {
        if is_container { self.kept[value.entry as usize] & DEPTH_LIMIT } else { 0 }
    }

    /// The offset of an entry.
    pub(super) fn offset(&self, entry: usize) -> usize {
        self.base + usize::from(self.places[entry])
    }

    /// The value that begins behind a colon, a comma or an opening bracket.
    pub(super) fn value_behind(&self, entry: usize) -> TapeValue {
        TapeValue { start: self.skip_space(self.offset(entry) + 1), entry: entry as u32 + 1 }
    }

    /// The member of a colon.
    pub(super) fn member_of(&self, colon: usize) -> TapeMember {
        let (key_start, key_end) = self.key_of(colon);
        TapeMember { key_start, key_end, value: self.value_behind(colon) }
    }

    /// Where the key before a colon starts and ends, without its quotes.
    #[inline(always)]
    pub(super) fn key_of(&self, colon: usize) -> (usize, usize) {
        // The entry before a colon is the bracket or comma before its key: a string leaves no entry.
        let start = self.skip_space(self.offset(colon - 1) + 1) + 1;
        (start, self.key_end(colon))
    }

    /// Where the closing quote of the key before a colon is.
    #[inline(always)]
    pub(super) fn key_end(&self, colon: usize) -> usize {
        let mut end = self.offset(colon) - 1;
        while is_space(self.text[end]) {
            end -= 1;
        }
        end
    }

    /// The entry of the bracket that closes a container.
    fn closing_entry(&self, container: TapeValue) -> usize {
        let entry = container.entry as usize;
        let depth = self.kept[entry] & DEPTH_LIMIT;
        self.find(entry + 1, |kept| memchr(TAG_CLOSE | (depth - 1), kept))
    }

    /// The first structural entry at or behind `entry`.
    fn structural_entry(&self, entry: usize) -> usize {
        entry + self.codes[entry..self.len].iter().position(|code| code >> 4 & 7 != Id::None as u8).unwrap_or(0)
    }

    /// Searches the kept depths from an entry on; validated text always holds what is searched for.
    fn find(&self, from: usize, search: impl Fn(&[u8]) -> Option<usize>) -> usize {
        from + search(&self.kept[from..self.len]).unwrap_or(self.len - 1 - from)
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while is_space(self.text[at]) {
            at += 1;
        }
        at
    }
}

/// The members of an object: see [`Tape::members`].
#[derive(Clone)]
pub(crate) struct Members<'a> {
    tape: &'a Tape<'a>,
    /// The entry to search from.
    next: usize,
    /// The depth within the object; 0 when there is nothing to come.
    depth: u8,
}

impl Members<'_> {
    /// The next member that has one of these keys, and which it is.
    #[inline(always)]
    fn next_with_key(&mut self, kernel: Kernel, keys: &[&str]) -> Option<(usize, TapeMember)> {
        if self.depth == 0 {
            return None;
        }
        let found = next_with_key(kernel, self.tape, self.next, self.depth, keys);
        match found {
            Some((entry, which, member)) => {
                self.next = entry + 1;
                Some((which, member))
            }
            None => {
                self.depth = 0;
                None
            }
        }
    }
}

impl Iterator for Members<'_> {
    type Item = TapeMember;

    fn next(&mut self) -> Option<TapeMember> {
        if self.depth == 0 {
            return None;
        }
        let (colon, close) = (TAG_COLON | self.depth, TAG_CLOSE | (self.depth - 1));
        let found = self.tape.find(self.next, |kept| memchr2(colon, close, kept));
        if self.tape.kept[found] != colon {
            self.depth = 0;
            return None;
        }
        self.next = found + 1;
        Some(self.tape.member_of(found))
    }
}

/// The elements of an array: see [`Tape::elements`].
#[derive(Clone)]
pub(crate) struct Elements<'a> {
    tape: &'a Tape<'a>,
    next: Option<TapeValue>,
    /// The depth within the array.
    depth: u8,
}

impl Iterator for Elements<'_> {
    type Item = TapeValue;

    fn next(&mut self) -> Option<TapeValue> {
        let element = self.next.take()?;
        let (comma, close) = (TAG_COMMA | self.depth, TAG_CLOSE | (self.depth - 1));
        let found = self.tape.find(element.entry as usize, |kept| memchr2(comma, close, kept));
        if self.tape.kept[found] == comma {
            self.next = Some(self.tape.value_behind(found));
        }
        Some(element)
    }
}

/// White space of JSON. Where it is asked for, no byte below the space can be anything else.
pub(super) fn is_space(byte: u8) -> bool {
    byte <= b' '
}
