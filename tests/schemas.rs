//! The checked-in schemas are those of the types, they take what our tools write and refuse what is wrong.

use bv_schemas::schema;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    bv_tests::root().join("schemas")
}

/// Rewritten under `BLESS=1`, compared else.
fn check_generated(file: &str, generated: &Value) {
    let path = folder().join(file);
    let text = serde_json::to_string_pretty(generated).expect("a value is JSON") + "\n";
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("the schema can be written");
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == text, "{file} is not that of the types; run `make bless` and read the diff");
}

#[test]
fn records_schema_is_that_of_the_types() {
    check_generated("records.schema.json", &schema::records());
}

#[test]
fn receipt_schema_is_that_of_the_types() {
    check_generated("receipt.schema.json", &schema::receipt());
}

#[test]
fn vector_schema_is_that_of_the_types() {
    check_generated("vector.schema.json", &schema::vector());
}

#[test]
fn answer_schema_is_that_of_the_types() {
    check_generated("answer.schema.json", &schema::answer());
}

#[test]
fn gpu_check_schema_is_that_of_the_types() {
    check_generated("gpu-check.schema.json", &bv_gpu::schema());
}

#[test]
fn no_schema_allows_null() {
    for generated in [schema::records(), schema::receipt(), bv_gpu::schema()] {
        let text = generated.to_string();
        assert!(!text.contains("\"null\"") && !text.contains(":null"), "{text}");
    }
}

/// `schemas/reject/<schema>.<why>.json`: refused by the schema of that name.
#[test]
fn rejects_are_refused() {
    let mut seen = 0;
    for entry in fs::read_dir(folder().join("reject")).expect("schemas/reject") {
        let path = entry.expect("a listed entry").path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let schema = match name.split('.').next() {
            Some("record") => schema::closed(&schema::records()),
            Some("receipt") => schema::closed(&schema::receipt()),
            Some("vector") => schema::vector(),
            Some("answer") => schema::answer(),
            _ => panic!("{name}: begins with the name of no schema"),
        };
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        let value: Value = serde_json::from_slice(&fs::read(&path).expect("readable")).expect("JSON");
        assert!(!validator.is_valid(&value), "{name} is taken");
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} cases");
}

/// The examples of the documentation are what the schema says.
#[test]
fn examples_are_taken() {
    let schemas = [
        ("record", schema::records()),
        ("receipt", schema::receipt()),
        ("vector", schema::vector()),
        ("answer", schema::answer()),
    ];
    for (file, schema) in schemas {
        let validator = jsonschema::validator_for(&schema::closed(&schema)).expect("the schema is one");
        let text = fs::read_to_string(folder().join(format!("examples/{file}s.ndjson"))).expect("readable");
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).expect("JSON");
            assert!(validator.is_valid(&value), "{:?}: {line}", validator.validate(&value).err());
        }
    }
}

/// A field or type that is not known does not make a record unreadable: schemas are open for readers.
#[test]
fn readers_are_open() {
    let validator = jsonschema::validator_for(&schema::records()).expect("the schema is one");
    let value = serde_json::json!({"type": "failure", "kind": "crash", "colour": "red"});
    assert!(validator.is_valid(&value), "{:?}", validator.validate(&value).err());
    let record: bv_schemas::Record = serde_json::from_value(value).expect("unknown fields are ignored");
    assert!(matches!(record, bv_schemas::Record::Failure(_)));
}
