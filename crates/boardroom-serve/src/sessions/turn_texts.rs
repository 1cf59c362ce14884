//! The texts for the client of the seat in turn; `run` shows a model the same texts at the same
//! point.

use run_engine::engine::others::Others;
use serde_json::{Value, json};
use sim_core::{ConfigError, PeriodCount, Prompt, Seat, ToolEnvironment, ToolKind, ToolSpec};
use std::collections::BTreeSet;

/// The texts around a turn, and the seat that they are for.
#[derive(Debug)]
pub(super) struct TurnTexts {
    seat: Seat,
    /// Names of the tools that the seat may call.
    tools: Vec<String>,
    briefing: Prompt,
}

impl TurnTexts {
    /// The texts for the seat in turn now.
    pub(super) fn of(env: &dyn ToolEnvironment) -> Self {
        let tools = env.tools();
        let tools = tools.iter().map(|spec| &spec.name);
        Self {
            seat: env.turn(),
            // Only those that are offered now: a tool that is refused each time would look broken.
            tools: tools.filter(|name| env.offered(name)).cloned().collect(),
            briefing: env.briefing(),
        }
    }

    /// Whether `other` has the same rules and tools.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.seat == other.seat
            && self.tools == other.tools
            && self.briefing.system == other.briefing.system
    }

    /// The rules as text, with the name of the seat if clients play `several`.
    pub(super) fn rules(&self, several: bool) -> String {
        let rules = &self.briefing.system;
        if !several {
            return rules.clone();
        }
        let (seat, tools) = (&self.seat, self.tools.join(", "));
        format!("It is the turn of {seat}, who may call {tools}.\n\n{rules}")
    }

    /// The rules as text, for the client of this seat alone.
    pub(super) fn own_rules(&self) -> String {
        let (seat, tools) = (&self.seat, self.tools.join(", "));
        let rules = &self.briefing.system;
        format!("You are {seat} and may call {tools}.\n\n{rules}")
    }

    /// The text that opens the turn.
    pub(super) fn opening(&self) -> &str {
        &self.briefing.opening
    }

    /// Adds the rules and tools to the structured content.
    pub(super) fn add_rules(&self, value: &mut Value) {
        add(value, "rules", self.briefing.system.clone().into());
        add(value, "tools", json!(self.tools));
    }

    /// Adds the text that opens the turn.
    pub(super) fn add_opening(&self, value: &mut Value) {
        add(value, "opening", self.opening().into());
    }
}

/// Adds a field to an object.
pub(crate) fn add(value: &mut Value, name: &str, field: Value) {
    if let Some(map) = value.as_object_mut() {
        map.insert(name.to_owned(), field);
    }
}

/// Adds all fields of another object to an object.
pub(crate) fn merge(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

/// The tools of the `seats` of clients in a game at its start, in which `others` play the other seats; tools that
/// decide come last. Tools belong to the seat in turn, so a copy of the game skips turns until each seat has had one.
pub(super) fn tools_of_seats(
    env: &dyn ToolEnvironment,
    seats: &[Seat],
    others: &mut Others,
) -> Result<Vec<ToolSpec>, ConfigError> {
    let mut env = env.fork();
    let mut left: BTreeSet<&Seat> = seats.iter().collect();
    let mut tools: Vec<ToolSpec> = Vec::new();
    // At most to the end of the game: a seat without a turn has no tools that could be asked for.
    while !left.is_empty() && !env.is_over() {
        let seat = env.turn();
        if let Some(other) = others.at(&seat) {
            let action = other.act(&*env)?;
            // Or this copy would wait for that seat for ever.
            if env.act(&action).is_rejected() {
                env.forfeit_period();
            }
            other.learn(&*env);
            continue;
        }
        left.remove(&seat);
        for spec in env.tools().iter() {
            // By name, as seats share most tools.
            if tools.iter().all(|known| known.name != spec.name) {
                tools.push(spec.clone());
            }
        }
        env.forfeit_period();
    }
    // A stable sort: within both groups the order is that of the environment.
    tools.sort_by_key(|spec| spec.kind == ToolKind::Action);
    Ok(tools)
}

/// The number of the current turn, as decisions may name it, and the game's own name for the turn.
pub(super) fn turn(period: PeriodCount) -> String {
    let PeriodCount { index, total, unit } = period;
    let of = total.map_or_else(String::new, |total| format!(" of {total}"));
    format!("turn {index} ({unit} {}{of})", u64::from(index) + 1)
}
