//! Ruff, the linter and the formatter's `--check`, and flake8, which prints findings as Ruff's concise
//! output does but has no closing line.
//!
//! In come the full, concise, grouped, pylint, GitHub, Azure and JSON outputs; what the findings' pictures
//! show is left alone. SARIF and JUnit XML are read elsewhere.

mod json;
mod rows;

use crate::finding::{Findings, lint, place};
use crate::machine::{Format, Line, Machine, Out};
use bv_schemas::Reason;
use json::Json;
use rows::{Head, Row};

/// Ruff.
pub const FORMAT: Format = Format {
    name: "ruff",
    commands: &["ruff"],
    needles: &[
        ".py:",
        ".pyi:",
        ".ipynb:",
        "All checks passed!",
        "ould reformat: ",
        " would be reformatted",
        " already formatted",
        "\"cell\": ",
        "{\"cell\":",
        "::error title=",
        "##vso[task.logissue type=error;sourcepath=",
        "ruff failed",
        "No Python files found under the given path",
    ],
    new: || Box::<Ruff>::default(),
};

/// flake8, whose lines Ruff's machine reads.
pub const FLAKE8: Format =
    Format { name: "flake8", commands: &["flake8"], needles: &[], new: || Box::<Ruff>::default() };

#[derive(Debug, Default)]
struct Ruff {
    findings: Findings,
    /// The line before, where it may be the head of a finding whose place comes next.
    head: Option<Head>,
    /// The file of grouped rows.
    file: Option<String>,
    /// How the findings are printed.
    style: Style,
    json: Option<Json>,
    /// `warning: No Python files found …`
    no_files: bool,
    /// It said that it failed itself; its words come next.
    broke: bool,
}

/// What ends a run of findings depends on how they are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Style {
    /// One line each, flake8's perhaps: it ends with the first other line.
    #[default]
    Lines,
    /// Ruff's own: its closing line ends it.
    Ruff,
    /// For programs to read, and without a closing line.
    Annotations,
}

impl Machine for Ruff {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if let Some(json) = &mut self.json {
            match json.line(line) {
                json::Step::More => {}
                json::Step::Finding(failure) => self.findings.push(*failure, out),
                json::Step::End => {
                    self.json = None;
                    self.close(None, out);
                }
                json::Step::Broken => {
                    self.json = None;
                    // What was not read is not known to be well: only Ruff's own words can close it now.
                    self.style = Style::Ruff;
                }
            }
            return;
        }
        let text = line.text;
        let head = self.head.take();
        if self.broke {
            self.broke = false;
            let words = text.trim().trim_start_matches("Cause: ");
            self.findings.refuse(Reason::NotRunnable, words, out);
            return;
        }
        match text.as_bytes().first() {
            None => self.blank(out),
            Some(b' ' | b'-') => self.indented(line, head, out),
            Some(_) => self.unindented(line, out),
        }
    }

    fn end(&mut self, out: &mut Out) {
        if self.broke {
            self.findings.refuse(Reason::NotRunnable, "ruff failed", out);
        } else if self.findings.is_open() && self.style != Style::Ruff && self.json.is_none() {
            self.close(None, out);
        } else {
            self.findings.cut(out);
        }
    }

    fn owns_lines(&self) -> bool {
        self.json.is_some()
    }
}

impl Ruff {
    fn blank(&mut self, out: &mut Out) {
        self.file = None;
        if self.findings.is_open() && self.style != Style::Ruff {
            self.close(None, out);
        }
    }

    /// ` --> a.py:1:8`, the row of a group, or part of a picture.
    fn indented(&mut self, line: &Line<'_>, head: Option<Head>, out: &mut Out) {
        if let Some(json) = Json::begin(line) {
            self.findings.begin(out);
            self.style = Style::Annotations;
            self.json = Some(json);
            return;
        }
        let text = line.text.trim_start();
        if let Some(shown) = text.strip_prefix("--> ") {
            if let (Some(head), Some((file, at))) = (head, rows::python(shown)) {
                self.style = Style::Ruff;
                let span = [head.span[0], line.span[1]];
                self.findings.push(lint(place(file, Some(at)), &head.message, Some(&head.rule), span), out);
            }
        } else if let Some(file) = &self.file
            && let Some((at, row)) = rows::grouped(text)
        {
            self.style = Style::Ruff;
            let failure = lint(place(file, Some(at)), row.message, Some(row.rule), line.span);
            self.findings.push(failure, out);
        }
    }

    fn unindented(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if let Some(failure) = rows::annotation(line).or_else(|| json::line(line)) {
            self.style = Style::Annotations;
            self.findings.push(failure, out);
        } else if let Some(Row { file, line: at, rule, message, ruffs }) = rows::row(text) {
            if ruffs {
                self.style = Style::Ruff;
            }
            self.findings.push(lint(place(file, Some(at)), message, Some(rule), line.span), out);
        } else if let Some(head) = Head::of(line) {
            self.head = Some(head);
        } else if let Some(file) = rows::group(text) {
            self.file = Some(file.to_owned());
        } else if let Some(file) = rows::would_reformat(text) {
            self.style = Style::Ruff;
            self.findings.push(lint(place(file, None), text, None, line.span), out);
        } else {
            self.said(text, out);
        }
    }

    /// Ruff's words on the whole run, or another's.
    fn said(&mut self, text: &str, out: &mut Out) {
        if let Some(count) = rows::found(text).filter(|_| self.findings.is_open()) {
            self.style = Style::Ruff;
            self.close(Some(count), out);
        } else if let Some(count) = rows::formatted(text) {
            self.style = Style::Ruff;
            self.close(count, out);
        } else if text == "All checks passed!" {
            if std::mem::take(&mut self.no_files) {
                self.findings.nothing(out);
            } else {
                self.style = Style::Ruff;
                self.close(None, out);
            }
        } else if text.starts_with("warning: No Python files found under the given path") {
            self.no_files = true;
        } else if text == "ruff failed" {
            self.findings.begin(out);
            self.broke = true;
        } else if self.findings.is_open() && self.style != Style::Ruff {
            self.close(None, out);
        }
    }

    fn close(&mut self, count: Option<u64>, out: &mut Out) {
        if self.style == Style::Lines && self.findings.is_open() {
            out.runner(FLAKE8.name);
        }
        self.findings.close(count, out);
        out.runner(FORMAT.name);
        (self.style, self.no_files) = (Style::default(), false);
    }
}
