//! The byte tables of the full engine, each made from its rule when the crate is compiled.
//!
//! What goes in: the grammar of RFC 8259, as rules on a byte and the byte before it. What comes out: look-up tables
//! for the kernels. A table is never written down by hand: whoever changes a rule changes the `const fn` that states it.
//!
//! # Codes
//!
//! A byte has a *class* (what it is) and a *follow* set (what may plainly come after it). A byte is *plainly fine* when
//! its class and the follow set of the byte before share a bit; every other byte outside strings becomes an entry of
//! the window's index, with `class | follow` as its *code*. The bits:
//!
//! | bits | integers only | with floats |
//! |---|---|---|
//! | 0 | opening quote (and, with spaces, a space) | the same, and `-` |
//! | 1 | digit `1` to `9` | digit |
//! | 2 | zero | `.` `e` `E` |
//! | 3 | other byte of a literal or number | letter of a literal |
//! | 4 to 6 | which structural byte ([`Id`]), 0 for none | the same |
//! | 7 | with spaces: every byte, and a carriage return | digit zero, may a number start here |
//!
//! Bit 7 means nothing to the passes behind the first; [`PairTables`] has a use of its own for it.
//!
//! So the low nibble of a structural byte's code says what kind of byte stands before it, in both variants.

/// Which structural byte a code stands for: bits 4 to 6 of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Id {
    /// No structural byte: a scalar's start, or a fault.
    None = 0,
    ObjectOpen = 1,
    ObjectClose = 2,
    ArrayOpen = 3,
    ArrayClose = 4,
    Comma = 5,
    Colon = 6,
    Newline = 7,
}

/// Opening quote.
const QUOTE: u8 = 1;
/// Digit 1 to 9; with floats any digit.
const DIGIT: u8 = 2;
/// Zero (integers only).
const ZERO: u8 = 4;
/// `.`, `e`, `E` (with floats).
const POINT: u8 = 4;
/// Another byte of a scalar; with floats a letter of a literal.
const LETTER: u8 = 8;
/// With floats: a zero, and where a number may begin.
const START: u8 = 0x80;

/// What class and follow share where numbers are checked in the masks: a digit, a `.` or exponent, a zero at the start.
pub(crate) const FLOAT_DIGIT: u8 = DIGIT;
/// See [`FLOAT_DIGIT`].
pub(crate) const FLOAT_POINT: u8 = POINT;
/// See [`FLOAT_DIGIT`].
pub(crate) const FLOAT_START: u8 = START;

/// With spaces and without floats: what a carriage return shares with every byte, so that it is plainly fine anywhere. That
/// it stands before a newline is seen to where control bytes are looked at.
const ALWAYS: u8 = 0x80;

/// The structural bytes and their ids.
pub(crate) const fn id_of(byte: u8) -> Id {
    match byte {
        b'{' => Id::ObjectOpen,
        b'}' => Id::ObjectClose,
        b'[' => Id::ArrayOpen,
        b']' => Id::ArrayClose,
        b',' => Id::Comma,
        b':' => Id::Colon,
        b'\n' => Id::Newline,
        _ => Id::None,
    }
}

/// The class of a byte outside strings.
pub(crate) const fn class(floats: bool, spaces: bool, byte: u8) -> u8 {
    let scalar = if floats { float_class(byte) } else { integer_class(byte) };
    match byte {
        b' ' if spaces => QUOTE,
        b'\r' if spaces && !floats => ALWAYS,
        _ => scalar | (id_of(byte) as u8) << 4,
    }
}

const fn integer_class(byte: u8) -> u8 {
    match byte {
        b'"' => QUOTE,
        b'1'..=b'9' => DIGIT,
        b'0' => ZERO,
        b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => LETTER,
        b'E' | b'+' | b'-' | b'.' => LETTER,
        _ => 0,
    }
}

