//! The runners that are known: one file each, and one line each in [`FORMATS`].

mod ctrf;
mod json_document;
mod junit_xml;
mod pytest;

use crate::machine::Format;

/// All known runners, by name.
pub const FORMATS: &[Format] = &[ctrf::FORMAT, junit_xml::FORMAT, pytest::FORMAT];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
