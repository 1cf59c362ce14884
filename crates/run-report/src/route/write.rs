//! A policy that a model writes: lessons from traces, drafts from lessons, one policy from drafts, and
//! a guard.

use super::request;
use agent_client::backend::AgentBackend;
use agent_client::parallel::in_order;
use agent_client::request::{Schema, Slot};
use agent_client::structured::ask;
use agent_client::{AgentError, ErrorClass};
use aoa_router::ask::{
    Ask, BUNDLE, Guarded, PER_STRATUM, accuracies, bundles, extraction, guard, hold_out, merging,
    strata, synthesis,
};
use aoa_router::experience::RoutedOutcome;
use aoa_router::matrix::Incomplete;
use aoa_router::{
    Agents, LearnSettings, Learned, Matrix, RoutingExperience, RoutingPlaybook, TraceRecord, learn,
};
use run_engine::error::RunError;
use sim_core::Seed;
use std::sync::Arc;

/// How a model writes a policy.
#[derive(Debug, Clone, Copy)]
pub struct WriteSettings {
    /// Traces that are read of each task, agent, capability, difficulty and outcome.
    pub per_stratum: usize,
    /// Lessons of a draft.
    pub bundle: usize,
    /// Requests at a time.
    pub at_once: usize,
    /// What to do with samples that not all agents have answered.
    pub incomplete: Incomplete,
    /// How the policy is learnt that takes the place of a refused one.
    pub learn: LearnSettings,
}

