//! Lines below the first heading of a session's summary: blocks, the short summary, other tables.

use super::closing::{summary, titled};
use super::names::{Heading, Short};
use super::{Place, Pytest, Reading};
use crate::machine::{Line, Out};

impl Pytest {
    pub(super) fn summary_line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text;
        if self.nested > 0 {
            return self.nested_line(text);
        }
        match text.as_bytes().first() {
            Some(b'=') => {
                if let Some(title) = titled(text, '=')
                    && self.fits_width(text)
                {
                    return self.summary_ruler(title, out);
                }
            }
            Some(b'!') if self.place != Place::Blocks || self.block.is_none() => return self.stopped(text),
            Some(b'0'..=b'9' | b'n')
                if self.place != Place::Blocks || self.block.is_none() || self.is_captured() =>
            {
                self.bare_closing(text, out);
                if self.session.is_none() {
                    return;
                }
            }
            Some(b'F' | b'T') if self.place != Place::Blocks && self.gate(line) => return,
            Some(0xE2) if text.starts_with('―') => return self.sugar_heading(line),
            Some(b'R') if text.starts_with("Results (") && titled(text, '=').is_none() => {
                return self.sugar_results(text);
            }
            _ => {}
        }
        match self.place {
            Place::Blocks => self.block_line(line),
            Place::Short => self.short_line(line),
            Place::Other | Place::Passes | Place::Running => {}
        }
    }

    pub(super) fn summary_ruler(&mut self, title: &str, out: &mut Out) {
        if title == "test session starts" {
            self.nested += 1;
        } else if let Some(found) = summary(title) {
            self.try_close(&found, false, out);
        } else {
            self.section(title, None);
        }
    }

    /// A session in captured output: its own closing line ends it.
    pub(super) fn nested_line(&mut self, text: &str) {
        let Some(title) = titled(text, '=') else { return };
        if title == "test session starts" {
            self.nested += 1;
        } else if summary(title).is_some() {
            self.nested -= 1;
        }
    }

    pub(super) fn is_captured(&self) -> bool {
        self.block.as_ref().is_some_and(|reading| reading.block.in_captured())
    }

    pub(super) fn short_line(&mut self, line: &Line<'_>) {
        if let (Some(short), Some(session)) = (Short::read(line.text, line.span), &mut self.session) {
            session.short(short);
        }
    }

    pub(super) fn block_line(&mut self, line: &Line<'_>) {
        let text = line.text;
        if text.starts_with('_')
            && !text.starts_with("_ _")
            && let Some(title) = titled(text, '_')
            && self.fits_width(text)
        {
            self.block_end();
            let heading = Some(Heading::read(title));
            self.block = Some(Reading { heading, span: line.span, ..Reading::default() });
            return;
        }
        match &mut self.block {
            None if text.trim().is_empty() => {}
            None => {
                // No heading: `--tb=line`.
                self.block = Some(Reading { span: line.span, ..Reading::default() });
                self.terse_line(line);
            }
            Some(Reading { heading: None, .. }) => self.terse_line(line),
            Some(reading) => {
                reading.block.line(text);
                reading.span[1] = line.span[1];
            }
        }
    }

    /// With `--tb=line` a failure is its message, since pytest 9 marked with `E`, and one line with its place.
    pub(super) fn terse_line(&mut self, line: &Line<'_>) {
        let Some(reading) = &mut self.block else { return };
        reading.span[1] = line.span[1];
        if reading.block.terse(line.text) {
            self.block_end();
        }
    }

    pub(super) fn block_end(&mut self) {
        if let (Some(reading), Some(session)) = (self.block.take(), &mut self.session)
            && (reading.heading.is_some() || !reading.block.is_empty())
        {
            session.block(reading.heading, reading.block, reading.span);
        }
    }
}
