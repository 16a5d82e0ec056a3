//! JSON of keys and results.

use ndskim::{Key, Kind};
use ndskim_query::Scalar;

use crate::json::JsonString;

/// A key as an element of the list `key`: absent is `{"absent":true}`. So that no value can be taken for that, an object is
/// `{"value":{...}}`.
pub fn key_in_list(key: &Key) -> String {
    match (key.to_json(), key.kind()) {
        (None, _) => r#"{"absent":true}"#.to_owned(),
        (Some(json), Some(Kind::Object)) => format!(r#"{{"value":{json}}}"#),
        (Some(json), _) => json.into_owned(),
    }
}

/// A result; `null` where there is none.
pub fn scalar(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Int(integer) => integer.to_string(),
        Scalar::Real(double) => real(*double),
        Scalar::Text(text) => string(text),
        _ => "null".to_owned(),
    }
}

/// A finite double with as many digits as tell it from all others.
pub fn real(real: f64) -> String {
    format!("{real:?}")
}

/// Text as a JSON string.
pub fn string(text: &str) -> String {
    JsonString(text).to_string()
}
