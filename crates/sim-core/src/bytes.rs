//! Canonical JSON and digests: turns values into bytes that can be compared.
//!
//! Canonical JSON is JSON without blanks whose objects have their keys in byte order. Numbers are
//! printed as `serde_json` prints them (the shortest form that reads back to the same double). Keys are
//! sorted here because a dependency may switch `serde_json` to insertion order for the whole build, and a
//! digest must not differ between builds. JSON has neither NaN nor infinity: they become `null`, which is
//! why scores refuse them.

mod ordered;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};

/// A value without a JSON form (for example a map whose keys are not strings).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("value has no JSON form: {0}")]
pub struct NotJson(pub String);

/// The JSON form of a value whose type is known to have one: a header, a state, an observation, an
/// action. For other values there is [`canonical_json`], which returns an error.
///
/// # Panics
/// When the type has no JSON form, such as a map whose keys are not strings. Using a substitute such as
/// `null` would make all values of the type equal in keys and digests.
#[must_use]
#[expect(
    clippy::panic,
    reason = "a fault of the type, not of a value: derived implementations over strings, lists and \
              numbers of up to 64 bits never fail"
)]
pub fn json<T: Serialize + ?Sized>(value: &T) -> Value {
    match serde_json::to_value(value) {
        Ok(json) => json,
        Err(error) => panic!("{} has no JSON form: {error}", std::any::type_name::<T>()),
    }
}

/// The canonical JSON text of `value`.
///
/// # Errors
/// [`NotJson`] when the value cannot be expressed in JSON.
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<String, NotJson> {
    match serde_json::to_value(value) {
        Ok(value) => Ok(canonical_text(&value)),
        Err(e) => Err(NotJson(e.to_string())),
    }
}

/// Appends the canonical JSON text of `value` to `out`: the text of [`canonical_json`], without a tree in memory.
/// Only for what every step writes, because each type takes as long to compile again.
///
/// # Errors
/// [`NotJson`] when the value cannot be expressed in JSON; `out` is unchanged then.
pub(crate) fn write_json<T: Serialize + ?Sized>(
    value: &T,
    out: &mut String,
) -> Result<(), NotJson> {
    ordered::write(value, out).map_err(NotJson)
}

/// The canonical text of a JSON value.
#[must_use]
pub fn canonical_text(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

pub(crate) fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        // Most builds keep keys in order; then there is nothing to sort.
        Value::Object(map) if map.keys().is_sorted() => write_object(map.iter(), out),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_bytes());
            write_object(entries.into_iter(), out);
        }
        Value::String(text) => write_string(text, out),
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        // Writing to a String cannot fail.
        Value::Number(number) => _ = write!(out, "{number}"),
    }
}

fn write_object<'a>(entries: impl Iterator<Item = (&'a String, &'a Value)>, out: &mut String) {
    out.push('{');
    for (i, (key, item)) in entries.enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write_canonical(item, out);
    }
    out.push('}');
}

/// A JSON string literal with the escapes that JSON demands and no others.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // All bytes that are escaped are ASCII, so a text may be cut at each of them.
    // Not the writer of `serde_json`: it has the short forms `\b` and `\f` for two characters that
    // are `\u0008` and `\u000c` here, and every digest depends on the form.
    while let Some((plain, c, after)) = rest
        .bytes()
        .position(|c| c < 0x20 || c == b'"' || c == b'\\')
        .and_then(|at| {
            Some((
                rest.get(..at)?,
                rest.as_bytes().get(at)?,
                rest.get(at + 1..)?,
            ))
        })
    {
        out.push_str(plain);
        match c {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            c => _ = write!(out, "\\u{c:04x}"),
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of raw bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of the canonical JSON of `value`.
    ///
    /// # Errors
    /// [`NotJson`] when the value cannot be expressed in JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, NotJson> {
        Ok(Self::of_bytes(canonical_json(value)?.as_bytes()))
    }

    /// The next link of a chain: the digest of this one followed by `bytes`.
    #[must_use]
    pub fn chain(&self, bytes: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(bytes);
        Self(hash.finalize().into())
    }

    /// The first 16 hexadecimal digits: enough to compare, short enough to store with each entry.
    #[must_use]
    pub fn short(&self) -> String {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Two numbers of 16 bytes: two calls of the formatter in place of one for each byte.
        let (halves, _) = self.0.as_chunks::<16>();
        halves
            .iter()
            .try_for_each(|half| write!(f, "{:032x}", u128::from_be_bytes(*half)))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl std::str::FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0_u8; 32];
        // Asked first, because nothing below notices another length: `as_chunks` leaves out a
        // remainder, and `zip` ends with its shorter side.
        if text.len() != 64 {
            return Err(NotADigest);
        }
        let (pairs, _) = text.as_bytes().as_chunks::<2>();
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn hex_digit(letter: u8) -> Result<u8, NotADigest> {
    // Without a branch for letters, half of which would be mispredicted.
    let digit = char::from(letter).to_digit(16);
    digit
        .and_then(|digit| u8::try_from(digit).ok())
        .ok_or(NotADigest)
}

/// Text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NotADigest;

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not by way of a `String`, which would be made only to be dropped, several times a record.
        deserializer.deserialize_str(DigestText)
    }
}

/// Reads a digest from a text that is not kept.
struct DigestText;

impl serde::de::Visitor<'_> for DigestText {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digest, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_blanks_absent() {
        let value = json!({"b": [1, 2.5, null], "a": {"z": "q\"\n\u{1}é", "y": true}});
        let text = canonical_text(&value);
        assert_eq!(
            text,
            "{\"a\":{\"y\":true,\"z\":\"q\\\"\\n\\u0001é\"},\"b\":[1,2.5,null]}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    #[should_panic(expected = "has no JSON form")]
    fn a_type_without_a_json_form_is_not_taken_for_null() {
        let value: std::collections::BTreeMap<(u8, u8), u8> = [((1, 2), 3)].into();
        _ = super::json(&value);
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of_bytes(b"abc").to_string(), abc);
        for text in [abc.to_owned(), abc.to_uppercase()] {
            assert_eq!(text.parse::<Digest>().unwrap(), Digest::of_bytes(b"abc"));
        }
        assert!("zz".repeat(32).parse::<Digest>().is_err());
        assert!("+1".repeat(32).parse::<Digest>().is_err());
    }

    proptest! {
        /// Without `float_roundtrip` about one double in twelve changes here.
        #[test]
        fn doubles_survive_the_round_trip(bits: u64) {
            let x = f64::from_bits(bits);
            prop_assume!(x.is_finite());
            let text = canonical_json(&x).unwrap();
            prop_assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), x.to_bits());
        }
    }
}
