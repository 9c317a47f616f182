//! The shader files of a check.

use super::Stop;
use crate::check::ProgramFiles;
use crate::front::{Language, Source};
use crate::wire::Adapter;
use bv_schemas::Reason;
use std::fs;
use std::path::Path;

/// Longest shader read, in bytes.
const SHADER_BYTES_MAX: u64 = 4 << 20;

/// A triangle that covers the target, for a check of a fragment shader alone.
const COVERING: &str = "#version 300 es
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
";

/// Two shaders as the compiler gets them.
#[derive(Debug, Clone)]
pub struct Program {
    /// The language of both.
    pub language: Language,
    /// The vertex shader.
    pub vertex: Source,
    /// The fragment shader.
    pub fragment: Source,
}

impl Program {
    /// Reads the files, whose names are relative to `folder`.
    pub(crate) fn load(files: &ProgramFiles, folder: &Path) -> Result<Program, Stop> {
        let (vertex_offset, fragment_offset) = files.line_offset.each();
        let wgsl = |name: &str| Path::new(name).extension().is_some_and(|ext| ext == "wgsl");
        let language = if wgsl(&files.fragment) { Language::Wgsl } else { Language::GlslEs300 };
        if files.vertex.as_deref().is_some_and(|vertex| wgsl(vertex) != wgsl(&files.fragment)) {
            return Err(Stop::Refused(
                Reason::BadInput,
                "`program`: one shader is WGSL, the other is not".into(),
            ));
        }
        let fragment = read(folder, &files.fragment, fragment_offset)?;
        let vertex = match &files.vertex {
            Some(name) => read(folder, name, vertex_offset)?,
            None if language == Language::Wgsl => fragment.clone(),
            None => {
                Source { file: "the built-in vertex shader".into(), text: COVERING.into(), line_offset: 0 }
            }
        };
        Ok(Program { language, vertex, fragment })
    }

    /// Whether shapes must be turned for `flat` values: WebGL takes them from a shape's last vertex, as OpenGL does
    /// whatever wgpu promises, every other driver from the first.
    pub(crate) fn last_first(&self, adapter: &Adapter) -> bool {
        self.language == Language::GlslEs300 && adapter.backend != "gl"
    }

    /// 1-based line of the fragment shader's entry point in the user's file, and its name.
    pub(crate) fn entry(&self) -> (Option<u64>, Option<String>) {
        let text = &self.fragment.text;
        let (at, name) = match self.language {
            Language::GlslEs300 => (find_main(text), Some("main".to_owned())),
            Language::Wgsl => {
                let at = text.find("@fragment").and_then(|at| Some(at + text[at..].find("fn ")?));
                let name = at.map(|at| text[at + 3..].trim_start());
                let ends = |c: char| !(c.is_alphanumeric() || c == '_');
                (at, name.map(|name| name.split(ends).next().unwrap_or_default().to_owned()))
            }
        };
        let line = at.map(|at| text[..at].matches('\n').count() as u64 + 1);
        (line.and_then(|line| line.checked_sub(u64::from(self.fragment.line_offset))), name)
    }
}

fn read(folder: &Path, name: &str, line_offset: u32) -> Result<Source, Stop> {
    let path = folder.join(name);
    let file = path.display().to_string();
    let missing = |wrong: std::io::Error| Stop::Refused(Reason::MissingFile, format!("{file}: {wrong}"));
    let bytes = fs::metadata(&path).map_err(missing)?.len();
    if bytes > SHADER_BYTES_MAX {
        let wrong = format!("{file}: {bytes} bytes, {SHADER_BYTES_MAX} at most");
        return Err(Stop::Refused(Reason::BadInput, wrong));
    }
    let text = fs::read(&path).map_err(missing)?;
    let text =
        String::from_utf8(text).map_err(|_| Stop::Refused(Reason::BadInput, format!("{file}: not UTF-8")))?;
    Ok(Source { file, text, line_offset })
}

/// The byte of `main` in `void main(`, outside of comments.
fn find_main(text: &str) -> Option<usize> {
    let plain = without_comments(text);
    plain.match_indices("main").map(|(at, _)| at).find(|at| {
        let void = plain[..*at].trim_end().ends_with("void") && plain[..*at].ends_with(char::is_whitespace);
        void && plain[at + 4..].trim_start().starts_with('(')
    })
}

/// Comments become spaces, so that every byte keeps its place.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match () {
            () if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            () if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            () => {
                plain.push('/');
                rest = &rest[1..];
                continue;
            }
        };
        plain.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_found_outside_of_comments() {
        for (text, line) in [
            ("void main() {}", Some(1)),
            ("// void main()\n/* void main()\n*/ void\nmain (void) {}", Some(4)),
            ("void mainImage() {}\nint main;\nvoid main(){}", Some(3)),
            ("void amain() {}", None),
            ("/* void main() {}", None),
        ] {
            let found = find_main(text).map(|at| text[..at].matches('\n').count() + 1);
            assert_eq!(found, line, "{text}");
        }
    }
}
