//! Salvage: what of a bad line is kept, whatever the blocks and threads.

use ndskim::{Error, Format, OnFault, Scan, Validation};

use crate::configurations::full;

fn ids(scan: Scan<'_>) -> (Vec<i64>, [u64; 5]) {
    let id = |record: ndskim::Record<'_>| record.get("id").unwrap().unwrap().as_i64().unwrap().unwrap();
    let outcome = scan.on_fault(OnFault::Salvage).map(id).unwrap();
    let stats = outcome.stats;
    (outcome.value, [stats.records, stats.rejected, stats.rejected_bytes, stats.salvaged, stats.salvaged_bytes])
}

#[test]
fn the_faults_of_published_files_cost_only_what_is_broken() {
    let joined = "{\"id\":2}{\"id\":3}";
    let cut = "{\"id\":4,\"url\":\"https://api.{\"id\":5,\"actor\":{\"id\":6}}";
    let nul = format!("{{\"id\":7}}{}", "\0".repeat(5000));
    let input = format!("{{\"id\":1}}\n{joined}\n{cut}\n{nul}\n{{\"id\":8}}\n{{\"id\":9,\"a\":{{\"id\":10}}\n");
    let rejected = joined.len() + cut.len() + nul.len() + "{\"id\":9,\"a\":{\"id\":10}".len();
    let salvaged = joined.len() + "{\"id\":5,\"actor\":{\"id\":6}}".len() + "{\"id\":7}".len();
    for configuration in full() {
        let (ids, figures) = ids(configuration.bytes(input.as_bytes()));
        assert_eq!(ids, [1, 2, 3, 5, 7, 8], "{configuration:?}");
        assert_eq!(figures, [6, 4, rejected as u64, 4, salvaged as u64], "{configuration:?}");
    }
}

#[test]
fn the_key_is_that_of_the_last_good_record_wherever_blocks_begin() {
    // Each bad line shares its key with the line before it, and not with itself.
    let input = "{\"a\":0,\"id\":1}\n?{\"id\":2}{\"a\":0,\"id\":3}\n{\"id\":4}\n?{\"a\":0,\"id\":5}{\"id\":6}\n?\n?{\"id\":7}\n";
    for configuration in full() {
        let (ids, figures) = ids(configuration.bytes(input.repeat(20).as_bytes()));
        assert_eq!(ids, [1, 3, 4, 6, 7].repeat(20), "{configuration:?}");
        assert_eq!(figures[..2], [100, 80]);
    }
}

#[test]
fn the_key_survives_a_byte_order_mark() {
    let input = b"\xef\xbb\xbf{\"id\":1}\n?{\"id\":2}\n";
    for configuration in full() {
        assert_eq!(ids(configuration.bytes(input)).0, [1, 2], "{configuration:?}");
    }
}

#[test]
fn salvaged_records_know_their_place_and_fields() {
    let input = b"{\"id\":1,\"n\":1}\n{\"id\":2,\"x\":\"cut{\"id\":3,\"n\":3}{\"id\":4,\"n\":\"no\"}\n";
    for configuration in full() {
        let scan = configuration.bytes(input).on_fault(OnFault::Salvage);
        let scan = scan.project(ndskim::Projection::new(["/n"]).unwrap());
        let error = scan
            .try_for_each(|record| match record.field(0).unwrap().as_i64() {
                Ok(Some(_)) => Ok(()),
                _ => Err(format!("{:?}", String::from_utf8_lossy(record.text()))),
            })
            .unwrap_err();
        let Error::Closure { place, source } = error else { panic!("{configuration:?}") };
        assert_eq!((place.line(), place.column(), place.offset()), (Some(2), 31, 45), "{configuration:?}");
        assert_eq!(source.to_string(), r#""{\"id\":4,\"n\":\"no\"}""#);
    }
}

#[test]
fn salvage_is_refused_where_it_cannot_be_right() {
    let scan = || Scan::bytes(b"{}\n").on_fault(OnFault::Salvage);
    let visited = scan().validation(Validation::Visited).for_each(|_| ());
    assert!(matches!(visited, Err(Error::Unsupported(_))));
    let concatenated = scan().format(Format::Concatenated).for_each(|_| ());
    assert!(matches!(concatenated, Err(Error::Unsupported(_))));
}

#[test]
fn a_salvaged_record_obeys_the_limit_on_depth() {
    let input = b"{\"id\":1}\n?{\"id\":2,\"a\":[[[]]]}{\"id\":3,\"a\":[]}\n";
    for configuration in full() {
        assert_eq!(ids(configuration.bytes(input).max_depth(3)).0, [1, 3], "{configuration:?}");
    }
}
