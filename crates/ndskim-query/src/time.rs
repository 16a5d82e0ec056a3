//! Times: RFC 3339 text and epoch numbers, as the parts of a date in UTC.
//!
//! The usual text, `2024-03-13T15:04:05Z`, needs no arithmetic at all; for offsets, weeks and epochs the calendar is jiff's.
//! Text that RFC 3339 does not allow is no time.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::decimal::Number;
use crate::expression::{Span, TimePart, Unit};

/// A time in UTC, down to the hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    year: i16,
    month: i8,
    day: i8,
    hour: i8,
}

/// A time as RFC 3339 text: `2024-03-13T15:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp([u8; 20]);

impl Stamp {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Moment {
    /// Reads RFC 3339 text (section 5.6; a space may stand for the `T`).
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (date_time, rest) = text.split_at_checked(19)?;
        let number = |range: std::ops::Range<usize>| {
            date_time[range]
                .iter()
                .try_fold(0_i16, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i16::from(byte - b'0')))
        };
        let separators = [date_time[4], date_time[7], date_time[13], date_time[16]];
        if separators != *b"--::" || !matches!(date_time[10], b'T' | b't' | b' ') {
            return None;
        }
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        if !(1..=12).contains(&month) || day < 1 || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (month, day, hour) = (month as i8, day as i8, hour as i8);
        if day > 28 {
            Date::new(year, month, day).ok()?;
        }
        let moment = Self { year, month, day, hour };
        match without_fraction(rest)? {
            b"Z" | b"z" => Some(moment),
            &[sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
                let two = |a: u8, b: u8| {
                    (a.is_ascii_digit() && b.is_ascii_digit()).then(|| i64::from(a - b'0') * 10 + i64::from(b - b'0'))
                };
                let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
                if hours > 23 || minutes > 59 {
                    return None;
                }
                let offset = SignedDuration::from_mins(hours * 60 + minutes);
                let local = DateTime::new(year, month, day, hour, minute as i8, 0, 0).ok()?;
                let utc = if sign == b'+' { local.checked_sub(offset) } else { local.checked_add(offset) };
                Self::of(utc.ok()?)
            }
            _ => None,
        }
    }

    /// The time that lies so many units after the start of 1970, or before it.
    pub(crate) fn of_epoch(number: Number, unit: Unit) -> Option<Self> {
        let units = match number {
            Number::Int(units) => units,
            Number::Real(units) => units.floor() as i128,
        };
        let seconds = units.div_euclid(match unit {
            Unit::Text => return None,
            Unit::Seconds => 1,
            Unit::Milliseconds => 1_000,
            Unit::Microseconds => 1_000_000,
            Unit::Nanoseconds => 1_000_000_000,
        });
        let seconds = i64::try_from(seconds).ok()?;
        let utc = match Timestamp::from_second(seconds) {
            Ok(timestamp) => TimeZone::UTC.to_datetime(timestamp),
            // A timestamp leaves room for any offset at the end of 9999; the calendar goes on.
            Err(_) => {
                DateTime::constant(1970, 1, 1, 0, 0, 0, 0).checked_add(SignedDuration::from_secs(seconds)).ok()?
            }
        };
        Self::of(utc)
    }

    /// `None` for years that four digits do not hold.
    fn of(utc: DateTime) -> Option<Self> {
        (utc.year() >= 0).then(|| Self { year: utc.year(), month: utc.month(), day: utc.day(), hour: utc.hour() })
    }

    pub(crate) fn part(self, part: TimePart) -> Option<i64> {
        Some(match part {
            TimePart::Year => self.year.into(),
            TimePart::Month => self.month.into(),
            TimePart::Day => self.day.into(),
            TimePart::Hour => self.hour.into(),
            TimePart::Weekday => self.date()?.weekday().to_monday_one_offset().into(),
        })
    }

    fn date(self) -> Option<Date> {
        Date::new(self.year, self.month, self.day).ok()
    }

    /// The start of the span that the time lies in.
    pub(crate) fn trunc(self, span: Span) -> Option<Stamp> {
        let Self { year, month, day, hour } = self;
        Some(
            match span {
                Span::Hour => Self { year, month, day, hour },
                Span::Day => Self { year, month, day, hour: 0 },
                Span::Month => Self { year, month, day: 1, hour: 0 },
                Span::Week => {
                    let date = self.date()?;
                    let since = SignedDuration::from_hours(24 * i64::from(date.weekday().to_monday_zero_offset()));
                    Self::of(date.checked_sub(since).ok()?.at(0, 0, 0, 0))?
                }
            }
            .stamp(),
        )
    }

    fn stamp(self) -> Stamp {
        let mut text = *b"0000-00-00T00:00:00Z";
        let mut put = |at: usize, digits: usize, mut value: i16| {
            for place in text[at..at + digits].iter_mut().rev() {
                *place = b'0' + (value % 10) as u8;
                value /= 10;
            }
        };
        put(0, 4, self.year);
        put(5, 2, self.month.into());
        put(8, 2, self.day.into());
        put(11, 2, self.hour.into());
        Stamp(text)
    }
}

