//! The result of a finished game, as JSON and as text.

use run_engine::words::{direction, number};
use serde_json::{Value, json};
use sim_core::stats::normalise;
use sim_core::{DynEnvironmentSpec, EpisodeRecord, Reference, Score, Sense};

/// The value of a score; `None` if the episode could not be scored.
pub(super) fn value_of(score: &Score) -> Option<f64> {
    // A cost of zero is -0.0; adding 0.0 turns it into 0.0, so that no client prints a minus sign.
    score.is_scored().then(|| score.value() + 0.0)
}

/// The result of `record` against the reference of its instance. Keys without a value are `null`.
pub(super) fn result(
    spec: &dyn DynEnvironmentSpec,
    record: &EpisodeRecord,
    reference: &Reference,
) -> Value {
    let value = value_of(&record.score);
    let placed = value.map(|value| normalise(value, reference, spec.sense()));
    // Where higher is not better, a place between two values means nothing.
    let placed = placed.filter(|_| spec.is_ranked());
    json!({
        "value": value,
        "unit": spec.unit(),
        "sense": spec.is_ranked().then(|| spec.sense()),
        "reference": reference.value().map(|value| json!({
            "value": value,
            "status": reference.status,
            "method": reference.method,
            "baseline": reference.baseline,
        })),
        "regret": placed.and_then(|placed| placed.regret),
        "normalised_score": placed.and_then(|placed| placed.normalised),
        "unit_score": placed.and_then(|placed| placed.unit),
        "incidents": record.score.all_incidents(),
        "episode": record.header.episode,
        "trial": record.header.trial,
        "ending": record.ending,
    })
}

/// The same for a client that reads text only.
pub(super) fn text(result: &Value, sense: Sense) -> String {
    let shown = |value: &Value| {
        let figure = value.as_f64().map(number);
        figure.unwrap_or_else(|| "not defined".to_owned())
    };
    let field = |name: &str| result.get(name).unwrap_or(&Value::Null);
    let mut text = format!(
        "The result is {} {}",
        shown(field("value")),
        field("unit").as_str().unwrap_or_default()
    );
    if !field("sense").is_null() {
        text.push_str("; ");
        text.push_str(direction(Some(sense)));
    }
    if let (Some(value), Some(status)) = (
        result.pointer("/reference/value"),
        result.pointer("/reference/status").and_then(Value::as_str),
    ) {
        text.push_str(&format!(". Reference: {} ({status})", shown(value)));
        // Only beside a reference: without one all three are undefined.
        for (name, key) in [
            ("Regret", "regret"),
            ("Normalised score", "normalised_score"),
            ("Unit score", "unit_score"),
        ] {
            text.push_str(&format!(". {name}: {}", shown(field(key))));
        }
    }
    let incidents = field("incidents").as_array().map_or(&[][..], Vec::as_slice);
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for incident in incidents {
        let code = incident.get("code").and_then(Value::as_str);
        *counts.entry(code.unwrap_or("unknown")).or_default() += 1;
    }
    let listed: Vec<String> = counts
        .into_iter()
        .map(|(code, count)| format!("{code} ({count})"))
        .collect();
    let listed = if listed.is_empty() {
        "none".to_owned()
    } else {
        listed.join(", ")
    };
    text.push_str(&format!(". Incidents: {listed}."));
    text
}
