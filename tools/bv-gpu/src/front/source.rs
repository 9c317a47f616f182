//! A source made ready for glslang: rules that WebGL has and glslang lacks are checked, and what glslang has and
//! WebGL lacks is hidden from it. Lines stay where they are.

use super::tokens::{Kind, Token, directive, tokens};

/// Longest source, in bytes. Chromium's own limit is far above what any driver takes.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// Deepest nesting of brackets of any kind; WebGL implementations have 256 as the depth of an expression.
const NESTING_MAX: usize = 256;

/// Longest identifier in bytes (WebGL 2.0, section 4.3.3).
const IDENTIFIER_BYTES_MAX: usize = 1024;

/// In front of a word of the user's that means something to glslang though not in GLSL ES 3.00.
pub const HIDDEN: &str = "bv_";

/// An error found without a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Physical line, 1-based.
    pub line: u32,
    pub token: String,
    pub message: &'static str,
}

/// What glslang shall see.
#[derive(Debug)]
pub struct Prepared {
    pub text: String,
    /// 300, or 100 where no `#version` says otherwise.
    pub version: u32,
    /// Whether a `#line` renumbers lines.
    pub renumbered: bool,
    pub faults: Vec<Fault>,
}

/// Prepares a source.
pub fn prepare(text: &str) -> Prepared {
    let mut prepared = Prepared {
        text: String::with_capacity(text.len()),
        version: 100,
        renumbered: false,
        faults: Vec::new(),
    };
    let mut copied = 0;
    let mut depth = 0_usize;
    let mut seen_code = false;
    let mut layout = Layout::Elsewhere;
    for token in tokens(text) {
        if let Some(instead) = prepared.rewritten(token, seen_code, layout) {
            prepared.text += &text[copied..token.at];
            prepared.text += &instead;
            copied = token.at + token.text.len();
        }
        if token.kind == Kind::Directive {
            continue;
        }
        seen_code = true;
        layout = layout.after(token.text);
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING_MAX {
            prepared.fault(token, "nested too deeply");
            break;
        }
    }
    prepared.text += &text[copied..];
    prepared
}

/// The same text without its `#line` directives, so that a compiler counts physical lines.
pub fn without_line_directives(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for token in tokens(text) {
        if token.kind == Kind::Directive && directive(token.text).0 == "line" {
            out += &text[copied..token.at];
            out.extend(token.text.chars().filter(|letter| *letter == '\n'));
            copied = token.at + token.text.len();
        }
    }
    out + &text[copied..]
}

impl Prepared {
    fn fault(&mut self, token: Token<'_>, message: &'static str) {
        let shown: String = token.text.chars().take(64).collect();
        self.faults.push(Fault { line: token.line, token: shown, message });
    }

    fn rewritten(&mut self, token: Token<'_>, seen_code: bool, layout: Layout) -> Option<String> {
        match token.kind {
            Kind::Identifier => {
                self.check_identifier(token);
                let hide = match token.text {
                    // A word of layout() in GLSL ES 3.00, a keyword to glslang.
                    "shared" => !matches!(layout, Layout::Inside(_)),
                    name => FOREIGN_FUNCTIONS.contains(&name),
                };
                hide.then(|| format!("{HIDDEN}{}", token.text))
            }
            Kind::Directive => self.rewritten_directive(token, seen_code),
            _ => None,
        }
    }

    fn check_identifier(&mut self, token: Token<'_>) {
        if token.text.len() > IDENTIFIER_BYTES_MAX {
            self.fault(token, "identifiers are at most 1024 characters long");
        } else if token.text.starts_with("webgl_") || token.text.starts_with("_webgl_") {
            self.fault(token, "identifiers starting with webgl_ or _webgl_ are reserved");
        }
    }

    fn rewritten_directive(&mut self, token: Token<'_>, seen_code: bool) -> Option<String> {
        let (name, rest) = directive(token.text);
        let newlines = || token.text.chars().filter(|letter| *letter == '\n').collect::<String>();
        match name {
            "version" => {
                let number = rest.split_whitespace().next().and_then(|number| number.parse().ok());
                self.version = number.unwrap_or(self.version);
                None
            }
            "line" => {
                self.renumbered = true;
                None
            }
            "extension" => {
                // glslang knows extensions that no WebGL has. It shall neither enable them nor miss that one is required;
                // which of them stand in a branch that counts, it decides itself.
                let (extension, behavior) = rest.split_once(':')?;
                let (extension, behavior) = (extension.trim(), behavior.trim());
                let known = extension.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if !known || extension.is_empty() {
                    return None;
                }
                let wrong = match behavior {
                    _ if seen_code => "extension directive behind the first line of code",
                    "require" => "extension is not supported",
                    "enable" if extension == "all" => "extension 'all' cannot be enabled",
                    "enable" | "warn" | "disable" => return Some(newlines()),
                    _ => return None,
                };
                Some(format!("#error {wrong}: {extension}{}", newlines()))
            }
            "if" | "ifdef" | "ifndef" | "elif" => hide_extension_macros(token.text),
            _ => None,
        }
    }
}

