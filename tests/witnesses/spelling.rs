//! How reporters of one runner spell the id of a test, each brought to one form.

/// For runners that spell their ids everywhere alike.
pub fn as_it_is(id: &str) -> String {
    id.to_owned()
}

/// Jest's result files join with blanks what its text joins with chevrons.
pub fn without_chevrons(id: &str) -> String {
    id.replace(" › ", " ")
}

/// Vitest's JSON leaves out the file, and joins with blanks.
pub fn without_file(id: &str) -> String {
    id.split_once(".test.js > ").map_or(id, |(_, name)| name).replace(" > ", " ")
}

/// Mocha's TAP takes `#` out of titles, where it would begin a directive.
pub fn without_hashes(id: &str) -> String {
    id.replace('#', "")
}

/// Node's text names the test alone, its TAP the suites around it.
pub fn own_name(id: &str) -> String {
    id.rsplit(" > ").next().unwrap_or(id).to_owned()
}

/// `InvoiceTest::testAverageOfNothing` as PHPUnit's testdox has it: `Invoice > Average of nothing`
/// (`PHPUnit\Util\TestDox\NamePrettifier`).
pub fn testdox(id: &str) -> String {
    let Some((class, method)) =
        id.split_once("::").or_else(|| id.split_once(".test").map(|(c, _)| (c, &id[c.len() + 1..])))
    else {
        return id.to_owned();
    };
    let (name, data) = method.split_at(method.find(" with data set").unwrap_or(method.len()));
    let mut words = String::new();
    for letter in name.trim_start_matches("test").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    let class = class.trim_end_matches("Test");
    match class.rsplit_once('\\') {
        Some((_, short)) => format!("{short} ({class}) > {words}{data}"),
        None => format!("{class} > {words}{data}"),
    }
}

/// Between the binary and the test nextest's result file has a point where its text has a blank.
pub fn with_dot(id: &str) -> String {
    id.replace(' ', ".")
}
