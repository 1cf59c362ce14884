//! The original engine's form.
//!
//! Nothing is read silently: an unknown key, a second scenario of the same name or a list
//! that mixes the kinds of agents is refused with its place, because the original engine
//! ignores what it does not know and then runs something else than the author meant.

use super::key;
use crate::firm::{Actor, AgentOrder, Firm, Project, StaffGroup};
use serde_json::{Map, Value};
use sim_core::ConfigError;
use strum::VariantArray;

type Fields = Map<String, Value>;

/// Finds the scenario in a file of managers, of scenarios, or alone, and reads it.
pub(super) fn firm(fields: &Fields, name: Option<&str>) -> Result<Firm, ConfigError> {
    if fields.contains_key("runspecs") || fields.contains_key("agents") {
        return scenario(fields);
    }
    let mut found: Vec<(String, &str, &Fields)> = Vec::new();
    let managers: Vec<(String, &Value)> = match fields.get("scenarios") {
        Some(_) => vec![(String::new(), &Value::Null)],
        None => fields
            .iter()
            .map(|(manager, value)| (manager.clone(), value))
            .collect(),
    };
    for (manager, value) in managers {
        let holder = if manager.is_empty() {
            Some(fields)
        } else {
            value.as_object()
        };
        let Some(scenarios) = holder.and_then(|f| f.get("scenarios")) else {
            continue;
        };
        let place = join(&manager, "scenarios");
        for (title, one) in object(scenarios, &place)? {
            found.push((
                join(&place, title),
                title,
                object(one, &join(&place, title))?,
            ));
        }
    }
    let mut titles: Vec<&str> = found.iter().map(|(_, title, _)| *title).collect();
    // A file may hold thousands; ten of them show what a name looks like.
    titles.truncate(10);
    let titles = titles.iter().map(|t| key(t)).collect::<Vec<_>>().join(", ");
    let mut chosen = found
        .iter()
        .filter(|(_, title, _)| name.is_none_or(|name| name == *title));
    match (chosen.next(), chosen.next()) {
        (Some((place, _, one)), None) => scenario(one).map_err(|e| e.within(place)),
        (Some(_), Some(_)) => Err(ConfigError::new(
            "scenarios",
            format!("the file holds several scenarios, choose one of {titles}"),
        )),
        (None, _) if found.is_empty() => Err(ConfigError::new(
            "",
            "no scenario here: expected `runspecs`, `properties` and `agents`, or our own form with `stop`, `staff` and `projects`",
        )),
        (None, _) => Err(ConfigError::new(
            "scenarios",
            format!(
                "no scenario {}; there are {titles}",
                key(name.unwrap_or_default())
            ),
        )),
    }
}

