//! Registry: instances, settings, tool calls and snapshots of all of them.

use crate::target::{Opened, Target, Verdict, longest};
use anyhow::Result;
use boardroom::Registry;
use run_engine::plan::source::InstanceFile;
use serde_json::{Map, Value, json};
use sim_core::seed::Stream;
use sim_core::{
    Digest, DynEnvironmentSpec, DynInstance, DynPolicy, Effort, Header, Input, Limits, Seat, Seed,
    Session, Stored as _, ToolEnvironment, ToolSpec,
};
use std::collections::BTreeMap;

/// Instance files.
pub const INSTANCE: Target = Target {
    name: "instance",
    about: "instance files of every environment: read, opened, played, scored",
    weight: 4,
    longest: longest::FILE,
    open: instances,
};

/// Settings.
pub const SETTINGS: Target = Target {
    name: "settings",
    about: "settings of every environment: checked, drawn from, played, with a reference",
    weight: 5,
    longest: longest::FILE,
    open: settings,
};

/// Tool calls.
pub const TOOLS: Target = Target {
    name: "tools",
    about: "tool calls, texts and typed actions; a refused one changes nothing",
    weight: 4,
    longest: longest::FILE,
    open: tools,
};

/// Snapshots.
pub const SNAPSHOT: Target = Target {
    name: "snapshot",
    about: "snapshots: restored or refused, then played on",
    weight: 2,
    longest: longest::FILE,
    open: snapshots,
};

/// Turns that a world is played.
const TURNS: usize = 8;

/// Draws whose only source is the input itself.
// Not those of its case: an input that was kept is played again as a file, which has no number.
fn chance_of(input: &[u8]) -> Stream {
    let Digest(bytes) = Digest::of_bytes(input);
    let [a, b, c, d, e, f, g, h, ..] = bytes;
    Seed(u64::from_le_bytes([a, b, c, d, e, f, g, h])).stream("play", 0)
}

/// Registry with the presets that are quick to make.
fn settled(registry: &Registry) -> Vec<(&dyn DynEnvironmentSpec, &'static str)> {
    let mut all = Vec::new();
    for kind in registry.kinds() {
        for preset in kind.preset_list() {
            // A company of a thousand people takes as long as all other presets together.
            if kind.name() != "office" || preset.name == "small" {
                all.push((kind, preset.name));
            }
        }
    }
    all
}

/// Settings that make the world of a preset small.
fn small(kind: &str) -> Vec<(String, Value)> {
    match kind {
        "office" => vec![("company.employees".to_owned(), json!(50))],
        _ => Vec::new(),
    }
}

fn case_of(spec: &dyn DynEnvironmentSpec, preset: &str) -> Option<std::sync::Arc<dyn DynInstance>> {
    let config = spec
        .configure(Some(preset), &small(spec.name()))
        .or_else(|_| spec.configure(Some(preset), &[]))
        .ok()?;
    spec.draw(&config, Seed(1), 0).ok()
}

/// Plays some turns by policies and judges; whether a promise was broken.
fn play(
    spec: &dyn DynEnvironmentSpec,
    case: &dyn DynInstance,
    chance: &mut Stream,
) -> Result<(), String> {
    let Ok(mut env) = case.open() else {
        return Ok(());
    };
    play_on(spec, case, &mut *env, chance)?;
    if chance.chance(0.3) {
        let reference = case.reference(Effort::Quick);
        let _ = serde_json::to_string(&reference);
    }
    Ok(())
}

fn play_on(
    spec: &dyn DynEnvironmentSpec,
    case: &dyn DynInstance,
    env: &mut dyn ToolEnvironment,
    chance: &mut Stream,
) -> Result<(), String> {
    let policies = spec.policy_list();
    let mut players: BTreeMap<Seat, Box<dyn DynPolicy>> = BTreeMap::new();
    for _ in 0..TURNS {
        if env.is_over() {
            break;
        }
        // Made for their panics alone.
        let _ = (env.briefing(), env.observation(), env.feedback());
        let seat = env.turn();
        if !players.contains_key(&seat) {
            let any = chance
                .pick(&policies)
                .map_or("random", |policy| policy.name);
            let name = if chance.chance(0.7) { "random" } else { any };
            let player = case
                .policy(name, &seat, Seed(1))
                .or_else(|_| case.policy(any, &seat, Seed(1)));
            if let Ok(player) = player {
                players.insert(seat.clone(), player);
            }
        }
        let action = match players.get_mut(&seat) {
            // One turn in ten is forfeited, which leads to states that no action does.
            Some(player) if chance.chance(0.9) => player.act(env).ok(),
            _ => None,
        };
        match action {
            Some(action) => {
                let reply = apply(env, &Input::Act(action.clone()))?;
                if reply {
                    env.forfeit_period();
                }
                if let Some(player) = players.get_mut(&seat) {
                    player.learn(env);
                }
            }
            None => {
                env.forfeit_period();
            }
        }
    }
    let _ = env.score();
    let snapshot = env.snapshot();
    if env.restore(&snapshot).is_err() {
        return Err("an environment refuses its own snapshot".to_owned());
    }
    Ok(())
}

