//! What is found in documents: an answer in which parsers of any language can be compared.
//!
//! Counts by kind, lengths of strings and keys in UTF-8, and sums that do not depend on the order: of the CRC-32 of each
//! string, and of the bits of each number as a double. `experiments/digest.py` makes the same of Python objects.

use ndskim::{Kind, Value, ValueError};

/// Sums over the values of documents. Which of them are made depends on the work; those that are not are 0 and not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) documents: u64,
    pub(crate) objects: u64,
    pub(crate) arrays: u64,
    pub(crate) strings: u64,
    pub(crate) numbers: u64,
    pub(crate) literals: u64,
    pub(crate) key_bytes: u64,
    pub(crate) string_bytes: u64,
    /// Of strings and keys.
    pub(crate) crc_sum: u64,
    pub(crate) number_bits: u64,
}

/// The CRC-32 of a text.
pub(crate) fn crc(text: &str) -> u64 {
    u64::from(crc32fast::hash(text.as_bytes()))
}

impl Found {
    /// One document of which nothing was looked at.
    pub(crate) fn document() -> Self {
        Self { documents: 1, ..Self::default() }
    }

    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            documents: self.documents + other.documents,
            objects: self.objects + other.objects,
            arrays: self.arrays + other.arrays,
            strings: self.strings + other.strings,
            numbers: self.numbers + other.numbers,
            literals: self.literals + other.literals,
            key_bytes: self.key_bytes + other.key_bytes,
            string_bytes: self.string_bytes + other.string_bytes,
            crc_sum: self.crc_sum.wrapping_add(other.crc_sum),
            number_bits: self.number_bits.wrapping_add(other.number_bits),
        }
    }

    /// Every value below a lazy one, decoded. With `CRC`, strings are summed up, too.
    pub(crate) fn add<const CRC: bool>(&mut self, value: Value<'_>) -> Result<(), ValueError> {
        match value.kind() {
            Kind::Object => {
                self.objects += 1;
                for member in value.members().into_iter().flatten() {
                    let (key, value) = member?;
                    let key = key.as_str()?.unwrap_or_default();
                    self.key::<CRC>(&key);
                    self.add::<CRC>(value)?;
                }
            }
            Kind::Array => {
                self.arrays += 1;
                for element in value.elements().into_iter().flatten() {
                    self.add::<CRC>(element?)?;
                }
            }
            Kind::String => self.string::<CRC>(&value.as_str()?.unwrap_or_default()),
            Kind::Number => self.number(value.as_f64()?.unwrap_or_default()),
            Kind::Bool | Kind::Null => self.literals += 1,
        }
        Ok(())
    }

    /// Every value below an owned one.
    pub(crate) fn add_owned(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(members) => {
                self.objects += 1;
                for (key, value) in members {
                    self.key::<true>(key);
                    self.add_owned(value);
                }
            }
            serde_json::Value::Array(elements) => {
                self.arrays += 1;
                elements.iter().for_each(|element| self.add_owned(element));
            }
            serde_json::Value::String(text) => self.string::<true>(text),
            serde_json::Value::Number(number) => self.number(number.as_f64().unwrap_or_default()),
            serde_json::Value::Bool(_) | serde_json::Value::Null => self.literals += 1,
        }
    }

    fn key<const CRC: bool>(&mut self, key: &str) {
        self.key_bytes += key.len() as u64;
        if CRC {
            self.crc_sum = self.crc_sum.wrapping_add(crc(key));
        }
    }

    fn string<const CRC: bool>(&mut self, text: &str) {
        self.strings += 1;
        self.string_bytes += text.len() as u64;
        if CRC {
            self.crc_sum = self.crc_sum.wrapping_add(crc(text));
        }
    }

    fn number(&mut self, number: f64) {
        self.numbers += 1;
        self.number_bits = self.number_bits.wrapping_add(number.to_bits());
    }

    /// The sums that are not 0.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let parts = [
            ("documents", self.documents),
            ("objects", self.objects),
            ("arrays", self.arrays),
            ("strings", self.strings),
            ("numbers", self.numbers),
            ("literals", self.literals),
            ("key_bytes", self.key_bytes),
            ("string_bytes", self.string_bytes),
            ("crc_sum", self.crc_sum),
            ("number_bits", self.number_bits),
        ];
        parts
            .into_iter()
            .filter(|(_, sum)| *sum > 0)
            .map(|(name, sum)| (name.to_owned(), serde_json::Value::from(sum)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use ndskim::{Scan, ValueError};

    use super::*;

    const DOCUMENT: &str = r#"{"a":[1,2.5,-0.0,null],"\u00e9":{"b":"x\n","c":true}}"#;

    #[test]
    fn lazy_and_owned_values_hold_the_same() {
        let fold = |found: &mut Found, record: ndskim::Record<'_>| found.add::<true>(record.value());
        let lazy =
            Scan::bytes(DOCUMENT.as_bytes()).try_fold::<_, _, _, _, ValueError, _>(Found::default, fold, Found::merged);
        let mut owned = Found::default();
        owned.add_owned(&serde_json::from_str(DOCUMENT).unwrap());
        let expected = Found {
            objects: 2,
            arrays: 1,
            strings: 1,
            numbers: 3,
            literals: 2,
            key_bytes: 5,
            string_bytes: 2,
            crc_sum: ["a", "é", "b", "c", "x\n"].map(crc).iter().sum(),
            number_bits: [1.0, 2.5, -0.0].map(f64::to_bits).iter().fold(0, |sum: u64, bits| sum.wrapping_add(*bits)),
            ..Found::default()
        };
        assert_eq!((lazy.unwrap().value, owned), (expected.clone(), expected));
    }
}
