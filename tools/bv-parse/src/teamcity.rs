//! TeamCity's service messages, which several runners print for the CI server:
//! `##teamcity[testFailed name='total' message='…' details='…']`
//! (<https://www.jetbrains.com/help/teamcity/service-messages.html>).

/// What a line says: the message's name, its attributes as they stand.
pub fn message(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("##teamcity[")?;
    let rest = rest.trim_end().strip_suffix(']')?;
    Some(rest.split_once(' ').unwrap_or((rest, "")))
}

/// An attribute's value without TeamCity's escapes.
pub fn attribute(text: &str, name: &str) -> Option<String> {
    let mut from = 0;
    let begins = loop {
        let at = from + text[from..].find(name)?;
        let after = at + name.len();
        let apart = at == 0 || text.as_bytes()[at - 1] == b' ';
        if apart && text[after..].starts_with("='") {
            break after + 2;
        }
        from = after;
    };
    let mut value = String::new();
    let mut chars = text[begins..].chars();
    loop {
        match chars.next()? {
            '\'' => return Some(value),
            '|' => match chars.next()? {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                'x' | 'l' | 'p' => value.push('\n'),
                '0' => value.push(unicode(&mut chars)?),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
}

/// `|0x00e9`.
fn unicode(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let hex = chars.as_str().strip_prefix('x')?.get(..4)?;
    let code = u32::from_str_radix(hex, 16).ok()?;
    chars.nth(4)?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes() {
        let text = "name='a' message='b |'q|' ||x|n|[1|] |0x00e9' details=''";
        assert_eq!(attribute(text, "message").as_deref(), Some("b 'q' |x\n[1] é"));
        assert_eq!(attribute(text, "details").as_deref(), Some(""));
        assert_eq!(attribute(text, "ails"), None);
        assert_eq!(attribute("name='cut", "name"), None);
        assert_eq!(attribute("name='|0xzz", "name"), None);
    }
}