/// `-` shares the quote's bit. That is wrong only after `{`, and there whatever follows faults: a colon wants a string
/// before it, and so does `}` unless it comes at once.
const fn float_class(byte: u8) -> u8 {
    match byte {
        b'"' | b'-' => QUOTE,
        b'1'..=b'9' => DIGIT,
        b'0' => DIGIT | START,
        b'.' | b'E' => POINT,
        b'e' => POINT | LETTER,
        b'a' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => LETTER,
        _ => 0,
    }
}

/// What may plainly follow a byte outside strings.
///
/// After a newline a value may start, so that records which are one scalar, and blank lines, need no other way.
pub(crate) const fn follow(floats: bool, spaces: bool, byte: u8) -> u8 {
    let always = if spaces && !floats { ALWAYS } else { 0 };
    always | if floats { float_follow(byte) } else { integer_follow(byte) }
}

const fn float_follow(byte: u8) -> u8 {
    match byte {
        b'-' | b'+' => DIGIT | START,
        b'0'..=b'9' => DIGIT | POINT,
        b'.' | b'E' => DIGIT,
        b'e' => DIGIT | LETTER,
        b'a' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => LETTER,
        b'{' => QUOTE,
        b'[' | b',' | b':' | b'\n' => QUOTE | DIGIT | START,
        _ => 0,
    }
}

const fn integer_follow(byte: u8) -> u8 {
    match byte {
        b'{' => QUOTE,
        b'[' | b',' | b':' | b'\n' => QUOTE | DIGIT,
        b'0'..=b'9' => DIGIT | ZERO,
        _ if integer_class(byte) == LETTER => DIGIT | ZERO | LETTER,
        _ => 0,
    }
}

/// The low nibble of a structural byte's code when `byte` stands before it.
const fn left(floats: bool, byte: u8) -> u8 {
    follow(floats, false, byte) & 15
}

/// Low nibbles that the end of a value may leave: a string or closing bracket, a digit, a letter of a literal, in both
/// variants. One bit for each nibble.
const VALUE_END: u16 = {
    let mut set = 0u16;
    let ends = *b"\"}]0123456789aeflnrstu";
    let mut i = 0;
    while i < ends.len() {
        set |= 1 << left(false, ends[i]) | 1 << left(true, ends[i]);
        i += 1;
    }
    set
};

/// The low nibble after `{`.
const AFTER_OBJECT_OPEN: u8 = left(false, b'{');
/// The low nibble where any value may start: after `[`, `,`, `:` and newline.
pub(crate) const VALUE_START: u8 = left(false, b'[');
/// The low nibble after a closing quote or bracket.
const AFTER_STRING: u8 = left(false, b'"');

/// Byte tables are looked up by the low seven bits.
pub(crate) type Table128 = [u8; 128];
/// Nibble tables are looked up by a value below 16.
pub(crate) type Table16 = [u8; 16];

/// Class and follow of every ASCII byte, for one variant of pass 1.
pub(crate) struct ByteTables {
    pub(crate) class: Table128,
    pub(crate) follow: Table128,
}

impl ByteTables {
    const fn new(floats: bool, spaces: bool) -> Self {
        let mut tables = Self { class: [0; 128], follow: [0; 128] };
        let mut byte = 0;
        while byte < 128 {
            tables.class[byte] = class(floats, spaces, byte as u8);
            tables.follow[byte] = follow(floats, spaces, byte as u8);
            byte += 1;
        }
        tables
    }

    /// The tables of a variant.
    #[inline(always)]
    pub(crate) const fn of(floats: bool, spaces: bool) -> &'static Self {
        &BYTE_TABLES[floats as usize][spaces as usize]
    }
}

static BYTE_TABLES: [[ByteTables; 2]; 2] = [
    [ByteTables::new(false, false), ByteTables::new(false, true)],
    [ByteTables::new(true, false), ByteTables::new(true, true)],
];

/// In [`PairTables`]: class and follow share a bit.
pub(crate) const PLAINLY_FINE: u8 = 0x80;

/// How every byte stands behind every other, for kernels that look up one byte at a time. To look up two at once is worth more
/// than the size of the table costs: few of its entries are ever met.
pub(crate) struct PairTables {
    /// The low seven bits of `class | follow`, which are all that later passes look at, by the byte in the high half of the
    /// index and the one before it in the low half; and [`PLAINLY_FINE`].
    codes: [u8; 1 << 16],
    spaces: bool,
}

