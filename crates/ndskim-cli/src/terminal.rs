//! The terminal at standard error, as the progress bar is drawn on it.
//!
//! It is called four cells narrower than it is: the bar fills a line to its end, and there must be room behind it for the
//! `^C` that the terminal itself shows, or that would begin a new line and leave the bar on the old one.

use std::io::{self, Write};

use indicatif::TermLike;

const ROOM: u16 = 4;

/// Standard error, which is a terminal.
#[derive(Debug)]
pub(crate) struct Terminal;

fn write(text: std::fmt::Arguments<'_>) -> io::Result<()> {
    io::stderr().write_fmt(text)
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
        width.saturating_sub(ROOM).max(1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { write(format_args!("\x1b[{n}A")) }
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { write(format_args!("\x1b[{n}B")) }
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { write(format_args!("\x1b[{n}C")) }
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { write(format_args!("\x1b[{n}D")) }
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        write(format_args!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        write(format_args!("{text}"))
    }

    fn clear_line(&self) -> io::Result<()> {
        write(format_args!("\r\x1b[2K"))
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
