//! What kinds of input there are, and which one a file holds.
//!
//! In: bytes and, where there is one, the file's name. Out: a [`Shape`]. Whatever its shape promises,
//! an input that does not keep it (broken JSON, uneven CSV) is reduced as text.

/// How an input is taken apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// One JSON value.
    Json,
    /// A JSON value a line.
    Ndjson,
    /// Records of fields with commas between, quoted where needed.
    Csv,
    /// Arguments or names, one a line.
    Lines,
    /// Arguments or names, each ended by a NUL byte.
    Nul,
    /// Anything else, source code too.
    Text,
}

impl Shape {
    /// The shape of a file by the end of its name, without the dot, and by what it holds.
    pub fn of(extension: Option<&str>, bytes: &[u8]) -> Self {
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "json" => Self::Json,
            "ndjson" | "jsonl" => Self::Ndjson,
            "csv" => Self::Csv,
            "" if bytes.trim_ascii_start().first().is_some_and(|b| b"{[".contains(b)) => Self::Json,
            _ => Self::Text,
        }
    }
}
