//! What the agent decides: money now, or more of it later.

use serde::{Deserialize, Serialize};

/// An answer.
///
/// As JSON `"now"`, `"later"` or `"unreadable"`. Which letter an option has in the
/// question (A or B) is up to the tools; the action names the option itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The hundred dollars now.
    Now,
    /// The larger amount later.
    Later,
    /// A reply without a readable answer. It counts as later, as in the authors' program, and is
    /// counted in the metric `unreadable`.
    Unreadable,
}
