//! Schema numbers of stored forms.
//!
//! Every stored form has its number in a field `schema`. A reader accepts its own number and refuses all others with
//! a message that says so.

use crate::error::{self, ConfigError};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type that is stored in files.
pub trait Stored: DeserializeOwned {
    /// Name of the form in messages (`episode record`).
    const WHAT: &'static str;
    /// Number of its current form, from 1.
    const SCHEMA: u32;

    /// Reads a stored value of this form.
    ///
    /// # Errors
    /// When the schema is missing or another one, or the value does not fit; names the place.
    fn read(value: Value) -> Result<Self, ConfigError> {
        // Asked before the rest is read: the fields of another form would give an error about some
        // field, and not about the version that is the cause.
        let stored = value.get("schema").and_then(Value::as_u64);
        let Some(stored) = stored.and_then(|n| u32::try_from(n).ok()) else {
            return Err(ConfigError::new(
                "schema",
                format!("{} carries no schema number", Self::WHAT),
            ));
        };
        if stored != Self::SCHEMA {
            return Err(ConfigError::new(
                "schema",
                format!(
                    "{} has schema {stored}, this program reads schema {}: use the boardroom that wrote it",
                    Self::WHAT,
                    Self::SCHEMA
                ),
            ));
        }
        error::read(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Form {
        schema: u32,
        metres: f64,
    }

    impl Stored for Form {
        const WHAT: &'static str = "form";
        const SCHEMA: u32 = 2;
    }

    #[test]
    fn only_the_own_form_is_read() {
        let form = Form {
            schema: 2,
            metres: 3.048,
        };
        assert_eq!(
            Form::read(json!({"schema": 2, "metres": 3.048})).unwrap(),
            form
        );
        for schema in [1, 3] {
            let other = Form::read(json!({"schema": schema, "metres": 3.0})).unwrap_err();
            assert_eq!(other.place, "schema");
        }
        assert!(Form::read(json!({"metres": 1.0})).is_err());
        let place = Form::read(json!({"schema": 2, "metres": "x"}))
            .unwrap_err()
            .place;
        assert_eq!(place, "metres");
    }
}
