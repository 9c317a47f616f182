//! Diffs of two sides below a message: `cmp.Diff` with its usual note `(-want +got)`, unified diffs with
//! `--- want` and `+++ got`.

type Sides = (Option<String>, Option<String>);

/// The changed lines of each side without their sign; `None` where the text does not say which side is
/// which.
pub fn sides(lines: &[&str]) -> Option<Sides> {
    let (at, minus_is_wanted) = lines.iter().enumerate().find_map(|(at, line)| {
        let noted = note(line).map(|wanted| (at, wanted));
        noted.or_else(|| Some((at + 1, unified(line, lines.get(at + 1)?)?)))
    })?;
    let rest = &lines[at + 1..];
    let minus = changed(rest, '-');
    let plus = changed(rest, '+');
    if minus.is_none() && plus.is_none() {
        return None;
    }
    Some(if minus_is_wanted { (minus, plus) } else { (plus, minus) })
}

/// `(-want +got):`, `(-want, +got)`, `(+got -want)`, `-expected +actual`: whether the minus is what is wanted.
fn note(line: &str) -> Option<bool> {
    const WANTED: &[&str] = &["want", "wanted", "expected", "exp"];
    const SEEN: &[&str] = &["got", "actual", "have", "found", "received"];
    let signed = |sign: char| {
        line.match_indices(sign).find_map(|(at, _)| {
            let before = line[..at].chars().next_back();
            let word: String = line[at + 1..].chars().take_while(|c| c.is_alphabetic()).collect();
            let word = word.to_ascii_lowercase();
            let wanted = WANTED.contains(&word.as_str());
            (before.is_none_or(|c| matches!(c, '(' | ' ' | ',' | '/'))
                && (wanted || SEEN.contains(&word.as_str())))
            .then_some(wanted)
        })
    };
    let (minus, plus) = (signed('-')?, signed('+')?);
    (minus != plus).then_some(minus)
}

/// `--- want` above `+++ got`.
fn unified(line: &str, next: &str) -> Option<bool> {
    let (minus, plus) = (line.trim().strip_prefix("--- ")?, next.trim().strip_prefix("+++ ")?);
    note(&["(-", minus.trim(), " +", plus.trim(), ")"].concat())
}

fn changed(lines: &[&str], sign: char) -> Option<String> {
    let kept: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.trim_start_matches([' ', '\t']).strip_prefix(sign))
        .map(str::trim)
        .collect();
    (!kept.is_empty()).then(|| kept.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::sides;

    #[test]
    fn both_ways_round() {
        let own = |e: Option<&str>, o: Option<&str>| Some((e.map(str::to_owned), o.map(str::to_owned)));
        for (text, want) in [
            (
                "x mismatch (-want +got):\n\u{a0} same\n-\u{a0}\tVAT: 7,\n+\u{a0}\tVAT: 19,",
                own(Some("VAT: 7,"), Some("VAT: 19,")),
            ),
            ("diff (-got +want):\n- a\n+ b", own(Some("b"), Some("a"))),
            ("--- want\n+++ got\n@@ -1 +1 @@\n-a\n+b", own(Some("a"), Some("b"))),
            ("(-want +got):\n-only", own(Some("only"), None)),
            ("diff:\n-a\n+b", None),
            ("a - want + got", None),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(sides(&lines), want, "{text}");
        }
    }
}
