//! The side list: scalars that the passes could not settle, each held against the text.
//!
//! What goes in: the entries that pass 2, or the walk, has listed. What comes out: a fault or none. It must never accept by
//! the entry alone: an entry can be any byte that happens to have the code of a scalar.

use super::window::Window;

/// What a token that starts with a byte `c` must be, looked up by `(c >> 1) & 7`, which tells `t`, `f`, `n` and `0`
/// apart. All others meet an entry that they differ from in their first byte.
#[derive(Clone, Copy)]
struct Literal {
    mask: u64,
    expected: u64,
    len: u32,
}

static LITERALS: [Literal; 8] = {
    let never = Literal { mask: 0, expected: 1, len: 0 };
    let mut table = [never; 8];
    let words: [&[u8]; 4] = [b"true", b"false", b"null", b"0"];
    let mut i = 0;
    while i < words.len() {
        let word = words[i];
        let (mut mask, mut expected) = (0, 0);
        let mut at = 0;
        while at < word.len() {
            mask |= 0xff << (8 * at);
            expected |= (word[at] as u64) << (8 * at);
            at += 1;
        }
        let slot = &mut table[(word[0] >> 1 & 7) as usize];
        assert!(slot.len == 0, "two literals in one slot");
        *slot = Literal { mask, expected, len: word.len() as u32 };
        i += 1;
    }
    table
};

/// The bytes that may stand behind a scalar. White space where there may be none is a fault of its own.
const fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b'\n' | b'\r' | b' ' | b'\t')
}

static ENDS_SCALAR: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = ends_scalar(byte as u8);
        byte += 1;
    }
    table
};

/// Looks at every listed scalar; `base` is the place 0 of the window in `text`, whose ends count as newlines. Gives the
/// number of tokens that had to be read whole, or none if one of them is a fault.
///
/// # Safety
/// One byte before `text` and 16 behind it must be readable.
pub(super) unsafe fn check_scalars(window: &Window, text: &[u8], base: usize) -> Option<usize> {
    let mut read_whole = 0;
    for &entry in &window.scalars[..window.scalars_len] {
        let at = base + usize::from(window.places[usize::from(entry)]);
        debug_assert!(at <= text.len());
        // SAFETY: from one byte before the text on, eight bytes, says the caller.
        let word = unsafe { text.as_ptr().wrapping_add(at).wrapping_sub(1).cast::<u64>().read_unaligned() };
        let word = u64::from_le(word);
        let literal = LITERALS[(word >> 9 & 7) as usize];
        let behind = (word >> (8 * (1 + literal.len))) as u8;
        // All of these without a branch: which of them fails is not to be foreseen.
        let fine = ((word >> 8) & literal.mask == literal.expected)
            & ENDS_SCALAR[usize::from(behind)]
            & (at + literal.len as usize <= text.len())
            & !(word as u8).is_ascii_digit();
        if !fine {
            read_whole += 1;
            if !is_whole_scalar(text, at) {
                return None;
            }
        }
    }
    Some(read_whole)
}

/// Whether the token that holds the byte at `at` is a literal or number, alone between what may stand around it.
fn is_whole_scalar(text: &[u8], at: usize) -> bool {
    if at >= text.len() {
        return false;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let start = text[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
    let token = &text[start..];
    let len = match token[0] {
        b't' => literal(token, b"true"),
        b'f' => literal(token, b"false"),
        b'n' => literal(token, b"null"),
        _ => number(token),
    };
    len.is_some_and(|len| start + len > at && token.get(len).is_none_or(|&byte| ends_scalar(byte)))
}

fn literal(token: &[u8], word: &[u8]) -> Option<usize> {
    token.starts_with(word).then_some(word.len())
}

/// The length of the number at the start of `token`, by RFC 8259.
fn number(token: &[u8]) -> Option<usize> {
    let digits = |from: usize| token[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let some_digits = |from: usize| Some(digits(from)).filter(|&count| count > 0).map(|count| from + count);
    let sign = usize::from(token[0] == b'-');
    let mut end = some_digits(sign)?;
    if token[sign] == b'0' && end > sign + 1 {
        return None;
    }
    if token.get(end) == Some(&b'.') {
        end = some_digits(end + 1)?;
    }
    if matches!(token.get(end), Some(b'e' | b'E')) {
        end += 1;
        end += usize::from(matches!(token.get(end), Some(b'+' | b'-')));
        end = some_digits(end)?;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_measured_by_the_grammar() {
        for (token, len) in [
            ("0", Some(1)),
            ("-0", Some(2)),
            ("12.50e+3,", Some(8)),
            ("1E-7", Some(4)),
            ("01", None),
            ("-", None),
            ("1.", None),
            ("1.e5", None),
            ("1e", None),
            ("1e+", None),
            (".5", None),
            ("+1", None),
        ] {
            assert_eq!(number(token.as_bytes()), len, "{token}");
        }
    }

    #[test]
    fn a_scalar_stands_alone() {
        assert!(is_whole_scalar(b"[1.5e3]", 2));
        assert!(is_whole_scalar(b"true", 0));
        assert!(!is_whole_scalar(b"[3true]", 2));
        assert!(!is_whole_scalar(b"[true3]", 1));
        assert!(!is_whole_scalar(b"[1 ]", 2));
        assert!(!is_whole_scalar(b"[1\"]", 2));
    }
}
