//! `testng-results.xml` (`reporters/XMLReporter.java`): one `test-method` an invocation, its parameters and
//! exception in it.

use crate::held::Held;
use crate::jvm::Exception;
use crate::machine::{Closing, Out, Says};
use crate::xml::{Document, attributes, unescaped};
use bv_schemas::{Counts, Failure, Kind, TestOutcome};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Says all that a whole report tells; its closing statement, unless it is no XML after all.
pub fn say(document: &Document, out: &mut Out) -> Option<Closing> {
    let span = document.span(0, document.text.len());
    let mut report = Report { span, ..Report::default() };
    let read = report.read(&document.text, out);
    let [failed, broken] = report.red;
    report.held.say(out);
    read?;
    let told = report.told;
    out.unnamed(told.failed.unwrap_or(0).saturating_sub(failed));
    let counts = Counts { errored: (broken > 0).then_some(broken), ..told };
    let says = Says::of(counts.red().max(failed + broken), counts.passed.unwrap_or(0));
    Some(Closing { says, counts, duration_ms: report.duration_ms, message: None })
}

/// See the head of this file.
#[derive(Default)]
struct Report {
    span: Option<[u64; 2]>,
    class: String,
    method: Option<Method>,
    /// Which text is being read.
    within: Within,
    held: Held,
    /// Tests and configuration methods that failed.
    red: [u64; 2],
    told: Counts,
    duration_ms: Option<u64>,
}

/// One `test-method`.
#[derive(Default)]
struct Method {
    name: String,
    status: String,
    configuration: bool,
    retried: bool,
    duration_ms: Option<u64>,
    parameters: Vec<String>,
    class: String,
    message: String,
    trace: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Value,
    Message,
    Trace,
}

impl Report {
    fn read(&mut self, text: &str, out: &mut Out) -> Option<()> {
        let mut reader = Reader::from_str(text);
        loop {
            match reader.read_event().ok()? {
                Event::Start(tag) => self.start(&tag)?,
                Event::Empty(tag) => {
                    self.start(&tag)?;
                    self.end(tag.name().as_ref(), out);
                }
                Event::End(tag) => self.end(tag.name().as_ref(), out),
                Event::Text(text) => self.text(&text),
                Event::CData(text) => self.text(&text),
                Event::GeneralRef(name) => self.text(&unescaped(&format!("&{};", &*name))),
                Event::Eof => return Some(()),
                _ => {}
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Option<()> {
        let attributes = attributes(tag)?;
        let text = |name: &str| attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value);
        let number = |name: &str| text(name).and_then(|text| text.parse::<u64>().ok());
        match tag.name().as_ref() {
            "testng-results" => {
                self.told = Counts {
                    passed: number("passed"),
                    failed: number("failed"),
                    errored: None,
                    skipped: number("skipped"),
                };
            }
            "suite" => {
                self.duration_ms = self.duration_ms.unwrap_or(0).checked_add(number("duration-ms")?);
            }
            "class" => self.class = text("name").unwrap_or_default().to_owned(),
            "test-method" => {
                self.method = Some(Method {
                    name: text("name").unwrap_or_default().to_owned(),
                    status: text("status").unwrap_or_default().to_owned(),
                    configuration: text("is-config") == Some("true"),
                    retried: text("retried") == Some("true"),
                    duration_ms: number("duration-ms"),
                    ..Method::default()
                });
            }
            "exception" => {
                if let Some(method) = &mut self.method {
                    method.class = text("class").unwrap_or_default().to_owned();
                }
            }
            "value" => {
                self.within = Within::Value;
                if let Some(method) = &mut self.method {
                    let null = text("is-null") == Some("true");
                    method.parameters.push(if null { "null".into() } else { String::new() });
                }
            }
            "message" => self.within = Within::Message,
            "full-stacktrace" | "short-stacktrace" => self.within = Within::Trace,
            _ => self.within = Within::Nothing,
        }
        Some(())
    }

    fn text(&mut self, text: &str) {
        let Some(method) = &mut self.method else { return };
        match self.within {
            Within::Nothing => {}
            Within::Value => {
                if let Some(last) = method.parameters.last_mut() {
                    last.push_str(text.trim());
                }
            }
            Within::Message => method.message.push_str(text),
            Within::Trace => method.trace.push_str(text),
        }
    }

    fn end(&mut self, name: &str, out: &mut Out) {
        self.within = Within::Nothing;
        if name != "test-method" {
            return;
        }
        let Some(method) = self.method.take() else { return };
        let configuration = method.configuration;
        out.tests_seen += u64::from(!configuration);
        match method.status.as_str() {
            "FAIL" => {
                self.red[usize::from(configuration)] += 1;
                self.held.push(method.failure(&self.class, self.span));
            }
            _ if configuration || method.retried => {}
            "PASS" => {
                out.test(super::passed(method.id(&self.class), TestOutcome::Passed, method.duration_ms));
            }
            "SKIP" => out.test(super::passed(method.id(&self.class), TestOutcome::Skipped, None)),
            _ => {}
        }
    }
}

impl Method {
    /// As TestNG names it in its own text: `shop.CartNG.sums(2, 5, 11)`.
    fn id(&self, class: &str) -> String {
        match self.parameters.as_slice() {
            [] => format!("{class}.{}", self.name),
            parameters => format!("{class}.{}({})", self.name, parameters.join(", ")),
        }
    }

    fn failure(&self, class: &str, span: Option<[u64; 2]>) -> Failure {
        let mut exception = Exception::read(self.trace.trim().lines());
        if exception.class.is_none() && !self.class.is_empty() {
            exception.class = Some(self.class.clone());
            exception.message = self.message.trim().lines().map(str::to_owned).collect();
        }
        let mut failure = exception.failure(Some(class), Some(&self.name));
        if super::listing::timed_out(exception.class.as_deref()) {
            failure.kind = Kind::Timeout;
        }
        if self.configuration {
            failure.kind = Kind::SetupError;
        }
        failure.id = Some(self.id(class));
        failure.span = span;
        failure
    }
}
