//! Compressed members, parts, and the command itself.

mod judge;

use flate2::bufread::GzDecoder;
use ghgen::{Compression, Members, Options, Parts, generate_into};
use judge::make;
use std::io::{BufRead as _, Read as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The texts of the members of a gzip file.
fn gzip_members(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut members = Vec::new();
    while !bytes.is_empty() {
        let mut decoder = GzDecoder::new(bytes);
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).unwrap();
        bytes = decoder.into_inner();
        members.push(text);
    }
    members
}

/// The texts of the frames of a Zstandard file.
fn zstd_frames(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut input = std::io::BufReader::new(bytes);
    let mut frames = Vec::new();
    while !input.fill_buf().unwrap().is_empty() {
        let mut text = Vec::new();
        let mut decoder = zstd::Decoder::with_buffer(&mut input).unwrap().single_frame();
        decoder.read_to_end(&mut text).unwrap();
        frames.push(text);
    }
    frames
}

fn compressed(options: &Options, compression: Compression, members: u32) -> Vec<u8> {
    let mut sink = Members::new(Vec::new(), compression, members, 0..options.bytes).unwrap();
    generate_into(options, &mut sink).unwrap();
    sink.finish().unwrap()
}

#[test]
fn members_are_as_many_as_asked_for_and_hold_the_text() {
    let options = Options { bytes: 700_000, ..Options::default() };
    let (text, _) = make(&options);
    for members in [1, 2, 7, 50] {
        for texts in [
            gzip_members(&compressed(&options, Compression::Gzip, members)),
            zstd_frames(&compressed(&options, Compression::Zstd, members)),
        ] {
            assert_eq!(texts.len(), members as usize);
            assert_eq!(texts.concat(), text);
            assert!(texts.iter().all(|text| text.is_empty() || text.ends_with(b"}\n")));
        }
    }
}

#[test]
fn members_are_of_like_size() {
    let options = Options { bytes: 1_000_000, ..Options::default() };
    let texts = gzip_members(&compressed(&options, Compression::Gzip, 10));
    assert!(texts.iter().all(|text| (60_000..140_000).contains(&text.len())));
}

#[test]
fn more_members_than_records() {
    let options = Options { bytes: 20_000, ..Options::default() };
    let texts = gzip_members(&compressed(&options, Compression::Gzip, 300));
    assert_eq!(texts.len(), 300);
    assert_eq!(texts.concat(), make(&options).0);
}

/// Writes a file in parts and gives back what each holds.
fn parts(options: &Options, folder: &Path, name: &str, members: u32, parts: u32) -> Vec<Vec<u8>> {
    let path = folder.join(name);
    let compression = Compression::of_name(&path);
    let mut sink = Parts::create(&path, compression, members, parts, options.bytes).unwrap();
    generate_into(options, &mut sink).unwrap();
    sink.finish().unwrap();
    let name = |n| {
        if parts == 1 { path.clone() } else { Parts::name(&path, n) }
    };
    (1..=parts).map(|n| std::fs::read(name(n)).unwrap()).collect()
}

#[test]
fn parts_one_behind_the_other_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { bytes: 900_000, damage: 12, ..Options::default() };
    let (text, _) = make(&options);
    for count in [1, 3, 8] {
        let plain = parts(&options, folder.path(), "events.json", 1, count);
        assert_eq!(plain.concat(), text);
        assert!(plain.iter().all(|part| part.ends_with(b"\n")));

        let gzip = parts(&options, folder.path(), "events.json.gz", 4, count);
        assert!(gzip.iter().all(|part| gzip_members(part).len() == 4));
        assert_eq!(gzip_members(&gzip.concat()).concat(), text);
    }
}

fn ghgen(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ghgen")).args(arguments).output().unwrap()
}

#[test]
fn the_command_writes_what_the_library_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let (text, report) = make(&Options { bytes: 300_000, seed: 5, damage: 6, ..Options::default() });

    let (truth, list) = (path("truth.json"), path("damage.ndjson"));
    let common = ["--bytes", "300kB", "--seed", "5", "--damage", "6", "--damage-list", &list, "--truth", &truth];
    let output = ghgen(&common);
    assert!(output.status.success());
    assert_eq!(output.stdout, text);
    assert_eq!(std::fs::read_to_string(&truth).unwrap(), report.truth.to_json() + "\n");
    let mut expected = Vec::new();
    report.damage.write_list(&report.truth, &mut expected).unwrap();
    assert_eq!(std::fs::read(&list).unwrap(), expected);

    let gz = path("events.json.gz");
    assert!(ghgen(&[&common[..], &["--output", &gz, "--members", "3"]].concat()).status.success());
    let members = gzip_members(&std::fs::read(&gz).unwrap());
    assert_eq!((members.len(), members.concat()), (3, text));
}

#[test]
fn wrong_usage_is_2_and_a_failed_write_is_1() {
    for wrong in [
        &[][..],
        &["--bytes", "many"],
        &["--bytes", "1kB", "--parts", "2"],
        &["--bytes", "1kB", "--members", "2"],
        &["--bytes", "1kB", "--members", "0", "--compress", "gzip"],
        &["--bytes", "1kB", "--damage", "2"],
        &["--bytes", "1kB", "--style", "crlf", "--separator", "none"],
        &["--bytes", "1kB", "--profile", "x"],
        &["--bytes", "1kB", "--layout", "unknown"],
    ] {
        let output = ghgen(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty());
    }
    for failing in [&["--bytes", "1kB", "--output", "/no/such/folder/x"][..], &["--profile", "/no/such/file"]] {
        let output = ghgen(failing);
        assert_eq!(output.status.code(), Some(1), "{failing:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/"));
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ghgen"))
        .args(["--bytes", "50MB"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}