/// What stands behind a fraction of a second, if there is one.
fn without_fraction(rest: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = rest.strip_prefix(b".") else { return Some(rest) };
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 { None } else { Some(&fraction[digits..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hour(text: &str) -> Option<String> {
        let stamp = Moment::parse(text.as_bytes())?.trunc(Span::Hour)?;
        Some(String::from_utf8(stamp.as_bytes().to_vec()).unwrap())
    }

    #[test]
    fn rfc_3339_is_read_and_nothing_else() {
        // The examples of RFC 3339, section 5.8, and others.
        let rows = [
            ("1985-04-12T23:20:50.52Z", Some("1985-04-12T23:00:00Z")),
            ("1996-12-19T16:39:57-08:00", Some("1996-12-20T00:00:00Z")),
            ("1990-12-31T23:59:60Z", Some("1990-12-31T23:00:00Z")),
            ("1937-01-01T12:00:27.87+00:20", Some("1937-01-01T11:00:00Z")),
            ("2024-02-29t00:00:00z", Some("2024-02-29T00:00:00Z")),
            ("2024-03-13 15:00:00Z", Some("2024-03-13T15:00:00Z")),
            ("2024-01-01T00:10:00+05:30", Some("2023-12-31T18:00:00Z")),
            ("2023-02-29T00:00:00Z", None),
            ("2024-13-01T00:00:00Z", None),
            ("2024-04-31T00:00:00Z", None),
            ("2024-03-13T24:00:00Z", None),
            ("2024-03-13T15:00:00", None),
            ("2024-03-13T15:00:00.Z", None),
            ("2024-03-13T15:00:00+0530", None),
            ("2024-03-13T15:00Z", None),
            ("2024-03-13", None),
            ("2011/02/12 00:00:00 -0800", None),
            ("0000-01-01T00:00:00+00:01", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(hour(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn epochs_of_each_unit_are_one_time() {
        let units = [
            (Unit::Seconds, 1),
            (Unit::Milliseconds, 1_000),
            (Unit::Microseconds, 1_000_000),
            (Unit::Nanoseconds, 1_000_000_000),
        ];
        for (unit, per_second) in units {
            let moment = Moment::of_epoch(Number::Int(1_710_342_245 * per_second), unit).unwrap();
            assert_eq!(moment, Moment::parse(b"2024-03-13T15:04:05Z").unwrap());
        }
        assert_eq!(Moment::of_epoch(Number::Real(-0.5), Unit::Seconds), Moment::parse(b"1969-12-31T23:59:59Z"));
        assert_eq!(Moment::of_epoch(Number::Int(i128::MAX), Unit::Seconds), None);
        assert_eq!(Moment::of_epoch(Number::Int(i64::MAX.into()), Unit::Seconds), None);
        // `date -u -d 9999-12-31T23:59:59Z +%s` says 253402300799.
        let last = Moment::parse(b"9999-12-31T23:59:59Z");
        assert!(last.is_some());
        assert_eq!(Moment::of_epoch(Number::Int(253_402_300_799), Unit::Seconds), last);
        assert_eq!(Moment::of_epoch(Number::Int(253_402_300_799_999), Unit::Milliseconds), last);
        assert_eq!(Moment::of_epoch(Number::Int(253_402_300_800), Unit::Seconds), None);
    }

    #[test]
    fn a_week_begins_on_monday() {
        let week = |text: &str| {
            let moment = Moment::parse(text.as_bytes()).unwrap();
            let stamp = moment.trunc(Span::Week).unwrap();
            (moment.part(TimePart::Weekday).unwrap(), String::from_utf8(stamp.as_bytes().to_vec()).unwrap())
        };
        // `date -d 2024-03-13 +%u` says 3.
        assert_eq!(week("2024-03-13T15:00:00Z"), (3, "2024-03-11T00:00:00Z".to_owned()));
        assert_eq!(week("2024-03-17T23:59:59Z"), (7, "2024-03-11T00:00:00Z".to_owned()));
        assert_eq!(week("2024-01-01T00:00:00Z"), (1, "2024-01-01T00:00:00Z".to_owned()));
        assert_eq!(week("2022-01-01T00:00:00Z"), (6, "2021-12-27T00:00:00Z".to_owned()));
    }
}