impl PairTables {
    const fn new(floats: bool, spaces: bool) -> Self {
        let (mut classes, mut follows) = ([0; 256], [0; 256]);
        let mut byte = 0;
        while byte < 256 {
            classes[byte] = class(floats, spaces, byte as u8);
            follows[byte] = follow(floats, spaces, byte as u8);
            byte += 1;
        }
        let mut codes = [0; 1 << 16];
        let mut pair = 0;
        while pair < codes.len() {
            let (class, follow) = (classes[pair >> 8], follows[pair & 0xff]);
            codes[pair] = (class | follow) & 0x7f | if class & follow != 0 { PLAINLY_FINE } else { 0 };
            pair += 1;
        }
        Self { codes, spaces }
    }

    /// The table of a variant.
    #[inline(always)]
    pub(crate) const fn of(floats: bool, spaces: bool) -> &'static Self {
        &PAIR_TABLES[floats as usize][spaces as usize]
    }

    /// The code of the byte at `at`; with spaces a blank before it is passed over.
    ///
    /// # Safety
    /// The byte and two before it must be readable.
    #[inline(always)]
    pub(crate) unsafe fn code<const SPACES: bool>(&self, at: *const u8) -> u8 {
        debug_assert!(SPACES == self.spaces);
        // SAFETY: as the caller says.
        unsafe {
            let mut pair = u16::from_le(at.sub(1).cast::<u16>().read_unaligned());
            if SPACES && matches!(pair as u8, b' ' | b'\r') {
                pair = pair & 0xff00 | u16::from(*at.sub(2));
            }
            self.codes[usize::from(pair)]
        }
    }
}

static PAIR_TABLES: [[PairTables; 2]; 2] = [
    [PairTables::new(false, false), PairTables::new(false, true)],
    [PairTables::new(true, false), PairTables::new(true, true)],
];

/// A set of bytes: those whose low nibble is in one set and whose high nibble is in another. With tables of 16 entries two
/// look-ups tell eight such sets at once.
#[derive(Clone, Copy)]
struct Rectangle {
    low: u16,
    high: u16,
}

/// The rectangle around some bytes: they, and what else falls in by accident.
const fn around(bytes: &[u8]) -> Rectangle {
    let mut rectangle = Rectangle { low: 0, high: 0 };
    let mut i = 0;
    while i < bytes.len() {
        rectangle.low |= 1 << (bytes[i] & 15);
        rectangle.high |= 1 << (bytes[i] >> 4);
        i += 1;
    }
    rectangle
}

/// Two tables, by low and by high nibble, whose entries' common bits say which of the rectangles a byte is in.
pub(crate) type Pair16 = [Table16; 2];

const fn pair_of(rectangles: [Rectangle; 8]) -> Pair16 {
    let mut pair = [[0; 16]; 2];
    let mut nibble = 0;
    while nibble < 16 {
        let mut number = 0;
        while number < 8 {
            pair[0][nibble] |= ((rectangles[number].low >> nibble & 1) as u8) << number;
            pair[1][nibble] |= ((rectangles[number].high >> nibble & 1) as u8) << number;
            number += 1;
        }
        nibble += 1;
    }
    pair
}

const DIGITS: &[u8] = b"0123456789";
const LETTERS: &[u8] = b"aeflnrstuE";
/// Where a value may start, and where only a key or nothing may.
const BEFORE_VALUE: &[u8] = b"[,:\n";
const BEFORE_STRING: &[u8] = b"{[,:\n";
const NONE: Rectangle = Rectangle { low: 0, high: 0 };
const ANYTHING: Rectangle = Rectangle { low: !0, high: !0 };

