//! Reads scenarios in the form of this crate and in that of the original engine.
//!
//! The form of this crate is a [`Firm`] as JSON. The original engine's has three blocks, `runspecs`, `properties` and
//! `agents`, and usually stands inside a file of scenario managers:
//!
//! ```json
//! {"smEDT": {"type": "abm", "scenarios": {"story": {
//!     "runspecs": {"starttime": 1, "stoptime": 25, "dt": 1},
//!     "properties": {"revenue_risk_level": {"type": "Double", "value": 1.0}, "fixed_cost": 15.0},
//!     "agents": [{"name": "controlling", "count": 1, "properties": {}}]}}}}
//! ```
//!
//! Values may be wrapped with their type or stand alone. The order of the agents decides the
//! [`AgentOrder`](crate::firm::AgentOrder); agents of one type must be adjacent.

mod bptk;

use crate::firm::Firm;
use serde_json::Value;
use sim_core::ConfigError;
use sim_core::error::{self, clip};

/// Largest scenario file that is read \[bytes\]; 10,000 projects in the original engine's form
/// take about 10 MB.
pub const MOST_BYTES: usize = 32 << 20;

/// Reads a scenario from the bytes of a file. `name` chooses among several scenarios.
///
/// # Errors
/// Names the place and what would be right.
///
/// ```
/// use edt::scenario;
///
/// let file = br#"{"smEDT": {"scenarios": {"story": {
///     "runspecs": {"starttime": 1, "stoptime": 25, "dt": 1},
///     "properties": {"revenue_risk_level": {"type": "Double", "value": 1.0}, "fixed_cost": 15.0},
///     "agents": [
///         {"name": "controlling", "properties": {}},
///         {"name": "consultant", "count": 2, "properties": {"salary": 6, "workplace_cost": 2}}
///     ]
/// }}}}"#;
/// let firm = scenario::read(file, Some("story"))?;
/// assert_eq!((firm.stop, firm.head_count()), (25, 2));
/// assert!(scenario::read(file, Some("legend")).is_err());
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
pub fn read(bytes: &[u8], name: Option<&str>) -> Result<Firm, ConfigError> {
    if bytes.len() > MOST_BYTES {
        return Err(ConfigError::new(
            "",
            format!(
                "a scenario file may have at most {MOST_BYTES} bytes, this one has {}",
                bytes.len()
            ),
        ));
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| ConfigError::new("", format!("not JSON: {e}")))?;
    from_value(&value, name)
}

/// Reads a scenario from JSON. `name` chooses among several scenarios.
///
/// # Errors
/// Names the place and what would be right.
///
/// The form is told apart by its keys: `staff` or `projects` at the top means the form of
/// this crate. The firm is checked before it is returned.
pub fn from_value(value: &Value, name: Option<&str>) -> Result<Firm, ConfigError> {
    let Value::Object(fields) = value else {
        return Err(ConfigError::new("", "a scenario must be a JSON object"));
    };
    let firm = if fields.contains_key("staff") || fields.contains_key("projects") {
        error::read(value)?
    } else {
        bptk::firm(fields, name)?
    };
    Firm::check(&firm)?;
    Ok(firm)
}

/// A key of the input, for a message.
fn key(name: &str) -> String {
    format!("`{}`", clip(name))
}