impl Default for WriteSettings {
    fn default() -> Self {
        Self {
            per_stratum: PER_STRATUM,
            bundle: BUNDLE,
            at_once: 8,
            incomplete: Incomplete::default(),
            learn: LearnSettings::default(),
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Written {
    /// The policy: the model's where the guard let it in, else the one that was learnt by counting.
    pub playbook: RoutingPlaybook,
    /// The lessons.
    pub experiences: Vec<RoutingExperience>,
    /// Traces of which the model made no usable lesson, with the reason.
    pub unread: Vec<(String, String)>,
    /// The guard's verdict; absent where the model gave no usable policy.
    pub guarded: Option<Guarded>,
    /// Why there is none, where there is none.
    pub unusable: Option<String>,
    /// What was learnt by counting, where it had to take the model's place.
    pub counted: Option<Learned>,
}

/// Has `model` write a policy from three quarters of the samples, and judges it on the others.
///
/// # Errors
/// When the model fails for good (no money, no network), or the traces cannot be joined.
pub async fn write(
    model: Arc<dyn AgentBackend>,
    traces: Vec<TraceRecord>,
    settings: WriteSettings,
) -> Result<Written, RunError> {
    let everything = Matrix::join(&traces, settings.incomplete)?;
    let agents = everything.agents();
    // Split before any request: what the model has seen cannot judge its policy.
    let (shown, held) = hold_out(traces, settings.learn.seed);
    let shown_matrix = Matrix::join(&shown, settings.incomplete)?;
    let held = Matrix::join(&held, settings.incomplete)?;
    let (experiences, unread) = lessons(&model, &shown, &agents, &settings).await?;
    // Of the samples that the model is shown: counts over all would tell it of those that judge its policy.
    let table = accuracies(&shown_matrix)?;
    let policy = policy(&model, &experiences, &table, &agents, &settings).await;
    let (written, guarded, unusable) = match policy {
        Ok(playbook) => {
            let verdict = guard(&playbook, &held)?;
            let kept = verdict.kept.then_some(playbook);
            (kept, Some(verdict), None)
        }
        Err(e) if e.class == ErrorClass::Unusable || e.class.is_an_answer() => {
            // The model has answered and cannot do it: the counted policy takes its place. Without
            // money or network it never answered, and another run may succeed.
            (None, None, Some(e.to_string()))
        }
        Err(e) => return Err(failed(&e)),
    };
    let (playbook, counted) = match written {
        Some(playbook) => (playbook, None),
        None => {
            // From all samples: counting guards itself by cross-fitting and needs none held back.
            let learned = learn(&everything, &settings.learn)?;
            (learned.playbook.clone(), Some(learned))
        }
    };
    Ok(Written {
        playbook,
        experiences,
        unread,
        guarded,
        unusable,
        counted,
    })
}

fn failed(e: &AgentError) -> RunError {
    match e.class {
        ErrorClass::Budget => RunError::Budget(e.to_string()),
        _ => RunError::failed(e),
    }
}

/// Lessons, and traces of which there is none with the reason.
type Lessons = (Vec<RoutingExperience>, Vec<(String, String)>);

/// One lesson from each trace that is drawn.
async fn lessons(
    model: &Arc<dyn AgentBackend>,
    traces: &[TraceRecord],
    agents: &Agents,
    settings: &WriteSettings,
) -> Result<Lessons, RunError> {
    let drawn: Vec<TraceRecord> = strata(traces, settings.per_stratum, Seed(settings.learn.seed.0))
        .into_iter()
        .cloned()
        .collect();
    let form = Schema::new(
        "experience",
        "one lesson from one trace",
        RoutingExperience::schema_with(agents),
    );
    let names: Vec<String> = drawn
        .iter()
        .map(|it| format!("{} by {}", it.sample_id, it.method))
        .collect();
    let work = drawn.into_iter().enumerate().map(|(number, trace)| {
        let (model, form, agents) = (Arc::clone(model), form.clone(), agents.clone());
        async move {
            // Slots are numbered in the order of the draw, which the seed decides, so that a
            // recording finds them again.
            let slot = Slot::new("lesson").child("", number);
            let asked = request(extraction(&trace, &agents), slot);
            let check = |it: &RoutingExperience| it.check(&agents).map_err(|e| e.to_string());
            let typed = ask(&*model, asked, &form, check).await?;
            // What is known of the trace is written over: models misquote it.
            Ok::<_, AgentError>(of_trace(typed.value, &trace))
        }
    });
    let (mut found, mut unread, mut broken) = (Vec::new(), Vec::new(), None);
    in_order(work, settings.at_once, |number, result| match result {
        Ok(experience) => found.push(experience),
        Err(e) if e.class == ErrorClass::Unusable || e.class.is_an_answer() => {
            let name = names.get(number).cloned().unwrap_or_default();
            unread.push((name, e.to_string()));
        }
        // The first one, because the others usually follow from it.
        Err(e) => drop(broken.get_or_insert(e)),
    })
    .await;
    match broken {
        Some(e) => Err(failed(&e)),
        None => Ok((found, unread)),
    }
}

/// The lesson with the facts of its trace, whatever the model wrote for them.
fn of_trace(mut experience: RoutingExperience, trace: &TraceRecord) -> RoutingExperience {
    let sample = trace.sample();
    experience.tags.agent_method = trace.method.clone();
    experience.tags.task_name = sample.task_name.unwrap_or_default();
    experience.tags.capability = sample.capability.unwrap_or_default();
    experience.tags.difficulty_bucket = sample.difficulty_bucket;
    experience.outcome = if trace.correct {
        RoutedOutcome::Correct
    } else {
        RoutedOutcome::Incorrect
    };
    experience.source_sample_id = Some(trace.sample_id.clone());
    experience
}

/// One policy from all lessons: a draft from each bundle, and one from the drafts.
async fn policy(
    model: &Arc<dyn AgentBackend>,
    experiences: &[RoutingExperience],
    table: &str,
    agents: &Agents,
    settings: &WriteSettings,
) -> Result<RoutingPlaybook, AgentError> {
    let mut drafts = Vec::new();
    for (number, bundle) in bundles(experiences, settings.bundle).iter().enumerate() {
        let slot = Slot::new("draft").child("", number);
        drafts.push(playbook(model, synthesis(bundle, table, agents), slot, agents).await?);
    }
    // A single draft is the policy: merging would ask once more for the same.
    if drafts.len() > 1 {
        let slot = Slot::new("policy");
        return playbook(model, merging(&drafts, table, agents), slot, agents).await;
    }
    drafts
        .pop()
        .ok_or_else(|| AgentError::new(ErrorClass::Unusable, "there is no draft"))
}

async fn playbook(
    model: &Arc<dyn AgentBackend>,
    words: Ask,
    slot: Slot,
    agents: &Agents,
) -> Result<RoutingPlaybook, AgentError> {
    let form = Schema::new(
        "playbook",
        "findings and a routing policy",
        RoutingPlaybook::schema_with(agents),
    );
    let check = |it: &RoutingPlaybook| it.check_agents(agents).map_err(|e| e.to_string());
    let typed = ask(&**model, request(words, slot), &form, check).await?;
    // A model makes such numbers up, and they would decide ties.
    Ok(typed.value.without_evidence())
}
