//! Backslashes in 64-bit masks, a bit for each byte of a vector: what they escape, and which strings hold one. The same for
//! every kernel.

/// The bytes that a backslash before them escapes.
///
/// In a run of backslashes every other one escapes, beginning with the first. Adding a bit at a run's start clears the run; so
/// runs that begin at even and at odd places are told apart, and in each every other backslash is kept (Langdale and Lemire,
/// *Parsing gigabytes of JSON per second*).
#[inline(always)]
pub(crate) fn escaped(backslashes: u64, carry: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let backslashes = backslashes & !*carry;
    let even_starts = backslashes & !(backslashes << 1) & EVEN;
    let without_even_runs = backslashes.wrapping_add(even_starts);
    let escaping = backslashes & ((without_even_runs & !EVEN) | (!without_even_runs & EVEN));
    let escaped = escaping << 1 | *carry;
    *carry = escaping >> 63;
    escaped
}

/// The closing quotes of strings that hold a backslash: what is added at a backslash lands on the next of them.
#[inline(always)]
pub(crate) fn strings_with(backslashes: u64, closing: u64, carry: &mut u64) -> u64 {
    let (landed, overflow) = add_with_carry(!closing, backslashes, *carry);
    *carry = overflow;
    landed & closing
}

/// The sum with carry in, and the carry out.
#[inline(always)]
pub(crate) fn add_with_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry);
    (sum, u64::from(first | second))
}
