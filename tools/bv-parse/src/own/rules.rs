//! A TOML file's formats, their patterns compiled: what [`super::reader`] reads by.

use super::pattern::{Count, Field, Part, Pattern, shown};
use super::words::{Detail, Example, File, Format, Word};
use super::{FormatFile, Own, Reads, is_name, literals};
use crate::formats;
use bv_schemas::{Kind, TestOutcome};
use regex::{RegexSet, RegexSetBuilder};

/// Patterns of one format at most.
pub const PATTERNS_MAX: usize = 64;
/// Needles of one format at most.
pub const NEEDLES_MAX: usize = 32;
/// Bytes of all needles of one format at most.
pub const NEEDLE_BYTES_MAX: usize = 512;
/// Fewer bytes stand in too many lines.
const NEEDLE_BYTES_MIN: usize = 3;

/// One format's patterns.
#[derive(Debug)]
pub struct Rules {
    /// What may begin outside of a block, in the order of [`Rules::what`].
    set: RegexSet,
    /// Failures.
    pub failures: Vec<Failure>,
    /// Closing statements.
    pub summaries: Vec<(Pattern, Option<Word>)>,
    /// Lines with numbers.
    pub counts: Vec<Pattern>,
    /// A run begins.
    pub start: Option<Pattern>,
    /// Tests that did not fail.
    pub tests: Vec<(Pattern, TestOutcome)>,
    /// What sort a failure is that says nothing else.
    pub kind: Kind,
    /// What must come of which text.
    pub examples: Vec<Example>,
}

/// One sort of failure.
#[derive(Debug)]
pub struct Failure {
    /// What sort it is.
    pub kind: Kind,
    /// Its first line.
    pub first: Pattern,
    /// What the lines below it carry.
    pub lines: Vec<(Pattern, Option<Kind>)>,
    /// Its last line.
    pub last: Option<Pattern>,
    /// The line behind it.
    pub until: Option<Pattern>,
}

impl Failure {
    /// Whether it has more lines than its first.
    pub fn is_block(&self) -> bool {
        !self.lines.is_empty() || self.last.is_some() || self.until.is_some()
    }
}

/// What a line outside of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The first line of this failure.
    Failure(usize),
    /// This closing statement.
    Summary(usize),
    /// This line with numbers.
    Counts(usize),
    /// A run begins.
    Start,
    /// This test that did not fail.
    Test(usize),
}

impl Rules {
    /// What the line may be, failures first: where one speaks, nothing else counts.
    pub fn what(&self, text: &str) -> impl Iterator<Item = What> {
        let ends =
            [self.failures.len(), self.summaries.len(), self.counts.len(), usize::from(self.start.is_some())];
        self.set.matches(text).into_iter().map(move |mut at| {
            for (part, len) in ends.into_iter().enumerate() {
                if at < len {
                    return match part {
                        0 => What::Failure(at),
                        1 => What::Summary(at),
                        2 => What::Counts(at),
                        _ => What::Start,
                    };
                }
                at -= len;
            }
            What::Test(at)
        })
    }
}

/// The formats of a file.
///
/// # Errors
/// `what went wrong: where; what to do`.
pub fn formats(file: &FormatFile) -> Result<Vec<Own>, String> {
    let words: File = toml::from_str(&file.text).map_err(|wrong| {
        let line = wrong.span().map_or(1, |span| 1 + file.text[..span.start].matches('\n').count());
        let what = wrong.message().replace('\n', ", ");
        format!("{what}: {}:{line}; see the keys in the README", file.path)
    })?;
    if words.format.is_empty() {
        return Err(format!("no [[format]]: {}; add one", file.path));
    }
    words.format.into_iter().map(|format| own(format, &file.path)).collect()
}

fn own(words: Format, path: &str) -> Result<Own, String> {
    let at = |what: String| format!("{what}: {path}: format {}; mend it there", shown(&words.name));
    if !is_name(&words.name) {
        return Err(at("a name is made of letters, digits and . _ - / @ +, 64 at most".into()));
    }
    if formats::named(&words.name).is_some() {
        return Err(at("bv-parse has a format of this name".into()));
    }
    let mut rules = rules(&words).map_err(at)?;
    let needles = needles(&words, &rules).map_err(at)?;
    rules.examples = words.example;
    Ok(Own {
        needles,
        file: path.to_owned(),
        reads: Reads::Rules(rules),
        name: words.name,
        commands: words.commands,
    })
}