fn scenario(fields: &Fields) -> Result<Firm, ConfigError> {
    // Unknown names are refused on every level. What is not known cannot be played, and without it
    // the firm would earn something else than the file means.
    only(fields, "", &["runspecs", "properties", "agents"])?;
    let runspecs = block(fields, "runspecs")?;
    only(runspecs, "runspecs", &["starttime", "stoptime", "dt"])?;
    let properties = block(fields, "properties")?;
    only(
        properties,
        "properties",
        &["revenue_risk_level", "fixed_cost"],
    )?;
    let agents = match need(fields, "agents", "")? {
        Value::Array(agents) => agents,
        _ => return Err(ConfigError::new("agents", "must be a list of agents")),
    };
    let mut staff: Vec<StaffGroup> = Vec::new();
    let mut projects: Vec<Project> = Vec::new();
    let mut order: Vec<Actor> = Vec::new();
    for (i, agent) in agents.iter().enumerate() {
        let place = format!("agents[{i}]");
        let agent = object(agent, &place)?;
        only(agent, &place, &["name", "type", "count", "properties"])?;
        let count = count(agent, &place)?;
        // Nobody of this kind acts, so the entry has no place in the order either.
        if count == 0 {
            continue;
        }
        let actor = match kind(agent, &place)? {
            "consultant" => {
                let group = consultant(agent, count, &place)?;
                // Files list consultants one by one; neighbours on equal terms become one group,
                // which is all that a run needs to know.
                match staff.last_mut().filter(|last| same_terms(last, &group)) {
                    Some(last) => last.count = last.count.saturating_add(count),
                    None => staff.push(group),
                }
                Actor::Consultants
            }
            "project" => {
                if count as usize + projects.len() > crate::firm::MOST_PROJECTS as usize {
                    let most = crate::firm::MOST_PROJECTS;
                    return Err(ConfigError::new(place, format!("at most {most} projects")));
                }
                let project = project(agent, &place)?;
                projects.extend(std::iter::repeat_n(project, count as usize));
                Actor::Projects
            }
            "controlling" => {
                if count > 1 || order.contains(&Actor::Controlling) {
                    return Err(ConfigError::new(
                        place,
                        "there must be one controlling agent",
                    ));
                }
                let none = Fields::new();
                let properties = match agent.get("properties") {
                    Some(value) => object(value, &join(&place, "properties"))?,
                    None => &none,
                };
                only(properties, &join(&place, "properties"), &[])?;
                Actor::Controlling
            }
            other => {
                return Err(ConfigError::new(
                    place,
                    format!(
                        "agents are consultant, project or controlling, not {}",
                        key(other)
                    ),
                ));
            }
        };
        if order.last() != Some(&actor) {
            // A step has one turn for each kind of agent. A list that mixes kinds is a model with
            // other turns.
            if order.contains(&actor) {
                return Err(ConfigError::new(
                    place,
                    "agents of one kind must stand together in the list",
                ));
            }
            order.push(actor);
        }
    }
    if !order.contains(&Actor::Controlling) {
        return Err(ConfigError::new(
            "agents",
            "the controlling agent is missing",
        ));
    }
    // A file without consultants or without projects fits several orders. They differ in
    // nothing that such a firm does, so the first one is taken.
    let agent_order = AgentOrder::VARIANTS.iter().copied().find(|candidate| {
        let turns = candidate.turns();
        turns
            .iter()
            .filter(|turn| order.contains(turn))
            .eq(order.iter())
    });
    Ok(Firm {
        start: whole_time(runspecs, "starttime")?,
        stop: whole_time(runspecs, "stoptime")?,
        dt: number(runspecs, "dt", "runspecs")?,
        agent_order: agent_order.unwrap_or_default(),
        fixed_cost: number(properties, "fixed_cost", "properties")?,
        risk_level: number(properties, "revenue_risk_level", "properties")?,
        staff,
        projects,
    })
}

fn same_terms(a: &StaffGroup, b: &StaffGroup) -> bool {
    a.salary.total_cmp(&b.salary).is_eq() && a.workplace_cost.total_cmp(&b.workplace_cost).is_eq()
}

fn consultant(agent: &Fields, count: u32, place: &str) -> Result<StaffGroup, ConfigError> {
    let place = &join(place, "properties");
    let properties = block_at(agent, "properties", place)?;
    only(properties, place, &["name", "salary", "workplace_cost"])?;
    Ok(StaffGroup {
        count,
        salary: number(properties, "salary", place)?,
        workplace_cost: number(properties, "workplace_cost", place)?,
    })
}

fn project(agent: &Fields, place: &str) -> Result<Project, ConfigError> {
    const NUMBERS: [&str; 9] = [
        "contracted_effort",
        "contracted_probability",
        "extension_probability",
        "extension_effort",
        "follow_on_probability",
        "consultants",
        "start_time",
        "deadline",
        "billing_rate",
    ];
    let place = &join(place, "properties");
    let properties = block_at(agent, "properties", place)?;
    let known: Vec<&str> = NUMBERS
        .into_iter()
        .chain(["name", "is_follow_on"])
        .collect();
    only(properties, place, &known)?;
    let f = |name: &str| number(properties, name, place);
    let name = match properties.get("name").map(inner) {
        None => "project".to_owned(),
        Some(Value::String(name)) => name.clone(),
        Some(_) => return Err(ConfigError::new(join(place, "name"), "must be a text")),
    };
    let is_follow_on = match properties.get("is_follow_on").map(inner) {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(_) => {
            return Err(ConfigError::new(
                join(place, "is_follow_on"),
                "must be true or false",
            ));
        }
    };
    Ok(Project {
        name,
        contracted_effort: f("contracted_effort")?,
        contracted_probability: f("contracted_probability")?,
        extension_probability: f("extension_probability")?,
        extension_effort: f("extension_effort")?,
        follow_on_probability: f("follow_on_probability")?,
        consultants: f("consultants")?,
        start_time: f("start_time")?,
        deadline: f("deadline")?,
        billing_rate: f("billing_rate")?,
        is_follow_on,
    })
}

