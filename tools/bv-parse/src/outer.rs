//! What a CI system says of the command whose output it shows: its own word that the command failed.

/// Texts of which one stands in each such line.
pub const NEEDLES: &[&str] = &["##[error]Process completed with exit code ", "\" exited with "];

/// Whether this line says that the command exited with another status than 0.
///
/// GitHub Actions ends a failed step with `##[error]Process completed with exit code 1.`; Travis says of each
/// command of the script `The command "make test" exited with 1.`
pub fn says_failed(line: &str) -> bool {
    let line = line.trim_ascii();
    let github = line.strip_prefix("##[error]Process completed with exit code ");
    let travis = line.strip_prefix("The command \"").and_then(|rest| rest.rsplit_once("\" exited with "));
    let code = github.or(travis.map(|(_, code)| code)).and_then(|code| code.strip_suffix('.'));
    code.is_some_and(|code| !code.is_empty() && code != "0" && code.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ci_systems_word_on_a_command() {
        for (line, want) in [
            ("##[error]Process completed with exit code 1.", true),
            ("##[error]Process completed with exit code 127.", true),
            ("##[error]Process completed with exit code 0.", false),
            ("Process completed with exit code 1.", false),
            ("The command \"ruby test.rb --seed 1\" exited with 1.", true),
            ("The command \"make test\" exited with 0.", false),
            ("The command \"make test\" exited with grace.", false),
            ("log: The command \"make\" exited with 1.", false),
        ] {
            assert_eq!(says_failed(line), want, "{line}");
        }
    }
}
