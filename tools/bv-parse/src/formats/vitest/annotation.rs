//! The `github-actions` reporter's annotations, which stand alone when it is the only reporter:
//! `::error file=/w/a.test.js,title=a.test.js > suite > test,line=6,column=48::AssertionError: …%0A…`.

use crate::javascript::{Names, Naming, error};
use bv_schemas::Failure;

/// The failure that an annotation of Vitest's tells of.
pub fn failure(text: &str, span: [u64; 2]) -> Option<Failure> {
    let (properties, message) = text.strip_prefix("::error ")?.split_once("::")?;
    let title = properties.split(',').find_map(|property| property.strip_prefix("title="))?;
    let title = decoded(title);
    let named = title.contains(" > ");
    if !named && title != "Unhandled error" {
        return None;
    }
    let message = decoded(message);
    let lines: Vec<&str> = message.lines().collect();
    let failure = error(&lines, Naming::Always, Names::Own);
    Some(Failure { id: named.then_some(title), span: Some(span), ..failure })
}

/// GitHub's escapes in a workflow command.
fn decoded(text: &str) -> String {
    const ESCAPES: &[(&str, &str)] =
        &[("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    ESCAPES.iter().fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations() {
        let text = "::error file=/w/a.test.js,title=a.test.js > tide > top,line=6,column=48::AssertionError: expected 5 to be 6 // Object.is equality%0A%0A- Expected%0A+ Received%0A%0A- 6%0A+ 5%0A%0A ❯ a.test.js:6:48%0A%0A";
        let got = failure(text, [0, 1]).expect("it is one");
        assert_eq!(got.id.as_deref(), Some("a.test.js > tide > top"));
        assert_eq!((got.expected.as_deref(), got.observed.as_deref()), (Some("6"), Some("5")));
        assert_eq!(got.test.and_then(|place| place.line), Some(6));
        assert!(failure("::error file=a.py,line=1::boom", [0, 1]).is_none());
    }
}
