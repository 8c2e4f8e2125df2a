//! Reads JSON into values as far as there is room for them.
//!
//! A value without room is skipped with all that is in it, and counted. What is skipped takes neither memory nor stack.

use std::fmt;

use serde_core::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use super::room::Room;

/// Values within each other; a deeper one is left out. serde_json itself refuses 128.
const MOST_DEPTH: usize = 64;

/// `Ok(None)` if there is no room for the outermost value itself. An error takes no room.
pub fn parse(source: &str, room: &mut Room) -> serde_json::Result<Option<Value>> {
    let mut taken = *room;
    let mut reader = serde_json::Deserializer::from_str(source);
    let seed = Kept {
        room: &mut taken,
        depth: MOST_DEPTH,
    };
    let value = seed.deserialize(&mut reader)?;
    reader.end()?;
    *room = taken;
    Ok(value)
}

struct Kept<'r> {
    room: &'r mut Room,
    /// Levels that are still allowed.
    depth: usize,
}

impl Kept<'_> {
    fn inner(&mut self) -> Kept<'_> {
        Kept {
            room: self.room,
            depth: self.depth - 1,
        }
    }

    fn keep(self, bytes: usize, value: impl FnOnce() -> Value) -> Option<Value> {
        self.room.take(bytes).then(value)
    }
}

impl<'de> DeserializeSeed<'de> for Kept<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        if self.depth > 0 && !self.room.is_used_up() {
            return reader.deserialize_any(self);
        }
        reader.deserialize_ignored_any(IgnoredAny)?;
        self.room.leave_out(1);
        Ok(None)
    }
}

impl<'de> Visitor<'de> for Kept<'_> {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(self.keep(0, || Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.keep(0, || Value::from(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.keep(0, || Value::from(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.keep(0, || Value::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.keep(0, || Value::from(value)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.keep(text.len(), || Value::from(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self::Value, A::Error> {
        self.room.take(0);
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self.inner())? {
            values.extend(value);
        }
        Ok(Some(Value::Array(values)))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self::Value, A::Error> {
        self.room.take(0);
        let mut values = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if !self.room.take_name(name.len()) {
                object.next_value::<IgnoredAny>()?;
            } else if let Some(value) = object.next_value_seed(self.inner())? {
                values.insert(name, value);
            }
        }
        Ok(Some(Value::Object(values)))
    }
}
