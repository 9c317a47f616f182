//! Prefixes that a CI system or a multiplexer puts before every line, taken off before a format sees it.
//!
//! A prefix that names a source (`web_1  | `) gives that source a lane of its own, so that interleaved
//! streams are read apart. Only prefixes that are certain are taken off: a wrong one would hide a line.

use std::collections::HashMap;

/// Sources told apart; later ones share the last lane.
pub const LANES_MAX: usize = 32;
/// The lane of lines that no source is named for.
pub const MAIN_LANE: usize = 0;

/// What is known of the prefixes so far.
#[derive(Debug, Default)]
pub struct Wrappers {
    lanes: HashMap<String, usize>,
    /// Services that `Attaching to …` announced.
    services: Vec<String>,
}

impl Wrappers {
    /// The lane of a clean line, and the line without its prefixes.
    pub fn unwrap<'a>(&mut self, text: &'a str) -> (usize, &'a str) {
        let text = timestamp(text).unwrap_or(text);
        if let Some((service, rest)) = self.compose(text) {
            return (self.lane(service), rest);
        }
        if let Some(services) = text.strip_prefix("Attaching to ") {
            self.services = services.split(", ").take(LANES_MAX).map(|s| s.trim().to_owned()).collect();
        }
        (MAIN_LANE, text)
    }

    /// docker compose: `web_1  | text` (v1), `web-1  | text` (v2), or a name that it announced.
    fn compose<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        const NAME_BYTES_MAX: usize = 100;
        let head = &text.as_bytes()[..text.len().min(NAME_BYTES_MAX)];
        let bar = memchr::memchr(b'|', head)?;
        let name = text.get(..bar)?.strip_suffix(' ')?.trim_end();
        let rest = &text[bar + 1..];
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
        let known = self.services.iter().any(|service| service == name) || is_container(name);
        known.then_some((name, rest))
    }

    fn lane(&mut self, source: &str) -> usize {
        if let Some(&lane) = self.lanes.get(source) {
            return lane;
        }
        let lane = (self.lanes.len() + 1).min(LANES_MAX - 1);
        if self.lanes.len() < LANES_MAX {
            self.lanes.insert(source.to_owned(), lane);
        }
        lane
    }
}

/// `project_service_1`, `service-1`: what compose calls a container.
fn is_container(name: &str) -> bool {
    let Some((service, number)) = name.rsplit_once(['_', '-']) else {
        return false;
    };
    !service.is_empty()
        && !number.is_empty()
        && number.len() <= 4
        && number.bytes().all(|b| b.is_ascii_digit())
        && service.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// GitHub Actions' and other CI systems' `2026-11-30T16:00:01.1201234Z `.
fn timestamp(text: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd.";
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_digit() || bytes.len() < SHAPE.len() {
        return None;
    }
    let fits = |(&b, &shape): (&u8, &u8)| {
        if shape == b'd' { b.is_ascii_digit() } else { b == shape }
    };
    if !bytes.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let fraction = bytes[SHAPE.len()..].iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = text[SHAPE.len() + fraction..].strip_prefix('Z')?;
    if fraction == 0 {
        return None;
    }
    // An empty line may have lost its trailing blank on the way.
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], want: &[(usize, &str)]) {
        let mut wrappers = Wrappers::default();
        let got: Vec<_> = lines.iter().map(|line| wrappers.unwrap(line)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn a_timestamp_goes_and_only_a_whole_one() {
        check(
            &[
                "2026-11-30T16:00:01.1201234Z 2 passed",
                "2026-11-30T16:00:01.1201234Z ",
                "2026-11-30T16:00:01.1201234Z",
                "2026-11-30 16:00:01.120 ERROR",
                "2026-11-30T16:00:01Z x",
                "2 passed",
            ],
            &[
                (0, "2 passed"),
                (0, ""),
                (0, ""),
                (0, "2026-11-30 16:00:01.120 ERROR"),
                (0, "2026-11-30T16:00:01Z x"),
                (0, "2 passed"),
            ],
        );
    }

    #[test]
    fn compose_services_are_read_apart() {
        check(
            &[
                "Attaching to db, app-1",
                "db    | ready",
                "app-1  | 2 passed",
                "web_1  | ",
                "web_1  |",
                "db    | | table |",
                "3 |     let spare = 2;",
                "    | code",
                "other | text",
            ],
            &[
                (0, "Attaching to db, app-1"),
                (1, "ready"),
                (2, "2 passed"),
                (3, ""),
                (3, ""),
                (1, "| table |"),
                (0, "3 |     let spare = 2;"),
                (0, "    | code"),
                (0, "other | text"),
            ],
        );
    }

    #[test]
    fn lanes_are_bounded() {
        let mut wrappers = Wrappers::default();
        for n in 0..1000 {
            assert!(wrappers.unwrap(&format!("s{n}_1 | x")).0 < LANES_MAX);
        }
        assert!(wrappers.lanes.len() <= LANES_MAX);
    }
}