fn rules(words: &Format) -> Result<Rules, String> {
    let failures = words.failure.iter().map(|failure| {
        if failure.last.is_some() && failure.until.is_some() {
            return Err("a block ends by `last` or by `until`, not by both".to_owned());
        }
        let lines = failure.lines.iter().map(|detail| match detail {
            Detail::Line(line) => Ok((Pattern::of_names(line, Part::Failure)?, None)),
            Detail::Of { line, kind } => Ok((Pattern::of_names(line, Part::Failure)?, Some(*kind))),
        });
        let pattern = |text: &String| Pattern::of_names(text, Part::Failure);
        Ok(Failure {
            kind: failure.kind.unwrap_or(words.kind),
            first: pattern(&failure.first)?,
            lines: lines.collect::<Result<_, String>>()?,
            last: failure.last.as_ref().map(pattern).transpose()?,
            until: failure.until.as_ref().map(|text| Pattern::of_names(text, Part::Start)).transpose()?,
        })
    });
    let failures: Vec<Failure> = failures.collect::<Result<_, String>>()?;
    let summaries: Vec<(Pattern, Option<Word>)> = words
        .summary
        .iter()
        .map(|summary| Ok((Pattern::of_names(&summary.line, Part::Counts)?, summary.says)))
        .collect::<Result<_, String>>()?;
    let counts: Vec<Pattern> =
        words.counts.iter().map(|text| Pattern::of_names(text, Part::Counts)).collect::<Result<_, _>>()?;
    let start = words.start.as_ref().map(|text| Pattern::of_names(text, Part::Start)).transpose()?;
    let tests: Vec<(Pattern, TestOutcome)> = words
        .test
        .iter()
        .map(|test| match Pattern::of_names(&test.line, Part::Test)? {
            pattern if pattern.has(&Field::Id) => Ok((pattern, test.outcome)),
            pattern => Err(format!("a test has no (?<id>...) in {}", shown(pattern.text()))),
        })
        .collect::<Result<_, String>>()?;
    let entries: Vec<&str> = failures
        .iter()
        .map(|failure| &failure.first)
        .chain(summaries.iter().map(|(pattern, _)| pattern))
        .chain(&counts)
        .chain(&start)
        .chain(tests.iter().map(|(pattern, _)| pattern))
        .map(Pattern::text)
        .collect();
    check(words, &entries, &summaries, &counts)?;
    let set = RegexSetBuilder::new(&entries)
        .size_limit(8 * super::pattern::COMPILED_BYTES_MAX)
        .dfa_size_limit(2 * super::pattern::COMPILED_BYTES_MAX)
        .build()
        .map_err(|_| "the patterns take too much memory together".to_owned())?;
    Ok(Rules { set, failures, summaries, counts, start, tests, kind: words.kind, examples: Vec::new() })
}

/// What no format can do without.
fn check(
    words: &Format,
    entries: &[&str],
    summaries: &[(Pattern, Option<Word>)],
    counts: &[Pattern],
) -> Result<(), String> {
    let inner: usize = words.failure.iter().map(|failure| failure.lines.len() + 2).sum();
    if entries.len() + inner > PATTERNS_MAX {
        return Err(format!("over {PATTERNS_MAX} patterns"));
    }
    if words.failure.is_empty() && summaries.is_empty() {
        return Err("neither a [[format.failure]] nor a [[format.summary]]".into());
    }
    if words.start.is_some() && summaries.is_empty() {
        return Err("a `start` without a [[format.summary]]: what begins could never pass".into());
    }
    for (pattern, says) in summaries {
        let has = |count| {
            let field = Field::Count(count);
            pattern.has(&field) || counts.iter().any(|counts| counts.has(&field))
        };
        if says.is_none()
            && !((has(Count::Failed) || has(Count::Errored)) && (has(Count::Passed) || has(Count::Total)))
        {
            let text = shown(pattern.text());
            return Err(format!(
                "`says` is missing, and the numbers do not say whether all passed, in {text}"
            ));
        }
    }
    Ok(())
}

/// The author's needles, else what every pattern that begins something needs; none where one needs nothing.
fn needles(words: &Format, rules: &Rules) -> Result<Vec<String>, String> {
    if let Some(short) = words.needles.iter().find(|needle| needle.len() < NEEDLE_BYTES_MIN) {
        return Err(format!("a needle of under {NEEDLE_BYTES_MIN} bytes, {}", shown(short)));
    }
    let bytes = |needles: &[String]| needles.iter().map(String::len).sum::<usize>();
    if words.needles.len() > NEEDLES_MAX || bytes(&words.needles) > NEEDLE_BYTES_MAX {
        return Err(format!("over {NEEDLES_MAX} needles or {NEEDLE_BYTES_MAX} bytes of them"));
    }
    if !words.needles.is_empty() {
        return Ok(words.needles.clone());
    }
    let patterns = rules.set.patterns().iter().map(|pattern| literals::needles(pattern));
    let mut found: Vec<String> = patterns.collect::<Option<Vec<_>>>().unwrap_or_default().concat();
    found.sort();
    found.dedup();
    if found.len() > NEEDLES_MAX || bytes(&found) > NEEDLE_BYTES_MAX {
        found.clear();
    }
    Ok(found)
}