/// Applies an input; whether it was refused.
fn apply(env: &mut dyn ToolEnvironment, input: &Input) -> Result<bool, String> {
    let before = env.snapshot();
    let refused = env.apply(input).is_rejected();
    if refused && env.snapshot() != before {
        return Err("a refused input changed the snapshot".to_owned());
    }
    Ok(refused)
}

fn verdict(played: Result<(), String>) -> Verdict {
    match played {
        Ok(()) => Verdict::Played,
        Err(broken) => Verdict::Broken(broken),
    }
}

fn instances() -> Result<Opened> {
    let registry = Registry::new();
    let mut seeds = Vec::new();
    for (kind, preset) in settled(&registry) {
        if let Some(case) = case_of(kind, preset) {
            seeds.push(serde_json::to_vec(&InstanceFile {
                schema: InstanceFile::SCHEMA,
                environment: kind.name().to_owned(),
                version: kind.version(),
                instance: case.instance().clone(),
            })?);
        }
    }
    Ok(Opened::new(seeds, move |input| {
        let Ok(value) = sim_core::strict::json(input) else {
            return Verdict::Refused;
        };
        let Ok(file) = InstanceFile::read(value) else {
            return Verdict::Refused;
        };
        let Ok(kind) = registry.kind(&file.environment) else {
            return Verdict::Refused;
        };
        let Ok(case) = kind.load(&file.instance) else {
            return Verdict::Refused;
        };
        verdict(play(kind, &*case, &mut chance_of(input)))
    }))
}

/// The single values of a configuration, by dotted path.
fn leaves(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    if !path.is_empty() {
        found.push((path.to_owned(), value.clone()));
    }
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| leaves(value, &below(key), found)),
        Value::Array(items) => (0_u32..)
            .zip(items)
            // Entries of a list have the same checks; three show them.
            .take(3)
            .for_each(|(index, value)| leaves(value, &below(&index.to_string()), found)),
        _ => {}
    }
}

fn settings() -> Result<Opened> {
    let registry = Registry::new();
    let mut seeds = Vec::new();
    for (kind, preset) in settled(&registry) {
        let config = kind.configure(Some(preset), &small(kind.name()));
        let Ok(config) = config.or_else(|_| kind.configure(Some(preset), &[])) else {
            continue;
        };
        let mut all = Vec::new();
        leaves(&config, "", &mut all);
        // Every setting stands in one seed at least, a few of them together.
        for some in all.chunks(4) {
            let mut settings: Map<String, Value> = small(kind.name()).into_iter().collect();
            settings.extend(some.iter().cloned());
            let input = json!({
                "environment": kind.name(), "preset": preset, "seed": 0, "settings": settings,
            });
            seeds.push(serde_json::to_vec(&input)?);
        }
    }
    Ok(Opened::new(seeds, move |input| {
        let value = sim_core::strict::json(input).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let Some(Ok(kind)) = text("environment").map(|name| registry.kind(name)) else {
            return Verdict::Refused;
        };
        let settings: Vec<(String, Value)> = match value.get("settings") {
            Some(Value::Object(map)) => map.clone().into_iter().collect(),
            _ => Vec::new(),
        };
        let Ok(config) = kind.configure(text("preset"), &settings) else {
            return Verdict::Refused;
        };
        let seed = Seed(value.get("seed").and_then(Value::as_u64).unwrap_or(0));
        let mut chance = chance_of(input);
        let _ = kind.distinct_instances(&config);
        let Ok(case) = kind.draw(&config, seed, 0) else {
            return Verdict::Refused;
        };
        if chance.chance(0.1) {
            for suite in kind.suite_names() {
                let _ = kind.suite_instances(suite, &config);
            }
        }
        if chance.chance(0.1) {
            let _ = kind.new_batch(&config, 2, seed);
        }
        verdict(play(kind, &*case, &mut chance))
    }))
}

/// A value that a JSON Schema probably allows.
fn example(schema: &Value, depth: u32) -> Value {
    if let Some(first) = schema.get("enum").and_then(|all| all.get(0)) {
        return first.clone();
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("null"),
        _ => "string",
    };
    match kind {
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" if depth > 0 => {
            let item = schema.get("items").map(|items| example(items, depth - 1));
            Value::Array(item.into_iter().collect())
        }
        "object" if depth > 0 => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let filled = properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), example(schema, depth - 1)));
            Value::Object(filled.collect())
        }
        "array" => json!([]),
        "object" => json!({}),
        _ => json!("1"),
    }
}

fn called(tool: &ToolSpec) -> Input {
    Input::Call {
        tool: tool.name.clone(),
        arguments: example(&tool.arguments, 4),
    }
}

/// What a policy does in the first turns.
fn acted(spec: &dyn DynEnvironmentSpec, case: &dyn DynInstance) -> Vec<Input> {
    let mut inputs = Vec::new();
    let Ok(mut env) = case.open() else {
        return inputs;
    };
    for _ in 0..3 {
        let seat = env.turn();
        let names = spec.policy_list();
        let mut made = names.iter().filter_map(|policy| {
            let mut player = case.policy(policy.name, &seat, Seed(1)).ok()?;
            player.act(&*env).ok()
        });
        let Some(action) = made.next() else { break };
        let input = Input::Act(action);
        if env.apply(&input).is_rejected() || env.is_over() {
            break;
        }
        inputs.push(input);
    }
    inputs
}

