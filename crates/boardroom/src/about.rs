//! The commands `list` and `describe`: the environments, and for each its rules, tools, settings
//! and references.

pub mod method;

use agent_client::method::METHODS;
use qa_scoring::Task;
use run_engine::engine::episode::EpisodeRunner;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::plan::{Plan, RunRequest};
use run_engine::registry::Registry;
use run_engine::words::{direction, number, range};
use run_report::questions::{INTERVIEWS, QUESTIONS};
use serde_json::{Value, json};
use sim_core::{DynEnvironmentSpec, Effort, Input, Seed, ToolKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Every environment with its presets, suites and policies, as JSON.
#[must_use]
pub fn list_json(registry: &Registry) -> Value {
    let kinds = registry.kinds().map(|kind| {
        json!({
            "environment": kind.name(),
            "version": kind.version().to_string(),
            "about": kind.about().about,
            "sense": kind.is_ranked().then(|| kind.sense()),
            "unit": kind.unit(),
            "score_range": kind.about().range,
            "presets": kind.preset_list(),
            "suites": kind.suite_names(),
            "policies": kind.policy_list(),
        })
    });
    Value::Array(kinds.collect())
}

/// Every environment with its presets, suites and policies, as text.
#[must_use]
pub fn list_text(registry: &Registry) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results here and below.
    for kind in registry.kinds() {
        let _ = writeln!(out, "{}  {}", kind.name(), kind.about().about);
        for preset in kind.preset_list() {
            let _ = writeln!(out, "  preset {:<18} {}", preset.name, preset.about);
        }
        for suite in kind.suite_names() {
            let _ = writeln!(out, "  suite  {suite:<18} a fixed list of instances");
        }
        for policy in kind.policy_list() {
            let name = policy_name(policy.name, policy.argument);
            let knows = if policy.oracle {
                " [knows hidden state]"
            } else {
                ""
            };
            let _ = writeln!(out, "  policy {name:<18} {}{knows}", policy.about);
        }
        out.push('\n');
    }
    let _ = writeln!(out, "methods of models (--method): {}", method_names());
    out
}

/// The names of the agent methods.
#[must_use]
pub fn method_names() -> String {
    METHODS.map(|method| method.name).join(", ")
}

fn policy_name(name: &str, argument: Option<&str>) -> String {
    argument.map_or_else(|| name.to_owned(), |form| format!("{name}:{form}"))
}