/// glslang defines a macro for each extension that it knows; WebGL, for each that the page has enabled.
fn hide_extension_macros(text: &str) -> Option<String> {
    let own = |name: &str| name.starts_with("GL_") && !matches!(name, "GL_ES" | "GL_FRAGMENT_PRECISION_HIGH");
    let mut out = String::new();
    let mut copied = 0;
    // The `#` is left out, for a directive is one token.
    let body = &text[1..];
    for token in tokens(body).filter(|token| token.kind == Kind::Identifier && own(token.text)) {
        out += &body[copied..token.at];
        out += HIDDEN;
        out += token.text;
        copied = token.at + token.text.len();
    }
    (copied > 0).then(|| format!("#{out}{}", &body[copied..]))
}

/// Functions that glslang has in GLSL ES 3.00 for extensions, and a shader may define itself.
const FOREIGN_FUNCTIONS: &[&str] = &[
    "helperInvocationEXT",
    "imageLoad",
    "imageStore",
    "memoryBarrier",
    "shadow2DEXT",
    "shadow2DProjEXT",
    "texture2DGradEXT",
    "texture2DLodEXT",
    "texture2DProjGradEXT",
    "texture2DProjLodEXT",
    "textureCubeGradEXT",
    "textureCubeLodEXT",
    "textureGather",
    "textureGatherOffset",
    "textureGatherOffsets",
];

/// A text of glslang's, or a name, with the user's own words in it again.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HIDDEN) {
        let (before, from) = rest.split_at(at);
        out += before;
        let behind = &from[HIDDEN.len()..];
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        let word = &behind[..end];
        let starts_word = !out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !(starts_word
            && (word == "shared" || word.starts_with("GL_") || FOREIGN_FUNCTIONS.contains(&word)))
        {
            out += HIDDEN;
        }
        rest = behind;
    }
    out + rest
}

/// Whether a word stands between the parentheses of `layout(…)`.
#[derive(Debug, Clone, Copy)]
enum Layout {
    Elsewhere,
    Named,
    Inside(u32),
}

impl Layout {
    fn after(self, word: &str) -> Self {
        match (self, word) {
            (Self::Elsewhere, "layout") => Self::Named,
            (Self::Named, "(") => Self::Inside(1),
            (Self::Inside(depth), "(") => Self::Inside(depth + 1),
            (Self::Inside(1), ")") => Self::Elsewhere,
            (Self::Inside(depth), ")") => Self::Inside(depth - 1),
            (Self::Inside(depth), _) => Self::Inside(depth),
            _ => Self::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_glslang_sees() {
        let check = |text: &str, expected: &str| assert_eq!(prepare(text).text, expected, "{text}");
        check("void main() {}", "void main() {}");
        check("float shared;", "float bv_shared;");
        check(
            "layout(shared) uniform B { float shared; };",
            "layout(shared) uniform B { float bv_shared; };",
        );
        check("#extension GL_X : enable\nx", "\nx");
        check("#extension GL_X : require\nx", "#error extension is not supported: GL_X\nx");
        check(
            "x\n#extension GL_X : warn",
            "x\n#error extension directive behind the first line of code: GL_X",
        );
        check("#extension GL_X", "#extension GL_X");
        check("#ifdef GL_ES\n#endif", "#ifdef GL_ES\n#endif");
        check("# if defined(GL_X) && A", "# if defined(bv_GL_X) && A");
        check("// shared\n/* shared */", "// shared\n/* shared */");
    }

    #[test]
    fn faults() {
        let check = |text: &str, expected: &[(u32, &str, &str)]| {
            let faults = prepare(text).faults;
            let found: Vec<_> =
                faults.iter().map(|fault| (fault.line, fault.token.as_str(), fault.message)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("float webgl; // webgl_x", &[]);
        let reserved = "identifiers starting with webgl_ or _webgl_ are reserved";
        check("\nfloat webgl_x;", &[(2, "webgl_x", reserved)]);
        check("float _webgl_;", &[(1, "_webgl_", reserved)]);
        let long = "a".repeat(1025);
        check(&long[1..], &[]);
        check(&long, &[(1, &long[..64], "identifiers are at most 1024 characters long")]);
        check(&"(".repeat(256), &[]);
        check(&"(".repeat(300), &[(1, "(", "nested too deeply")]);
    }

    #[test]
    fn names_come_back() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("'bv_shared' : undeclared identifier", "'shared' : undeclared identifier");
        check("bv_own my_bv_shared bv_shared2", "bv_own my_bv_shared bv_shared2");
        check("bv_bv_shared", "bv_bv_shared");
    }

    #[test]
    fn line_directives_go() {
        assert_eq!(without_line_directives("a\n#line 7\nb\n # line 3 \\\n 4\nc"), "a\n\nb\n \n\nc");
    }
}