/// The plainly fine pairs without floats as rectangles for a byte and for the byte before it, a bit for each:
///
/// a quote (with spaces, a space) where a string may start; 1 to 9 where a value may start; a digit behind a digit; a digit
/// behind a letter; a letter behind a letter; a digit behind `+ - .`; one of these behind a letter; with spaces, a carriage
/// return behind anything.
///
/// Bytes that fall in by accident are illegal outside strings, so that they or their neighbours are entries that fault; or
/// are `+`, or stand in the middle of a literal, whose token is read whole.
pub(crate) struct Fine {
    pub(crate) this: Pair16,
    pub(crate) before: Pair16,
}

impl Fine {
    const fn new(quote: &[u8], cr: Rectangle) -> Self {
        let (digit, letter, sign) = (around(DIGITS), around(LETTERS), around(b"+-."));
        let first = around(b"123456789");
        Self {
            this: pair_of([around(quote), first, digit, digit, letter, digit, sign, cr]),
            before: pair_of([
                around(BEFORE_STRING),
                around(BEFORE_VALUE),
                digit,
                letter,
                letter,
                sign,
                letter,
                ANYTHING,
            ]),
        }
    }

    /// The pairs with or without spaces.
    #[inline(always)]
    pub(crate) const fn of(spaces: bool) -> &'static Self {
        &FINE[spaces as usize]
    }
}

static FINE: [Fine; 2] = [Fine::new(b"\"", NONE), Fine::new(b"\" ", around(b"\r"))];

/// What a byte is, where numbers are checked in the masks: bits of [`KINDS`].
pub(crate) mod kind {
    pub(crate) const QUOTE: u8 = 1;
    pub(crate) const DIGIT: u8 = 1 << 1;
    pub(crate) const DOT: u8 = 1 << 2;
    pub(crate) const EXPONENT: u8 = 1 << 3;
    pub(crate) const SIGN: u8 = 1 << 4;
    /// A letter of a literal.
    pub(crate) const LETTER: u8 = 1 << 5;
    /// A string may start behind it.
    pub(crate) const BEFORE_STRING: u8 = 1 << 6;
    /// Any value may start behind it.
    pub(crate) const BEFORE_VALUE: u8 = 1 << 7;
}

/// The bytes of each kind, in the order of their bits.
const OF_KIND: [&[u8]; 8] = [b"\"", DIGITS, b".", b"eE", b"+-", b"aeflnrstu", BEFORE_STRING, BEFORE_VALUE];

/// The kinds of a byte, by its nibbles. What falls in by accident is as harmless as for [`Fine`].
pub(crate) static KINDS: Pair16 = {
    let mut rectangles = [NONE; 8];
    let mut number = 0;
    while number < 8 {
        rectangles[number] = around(OF_KIND[number]);
        number += 1;
    }
    pair_of(rectangles)
};

static KINDS_OF: [u8; 256] = {
    let mut table = [0; 256];
    let mut number = 0;
    while number < 8 {
        let mut i = 0;
        while i < OF_KIND[number].len() {
            table[OF_KIND[number][i] as usize] |= 1 << number;
            i += 1;
        }
        number += 1;
    }
    table
};

/// The kinds of one byte.
#[inline(always)]
pub(crate) fn kinds_of(byte: u8) -> u8 {
    KINDS_OF[usize::from(byte)]
}

/// For a structural code (low seven bits): the set of ids that may stand before it in the structural stream.
///
/// | code | byte before | structural byte before |
/// |---|---|---|
/// | `,` | a value's end | `[` `]` `}` `,` `:` |
/// | `:` | a string's end | `{` `,` |
/// | `}` | `{` | `{` |
/// | | a value's end | `:` `}` `]` |
/// | `]` | where a value may start | `[` |
/// | | a value's end | `[` `,` `}` `]` |
/// | `{` `[` | where a value may start | `[` `,` `:` newline |
/// | newline | where a value may start (blank line) | newline |
/// | | a value's end (a record that is one scalar) | newline |
/// | | a closing bracket | `}` `]` |
pub(crate) static PREDECESSORS: Table128 = {
    let mut table = [0; 128];
    let mut code = 0;
    while code < 128 {
        table[code] = predecessors((code >> 4) as u8, (code & 15) as u8);
        code += 1;
    }
    table
};

