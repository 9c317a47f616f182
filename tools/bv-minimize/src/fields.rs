//! A JSON object as it is written: its members in order, each value's own text.
//!
//! A record that is rewritten keeps what does not concern us byte for byte: number text, escapes, and members
//! of later versions.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The members of a JSON object.
#[derive(Clone, Debug)]
pub struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// Reads an object; `None` where the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Fields> {
        serde_json::from_slice(bytes).ok()
    }

    /// A member's value as written; of several the last, as most readers have it.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().rfind(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &RawValue> {
        self.0.iter().map(|(_, value)| &**value)
    }

    /// Puts `value` in the place of the member, or adds it before the first of `before` that is there, else
    /// last.
    pub fn set(&mut self, name: &str, value: Box<RawValue>, before: &[&str]) {
        let place = self.0.iter().position(|(key, _)| key == name);
        if let Some(at) = place {
            self.remove(name);
            self.0.insert(at, (name.to_owned(), value));
        } else {
            let at = self.0.iter().position(|(key, _)| before.contains(&key.as_str()));
            self.0.insert(at.unwrap_or(self.0.len()), (name.to_owned(), value));
        }
    }

    /// Takes the member out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| key != name);
    }

    /// The object in one line, values as they were.
    pub fn line(&self) -> String {
        let members: Vec<String> = self
            .0
            .iter()
            .map(|(key, value)| format!("{}:{}", serde_json::Value::from(key.as_str()), value.get()))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Fields(members))
            }
        }
        from.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.into()).expect("it is JSON")
    }

    #[test]
    fn what_is_not_set_stays_as_it_was_written() {
        let mut fields =
            Fields::read(br#"{"type":"failure", "n":1.500, "\u00fc":"\u00fc","state":"new","z":[ 1 ]}"#)
                .expect("an object");
        fields.set("n", raw("2"), &[]);
        fields.set("minimized", raw("{}"), &["state", "attempt"]);
        fields.set("last", raw("0"), &["attempt"]);
        fields.remove("z");
        assert_eq!(
            fields.line(),
            r#"{"type":"failure","n":2,"ü":"\u00fc","minimized":{},"state":"new","last":0}"#
        );
        assert!(Fields::read(b"[1]").is_none() && Fields::read(b"{").is_none());
    }
}
