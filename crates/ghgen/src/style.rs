//! Writing a record in another style. In goes a compact record, as every layout writes it, out
//! come the same tokens with white space between them. Compact output never comes here.

use crate::options::Style;

/// Appends `record`, which must be compact JSON, to `out` in `style`.
pub(crate) fn restyle(style: Style, record: &[u8], out: &mut Vec<u8>) {
    match style {
        Style::Compact | Style::Crlf => out.extend_from_slice(record),
        Style::Spaced => spaced(record, out),
        Style::Pretty => pretty(record, out),
    }
}

/// The place just behind the string that begins at `start`.
pub(crate) fn string_end(record: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match record[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn spaced(record: &[u8], out: &mut Vec<u8>) {
    let (mut at, mut copied) = (0, 0);
    while at < record.len() {
        match record[at] {
            b'"' => at = string_end(record, at),
            b',' | b':' => {
                at += 1;
                out.extend_from_slice(&record[copied..at]);
                out.push(b' ');
                copied = at;
            }
            _ => at += 1,
        }
    }
    out.extend_from_slice(&record[copied..]);
}

fn pretty(record: &[u8], out: &mut Vec<u8>) {
    let mut depth = 0;
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    };
    let mut at = 0;
    while at < record.len() {
        let byte = record[at];
        match byte {
            b'"' => {
                let end = string_end(record, at);
                out.extend_from_slice(&record[at..end]);
                at = end;
                continue;
            }
            b'{' | b'[' => {
                out.push(byte);
                if matches!(record[at + 1], b'}' | b']') {
                    out.push(record[at + 1]);
                    at += 1;
                } else {
                    depth += 1;
                    new_line(out, depth);
                }
            }
            b'}' | b']' => {
                depth -= 1;
                new_line(out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"a":[1,-2.5],"b":"x,y:\"{","c":{},"d":[],"e":null}"#;

    fn styled(style: Style) -> String {
        let mut out = Vec::new();
        restyle(style, RECORD.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn spaced_is_what_python_writes() {
        assert_eq!(styled(Style::Spaced), r#"{"a": [1, -2.5], "b": "x,y:\"{", "c": {}, "d": [], "e": null}"#);
    }

    #[test]
    fn pretty_is_what_serde_json_writes() {
        let value = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(RECORD).unwrap());
        assert_eq!(styled(Style::Pretty), value.unwrap());
    }
}