const fn predecessors(id: u8, left: u8) -> u8 {
    const OBJECT_OPEN: u8 = 1 << Id::ObjectOpen as u8;
    const OBJECT_CLOSE: u8 = 1 << Id::ObjectClose as u8;
    const ARRAY_OPEN: u8 = 1 << Id::ArrayOpen as u8;
    const ARRAY_CLOSE: u8 = 1 << Id::ArrayClose as u8;
    const COMMA: u8 = 1 << Id::Comma as u8;
    const COLON: u8 = 1 << Id::Colon as u8;
    const NEWLINE: u8 = 1 << Id::Newline as u8;
    const CLOSE: u8 = OBJECT_CLOSE | ARRAY_CLOSE;
    let value_end = VALUE_END >> left & 1 == 1;
    let value_start = left == VALUE_START;
    let mut set = 0;
    if id == Id::Comma as u8 && value_end {
        set |= ARRAY_OPEN | CLOSE | COMMA | COLON;
    }
    if id == Id::Colon as u8 && left == AFTER_STRING {
        set |= OBJECT_OPEN | COMMA;
    }
    if id == Id::ObjectClose as u8 {
        set |= if left == AFTER_OBJECT_OPEN { OBJECT_OPEN } else { 0 };
        set |= if value_end { COLON | CLOSE } else { 0 };
    }
    if id == Id::ArrayClose as u8 {
        set |= if value_start { ARRAY_OPEN } else { 0 };
        set |= if value_end { ARRAY_OPEN | COMMA | CLOSE } else { 0 };
    }
    if (id == Id::ObjectOpen as u8 || id == Id::ArrayOpen as u8) && value_start {
        set |= ARRAY_OPEN | COMMA | COLON | NEWLINE;
    }
    if id == Id::Newline as u8 {
        set |= if value_start || value_end { NEWLINE } else { 0 };
        set |= if left == AFTER_STRING { CLOSE } else { 0 };
    }
    set
}

/// The same where the container around the byte is known, by its kind ([`KIND_OBJECT`], [`KIND_TOP`], 0 for an array): what may
/// not stand in such a container, or not behind such a byte there, is taken out of the set. An entry that is no structural byte
/// may stand anywhere, if it may be a scalar: its text is read.
///
/// | code | in an object behind | in an array behind | at the top behind |
/// |---|---|---|---|
/// | `,` | `:` `}` `]` | `[` `,` `}` `]` | |
/// | `:` | `{` `,` | | |
/// | `}` | `{` `:` `}` `]` | | |
/// | `]` | | `[` `,` `}` `]` | |
/// | `{` `[` | `:` | `[` `,` | newline |
/// | newline | | | newline `}` `]` |
///
/// A comma in an object accepts nothing but a colon behind it, so a key; that a key is a string is in [`PREDECESSORS`]. The
/// fourth table is empty: so an index of two bits needs no check.
pub(crate) static PREDECESSORS_WITHIN: [Table128; 4] = {
    let mut tables = [[0; 128]; 4];
    let mut code = 0;
    while code < 128 {
        let (id, left) = ((code >> 4) as u8, (code & 15) as u8);
        let mut kind = 0;
        while kind < 3 {
            tables[kind][code] = if id == Id::None as u8 {
                if MAYBE_SCALAR[left as usize] == 1 { !0 } else { 0 }
            } else {
                predecessors(id, left) & predecessors_within(id, kind as u8)
            };
            kind += 1;
        }
        code += 1;
    }
    tables
};

