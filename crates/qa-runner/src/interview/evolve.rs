//! The search for an instruction on interviews: `boardroom evolve consulting`.

use super::plan::{VERSION, described};
use agent_client::interview::{CaseStudy, InterviewSettings, InterviewTeam, InterviewTrial, split};
use agent_client::method::Trials;
use agent_client::wire::Dialect;
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::evolve::{FIRST, SearchRequest, search};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::model::{ModelPlan, RunBudget};
use run_engine::run_dir::search::SearchPlan;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A request for a search on interviews.
#[derive(Debug)]
pub struct InterviewSearch {
    /// The cases; those for training are drawn from them with the seed, as `run consulting --split` does.
    pub cases: Vec<CaseStudy>,
    /// The choice of cases, in words.
    pub preset: String,
    /// How the candidate answers.
    pub model: ModelPlan,
    /// The model that interviews; by rules if absent.
    pub interviewer: Option<Dialect>,
    /// The models that judge; by rules if there are none.
    pub judges: Vec<Dialect>,
    /// How an interview is held.
    pub settings: InterviewSettings,
    /// Model, seed, sizes and budget.
    pub search: SearchRequest,
}

/// Searches for an instruction and writes it to the folder `out`. Returns it with remarks on the cases.
/// As with [`evolve_instruction`], the same request continues a search that was cut off.
///
/// [`evolve_instruction`]: run_engine::engine::model::evolve::evolve_instruction
///
/// # Errors
/// When there are too few cases, the folder holds something else, a model fails for good, or the budget is
/// spent.
pub fn evolve_on_interviews(
    request: InterviewSearch,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<(EvolvedFile, Vec<String>), RunError> {
    let InterviewSearch {
        cases,
        preset,
        model,
        interviewer,
        judges,
        settings,
        search: wanted,
    } = request;
    let first = wanted.first(FIRST)?;
    let (train, validation) = wanted.sizes()?;
    let (count, needed) = (cases.len(), train + validation);
    if count < needed {
        return Err(RunError::usage(format!(
            "there are {count} cases, too few for --train {train} and --validation {validation}"
        )));
    }
    let (chosen, left) = split(cases, wanted.seed, needed);
    let mut remarks = Vec::new();
    if left.is_empty() {
        remarks.push("no case is left for a test".to_owned());
    }
    // The catalogue is sorted by length, and both halves get cases of every length.
    let order = wanted.seed.child("evolve", 0).order(0, chosen.len());
    let mut drawn = order.iter().filter_map(|place| chosen.get(*place)).cloned();
    let training: Vec<CaseStudy> = drawn.by_ref().take(train).collect();
    let validating: Vec<CaseStudy> = drawn.collect();
    let names = |cases: &[CaseStudy]| cases.iter().map(|case| case.id.clone()).collect();
    let digests = chosen
        .iter()
        .map(described)
        .collect::<Result<Vec<_>, _>>()?;
    let plan = SearchPlan {
        environment: "consulting".to_owned(),
        version: VERSION,
        preset,
        agent: wanted.agent,
        dialect: model.dialect,
        seed: wanted.seed,
        training_items: names(&training),
        validation_items: names(&validating),
        metric_calls: wanted.metric_calls,
        iterations: wanted.iterations,
        first,
        more: json!({
            "cases": digests,
            "interviewer": interviewer,
            "judges": judges,
            "settings": settings,
        }),
    };
    let others: Vec<&Dialect> = interviewer.iter().chain(&judges).collect();
    let trials = |models: &Models| {
        let judge = 1 + interviewer.iter().count();
        let judges = (judge..judge + judges.len()).map(|place| models.backend(place));
        let other_side = InterviewTeam {
            interviewer: interviewer
                .as_ref()
                .map(|_| models.backend(1))
                .transpose()?,
            judges: judges.collect::<Result<_, _>>()?,
        };
        Ok(Trials {
            how: InterviewTrial {
                agent: models.backend(0)?,
                other_side,
                settings,
            },
            train: training,
            validation: validating,
        })
    };
    let file = search(plan, &others, means, out, stop, trials)?;
    Ok((file, remarks))
}
