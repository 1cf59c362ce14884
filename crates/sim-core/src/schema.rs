//! Schema numbers of stored forms and how older ones are read.
//!
//! Every stored form has its number in a field `schema`. A reader accepts its own number, migrates older
//! forms step by step, and refuses newer ones with a message that says so.

use crate::error::{self, ConfigError};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type that is stored in files.
pub trait Stored: DeserializeOwned {
    /// Name of the form in messages (`episode record`).
    const WHAT: &'static str;
    /// Number of its current form, from 1.
    const SCHEMA: u32;

    /// Migrates a value of form `from` to form `from + 1`. The default knows no older forms.
    ///
    /// # Errors
    /// When the form is unknown.
    fn migrate(from: u32, value: Value) -> Result<Value, ConfigError> {
        let _ = value;
        Err(ConfigError::new(
            "schema",
            format!("{} of schema {from} is not known", Self::WHAT),
        ))
    }

    /// Reads a stored value of this form or an older one.
    ///
    /// # Errors
    /// When the schema is missing or newer than this program, or the value does not fit; names the place.
    fn read(mut value: Value) -> Result<Self, ConfigError> {
        let stored = value.get("schema").and_then(Value::as_u64);
        let Some(stored) = stored.and_then(|n| u32::try_from(n).ok()) else {
            return Err(ConfigError::new(
                "schema",
                format!("{} carries no schema number", Self::WHAT),
            ));
        };
        if stored > Self::SCHEMA {
            return Err(ConfigError::new(
                "schema",
                format!(
                    "{} has schema {stored}, this program knows up to {}: use a newer boardroom",
                    Self::WHAT,
                    Self::SCHEMA
                ),
            ));
        }
        for from in stored..Self::SCHEMA {
            value = Self::migrate(from, value)?;
            if let Some(map) = value.as_object_mut() {
                map.insert("schema".to_owned(), (from + 1).into());
            }
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

        fn migrate(from: u32, mut value: Value) -> Result<Value, ConfigError> {
            let feet = value.get("feet").and_then(Value::as_f64);
            match (from, feet, value.as_object_mut()) {
                (1, Some(feet), Some(map)) => {
                    map.remove("feet");
                    map.insert("metres".to_owned(), json!(feet * 0.3048));
                    Ok(value)
                }
                _ => Err(ConfigError::new("schema", "unknown")),
            }
        }
    }

    #[test]
    fn older_forms_are_brought_up_and_newer_refused() {
        let form = Form {
            schema: 2,
            metres: 3.048,
        };
        assert_eq!(
            Form::read(json!({"schema": 1, "feet": 10.0})).unwrap(),
            form
        );
        assert_eq!(
            Form::read(json!({"schema": 2, "metres": 3.048})).unwrap(),
            form
        );
        let newer = Form::read(json!({"schema": 3})).unwrap_err().to_string();
        assert!(newer.contains("newer boardroom"), "{newer}");
        assert!(Form::read(json!({"metres": 1.0})).is_err());
        let place = Form::read(json!({"schema": 2, "metres": "x"}))
            .unwrap_err()
            .place;
        assert_eq!(place, "metres");
    }
}
