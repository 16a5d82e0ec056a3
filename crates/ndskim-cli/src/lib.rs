//! What the commands `ghcount` and `ndskim` share: their flags, their reports, and how they end.
//!
//! The commands are thin: every question is answered by the libraries `ndskim` and `ndskim-query`. This crate turns flags
//! into a scan, what the scan found into text, and errors into messages and exit codes. It is made for its own two binaries;
//! its API is not stable.

pub mod args;
pub mod bench;
mod chart;
pub mod check;
pub mod command;
pub mod count;
pub mod exit;
pub mod faults;
pub mod ghcount;
pub mod interrupt;
pub mod json;
mod man;
pub mod output;
pub mod paths;
pub mod run;
pub mod scaling;
mod spare;
mod terminal;
mod timing;
mod visible;
pub mod watch;
