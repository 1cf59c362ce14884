//! Names that tell runs apart: what differs between runs of one name stands behind it.

use super::Run;
use super::pool::seeds_in_words;
use agent_client::method::MemorySpec;
use agent_client::play::PlaySettings;
use agent_client::request::ModelRole;
use agent_client::wire::Dialect;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::cast::{DIRECT, usual_temperature};
use run_engine::plan::model::ModelPlan;
use run_engine::plan::setting::{in_words, leaves};
use run_engine::terminal::shown_path;
use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Most settings that a name holds; where more differ, the folder says which run it is.
const MOST_SETTINGS: usize = 3;

/// Gives every run that shares its name with another one what they differ in: method, seed,
/// suite, settings, and the folder where all of that is equal or too long. What told them apart
/// among others before is forgotten: within one task nobody is called by its settings.
///
/// `runs` holds each run with the seeds of all runs that are pooled with it.
pub(super) fn tell_apart<'r>(runs: impl Iterator<Item = (&'r mut Run, Vec<u64>)>) {
    let mut named: BTreeMap<String, Vec<(&mut Run, Vec<u64>)>> = BTreeMap::new();
    for (run, seeds) in runs {
        run.mark = None;
        named.entry(run.name()).or_default().push((run, seeds));
    }
    for alike in named.into_values().filter(|alike| alike.len() > 1) {
        let marks = marks(&alike);
        for ((run, _), mark) in alike.into_iter().zip(marks) {
            // The one that lacks what the others have needs no word.
            run.mark = Some(mark).filter(|mark| !mark.is_empty());
        }
    }
}

/// One mark for each of several runs of one name, all different.
fn marks(runs: &[(&mut Run, Vec<u64>)]) -> Vec<String> {
    let traits = runs.iter().map(|(run, seeds)| traits(&run.plan, seeds));
    let traits: Vec<BTreeMap<String, String>> = traits.collect();
    let differing = differing(&traits.iter().collect::<Vec<_>>());
    let texts: Vec<String> = traits
        .iter()
        .map(|traits| text(traits, &differing))
        .collect();
    // From the shortest to the surest: whole paths always differ, because no folder is read twice.
    let short = differing.len() <= MOST_SETTINGS;
    if short && all_differ(&texts) {
        return texts;
    }
    let name = |path: &Path| {
        let name = path.file_name();
        name.map_or_else(
            || shown_path(path),
            |name| name.to_string_lossy().into_owned(),
        )
    };
    let paths = || runs.iter().map(|(run, _)| run.folder());
    let folders: Vec<String> = paths().map(name).collect();
    if all_differ(&folders) {
        return folders;
    }
    // Two sweeps of one plan name their members alike.
    let homes = paths().map(|path| path.parent().map_or_else(String::new, name));
    let homes: Vec<String> = homes.collect();
    if all_differ(&homes) {
        return homes;
    }
    paths().map(shown_path).collect()
}

/// What is said of each of several plans to tell them apart; nothing where they are equal.
pub(crate) fn settings_apart(plans: &[&Plan]) -> Vec<String> {
    let of = |plan: &&Plan| {
        let mut found = BTreeMap::new();
        setting_traits(plan, &mut found);
        found
    };
    let traits: Vec<BTreeMap<String, String>> = plans.iter().map(of).collect();
    let differing = differing(&traits.iter().collect::<Vec<_>>());
    traits
        .iter()
        .map(|traits| text(traits, &differing))
        .collect()
}

/// A name with the words that are said of it: `openai:m (5 shots)`.
pub(crate) fn labelled(name: &str, words: &str) -> String {
    if words.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({words})")
    }
}

