//! What the tools of several environments have in common: ids, the number of the attempt, and the words
//! of the prompts that are the same.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use sim_core::{ActionError, ConfigError, PeriodCount, ToolKind, ToolOutput, ToolSpec};

/// The instances of the suite `paper`: a list for each level.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels<T> {
    basic: Vec<T>,
    medium: Vec<T>,
    hard: Vec<T>,
}

/// The number of the level with this `size`; `sizes` are those of basic, medium and hard, and `place` is the setting
/// that holds them.
pub(crate) fn level_of(place: &str, sizes: [u16; 3], size: u16) -> Result<usize, ConfigError> {
    let level = sizes.iter().position(|of_level| *of_level == size);
    level.ok_or_else(|| {
        let [basic, medium, hard] = sizes;
        ConfigError::new(
            place,
            format!("the suite `paper` has {basic}, {medium} or {hard} {place}, not `{size}`"),
        )
    })
}

/// The instances of the suite `paper` that `text` holds for a level: basic is 0, medium 1 and hard 2.
pub(crate) fn paper_level<T: DeserializeOwned>(
    text: &str,
    level: usize,
) -> Result<Vec<T>, ConfigError> {
    let levels: Levels<T> = serde_json::from_str(text)
        .map_err(|e| ConfigError::new("suite", format!("the stored instances: {e}")))?;
    Ok(match level {
        0 => levels.basic,
        1 => levels.medium,
        _ => levels.hard,
    })
}

/// The number as an observation of a batch holds it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "observations are single precision"
)]
#[inline(always)]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

/// The reminder after a reply that did not end the period.
pub(crate) const REMINDER: &str = "Go on with the tools.";

/// Number of names that an error lists; the rest is counted.
const NAMES_SHOWN: usize = 12;

/// A getter, which answers only once a period if `read_once`.
pub(crate) fn getter_once(name: &'static str, about: &'static str, read_once: bool) -> ToolSpec {
    let tool = ToolSpec::new(name, ToolKind::Getter, about);
    if read_once { tool.once() } else { tool }
}

/// The getter of the number of the attempt.
pub(crate) fn attempt_tool() -> ToolSpec {
    ToolSpec::new(
        "get_attempt_number",
        ToolKind::Getter,
        "Shows the number of the current attempt, counted from 0: it is 4 when four attempts (0, 1, 2 \
         and 3) lie behind you.",
    )
}

/// The getter of the ids of the products.
pub(crate) fn product_ids_tool() -> ToolSpec {
    ToolSpec::new(
        "get_product_ids",
        ToolKind::Getter,
        "Lists the ids of all products that you price.",
    )
}

/// What the getter of a number shows.
pub(crate) fn number_output(number: u32) -> ToolOutput {
    ToolOutput {
        text: number.to_string(),
        value: Some(json!(number)),
    }
}

/// What the getter of the ids `prefix` 1 to `n` shows: a list in the notation of Python.
pub(crate) fn ids_output(prefix: &str, n: u16) -> ToolOutput {
    let ids: Vec<String> = (1..=n).map(|number| format!("{prefix}{number}")).collect();
    let quoted: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
    ToolOutput {
        text: format!("[{}]", quoted.join(", ")),
        value: Some(json!(ids)),
    }
}

/// The 0-based number of an id such as `W3`. Accepts only the ids that the getters list: `W03` is refused.
pub(crate) fn number_of(id: &str, prefix: &str) -> Option<u32> {
    let digits = id.strip_prefix(prefix)?;
    // `parse` reads `3`, `03` and `+3` alike, so one worker could be two keys of a mapping.
    if digits.starts_with(['0', '+']) {
        return None;
    }
    digits.parse::<u32>().ok()?.checked_sub(1)
}

/// Refuses a mapping with the names at fault, if there are any: the first of them, and how many more.
pub(crate) fn none_of(
    code: &'static str,
    fault: &str,
    names: &[String],
) -> Result<(), ActionError> {
    if names.is_empty() {
        return Ok(());
    }
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
    let more = match names.len().saturating_sub(NAMES_SHOWN) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let message = format!("{fault}: {}{more}", shown.join(", "));
    Err(ActionError::new(code, message))
}

/// Progress of a run of `total` attempts.
pub(crate) fn attempts(index: u32, total: u32) -> PeriodCount {
    PeriodCount {
        index,
        total: Some(total),
        unit: "attempt",
    }
}
