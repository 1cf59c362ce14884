//! What the report shows of one run.

use crate::error::RunError;
use crate::registry::Registry;
use crate::runs::Run;
use crate::source::Source;
use crate::summary::{Collected, Summary};
use crate::verify::transcript_of;
use sim_core::{Effort, EpisodeRecord, Kind, ToolReply};
use std::collections::BTreeMap;

/// Scores, curve, labels and two episodes of a run.
#[derive(Debug)]
pub(super) struct RunData {
    /// Scores, reference and metrics, as `run --json` gives them.
    pub(super) summary: Summary,
    /// Score of every episode, in order.
    pub(super) values: Vec<f64>,
    /// Mean score so far after each period, over the episodes that were played again.
    pub(super) curve: Vec<f64>,
    /// What a period is called.
    pub(super) period_unit: String,
    /// Episodes behind the curve and the refusals.
    pub(super) replayed: usize,
    /// Refused inputs among them, by code.
    pub(super) refusals: BTreeMap<String, u64>,
    /// Best and worst episode, as transcripts.
    pub(super) best: Option<String>,
    pub(super) worst: Option<String>,
}

/// What one replayed episode adds.
struct Replayed {
    curve: Vec<f64>,
    unit: &'static str,
    refusals: Vec<String>,
}

impl RunData {
    /// Reads a run, and plays its first `most` episodes again.
    pub(super) fn collect(registry: &Registry, run: &Run, most: usize) -> Result<Self, RunError> {
        let plan = &run.plan;
        let kind = registry.kind(&plan.environment)?;
        if kind.version() != plan.version {
            return Err(RunError::usage(format!(
                "{} was made with version {} of its environment, this program has version {}; \
                 see `boardroom rescore`",
                run.name(),
                plan.version,
                kind.version()
            )));
        }
        let source = Source::of(kind, plan)?;
        let see = |record: EpisodeRecord| {
            let index = record.header.episode;
            let case = source.case(index)?;
            let reference = case.reference(Effort::Quick);
            let within = usize::try_from(index).is_ok_and(|index| index < most);
            let again = within.then(|| replay(case.open()?, &record)).transpose()?;
            Ok((
                index,
                record.score.clone(),
                record.tally(),
                reference,
                again,
            ))
        };
        let rows = run.scan(see)?;
        let mut collected = Collected::default();
        let (mut values, mut refusals) = (Vec::new(), BTreeMap::<String, u64>::new());
        let (mut sums, mut replayed, mut unit) = (Vec::<(f64, f64)>::new(), 0, "period");
        let mut extremes: Option<((f64, u64), (f64, u64))> = None;
        for (index, score, tally, reference, again) in rows {
            let value = score.value();
            collected.add(index, &score, tally, &reference);
            values.push(value);
            let (best, worst) = extremes.get_or_insert(((value, index), (value, index)));
            if kind.sense().better(value, best.0) {
                *best = (value, index);
            }
            if kind.sense().better(worst.0, value) {
                *worst = (value, index);
            }
            if let Some(again) = again {
                replayed += 1;
                unit = again.unit;
                for code in again.refusals {
                    *refusals.entry(code).or_default() += 1;
                }
                for (place, value) in again.curve.into_iter().enumerate() {
                    if sums.len() <= place {
                        sums.push((0.0, 0.0));
                    }
                    if let Some((sum, count)) = sums.get_mut(place) {
                        *sum += value;
                        *count += 1.0;
                    }
                }
            }
        }
        let text = |index: Option<u64>| -> Result<Option<String>, RunError> {
            let Some(index) = index else { return Ok(None) };
            let wanted =
                |record: EpisodeRecord| Ok((record.header.episode == index).then_some(record));
            let record = run.scan(wanted)?.into_iter().flatten().next();
            record
                .map(|record| transcript_of(&source, &record))
                .transpose()
        };
        let (best, worst) = extremes.map_or((None, None), |(b, w)| (Some(b.1), Some(w.1)));
        Ok(Self {
            summary: collected.summarise(kind, plan, is_deterministic(kind, run, &source)),
            values,
            curve: sums.into_iter().map(|(sum, count)| sum / count).collect(),
            period_unit: unit.to_owned(),
            replayed,
            refusals,
            best: text(best)?,
            worst: text(worst.filter(|worst| Some(*worst) != best))?,
        })
    }
}

fn is_deterministic(kind: &dyn Kind, run: &Run, source: &Source<'_>) -> bool {
    crate::execute::is_deterministic(kind, &run.plan, source)
}

fn replay(
    mut env: Box<dyn sim_core::ToolEnvironment>,
    record: &EpisodeRecord,
) -> Result<Replayed, RunError> {
    let (mut curve, mut refusals) = (Vec::new(), Vec::new());
    let unit = env.period().unit;
    for entry in &record.entries {
        let before = env.period().index;
        if let ToolReply::Rejected { code, .. } = env.apply(&entry.input) {
            refusals.push(code);
        }
        if env.period().index != before || env.is_over() {
            let score = env.score().map_err(|e| RunError::Failed(e.to_string()))?;
            curve.push(score.value());
        }
    }
    Ok(Replayed {
        curve,
        unit,
        refusals,
    })
}