/// Everything about one environment as text.
///
/// # Errors
/// When its first preset cannot be opened.
pub fn describe(registry: &Registry, environment: &str) -> Result<String, RunError> {
    let spec = registry.kind(environment)?;
    let config = spec.configure(None, &[])?;
    // One instance stands for all: rules and tools are asked of an environment, which has an instance.
    let case = spec.draw(&config, Seed(0), 0)?;
    let mut env = case.open()?;
    // What an agent is told begins with its first turn.
    while !env.is_over()
        && let Some((_, usual)) = spec
            .default_cast()
            .iter()
            .find(|(seat, _)| *seat == env.turn().name())
    {
        let mut other = case.policy(usual, &env.turn(), Seed(0))?;
        let action = other.act(&*env)?;
        env.apply(&Input::Act(action));
    }
    let briefing = env.briefing();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} (version {}): {}\nscore: {}{}; {}\n",
        spec.name(),
        spec.version(),
        spec.about().about,
        spec.unit(),
        range(spec.about().range),
        direction(spec.is_ranked().then(|| spec.sense()))
    );
    let _ = writeln!(out, "AS AN AGENT IS TOLD (preset {})", first_preset(spec));
    for line in briefing
        .system
        .lines()
        .chain([""])
        .chain(briefing.opening.lines())
    {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(out, "\nTOOLS");
    for tool in env.tools().iter() {
        let kind = match tool.kind {
            ToolKind::Getter => "reads",
            ToolKind::Write => "writes",
            ToolKind::Action => "decides",
        };
        let once = if tool.once_per_period {
            ", once per period"
        } else {
            ""
        };
        let _ = writeln!(out, "  {} ({kind}{once}): {}", tool.name, tool.description);
        let arguments = tool.arguments.get("properties");
        let arguments = arguments.filter(|a| a.as_object().is_some_and(|map| !map.is_empty()));
        if let Some(arguments) = arguments {
            let _ = writeln!(out, "      {}", sim_core::bytes::canonical_text(arguments));
        }
    }
    let _ = writeln!(
        out,
        "\nSETTINGS (--set key=value), defaults of preset {}",
        first_preset(spec)
    );
    let schema = spec.config_schema();
    describe_fields(&schema, &schema, &config, "", &mut out);
    let _ = writeln!(out, "\nPRESETS");
    for preset in spec.preset_list() {
        // With little effort: `describe` must answer at once.
        let reference = spec
            .configure(Some(preset.name), &[])
            .and_then(|config| spec.draw(&config, Seed(0), 0))?
            .reference(Effort::Quick);
        let reference = match reference.value() {
            Some(value) => format!(
                "reference of episode 0: {} ({})",
                number(value),
                reference.status
            ),
            None if spec.is_ranked() => "no reference without --reference search".to_owned(),
            None => "no reference".to_owned(),
        };
        let _ = writeln!(out, "  {:<14} {}; {reference}", preset.name, preset.about);
    }
    let _ = writeln!(out, "\nPOLICIES");
    for policy in spec.policy_list() {
        let mut marks = Vec::new();
        if policy.oracle {
            marks.push("knows hidden state");
        }
        if policy.random {
            marks.push("draws random numbers");
        }
        let marks = if marks.is_empty() {
            String::new()
        } else {
            format!(" [{}]", marks.join(", "))
        };
        let name = policy_name(policy.name, policy.argument);
        let _ = writeln!(out, "  {name:<18} {}{marks}", policy.about);
    }
    let metrics = metrics(registry, spec)?.join(", ");
    if !metrics.is_empty() {
        let _ = writeln!(
            out,
            "\nMETRICS of an episode (`run --metrics`, `report` and `export` show them)\n  {metrics}",
        );
    }
    if !spec.default_cast().is_empty() {
        let _ = writeln!(out, "\nSEATS THAT ARE NOT UNDER TEST (--seat NAME=AGENT)");
    }
    for (seat, usual) in spec.default_cast() {
        let _ = writeln!(out, "  {seat:<18} {usual} by default");
    }
    if spec.name() == QUESTIONS {
        let _ = writeln!(
            out,
            "\nTASKS (`run qa --data DIR --task TASK`), with the number of published items; docs/qa.md names the rules"
        );
        tasks(&mut out);
    }
    let _ = writeln!(
        out,
        "\nMETHODS OF MODELS (--method; `describe method NAME` has the settings)\n  {}",
        method_names()
    );
    let _ = writeln!(out, "\nCOMMANDS");
    for command in commands(spec) {
        let _ = writeln!(out, "  boardroom {command}");
    }
    Ok(out)
}

/// The names of the metrics in the record of an episode that the first policy plays.
fn metrics(registry: &Registry, spec: &dyn DynEnvironmentSpec) -> Result<Vec<String>, RunError> {
    let Some(policy) = spec.policy_list().into_iter().next() else {
        return Ok(Vec::new());
    };
    // One episode is played, because only its score says which metrics there are.
    let plan = Plan::new(
        registry,
        RunRequest {
            environment: spec.name().to_owned(),
            agent: policy_name(policy.name, policy.example),
            episodes: Some(1),
            ..RunRequest::default()
        },
    )?;
    let source = InstanceSource::of(spec, &plan)?;
    let runner = EpisodeRunner::new(&plan, &source)?;
    let played = runner.play(&*runner.case(0)?, 0, false)?;
    let names = played.record.score.metrics().iter();
    Ok(names.map(|(name, _)| name.to_string()).collect())
}

/// Commands that play `spec`: with a policy, with a model, by a person.
fn commands(spec: &dyn DynEnvironmentSpec) -> Vec<String> {
    let name = spec.name();
    let mut all = Vec::new();
    if let Some(policy) = spec.policy_list().first() {
        let policy = policy_name(policy.name, policy.example);
        all.push(format!("run {name} --agent {policy}"));
    }
    let model = "openai:MODEL";
    all.push(match name {
        QUESTIONS => format!(
            "run {name} --data DIR --task TASK --agent {model} --method cot --judge {model}"
        ),
        INTERVIEWS => format!(
            "run {name} --preset short --agent {model} --interviewer {model} --judge {model}"
        ),
        _ => format!("run {name} --agent {model} --method cot"),
    });
    all.push(format!("play {name}"));
    all
}

/// The tasks by group, each with its number of published items.
fn tasks(out: &mut String) {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in Task::all() {
        let name = task.to_string();
        let (group, last) = name.rsplit_once('/').unwrap_or(("", &name));
        let items = task.items().map_or_else(String::new, |n| format!(" {n}"));
        let group = groups.entry(group.to_owned()).or_default();
        group.push(format!("{last}{items}"));
    }
    for (group, tasks) in groups {
        let _ = writeln!(out, "  {group}/: {}", tasks.join(", "));
    }
}

fn first_preset(spec: &dyn DynEnvironmentSpec) -> &'static str {
    spec.preset_list().first().map_or("", |preset| preset.name)
}

