//! Which stored values an event names, whatever its kind: found by walking what it serialises to, so that no kind and
//! no field can be forgotten. It must not know where payloads lie.

use serde::de::value::Error;
use serde::ser::{self, Serialize, Serializer};

use super::Digest;
use super::events::EventBody;

/// A value that an event names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Its JSON text stands in the event.
    Inline(String),
    Payload {
        hash: Digest,
        bytes: u64,
    },
}

/// The type whose variants are values, as serde calls it.
const VALUE: &str = "ValueRef";

/// Every value that the event names, in the order of its fields.
pub fn named(body: &EventBody) -> Vec<Named> {
    let mut walk = Walk::default();
    // The walk itself never fails; a field that can't be serialised could not have been stored.
    let _ = body.serialize(&mut walk);
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Vec<Named>,
    /// The fields of the payload's name that is being walked through.
    hash: Option<Digest>,
    bytes: u64,
}

impl Walk {
    fn take_field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        let field = serde_json::to_value(value).unwrap_or_default();
        match key {
            "hash" => self.hash = field.as_str().and_then(Digest::parse),
            "bytes" => self.bytes = field.as_u64().unwrap_or_default(),
            _ => {}
        }
    }
}

macro_rules! nothing {
    ($($name:ident $of:ty),* $(,)?) => {
        $(fn $name(self, _: $of) -> Result<(), Error> { Ok(()) })*
    };
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Variant<'a>;

    nothing! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_f32 f32,
        serialize_f64 f64, serialize_char char, serialize_str &str, serialize_bytes &[u8],
        serialize_unit_struct &'static str,
    }
    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }
    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Error> {
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if name != VALUE {
            return value.serialize(self);
        }
        self.found.push(Named::Inline(
            serde_json::to_string(value).map_err(ser::Error::custom)?,
        ));
        Ok(())
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Variant<'a>, Error> {
        Ok(Variant {
            walk: self,
            is_value: name == VALUE,
        })
    }
}

macro_rules! each_part {
    ($($compound:ident $part:ident),* $(,)?) => {
        $(impl ser::$compound for &mut Walk {
            type Ok = ();
            type Error = Error;
            fn $part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

each_part! {
    SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

impl ser::SerializeMap for &mut Walk {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Error> {
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }
    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl ser::SerializeStruct for &mut Walk {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }
    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

/// A variant with fields: a payload's name, or one of another enum.
struct Variant<'a> {
    walk: &'a mut Walk,
    is_value: bool,
}

impl ser::SerializeStructVariant for Variant<'_> {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        if !self.is_value {
            return value.serialize(&mut *self.walk);
        }
        self.walk.take_field(key, value);
        Ok(())
    }
    fn end(self) -> Result<(), Error> {
        if self.is_value
            && let Some(hash) = self.walk.hash.take()
        {
            let bytes = self.walk.bytes;
            self.walk.found.push(Named::Payload { hash, bytes });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::events::{CallFinished, CallOutcome, Change, DecisionOpened, PlanRevised, Revision};
    use crate::model::status::DecisionKind;
    use crate::model::value::ValueRef;
    use serde_json::json;

    fn large() -> (ValueRef, Digest, u64) {
        let text = json!("x".repeat(5000));
        let (value, payload) = ValueRef::of(&text);
        let payload = payload.unwrap();
        (value, payload.hash, payload.text.len() as u64)
    }

    #[test]
    fn values_are_found_at_any_depth_and_what_only_looks_like_one_is_not() {
        let (value, hash, bytes) = large();
        let finished = CallFinished {
            labels: crate::model::grants::Labels::default(),
            call: None,
            outcome: CallOutcome::Result(value.clone()),
            usage: None,
        };
        assert_eq!(named(&finished.into()), [Named::Payload { hash, bytes }]);
        let revised = PlanRevised {
            revision: 1,
            digest: hash,
            change: Change::Document(value.clone()),
            signed: None,
        };
        assert_eq!(named(&revised.into()), [Named::Payload { hash, bytes }]);

        let lookalike = json!({ "p": { "hash": hash, "bytes": 1 } });
        let (inline, _) = ValueRef::of(&lookalike);
        let asked = DecisionOpened {
            decision: "d1".into(),
            kind: DecisionKind::Question,
            question: lookalike.to_string(),
            form: Some(lookalike.clone()),
            binds: Some(hash),
            needs: Vec::new(),
            about: Some(inline),
            provenance: None,
            may_replan: false,
        };
        assert_eq!(named(&asked.into()), [Named::Inline(lookalike.to_string())]);
        let edit = PlanRevised {
            revision: 2,
            digest: hash,
            change: Change::Edit(Revision {
                label: String::new(),
                patch: json!([lookalike, 12345678901234567890_u64]),
                inverse: json!([]),
            }),
            signed: None,
        };
        assert_eq!(named(&edit.into()), []);
    }
}
