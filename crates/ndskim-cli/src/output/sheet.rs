//! Sheets: an answer as columns and rows, before any format.

/// Columns and rows of cells.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// The columns.
    pub columns: Vec<Column>,
    /// Rows, with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// The row for what is not shown, which has no bar.
    pub rest: Option<Vec<Cell>>,
    /// The last row, which only people need.
    pub total: Option<Vec<Cell>>,
}

/// A column of a sheet.
#[derive(Clone, Debug)]
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// Whether its cells stand to the right.
    pub right: bool,
    /// Whether it is for people only, since programs can compute it.
    pub for_people: bool,
}

/// A cell of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A label, which nothing else can be taken for.
    Label(String),
    /// A label that stands for something that is no value, such as a missing one.
    Mark(String),
    /// An integer.
    Int(i128),
    /// A double.
    Real(f64),
    /// A share of the whole, from 0 to 1.
    Share(f64),
    /// Nothing.
    Empty,
}

impl Column {
    /// A column of labels.
    pub fn labels(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: false, for_people: false }
    }

    /// A column of numbers.
    pub fn numbers(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: true, for_people: false }
    }

    /// The column of shares.
    pub fn shares() -> Self {
        Self { title: "share".to_owned(), right: true, for_people: true }
    }
}

impl Cell {
    /// The share of one number in another; nothing of nothing.
    pub fn share(part: u64, whole: u64) -> Self {
        if whole == 0 { Cell::Empty } else { Cell::Share(part as f64 / whole as f64) }
    }

    /// The text for people.
    pub fn for_people(&self) -> String {
        match self {
            Cell::Label(text) | Cell::Mark(text) => text.clone(),
            Cell::Int(integer) => thousands(*integer),
            Cell::Real(real) => rounded(*real),
            Cell::Share(share) => format!("{:.1} %", share * 100.0),
            Cell::Empty => String::new(),
        }
    }

    /// The text for programs.
    pub fn for_programs(&self) -> String {
        match self {
            Cell::Label(text) | Cell::Mark(text) => text.clone(),
            Cell::Int(integer) => integer.to_string(),
            Cell::Real(real) | Cell::Share(real) => super::real(*real),
            Cell::Empty => String::new(),
        }
    }
}

/// A number with separators between its thousands.
pub fn thousands(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    text.push_str(if number < 0 { "-" } else { "" });
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A double to three places behind the point, or to four digits where it is small; the other formats have all digits.
fn rounded(real: f64) -> String {
    let magnitude = real.abs();
    if magnitude >= 1e15 || magnitude != 0.0 && magnitude < 1e-6 {
        return format!("{real:.3e}");
    }
    if magnitude < 0.1 && magnitude != 0.0 {
        let places = (3.0 - magnitude.log10().floor()) as usize;
        return format!("{real:.places$}");
    }
    let text = format!("{magnitude:.3}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    let sign = if real < 0.0 { "-" } else { "" };
    format!("{sign}{}.{fraction}", thousands(whole.parse::<i128>().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 999, 1000, -1234567, i128::from(u64::MAX)].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "-1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn doubles_are_rounded_for_people_only() {
        let rows = [
            (1234.56789, "1,234.568", "1234.56789"),
            (-0.5, "-0.500", "-0.5"),
            (0.0, "0.000", "0.0"),
            (0.000123456, "0.0001235", "0.000123456"),
            (1e300, "1.000e300", "1e300"),
        ];
        for (real, people, programs) in rows {
            assert_eq!(
                (Cell::Real(real).for_people(), Cell::Real(real).for_programs()),
                (people.into(), programs.into())
            );
        }
    }
}