fn kind<'a>(agent: &'a Fields, place: &str) -> Result<&'a str, ConfigError> {
    let named = agent
        .get("name")
        .or_else(|| agent.get("type"))
        .and_then(Value::as_str);
    named.ok_or_else(|| {
        ConfigError::new(
            join(place, "name"),
            "must say which agent it is: consultant, project or controlling",
        )
    })
}

fn count(agent: &Fields, place: &str) -> Result<u32, ConfigError> {
    let Some(value) = agent.get("count") else {
        return Ok(1);
    };
    let fault = || {
        ConfigError::new(
            join(place, "count"),
            format!(
                "must be a whole number from 0 to {}",
                crate::firm::MOST_CONSULTANTS
            ),
        )
    };
    let count = inner(value).as_f64().ok_or_else(fault)?;
    if count.fract() != 0.0 || !(0.0..=f64::from(crate::firm::MOST_CONSULTANTS)).contains(&count) {
        return Err(fault());
    }
    Ok(crate::clock::whole(count))
}

fn whole_time(runspecs: &Fields, name: &str) -> Result<u32, ConfigError> {
    let time = number(runspecs, name, "runspecs")?;
    if time.fract() != 0.0 || !(0.0..=1e6).contains(&time) {
        return Err(ConfigError::new(
            join("runspecs", name),
            format!("must be a whole number from 0 to 1000000, not {time}"),
        ));
    }
    Ok(crate::clock::whole(time))
}

/// A value without its wrapping of type and value.
fn inner(value: &Value) -> &Value {
    value
        .get("value")
        .filter(|_| value.get("type").is_some())
        .unwrap_or(value)
}

fn number(fields: &Fields, name: &str, place: &str) -> Result<f64, ConfigError> {
    let value = need(fields, name, place)?;
    inner(value)
        .as_f64()
        .filter(|x| x.is_finite())
        .ok_or_else(|| ConfigError::new(join(place, name), "must be a number"))
}

fn block<'a>(fields: &'a Fields, name: &str) -> Result<&'a Fields, ConfigError> {
    block_at(fields, name, name)
}

fn block_at<'a>(fields: &'a Fields, name: &str, place: &str) -> Result<&'a Fields, ConfigError> {
    // The object that misses the block is the place of the fault, not the block that is not there.
    let outer = place
        .strip_suffix(name)
        .unwrap_or_default()
        .trim_end_matches('.');
    object(need(fields, name, outer)?, place)
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Fields, ConfigError> {
    value
        .as_object()
        .ok_or_else(|| ConfigError::new(place, "must be an object"))
}

fn need<'a>(fields: &'a Fields, name: &str, place: &str) -> Result<&'a Value, ConfigError> {
    fields
        .get(name)
        .ok_or_else(|| ConfigError::new(place, format!("`{name}` is missing")))
}

fn only(fields: &Fields, place: &str, known: &[&str]) -> Result<(), ConfigError> {
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) if known.is_empty() => Err(ConfigError::new(
            place,
            format!("{} is unknown; nothing is expected here", key(name)),
        )),
        Some(name) => Err(ConfigError::new(
            place,
            format!("{} is unknown; known are {}", key(name), known.join(", ")),
        )),
    }
}

fn join(outer: &str, inner: &str) -> String {
    let inner = sim_core::error::clip(inner);
    if outer.is_empty() {
        inner
    } else {
        format!("{outer}.{inner}")
    }
}
