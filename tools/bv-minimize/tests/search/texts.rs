//! Texts, command lines and lists.

use super::check;
use bv_minimize::Shape;

fn number(text: &str) -> Option<usize> {
    (!text.is_empty() && text.len() < 9 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

/// Strings with their length before them; fails when one holds an `x`.
#[test]
fn lengths_before_strings_are_kept_true() {
    let words =
        ["hello", "benchmark", "", "marble arch", "oxford circus", "green park", "knightsbridge station"];
    let input: String = words.iter().map(|word| format!("{}:{word},", word.len())).collect();
    check("netstrings", Shape::Text, &input, "1:x,".len(), 30, &|bytes| {
        let mut rest = std::str::from_utf8(bytes).ok()?;
        let mut found = false;
        while !rest.is_empty() {
            let (length, after) = rest.split_once(':')?;
            let (word, after) = after.split_at_checked(number(length)?)?;
            found |= word.contains('x');
            rest = after.strip_prefix(',')?;
        }
        Some(found)
    });
}

/// A body whose length stands in a header; fails when it holds a tab.
#[test]
fn a_content_length_is_kept_true() {
    let body = "name=Ada&city=London\tW1&note=all+is+well&more=nothing+here";
    let input = format!(
        "POST /form HTTP/1.1\r\nHost: example.test\r\nAccept: */*\r\nContent-Length: {}\r\nX-Id: 77\r\n\r\n{body}",
        body.len()
    );
    check("content length", Shape::Text, &input, "Content-Length: 1\r\n\r\n\t".len(), 110, &|bytes| {
        let (head, body) = std::str::from_utf8(bytes).ok()?.split_once("\r\n\r\n")?;
        let length = head.split("\r\n").find_map(|line| line.strip_prefix("Content-Length: "))?;
        (number(length)? == body.len()).then_some(())?;
        Some(body.contains('\t'))
    });
}

/// The number of lines, then the lines; fails when a number is larger than the one before by more than 100.
#[test]
fn a_count_of_lines_is_kept_true() {
    let lines: Vec<String> =
        (0..30).map(|n| format!("{} {}", n * 3 + if n >= 20 { 200 } else { 0 }, n % 4)).collect();
    let input = format!("{}\n{}\n", lines.len(), lines.join("\n"));
    check("count", Shape::Text, &input, "2\n0 0\n101 0".len(), 140, &|bytes| {
        let mut lines = std::str::from_utf8(bytes).ok()?.lines();
        let count = number(lines.next()?)?;
        let mut values = Vec::new();
        for line in lines {
            let (value, kind) = line.split_once(' ')?;
            number(kind)?;
            values.push(number(value)?);
        }
        (values.len() == count).then_some(())?;
        Some(values.windows(2).any(|w| w[1] > w[0] + 100))
    });
}

/// Options that each want a value; fails with `--depth` above 40 and `--fast`.
#[test]
fn options_go_with_their_values() {
    let mut arguments: Vec<String> = Vec::new();
    for n in 0..14 {
        arguments.extend([format!("--opt{n}"), format!("value{n}")]);
        if n == 5 {
            arguments.extend(["--depth".into(), "64".into(), "--fast".into()]);
        }
    }
    let program = |bytes: &[u8]| {
        let mut arguments = std::str::from_utf8(bytes).ok()?.split('\n');
        let (mut depth, mut fast) = (0, false);
        while let Some(argument) = arguments.next() {
            match argument {
                "--fast" => fast = true,
                "--depth" => depth = number(arguments.next()?)?,
                other => {
                    other.strip_prefix("--opt")?;
                    let value = arguments.next()?;
                    (!value.starts_with('-')).then_some(())?;
                }
            }
        }
        Some(depth > 40 && fast)
    };
    for shape in [Shape::Lines, Shape::Text] {
        check("options", shape, &arguments.join("\n"), "--depth\n41\n--fast".len(), 150, &program);
    }
}

/// Names stay whole: of 200 tests, two fail together.
#[test]
fn a_list_loses_whole_names() {
    let names: Vec<String> = (0..200).map(|n| format!("tests/test_{}.py::test_{n}", n % 7)).collect();
    let minimum = "tests/test_3.py::test_17\ntests/test_4.py::test_151";
    check("list", Shape::List, &(names.join("\n") + "\n"), minimum.len(), 30, &|bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        text.lines().all(|line| names.iter().any(|name| name == line)).then_some(())?;
        Some(
            text.contains("test_17\n") && text.trim_end().ends_with("test_151")
                || text.contains("test_17\n") && text.contains("test_151\n"),
        )
    });
}

/// Elements must be closed in order; fails on a `b` in an `a`.
#[test]
fn tags_stay_closed() {
    let item = |n: usize| {
        format!(
            "  <item id=\"{n}\">\n    <p class=\"c{n}\">text {n}</p>\n{}  </item>\n",
            if n == 7 { "    <a href=\"x\"><i><b>deep</b></i></a>\n" } else { "" }
        )
    };
    let input = format!("<doc>\n{}</doc>\n", (0..12).map(item).collect::<String>());
    check("tags", Shape::Text, &input, "<a><b></b></a>".len(), 170, &|bytes| {
        let mut rest = std::str::from_utf8(bytes).ok()?;
        let (mut open, mut found) = (Vec::new(), false);
        while let Some((_, after)) = rest.split_once('<') {
            let (tag, after) = after.split_once('>')?;
            rest = after;
            match tag.strip_prefix('/') {
                Some(name) => (open.pop()? == name).then_some(())?,
                None => {
                    let name = tag.split(' ').next()?;
                    (!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(())?;
                    found |= name == "b" && open.contains(&"a");
                    open.push(name);
                }
            }
        }
        open.is_empty().then_some(found)
    });
}
