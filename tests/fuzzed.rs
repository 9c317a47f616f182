//! Any bytes: the stages answer, they never panic, and nothing turns green by accident.

use bv_tests::stages;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

/// Lines of real runs, to be mixed.
static LINES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let cases = bv_tests::case::all();
    let streams = cases.iter().flat_map(|case| &case.streams);
    streams.flat_map(|(_, raw)| raw.split_inclusive(|&b| b == b'\n').step_by(3).map(<[u8]>::to_vec)).collect()
});

fn mixed_lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => any::<prop::sample::Index>().prop_map(|at| at.get(&LINES).clone()),
        1 => proptest::collection::vec(any::<u8>(), 0..80),
    ];
    proptest::collection::vec(line, 0..60).prop_map(|lines| lines.concat())
}

fn answers(raw: &[u8]) {
    for args in [&[][..], &["--all"]] {
        let events = stages::parse(args, raw);
        let records = stages::records(&events);
        assert_eq!(records.iter().filter(|r| r["type"] == "end").count(), 1);
        assert_eq!(records.last().map(|r| r["type"].clone()), Some("end".into()));
        let failed = records.iter().any(|r| r["type"] == "failure");
        let end = &records[records.len() - 1];
        assert!(!(failed && end["outcome"] == "passed"), "green beside a failure");
        let (receipt, code) = stages::receipt(Path::new("/nonexistent"), &[], &events);
        assert!(receipt.len() <= bv_schemas::receipt::BYTES_MAX + 1 && receipt.ends_with('\n'));
        assert_eq!(code == 0, end["outcome"] == "passed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_real_runs_in_any_order(raw in mixed_lines()) {
        answers(&raw);
    }

    #[test]
    fn any_bytes(raw in proptest::collection::vec(any::<u8>(), 0..2000)) {
        answers(&raw);
    }

    /// A known exit other than 0 is never green, whatever the lines say.
    #[test]
    fn an_exit_other_than_0_is_never_green(mut raw in mixed_lines(), code in 1u8..=255) {
        raw.extend_from_slice(format!("\nbv-exit: {code}\n").as_bytes());
        let end = stages::records(&stages::parse(&[], &raw)).pop().expect("an end");
        prop_assert_ne!(&end["outcome"], "passed");
    }
}
