//! Stack frames of the JVM: `at shop.Invoice.add(Invoice.java:12)`.

use bv_schemas::Place;

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The class with its package; a nested one with `$`.
    pub class: String,
    /// The base name of the file, the line and the method, where printed.
    pub place: Place,
}

impl Frame {
    /// Whether it lies in the user's own code, with a place.
    pub fn is_user(&self) -> bool {
        self.place.line.is_some() && is_user_class(&self.class)
    }

    /// Whether its class is this one or nested in it.
    pub fn in_class(&self, class: &str) -> bool {
        self.class.strip_prefix(class).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    }
}

/// A frame's line. Since JDK 9 a class loader and a module may stand before the class
/// (`app//shop.Invoice.add`, `java.base@17.0.15/java.lang.Thread.sleep`).
pub fn frame(line: &str) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("at ")?;
    let (call, place) = rest.rsplit_once('(')?;
    // Logging libraries add the archive behind the place: `~[junit-4.13.jar:4.13]`.
    let place = place.split_once(')')?.0;
    let call = call.rsplit_once('/').map_or(call, |(_, call)| call);
    let (class, method) = call.rsplit_once('.')?;
    let known = !class.is_empty() && !method.is_empty() && class.contains(|c: char| c.is_alphanumeric());
    if !known || place.contains(char::is_whitespace) && !matches!(place, "Native Method" | "Unknown Source") {
        return None;
    }
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), Some(line.parse().ok()?)),
        None => (None, None),
    };
    let place = Place { file, line, function: bare(method).map(str::to_owned) };
    Some(Frame { class: class.to_owned(), place })
}

/// The method that a lambda stands in; none where it stands in a class' body (`$anonfun$new$3`,
/// `$init$$$anonfun$2` in Scala).
fn bare(method: &str) -> Option<&str> {
    if let Some((before, behind)) = method.split_once("$anonfun$") {
        let outer = match before.trim_end_matches('$') {
            "" => behind.split('$').next().unwrap_or_default(),
            outer => outer,
        };
        return Some(outer).filter(|outer| {
            !["", "new", "$init"].contains(outer) && !outer.starts_with(|c: char| c.is_ascii_digit())
        });
    }
    let lambda = method.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
    match lambda {
        Some((outer, number)) if number.bytes().all(|b| b.is_ascii_digit()) && !outer.is_empty() => {
            Some(outer)
        }
        _ => Some(method),
    }
}

/// Whether the class is the user's own: none of the JDK, of the languages on top of it, of the test
/// libraries and build tools.
pub fn is_user_class(class: &str) -> bool {
    const LIBRARIES: &[&str] = &[
        "java.",
        "javax.",
        "jakarta.",
        "jdk.",
        "sun.",
        "com.sun.",
        "junit.",
        "org.junit.",
        "org.hamcrest.",
        "org.assertj.",
        "org.mockito.",
        "org.opentest4j.",
        "org.apiguardian.",
        "org.testng.",
        "org.easymock.",
        "org.powermock.",
        "org.spockframework.",
        "org.springframework.",
        "org.apache.maven.",
        "org.apache.tools.ant.",
        "org.gradle.",
        "worker.org.gradle.",
        "org.codehaus.groovy.",
        "org.codehaus.plexus.",
        "groovy.",
        "groovyjarjar",
        "kotlin.",
        "kotlinx.",
        "io.kotest.",
        "io.mockk.",
        "scala.",
        "org.scalatest.",
        "org.specs2.",
        "munit.",
        "sbt.",
        "net.bytebuddy.",
        "com.google.common.",
        "com.intellij.",
    ];
    !LIBRARIES.iter().any(|library| class.starts_with(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class, file and line, method, whether it is the user's.
    type Read<'a> = (&'a str, Option<(&'a str, u64)>, &'a str, bool);

    #[test]
    fn frames() {
        let check = |line: &str, want: Option<Read<'_>>| {
            let got = frame(line);
            let got = got.as_ref().map(|frame| {
                let place = &frame.place;
                let at = place.file.as_deref().zip(place.line);
                (frame.class.as_str(), at, place.function.as_deref().unwrap_or(""), frame.is_user())
            });
            assert_eq!(got, want, "{line}");
        };
        let user = |class, file, line, method| Some((class, Some((file, line)), method, true));
        check("\tat shop.Invoice.add(Invoice.java:12)", user("shop.Invoice", "Invoice.java", 12, "add"));
        check("    at app//shop.A$B.<init>(A.java:3)", user("shop.A$B", "A.java", 3, "<init>"));
        check("\tat shop.A.lambda$run$0(A.java:3) ~[shop.jar:1.0]", user("shop.A", "A.java", 3, "run"));
        check(
            "\tat shop.ATest.adds two numbers(ATest.kt:3)",
            user("shop.ATest", "ATest.kt", 3, "adds two numbers"),
        );
        check(
            "\tat java.base@17.0.15/java.lang.Thread.sleep(Native Method)",
            Some(("java.lang.Thread", None, "sleep", false)),
        );
        check(
            "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)",
            Some(("java.util.ArrayList", Some(("ArrayList.java", 427)), "get", false)),
        );
        check("at noon (we ate)", None);
        check("\t... 33 more", None);
        check("at x(", None);
    }
}