fn tools() -> Result<Opened> {
    let registry = Registry::new();
    let mut seeds = Vec::new();
    for (kind, preset) in settled(&registry) {
        let Some(case) = case_of(kind, preset) else {
            continue;
        };
        let Ok(env) = case.open() else { continue };
        let mut inputs = acted(kind, &*case);
        inputs.push(Input::Say {
            text: "order 4, price 2.5: A 3, B 4".to_owned(),
        });
        let calls: Vec<Input> = env.tools().iter().map(called).collect();
        for some in calls.chunks(6) {
            let all: Vec<&Input> = some.iter().chain(&inputs).collect();
            seeds.push(serde_json::to_vec(&json!({
                "environment": kind.name(), "preset": preset, "inputs": all,
            }))?);
        }
    }
    let mut cases: BTreeMap<String, std::sync::Arc<dyn DynInstance>> = BTreeMap::new();
    Ok(Opened::new(seeds, move |input| {
        let value = sim_core::strict::json(input).unwrap_or_default();
        let Some((kind, case)) = opened(&registry, &mut cases, &value) else {
            return Verdict::Refused;
        };
        let Some(Value::Array(inputs)) = value.get("inputs") else {
            return Verdict::Refused;
        };
        let Ok(env) = case.open() else {
            return Verdict::Refused;
        };
        let mut session = Session::new(env, header(kind, &*case), Limits::default());
        let mut taken = 0;
        for input in inputs.iter().take(200) {
            let Ok(input) = serde_json::from_value::<Input>(input.clone()) else {
                continue;
            };
            if session.env().is_over() {
                break;
            }
            let before = session.env().snapshot();
            // On a fork, because the session may answer a refusal with a forfeit, which changes the
            // state rightly. Only the environment alone can show that a refused input changes
            // nothing.
            let mut aside = session.env().fork();
            if aside.apply(&input).is_rejected() && aside.snapshot() != before {
                return Verdict::Broken(format!("a refused input changed the snapshot: {input:?}"));
            }
            let outcome = session.apply(input);
            taken += usize::from(!outcome.reply.is_rejected());
        }
        if let Ok(record) = session.finish()
            && let Ok(env) = case.open()
            && let Err(why) = record.verify(env)
        {
            return Verdict::Broken(format!("the record does not verify: {why}"));
        }
        if taken > 0 {
            Verdict::Played
        } else {
            Verdict::Refused
        }
    }))
}

/// The header of a session on an instance.
pub(super) fn header(spec: &dyn DynEnvironmentSpec, case: &dyn DynInstance) -> Header {
    Header {
        environment: spec.name().to_owned(),
        version: spec.version(),
        config: Digest::of_bytes(b""),
        instance: case.digest(),
        seed: Seed(1),
        episode: 0,
        agent: "fuzz".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    }
}

/// The case that an input names; each is made once.
fn opened<'r>(
    registry: &'r Registry,
    cases: &mut BTreeMap<String, std::sync::Arc<dyn DynInstance>>,
    value: &Value,
) -> Option<(&'r dyn DynEnvironmentSpec, std::sync::Arc<dyn DynInstance>)> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let spec = registry.kind(text("environment")?).ok()?;
    let preset = text("preset")?;
    let key = format!("{} {preset}", spec.name());
    if !cases.contains_key(&key) {
        let known = spec.preset_list().iter().any(|known| known.name == preset);
        let case = case_of(spec, preset).filter(|_| known)?;
        cases.insert(key.clone(), case);
    }
    Some((spec, std::sync::Arc::clone(cases.get(&key)?)))
}

fn snapshots() -> Result<Opened> {
    let registry = Registry::new();
    let mut seeds = Vec::new();
    for (kind, preset) in settled(&registry) {
        let Some(case) = case_of(kind, preset) else {
            continue;
        };
        let Ok(mut env) = case.open() else { continue };
        for input in acted(kind, &*case) {
            env.apply(&input);
        }
        seeds.push(serde_json::to_vec(&json!({
            "environment": kind.name(), "preset": preset, "snapshot": env.snapshot(),
        }))?);
    }
    let mut cases = BTreeMap::new();
    Ok(Opened::new(seeds, move |input| {
        let value = sim_core::strict::json(input).unwrap_or_default();
        let Some((kind, case)) = opened(&registry, &mut cases, &value) else {
            return Verdict::Refused;
        };
        let (Ok(mut env), Some(snapshot)) = (case.open(), value.get("snapshot")) else {
            return Verdict::Refused;
        };
        let before = env.snapshot();
        if env.restore(snapshot).is_err() {
            return if env.snapshot() == before {
                Verdict::Refused
            } else {
                Verdict::Broken("a refused snapshot changed the environment".to_owned())
            };
        }
        verdict(play_on(kind, &*case, &mut *env, &mut chance_of(input)))
    }))
}
