//! A format that the engine knows: one of the table, or one that the user brought.

use crate::ledger::Standing;
use crate::machine::{Format, Machine};
use crate::own::Own;

/// Copied freely; the user's formats live as long as the stream is read.
#[derive(Clone, Copy)]
pub enum Known<'f> {
    /// One of `formats::FORMATS`.
    Table(&'static Format),
    /// One of a file that the user named.
    Own(&'f Own),
}

impl<'f> Known<'f> {
    /// The runner's name.
    pub fn name(self) -> &'f str {
        match self {
            Known::Table(format) => format.name,
            Known::Own(own) => &own.name,
        }
    }

    /// Whether the user brought it.
    pub fn is_own(self) -> bool {
        matches!(self, Known::Own(_))
    }

    /// How its sections stand to others.
    pub fn standing(self) -> Standing {
        match self {
            Known::Table(_) => Standing::Runner,
            Known::Own(own) => own.standing(),
        }
    }

    /// A fresh machine.
    pub fn machine(self) -> Box<dyn Machine + 'f> {
        match self {
            Known::Table(format) => (format.new)(),
            Known::Own(own) => own.machine(),
        }
    }
}

/// Formats of the table have names of their own; a user's format may bear one of them and is another one.
impl PartialEq for Known<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Known::Table(a), Known::Table(b)) => a.name == b.name,
            (Known::Own(a), Known::Own(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }
}
