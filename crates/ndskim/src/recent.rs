//! Short keys, and where in a table they were counted last: what makes counting by few distinct values cheap.
//!
//! In goes the text of a value; out comes its key as one word, if one look at 16 bytes tells that it is short and stands in
//! the text as it is, and the place of its row, if that was asked for of late. What is not told at once is left to the general
//! way: this never decides that a value is malformed.

use crate::padded::{SHORT, Text};

/// A key of at most 15 bytes: the first of them in the lowest byte, zeros behind the last. No key holds a NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortKey(u128);

/// A byte in every byte of a word.
const fn all(byte: u8) -> u128 {
    u128::MAX / 0xff * byte as u128
}

/// The high bit of each byte that is zero. Above the lowest that is, other bytes may be marked too.
const fn zeros(word: u128) -> u128 {
    word.wrapping_sub(all(1)) & !word & all(0x80)
}

impl ShortKey {
    /// The key of the value at the start of a text, in the form that [`Key`](crate::Key) has: of a string the opening quote
    /// and the content, if that is ASCII without escapes; of a number the digits, if it is an integer of nothing else.
    #[inline]
    pub(crate) fn of(text: Text<'_>) -> Option<Self> {
        let word = u128::from_le_bytes(*text.first_bytes());
        let len = if word as u8 == b'"' { Self::string_len(word)? } else { Self::integer_len(word as u64)? };
        // What ends the key must be text too.
        (len < text.len()).then(|| Self(word & ((1 << (8 * len)) - 1)))
    }

    /// The length of a plain string without its closing quote.
    #[inline]
    fn string_len(word: u128) -> Option<usize> {
        let content = word >> 8;
        let quotes = zeros(content ^ all(b'"'));
        let controls = content.wrapping_sub(all(b' ')) & !content & all(0x80);
        let special = zeros(content ^ all(b'\\')) | controls | content & all(0x80);
        let before_quote = quotes.wrapping_sub(1) & !quotes;
        (quotes != 0 && special & before_quote == 0).then(|| 1 + quotes.trailing_zeros() as usize / 8)
    }

    /// The length of an integer of at most 7 digits without sign and fraction, in front of what ends a member or element.
    #[inline]
    fn integer_len(word: u64) -> Option<usize> {
        const LOW: u64 = all(0x7f) as u64;
        let digits = word ^ all(b'0') as u64;
        let others = (((digits & LOW) + all(0x7f - 9) as u64) | digits) & !LOW;
        let len = others.trailing_zeros() as usize / 8;
        let end = word.checked_shr(8 * len as u32)? as u8;
        let leading_zero = word as u8 == b'0' && len > 1;
        (len > 0 && !leading_zero && matches!(end, b',' | b'}' | b']')).then_some(len)
    }

    /// Puts the key into `out` and gives it as bytes.
    pub(crate) fn bytes(self, out: &mut [u8; SHORT]) -> &[u8] {
        *out = self.0.to_le_bytes();
        let len = SHORT - self.0.leading_zeros() as usize / 8;
        &out[..len]
    }

    #[inline]
    fn slot(self) -> usize {
        let folded = self.0 as u64 ^ ((self.0 >> 64) as u64).rotate_left(23);
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize % SLOTS
    }
}

const SLOTS: usize = 64;

/// Places in a table, by key: the last for each of some classes of keys. Keys that are made to meet in one class drive each
/// other out, and cost no more than if there were nothing here.
#[derive(Debug, Default)]
pub(crate) struct Recent(Option<Box<[(u128, usize); SLOTS]>>);

impl Recent {
    /// The place of a key, if it was noted and not driven out since.
    #[inline]
    pub(crate) fn get(&self, key: ShortKey) -> Option<usize> {
        let (word, place) = self.0.as_ref()?[key.slot()];
        (word == key.0).then_some(place)
    }

    /// Notes the place of a key.
    pub(crate) fn note(&mut self, key: ShortKey, place: usize) {
        // No key is the word 0.
        self.0.get_or_insert_with(|| Box::new([(0, 0); SLOTS]))[key.slot()] = (key.0, place);
    }

    /// Forgets all places, because they have changed.
    pub(crate) fn clear(&mut self) {
        if let Some(slots) = &mut self.0 {
            slots.fill((0, 0));
        }
    }
}

/// Another table has other places.
impl Clone for Recent {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::padded::TEXT_PAD;

    fn key_of(text: &str) -> Option<String> {
        let padded = [text.as_bytes(), &[b'"'; TEXT_PAD]].concat();
        let key = ShortKey::of(Text::new(&padded, text.len()).unwrap())?;
        Some(String::from_utf8(key.bytes(&mut [0; SHORT]).to_vec()).unwrap())
    }

    #[test]
    fn plain_strings_of_up_to_14_bytes_are_short() {
        for len in 0..=14 {
            let content = &"abcdefghijklmno"[..len];
            assert_eq!(key_of(&format!("\"{content}\",\"x\\")).as_deref(), Some(&*format!("\"{content}")));
        }
        assert_eq!(key_of("\"abcdefghijklmno\","), None);
    }

    #[test]
    fn strings_that_do_not_stand_for_their_bytes_are_not() {
        for byte in (0..=255u8).map(char::from).filter(|c| !(' '..='~').contains(c) || *c == '\\') {
            for at in 0..14 {
                let mut content = "abcdefghijklm".to_owned();
                content.insert(at, byte);
                let is_plain = byte == '\u{7f}';
                assert_eq!(key_of(&format!("\"{content}\"}}")).is_some(), is_plain, "{content:?}");
            }
        }
    }

    #[test]
    fn integers_are_short_where_they_end_plainly() {
        for (text, is_short) in [
            ("0,", true),
            ("7}", true),
            ("200]", true),
            ("1234567,", true),
            ("12345678,", false),
            ("-1,", false),
            ("01,", false),
            ("00,", false),
            ("1.0,", false),
            ("1e3,", false),
            ("12 ,", false),
            ("12", false),
            ("12x,", false),
            ("true,", false),
            ("null}", false),
            ("{}", false),
            (",", false),
        ] {
            let expected = is_short.then(|| text[..text.len() - 1].to_owned());
            assert_eq!(key_of(text), expected, "{text}");
        }
    }

    #[test]
    fn the_end_of_a_string_must_be_in_the_text() {
        assert_eq!(key_of("\"abc"), None);
        assert_eq!(key_of("\"abc\"").as_deref(), Some("\"abc"));
    }

    #[test]
    fn a_place_is_found_until_its_slot_is_taken() {
        let key =
            |text: &str| ShortKey(u128::from_le_bytes(std::array::from_fn(|i| *text.as_bytes().get(i).unwrap_or(&0))));
        let mut recent = Recent::default();
        assert_eq!(recent.get(key("\"a")), None);
        recent.note(key("\"a"), 3);
        assert_eq!((recent.get(key("\"a")), recent.get(key("\"b"))), (Some(3), None));
        let other = (0..).map(|n| key(&format!("\"{n}"))).find(|other| other.slot() == key("\"a").slot()).unwrap();
        recent.note(other, 4);
        assert_eq!((recent.get(key("\"a")), recent.get(other)), (None, Some(4)));
        recent.clear();
        assert_eq!(recent.get(other), None);
    }
}
