//! The commands on bad data, bad files, full disks, closed pipes and Ctrl-C: what they write, and how they end.

mod command;
mod inputs;
mod policies;
mod safety;
mod words;