/// The ids that may stand before an id in a container of some kind.
const fn predecessors_within(id: u8, kind: u8) -> u8 {
    const CLOSE: u8 = 1 << Id::ObjectClose as u8 | 1 << Id::ArrayClose as u8;
    const MEMBER: u8 = CLOSE | 1 << Id::Colon as u8;
    const ELEMENT: u8 = CLOSE | 1 << Id::ArrayOpen as u8 | 1 << Id::Comma as u8;
    let opens = id == Id::ObjectOpen as u8 || id == Id::ArrayOpen as u8;
    if kind == KIND_OBJECT {
        match id {
            _ if opens => 1 << Id::Colon as u8,
            _ if id == Id::Comma as u8 => MEMBER,
            _ if id == Id::Colon as u8 => 1 << Id::ObjectOpen as u8 | 1 << Id::Comma as u8,
            _ if id == Id::ObjectClose as u8 => MEMBER | 1 << Id::ObjectOpen as u8,
            _ => 0,
        }
    } else if kind == KIND_TOP {
        match id {
            _ if opens => 1 << Id::Newline as u8,
            _ if id == Id::Newline as u8 => CLOSE | 1 << Id::Newline as u8,
            _ => 0,
        }
    } else {
        match id {
            _ if opens => 1 << Id::ArrayOpen as u8 | 1 << Id::Comma as u8,
            _ if id == Id::Comma as u8 || id == Id::ArrayClose as u8 => ELEMENT,
            _ => 0,
        }
    }
}

/// The bit of an id in the sets of [`PREDECESSORS`].
pub(crate) static ID_BIT: Table16 = per_id(1, 2, 4, 8, 16, 32, 64, 128);

/// What an id does to the depth, as a byte to add.
pub(crate) static DEPTH_STEP: Table16 = per_id(0, 1, 0xff, 1, 0xff, 0, 0, 0);

/// The two high bits of a kept depth: what kind of entry it is.
pub(crate) const TAG_COLON: u8 = 0x00;
/// See [`TAG_COLON`]: a closing bracket; its depth is the one after it.
pub(crate) const TAG_CLOSE: u8 = 0x40;
/// See [`TAG_COLON`]: an opening bracket (depth after it), a scalar, a newline.
pub(crate) const TAG_OTHER: u8 = 0x80;
/// See [`TAG_COLON`]: a comma.
pub(crate) const TAG_COMMA: u8 = 0xc0;
/// The deepest nesting that a kept depth can say.
pub(crate) const DEPTH_LIMIT: u8 = 0x3f;

/// The tag of an entry's kept depth, by id.
pub(crate) static DEPTH_TAG: Table16 =
    per_id(TAG_OTHER, TAG_OTHER, TAG_CLOSE, TAG_OTHER, TAG_CLOSE, TAG_COMMA, TAG_COLON, TAG_OTHER);

/// A bracket's code: two bits for the kind of container around it (see [`KIND_OBJECT`]), the bracket's own shape, and
/// whether it opens. So the codes of an opening bracket and of the one that closes it differ in exactly one bit.
pub(crate) const BRACKET_OPEN: u8 = 8;
const BRACKET_CURLY: u8 = 4;
/// The container around a bracket is an object; without this and [`KIND_TOP`], an array.
pub(crate) const KIND_OBJECT: u8 = 1;
/// There is no container around the bracket.
pub(crate) const KIND_TOP: u8 = 2;

/// A bracket's code without the kind, by id.
pub(crate) static BRACKET: Table16 = per_id(0, BRACKET_OPEN | BRACKET_CURLY, BRACKET_CURLY, BRACKET_OPEN, 0, 0, 0, 0);
/// The kind around an opening bracket, by the id before it.
pub(crate) static KIND_BY_BEFORE: Table16 = per_id(0, 0, 0, 0, 0, 0, KIND_OBJECT, KIND_TOP);
/// The kind around a closing bracket, by the id after it. A comma is told by what follows it in turn.
pub(crate) static KIND_BY_AFTER: Table16 = per_id(0, 0, KIND_OBJECT, 0, 0, 0, 0, KIND_TOP);

/// The kind of the container that an opening bracket opens, by id.
pub(crate) static KIND_WITHIN: Table16 = per_id(0, KIND_OBJECT, 0, 0, 0, 0, 0, 0);

