//! Where a report in XML ends, and whether it is one, line by line and without keeping it.

/// Depth of elements that is followed.
const DEPTH_MAX: usize = 64;

/// What was scanned so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Scanned {
    /// It goes on; `tested`: a test case was seen.
    More {
        /// A test case was seen, so that it is a report.
        tested: bool,
    },
    /// The root was closed in this line.
    Whole {
        /// Where in the line; another report may follow behind.
        end: usize,
    },
    /// Text stands where a report has none: it is something else that began like one.
    NoReport,
}

/// The scanner's state between two lines.
#[derive(Debug)]
pub struct Scan {
    /// Elements that hold elements alone.
    structure: &'static [&'static str],
    /// The element of one test.
    case: &'static str,
    state: State,
    /// Names of the open elements.
    open: Vec<String>,
    /// The tag that is being read, its attributes left out.
    tag: String,
    tested: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// In a tag's name.
    Name,
    /// In a tag behind its name; the last byte was a slash.
    Attributes {
        slash: bool,
    },
    Quoted(u8),
    Cdata,
    Comment,
}

impl Scan {
    /// For a report whose elements `structure` hold elements alone, and `case` one test each.
    pub fn new(structure: &'static [&'static str], case: &'static str) -> Scan {
        Scan { structure, case, state: State::Text, open: Vec::new(), tag: String::new(), tested: false }
    }

    /// Takes a line.
    pub fn line(&mut self, text: &str) -> Scanned {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let mut step = 1;
            match self.state {
                State::Cdata if rest.starts_with(b"]]>") => (self.state, step) = (State::Text, 3),
                State::Comment if rest.starts_with(b"-->") => (self.state, step) = (State::Text, 3),
                State::Cdata | State::Comment => {}
                State::Text if rest.starts_with(b"<![CDATA[") => (self.state, step) = (State::Cdata, 9),
                State::Text if rest.starts_with(b"<!--") => (self.state, step) = (State::Comment, 4),
                State::Text if rest[0] == b'<' => {
                    self.state = State::Name;
                    self.tag.clear();
                }
                State::Text if !rest[0].is_ascii_whitespace() && self.is_structure() => {
                    return Scanned::NoReport;
                }
                State::Text => {}
                State::Quoted(quote) if rest[0] == quote => self.state = State::Attributes { slash: false },
                State::Quoted(_) => {}
                State::Name => self.name(rest[0]),
                State::Attributes { slash } => match rest[0] {
                    b'>' => self.ended(slash),
                    quote @ (b'"' | b'\'') => self.state = State::Quoted(quote),
                    byte => self.state = State::Attributes { slash: byte == b'/' },
                },
            }
            at += step;
            if self.state == State::Text && self.open.is_empty() && !self.tag.is_empty() {
                return Scanned::Whole { end: at };
            }
        }
        if self.state == State::Name {
            self.state = State::Attributes { slash: false };
        }
        Scanned::More { tested: self.tested }
    }

    /// Whether the element that is open holds elements alone.
    fn is_structure(&self) -> bool {
        self.open.last().is_none_or(|open| self.structure.contains(&open.as_str()))
    }

    fn name(&mut self, byte: u8) {
        match byte {
            b'>' => {
                let slash = self.tag.len() > 1 && self.tag.ends_with('/');
                self.ended(slash);
            }
            byte if byte.is_ascii_whitespace() => self.state = State::Attributes { slash: false },
            byte if self.tag.len() < 100 => self.tag.push(char::from(byte)),
            _ => {}
        }
    }

    /// A tag ended.
    fn ended(&mut self, empty: bool) {
        self.state = State::Text;
        if self.tag.starts_with('/') {
            self.open.pop();
        } else if !empty && !self.tag.starts_with(['?', '!']) && self.open.len() < DEPTH_MAX {
            self.tested |= self.tag == self.case;
            self.open.push(self.tag.clone());
        } else {
            self.tested |= self.tag == self.case;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_report_is_found() {
        let check = |lines: &[&str], expected: Scanned| {
            let mut scan = Scan::new(&["testsuites", "testsuite", "testcase"], "testcase");
            let last = lines.iter().map(|line| scan.line(line)).last();
            assert_eq!(last, Some(expected), "{lines:?}");
        };
        check(&["<testsuites><testsuite name=\"a\"/></testsuites>"], Scanned::Whole { end: 46 });
        check(&["<testsuite", " name='a>b'", "><testcase/></testsuite><x/>"], Scanned::Whole { end: 24 });
        check(&["<testsuite name=\"none\" tests=\"0\"/>"], Scanned::Whole { end: 34 });
        check(&["<testsuite><testcase name=\"a\">"], Scanned::More { tested: true });
        check(&["<testsuite>", "is what the file begins with"], Scanned::NoReport);
        check(
            &["<testsuite><testcase><system-out><![CDATA[</testsuite>]]></system-out></testcase>"],
            Scanned::More { tested: true },
        );
        check(&["<testsuite><!-- </testsuite> -->"], Scanned::More { tested: false });
    }
}