/// One line per field: dotted path, value, limits, description; the fields of nested objects follow. A field that is
/// not written at its default has no value here.
fn describe_fields(root: &Value, schema: &Value, value: &Value, path: &str, out: &mut String) {
    let schema = resolve(root, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let (Some(properties), Some(values)) = (properties, value.as_object()) else {
        return;
    };
    for (name, field) in properties {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let choice = Choice::of(root, field);
        // That of the field before that of its type, which is the same for all fields of the type.
        let about = field.get("description").and_then(Value::as_str);
        let about = about.or_else(|| {
            resolve(root, field)
                .get("description")
                .and_then(Value::as_str)
        });
        let about = about.unwrap_or("").replace('\n', " ");
        let (names, limits) = (choice.names(), limits(field));
        match values.get(name) {
            Some(value) if value.is_object() => {
                let _ = writeln!(out, "  {path}{names}: {about}");
                describe_fields(root, field, value, &path, out);
            }
            value => {
                let text = value.map_or_else(String::new, |value| {
                    format!(" = {}", sim_core::error::clip(&value.to_string()))
                });
                let _ = writeln!(out, "  {path}{text}{names}{limits}: {about}");
            }
        }
        choice.describe(root, &path, out);
    }
}

/// The names of which a field has one, and the fields that come with some of them.
#[derive(Default)]
struct Choice<'a> {
    names: Vec<&'a str>,
    /// Name, whether the name is a key around the fields, and the schema of the fields.
    fields: Vec<(&'a str, bool, &'a Value)>,
}

impl<'a> Choice<'a> {
    fn of(root: &'a Value, field: &'a Value) -> Self {
        let schema = resolve(root, field);
        let mut found = Self::default();
        let texts = |value: &'a Value| {
            value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        found
            .names
            .extend(schema.get("enum").into_iter().flat_map(texts));
        for one in schema
            .get("oneOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            found
                .names
                .extend(one.get("enum").into_iter().flat_map(texts));
            if let Some(name) = one.get("const").and_then(Value::as_str) {
                found.names.push(name);
                continue;
            }
            let fields = one.get("properties").and_then(Value::as_object);
            // The two forms that serde gives a choice with fields: its name as the value of a tag
            // (`const`), or as a key around the fields.
            for (key, inner) in fields.into_iter().flatten() {
                if let Some(name) = inner.get("const").and_then(Value::as_str) {
                    found.names.push(name);
                    found.fields.push((name, false, one));
                } else if resolve(root, inner).get("properties").is_some() {
                    found.names.push(key);
                    found.fields.push((key, true, inner));
                }
            }
        }
        found
    }

    fn names(&self) -> String {
        if self.names.is_empty() {
            return String::new();
        }
        format!(" ({})", self.names.join(", "))
    }

    /// A line for each field that has limits; the present value need not have it.
    fn describe(&self, root: &Value, path: &str, out: &mut String) {
        for &(name, is_key, schema) in &self.fields {
            let fields = resolve(root, schema)
                .get("properties")
                .and_then(Value::as_object);
            for (key, field) in fields.into_iter().flatten() {
                let limits = limits(field);
                if limits.is_empty() {
                    continue;
                }
                let _ = match is_key {
                    true => writeln!(out, "  {path}.{name}.{key}{limits}"),
                    false => writeln!(out, "  {path}.{key} of `{name}`{limits}"),
                };
            }
        }
    }
}

/// The limits of a number, or of a list and of its numbers.
fn limits(field: &Value) -> String {
    let range = |of: &Value, low: &str, high: &str| {
        // Both ends or none: half a range reads like a mistake.
        let (low, high) = (of.get(low)?, of.get(high)?);
        Some(sim_core::error::range_text(bound(low), bound(high)))
    };
    let number = range(field, "minimum", "maximum");
    let entries =
        // A fixed length leaves no choice, so it is not told as a range.
        range(field, "minItems", "maxItems").filter(|_| field["minItems"] != field["maxItems"]);
    let each = field
        .get("items")
        .and_then(|items| range(items, "minimum", "maximum"));
    let told = number
        .into_iter()
        .chain(entries.map(|range| format!("{range} values")))
        .chain(each.map(|range| format!("each {range}")));
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return String::new();
    }
    format!(" ({})", told.join(", "))
}

/// A bound of a range as the error of a number outside of it shows it: JSON writes real numbers as `0.0` and `1e-9`.
fn bound(number: &Value) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(real) => real.to_string(),
        None => number.to_string(),
    }
}

/// Follows a `$ref` into the definitions of the schema.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str);
    let pointer = name.and_then(|name| name.strip_prefix('#'));
    pointer
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}