#[expect(clippy::too_many_arguments, reason = "one value for each id, in their order")]
const fn per_id(none: u8, oo: u8, oc: u8, ao: u8, ac: u8, comma: u8, colon: u8, newline: u8) -> Table16 {
    [none, oo, oc, ao, ac, comma, colon, newline, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Entries that are no structural byte: the low nibbles of those that may be a scalar worth a look. All others are
/// faults. 1 for yes, by nibble:
///
/// * a zero where a value may start;
/// * a literal's letter or a sign where a value may start;
/// * a byte of a float, or of a literal, behind a digit or a letter.
///
/// Anything else that happens to have such a nibble is refused when it is looked at.
pub(crate) static MAYBE_SCALAR: Table16 = {
    let mut table = [0; 16];
    table[(class(false, false, b'0') | VALUE_START) as usize] = 1;
    table[(class(false, false, b't') | VALUE_START) as usize] = 1;
    table[(class(false, false, b'.') | left(false, b'1')) as usize] = 1;
    table
};

/// Bytes by their low nibbles, which must differ; for other nibbles a byte that has another one.
pub(crate) const fn by_low_nibble(bytes: &[u8]) -> Table16 {
    let mut table = [0xff; 16];
    table[15] = 0;
    let mut i = 0;
    while i < bytes.len() {
        table[(bytes[i] & 15) as usize] = bytes[i];
        i += 1;
    }
    table
}

/// The space and the carriage return, by low nibble.
pub(crate) static BLANKS: Table16 = by_low_nibble(b" \r");

/// A set of ASCII bytes.
pub(crate) struct ByteSet {
    /// By low nibble, one bit for each high nibble (see [`HIGH_NIBBLE_BIT`]).
    pub(crate) by_low_nibble: Table16,
    /// The same by the byte.
    pub(crate) has: [bool; 256],
}

impl ByteSet {
    pub(crate) const fn new(bytes: &[u8]) -> Self {
        let mut set = Self { by_low_nibble: [0; 16], has: [false; 256] };
        let mut i = 0;
        while i < bytes.len() {
            assert!(bytes[i] < 128);
            set.by_low_nibble[(bytes[i] & 15) as usize] |= 1 << (bytes[i] >> 4);
            set.has[bytes[i] as usize] = true;
            i += 1;
        }
        set
    }
}

/// The bit of a high nibble in a [`ByteSet`]; none for bytes that are not ASCII.
pub(crate) static HIGH_NIBBLE_BIT: Table16 = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

/// The bytes that may follow a backslash in a string.
pub(crate) static ESCAPE_LETTERS: ByteSet = ByteSet::new(b"\"\\/bfnrtu");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nibbles_that_the_design_names() {
        assert_eq!(VALUE_END, 1 << 0 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 14);
        assert_eq!(VALUE_START, left(true, b'\n'));
        let maybe: Vec<usize> = (0..16).filter(|&n| MAYBE_SCALAR[n] == 1).collect();
        assert_eq!(maybe, [7, 11, 14]);
    }

    /// Where both bytes may stand outside strings, rectangles say what the byte tables say.
    #[test]
    fn rectangles_agree_with_the_byte_tables() {
        let legal = b"{}[],:\"\n0123456789aeflnrstuE+-.";
        let bits = |pair: &Pair16, byte: u8| pair[0][usize::from(byte & 15)] & pair[1][usize::from(byte >> 4)];
        let fine = Fine::of(false);
        for &before in legal {
            for &byte in legal {
                let by_table = class(false, false, byte) & follow(false, false, before) != 0;
                let by_rectangle = bits(&fine.this, byte) & bits(&fine.before, before) != 0;
                // Behind a `+` a quote falls in by accident; a letter behind `+ - .` falls out. Either way the number is read
                // whole.
                let in_number = b"+-.".contains(&before);
                assert!(by_table == by_rectangle || in_number, "{:?} {:?}", before as char, byte as char);
            }
        }
    }

    #[test]
    fn sets_hold_what_they_were_made_of() {
        for byte in 0..=255u8 {
            let by_nibbles = ESCAPE_LETTERS.by_low_nibble[(byte & 15) as usize] & HIGH_NIBBLE_BIT[(byte >> 4) as usize];
            let is_letter = b"\"\\/bfnrtu".contains(&byte);
            assert_eq!((by_nibbles != 0, ESCAPE_LETTERS.has[usize::from(byte)]), (is_letter, is_letter), "{byte:#x}");
        }
    }
}
