//! The JSON Schemas (2020-12) of the types, for tests: generated, compared with the checked-in files.

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

/// The schema of one record of the stream (`records.schema.json`).
pub fn records() -> Value {
    named(generator().into_root_schema_for::<crate::Record>(), "bv/1 record")
}

/// The schema of the receipt (`receipt.schema.json`).
pub fn receipt() -> Value {
    named(generator().into_root_schema_for::<crate::Receipt>(), "bv/1 receipt")
}

/// The schema of one test vector, or of one rule (`vector.schema.json`).
pub fn vector() -> Value {
    named(generator().into_root_schema_for::<crate::vector::Vector<'static>>(), "bv/1 vector")
}

/// The schema of a candidate's answer to one input (`answer.schema.json`).
pub fn answer() -> Value {
    named(generator().into_root_schema_for::<crate::vector::Answer<'static>>(), "bv/1 answer")
}

/// The schema of any other type that is written as JSON, such as a tool's own input file.
pub fn of<T: schemars::JsonSchema>(title: &str) -> Value {
    named(generator().into_root_schema_for::<T>(), title)
}

/// The same schema with unknown fields forbidden everywhere: what our own tools write is held to it.
pub fn closed(open: &Value) -> Value {
    let mut schema = open.clone();
    close(&mut schema);
    schema
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().with_transform(RecursiveTransform(NoNull)).into_generator()
}

fn named(schema: Schema, title: &str) -> Value {
    let mut value = schema.to_value();
    if let Some(object) = value.as_object_mut() {
        object.insert("title".into(), title.into());
    }
    value
}

/// `Option` with `skip_serializing_if` never writes `null`, but schemars still allows it.
#[derive(Clone)]
struct NoNull;

impl Transform for NoNull {
    fn transform(&mut self, schema: &mut Schema) {
        let Some(object) = schema.as_object_mut() else {
            return;
        };
        object.remove("default");
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|t| t != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                object.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
            choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
            if let [Value::Object(only)] = &choices[..] {
                let only = only.clone();
                object.remove("anyOf");
                object.extend(only);
            }
        }
    }
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.insert("unevaluatedProperties".into(), false.into());
            }
            // `$ref` beside `properties` (a tagged variant) already closes over both; the target of
            // a reference must stay open then, or it would refuse the tag.
            for (key, value) in object.iter_mut() {
                if key != "$defs" {
                    close(value);
                }
            }
            if let Some(Value::Object(defs)) = object.get_mut("$defs") {
                for (name, value) in defs.iter_mut() {
                    if !matches!(name.as_str(), "Failure" | "Test" | "End") {
                        close(value);
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
