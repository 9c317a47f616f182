//! Where a report in XML ends, and whether it is one, line by line and without keeping it.

/// Depth of elements that is followed.
const DEPTH_MAX: usize = 64;
/// Bytes of an element's name that are compared.
const NAME_BYTES_MAX: usize = 100;

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
    /// An end tag came that no start tag asks for.
    Broken {
        /// A test case was seen, so that it is a report.
        tested: bool,
    },
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
    /// An end tag came that no start tag asks for.
    mismatched: bool,
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
        Scan {
            structure,
            case,
            state: State::Text,
            open: Vec::new(),
            tag: String::new(),
            tested: false,
            mismatched: false,
        }
    }

    /// Takes a line.
    pub fn line(&mut self, text: &str) -> Scanned {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            at += match self.state {
                State::Cdata => self.until(rest, b"]]>"),
                State::Comment => self.until(rest, b"-->"),
                State::Text => match self.text(rest) {
                    Some(step) => step,
                    None => return Scanned::NoReport,
                },
                State::Quoted(quote) => match memchr::memchr(quote, rest) {
                    Some(end) => {
                        self.state = State::Attributes { slash: false };
                        end + 1
                    }
                    None => rest.len(),
                },
                State::Name => {
                    self.name(rest[0]);
                    1
                }
                State::Attributes { slash } => self.attributes(rest, slash),
            };
            if self.mismatched {
                return Scanned::Broken { tested: self.tested };
            }
            if self.state == State::Text && self.open.is_empty() && !self.tag.is_empty() {
                return Scanned::Whole { end: at };
            }
        }
        if self.state == State::Name {
            self.state = State::Attributes { slash: false };
        }
        Scanned::More { tested: self.tested }
    }

    /// Whether what came so far ends between two tests, or two suites of them.
    pub fn is_between_cases(&self) -> bool {
        let open = self.open.last();
        self.state == State::Text && self.is_structure() && open.is_some_and(|open| open != self.case)
    }

    /// Bytes up to the end of what `end` closes, after which text comes.
    fn until(&mut self, rest: &[u8], end: &[u8]) -> usize {
        let Some(at) = memchr::memmem::find(rest, end) else { return rest.len() };
        self.state = State::Text;
        at + end.len()
    }

    /// Bytes of text with the mark that ends it; nothing where no text may stand.
    fn text(&mut self, rest: &[u8]) -> Option<usize> {
        let at = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        if !rest[..at].iter().all(u8::is_ascii_whitespace) && self.is_structure() {
            return None;
        }
        let mark = &rest[at..];
        let (state, bytes) = if mark.is_empty() {
            (State::Text, 0)
        } else if mark.starts_with(b"<![CDATA[") {
            (State::Cdata, 9)
        } else if mark.starts_with(b"<!--") {
            (State::Comment, 4)
        } else {
            self.tag.clear();
            (State::Name, 1)
        };
        self.state = state;
        Some(at + bytes)
    }

    /// Bytes of a tag up to its end or a quote.
    fn attributes(&mut self, rest: &[u8], slash: bool) -> usize {
        let at = memchr::memchr3(b'>', b'"', b'\'', rest).unwrap_or(rest.len());
        let slash = rest[..at].last().map_or(slash, |byte| *byte == b'/');
        match rest.get(at) {
            Some(b'>') => self.ended(slash),
            Some(quote) => self.state = State::Quoted(*quote),
            None => {
                self.state = State::Attributes { slash };
                return at;
            }
        }
        at + 1
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
            byte if self.tag.trim_start_matches('/').len() < NAME_BYTES_MAX => {
                self.tag.push(char::from(byte))
            }
            _ => {}
        }
    }

    /// A tag ended.
    fn ended(&mut self, empty: bool) {
        self.state = State::Text;
        if let Some(name) = self.tag.strip_prefix('/') {
            self.mismatched |= self.open.pop().is_none_or(|open| open != name);
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
        check(&["<testsuite><testcase name=\"a\"></testsuite>"], Scanned::Broken { tested: true });
        check(&["<testsuite></testsuite></testsuites>"], Scanned::Whole { end: 23 });
        check(&["<testsuite>", "is what the file begins with"], Scanned::NoReport);
        check(
            &["<testsuite><testcase><system-out><![CDATA[</testsuite>]]></system-out></testcase>"],
            Scanned::More { tested: true },
        );
        check(&["<testsuite><!-- </testsuite> -->"], Scanned::More { tested: false });
    }
}
