//! Writing pieces of JSON text. In goes a value, out go its bytes at the end of a buffer, with
//! nothing between and no escape added: whoever writes text into a string writes it escaped
//! already (`text`), and names, numbers, hashes and times need none. Nothing here allocates but
//! the buffer.

/// Something that can be written at the end of a buffer.
pub(crate) trait Put {
    fn put(&self, out: &mut Vec<u8>);
}

/// Appends each piece in turn: string literals as they are, values by their [`Put`].
macro_rules! put {
    ($out:expr; $($piece:expr),+ $(,)?) => {{
        let out: &mut Vec<u8> = $out;
        $( $crate::put::Put::put(&$piece, out); )+
    }};
}
pub(crate) use put;

impl Put for &str {
    #[inline(always)]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl<T: Put> Put for &T {
    #[inline(always)]
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }
}

impl Put for bool {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

/// `None` is `null`.
impl<T: Put> Put for Option<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.put(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

/// The pairs `00` to `99`, so that a number is written two digits at a time.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut n = 0;
    while n < 100 {
        pairs[2 * n] = b'0' + (n / 10) as u8;
        pairs[2 * n + 1] = b'0' + (n % 10) as u8;
        n += 1;
    }
    pairs
};

impl Put for u64 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = *self;
        while rest >= 10 {
            let pair = 2 * (rest % 100) as usize;
            rest /= 100;
            at -= 2;
            digits[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
        }
        if rest > 0 || at == digits.len() {
            at -= 1;
            digits[at] = b'0' + rest as u8;
        }
        out.extend_from_slice(&digits[at..]);
    }
}

impl Put for u32 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        u64::from(*self).put(out);
    }
}

impl Put for i32 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        if *self < 0 {
            out.push(b'-');
        }
        self.unsigned_abs().put(out);
    }
}

/// A value between quotes.
pub(crate) struct Quoted<T>(pub(crate) T);

impl<T: Put> Put for Quoted<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        self.0.put(out);
        out.push(b'"');
    }
}

/// A number with `places` digits after the point: `Fixed(-1234, 2)` is `-12.34`.
pub(crate) struct Fixed(pub(crate) i64, pub(crate) u32);

impl Put for Fixed {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let Self(value, places) = *self;
        if value < 0 {
            out.push(b'-');
        }
        let unit = 10u64.pow(places);
        let magnitude = value.unsigned_abs();
        (magnitude / unit).put(out);
        if places > 0 {
            out.push(b'.');
            let mut rest = magnitude % unit;
            let mut scale = unit / 10;
            while scale > 0 {
                out.push(b'0' + (rest / scale) as u8);
                rest %= scale;
                scale /= 10;
            }
        }
    }
}

/// A hash of 40 hexadecimal digits.
#[derive(Clone, Copy)]
pub(crate) struct Sha(pub(crate) [u64; 3]);

impl Sha {
    pub(crate) fn new(rng: &mut crate::rng::Rng) -> Self {
        Self([rng.bits(), rng.bits(), rng.bits()])
    }
}

impl Put for Sha {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let mut text = [0; 48];
        for (chunk, word) in text.chunks_exact_mut(16).zip(self.0) {
            hex16(word, chunk);
        }
        out.extend_from_slice(&text[..40]);
    }
}

/// Writes `word` as 16 hexadecimal digits.
#[inline]
fn hex16(word: u64, out: &mut [u8]) {
    for (digit, shift) in out.iter_mut().zip((0..16).rev()) {
        let nibble = (word >> (4 * shift)) as u8 & 15;
        *digit = nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    }
}

/// A gravatar id: 32 hexadecimal digits.
pub(crate) struct Gravatar(pub(crate) [u64; 2]);

impl Put for Gravatar {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let mut text = [0; 32];
        for (chunk, word) in text.chunks_exact_mut(16).zip(self.0) {
            hex16(word, chunk);
        }
        out.extend_from_slice(&text);
    }
}

/// A node id as the GraphQL interface gives it: a prefix for the kind of object, then letters
/// that depend on its number.
#[derive(Clone, Copy)]
pub(crate) struct NodeId {
    pub(crate) prefix: &'static str,
    pub(crate) value: u64,
    pub(crate) letters: usize,
}

impl Put for NodeId {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        self.prefix.put(out);
        let mut text = [0; 24];
        let mut bits = self.value.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for letter in &mut text {
            *letter = LETTERS[(bits >> 58) as usize];
            bits = bits.rotate_left(6).wrapping_add(0x2545_f491);
        }
        out.extend_from_slice(&text[..self.letters]);
    }
}

/// A moment, in seconds since 1970, written as `2024-03-13T15:04:05Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(pub(crate) u32);

impl Time {
    /// This many seconds earlier.
    pub(crate) fn before(self, seconds: u32) -> Self {
        Self(self.0.saturating_sub(seconds))
    }
}

impl Put for Time {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let mut text = *b"0000-00-00T00:00:00Z";
        let (year, month, day) = civil(self.0 / 86_400);
        let second = self.0 % 86_400;
        let mut pair = |at: usize, n: u32| {
            text[at..at + 2].copy_from_slice(&PAIRS[2 * n as usize..2 * n as usize + 2]);
        };
        pair(0, year / 100);
        pair(2, year % 100);
        pair(5, month);
        pair(8, day);
        pair(11, second / 3_600);
        pair(14, second / 60 % 60);
        pair(17, second % 60);
        out.extend_from_slice(&text);
    }
}

/// Year, month and day of a day counted from 1970-01-01, by counting in 400-year cycles that
/// begin on 1 March (the usual integer method; see Hinnant, "chrono-compatible low-level date
/// algorithms").
fn civil(days: u32) -> (u32, u32, u32) {
    let day = days + 719_468;
    let cycle = day / 146_097;
    let of_cycle = day % 146_097;
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + 400 * cycle + u32::from(month <= 2), month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl Put) -> String {
        let mut out = Vec::new();
        value.put(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_are_written_as_the_standard_library_writes_them() {
        let edges = (0..20).flat_map(|p| [10u64.pow(p) - 1, 10u64.pow(p), 10u64.pow(p) + 1]);
        for n in edges.chain(0..1_000).chain([u64::MAX]) {
            assert_eq!(text(n), n.to_string());
        }
        assert_eq!(text(-42), "-42");
        assert_eq!(text(i32::MIN), "-2147483648");
    }

    #[test]
    fn fixed_point() {
        assert_eq!(text(Fixed(-1_234, 2)), "-12.34");
        assert_eq!(text(Fixed(5, 3)), "0.005");
        assert_eq!(text(Fixed(7, 0)), "7");
    }

    #[test]
    fn times() {
        assert_eq!(text(Time(0)), "1970-01-01T00:00:00Z");
        assert_eq!(text(Time(951_782_399)), "2000-02-28T23:59:59Z");
        assert_eq!(text(Time(951_782_400)), "2000-02-29T00:00:00Z");
        assert_eq!(text(Time(1_710_342_245)), "2024-03-13T15:04:05Z");
    }
}