fn all_differ(texts: &[String]) -> bool {
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

/// The keys whose values are not the same everywhere.
pub(crate) fn differing(traits: &[&BTreeMap<String, String>]) -> BTreeSet<String> {
    let keys: BTreeSet<&String> = traits.iter().flat_map(|traits| traits.keys()).collect();
    let differs = |key: &&&String| {
        // A key that a run lacks is a value of its own: `None` differs from every word.
        let values: BTreeSet<_> = traits.iter().map(|traits| traits.get(**key)).collect();
        values.len() > 1
    };
    keys.iter()
        .filter(differs)
        .map(|key| (*key).clone())
        .collect()
}

/// The words of a run for these keys.
pub(crate) fn text(traits: &BTreeMap<String, String>, differing: &BTreeSet<String>) -> String {
    let values = differing.iter().filter_map(|key| traits.get(key).cloned());
    values.collect::<Vec<_>>().join(", ")
}

/// What the runs of a plan with `seeds` are, as key and words.
fn traits(plan: &Plan, seeds: &[u64]) -> BTreeMap<String, String> {
    let mut found = model_traits(plan);
    // With a space in front: seeds and suite stand before all settings, whatever these are called.
    found.insert(" seeds".to_owned(), seeds_in_words(seeds));
    setting_traits(plan, &mut found);
    found
}

/// What is said of the models of each of several plans, to tell those of one agent apart: method and sampling, as far
/// as they differ anywhere among them, so that no run seems to lack what another one of its agent is said to have.
#[must_use]
pub fn models_apart(plans: &[&Plan]) -> Vec<String> {
    apart(plans, model_traits)
}

/// The same with all options of the models: what has equal words here was asked in one way.
pub(crate) fn options_apart(plans: &[&Plan]) -> Vec<String> {
    apart(plans, |plan| {
        let mut found = model_traits(plan);
        for (seat, model) in models_of(plan) {
            // A model whose options cannot be written is told apart by its method and sampling; a report is not refused
            // for the want of a name.
            let options = options(seat, model).unwrap_or_default().into_iter();
            let sampling =
                |key: &str| ["temperature", "top_p"].contains(&key) || key.starts_with("extra.");
            let further = options.filter(|(key, _)| !sampling(key));
            found.extend(
                further.map(|(key, words)| (format!("{key} {seat}"), of_seat(seat, words))),
            );
        }
        found
    })
}

/// The traits of each plan that are not the same in all plans of its agent.
fn apart(plans: &[&Plan], traits: impl Fn(&Plan) -> BTreeMap<String, String>) -> Vec<String> {
    let all: Vec<_> = plans
        .iter()
        .map(|plan| (plan.cast(), traits(plan)))
        .collect();
    let mut of_agent: BTreeMap<&str, Vec<&BTreeMap<String, String>>> = BTreeMap::new();
    for (agent, traits) in &all {
        of_agent.entry(agent).or_default().push(traits);
    }
    // Once for each agent: a report may hold thousands of runs of one.
    let of_agent = of_agent.into_iter();
    let differ: BTreeMap<&str, _> = of_agent
        .map(|(agent, all)| (agent, differing(&all)))
        .collect();
    let apart = all.iter().map(|(agent, own)| {
        let differ = differ.get(agent.as_str());
        differ.map_or_else(String::new, |differ| text(own, differ))
    });
    apart.collect()
}

/// What the models of a plan are, as key and words.
fn model_traits(plan: &Plan) -> BTreeMap<String, String> {
    let traits = models_of(plan).flat_map(|(seat, model)| {
        let traits = model.traits().into_iter();
        traits.map(move |(key, words)| (format!("{key} {seat}"), of_seat(seat, words)))
    });
    traits.collect()
}

/// The models of a plan with the seats that have agents of their own; that of all other seats has an empty name.
fn models_of(plan: &Plan) -> impl Iterator<Item = (&str, &ModelPlan)> {
    let seats = plan.seats.iter();
    let seats = seats.filter_map(|(seat, plan)| Some((seat.as_str(), plan.model.as_ref()?)));
    plan.model.iter().map(|model| ("", model)).chain(seats)
}

fn of_seat(seat: &str, words: String) -> String {
    match seat {
        "" => words,
        seat => format!("{seat}: {words}"),
    }
}

/// How the models of a plan are asked, as far as that is not the usual way: sampling, planning, feedback and what else
/// is an option; of seats with agents of their own the method, too.
///
/// # Errors
/// When a plan has no JSON form: a fault of this program.
pub(crate) fn options_in_words(plan: &Plan) -> Result<String, RunError> {
    let mut all = Vec::new();
    for (seat, model) in models_of(plan) {
        // The method of the agent has a column of its own.
        let is_tested = ModelRole::of_seat(seat) == ModelRole::Agent;
        let method = (!seat.is_empty()).then(|| model.method.label());
        let method = method.filter(|method| is_tested || method != DIRECT);
        let options = options(seat, model)?.into_iter().map(|(_, words)| words);
        let words = method.into_iter().chain(options);
        all.extend(words.map(|words| of_seat(seat, words)));
    }
    Ok(all.join("; "))
}

/// The options of the model at `seat` that are not the usual ones, by name, each in words.
fn options(seat: &str, model: &ModelPlan) -> Result<Vec<(String, String)>, RunError> {
    let dialect = &model.dialect;
    let mut usual_dialect = Dialect::new(dialect.kind, dialect.model.clone());
    usual_dialect.temperature = usual_temperature(seat);
    let usual = ModelPlan {
        dialect: usual_dialect,
        method: model.method.clone(),
        feedback: ModelPlan::usual_feedback(&model.method)?,
        play: PlaySettings::default(),
        update_every: None,
        success: None,
    };
    let of = |model: &ModelPlan| serde_json::to_value(model).map_err(RunError::failed);
    let (own, usual) = (leaves(&of(model)?), leaves(&of(&usual)?));
    let own = own
        .iter()
        .filter(|(path, value)| usual.get(*path) != Some(value));
    let mut words: Vec<(String, String)> = own
        .map(|(path, value)| {
            let name = path
                .trim_start_matches("dialect.")
                .trim_start_matches("play.");
            (name.to_owned(), in_words(name, value))
        })
        .collect();
    // A judge of an earlier version, or of a recording of one.
    if dialect.temperature.is_none() && usual_temperature(seat).is_some() {
        words.push(("temperature".to_owned(), "no temperature".to_owned()));
    }
    if let MemorySpec::Instruction(text) = &model.method.memory {
        let digest = Digest::of(text).map_err(RunError::failed)?;
        let digest = format!("instruction = {}", digest.short());
        words.push(("instruction".to_owned(), digest));
    }
    Ok(words)
}

/// What decides the task of a run beside its preset.
fn setting_traits(plan: &Plan, found: &mut BTreeMap<String, String>) {
    if let Some(suite) = &plan.suite {
        found.insert(" suite".to_owned(), format!("suite {suite}"));
    }
    if plan.list.is_some() {
        found.insert(
            " streams".to_owned(),
            format!("streams {}", plan.streams.unwrap_or(1)),
        );
    }
    if plan.instance.is_some() {
        found.insert(" instance".to_owned(), "instance of a file".to_owned());
    }
    if plan.config.is_null() {
        // The instance's name and digest stand in place of the preset.
        return;
    }
    let leaves = leaves(&plan.config).into_iter();
    found.extend(leaves.map(|(path, value)| {
        let words = in_words(&path, &value);
        (path, words)
    }));
}
