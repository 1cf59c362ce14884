//! Records with the labels of their instances, and answers with their grades.

use super::labels::{Labels, label_of};
use crate::runs::Run;
use qa_scoring::env::{Question, QuestionEnv};
use qa_scoring::grade::Grade;
use qa_scoring::taxonomy::TaxonomyLabel;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use sim_core::score::Metrics;
use sim_core::{Causes, Digest, EpisodeRecord, Header, TextReply, ToolAdapter};

/// The numbers of a record whose instance has labels, such as a question or a case.
#[derive(Debug, Clone)]
pub struct LabelledRow {
    /// Environment, instance, seed and agent.
    pub header: Header,
    /// The labels of the instance, the most precise one last.
    pub labels: Vec<(&'static str, String)>,
    /// Digest of what two runs must have in common to be compared on it.
    pub compared_by: Digest,
    /// The score; absent if nobody could score it.
    pub score: Option<f64>,
    /// Further metrics.
    pub metrics: Metrics,
    /// Causes of the agent's replies.
    pub causes: Causes,
}

impl LabelledRow {
    /// A record of a run that takes its instances from `source`.
    ///
    /// # Errors
    /// When its instance cannot be made.
    pub fn read(source: &InstanceSource<'_>, record: &EpisodeRecord) -> Result<Self, RunError> {
        let case = source.case(record.header.episode)?;
        Ok(Self::new(case.labels(), case.compared_by(), record))
    }

    /// A record of an instance with these labels.
    pub(crate) fn new(
        labels: Vec<(&'static str, String)>,
        compared_by: Digest,
        record: &EpisodeRecord,
    ) -> Self {
        Self {
            labels,
            compared_by,
            score: record.score.is_scored().then(|| record.score.value()),
            metrics: record.score.metrics().clone(),
            causes: record.tally().causes,
            header: record.header.clone(),
        }
    }

    /// The name of the instance: its most precise label.
    #[must_use]
    pub fn item(&self) -> &str {
        // The most precise one names it; those before are what it is counted under.
        self.labels.last().map_or("", |(_, value)| value)
    }

    /// What `labels` say of a question; where there `is_one_task`, its identifier alone names it.
    pub(crate) fn label<'l>(
        &self,
        labels: &'l Labels,
        is_one_task: bool,
    ) -> Option<&'l TaxonomyLabel> {
        let id = self.item().split_once(':').map_or("", |(_, id)| id);
        label_of(labels, self.item(), id, is_one_task)
    }

    /// The task of a question: `application/FPB` of `application/FPB:2`; the whole name of anything else.
    #[must_use]
    pub fn task(&self) -> &str {
        let item = self.item();
        item.split_once(':').map_or(item, |(task, _)| task)
    }
}

/// The records of `run` with the labels of their instances, in the order of episodes.
///
/// # Errors
/// When a file cannot be read or an instance cannot be made.
pub fn labelled_rows(registry: &Registry, run: &Run) -> Result<Vec<LabelledRow>, RunError> {
    let source = InstanceSource::of(registry.kind(&run.plan.environment)?, &run.plan)?;
    run.scan(|record| LabelledRow::read(&source, &record))
}

/// An answered question with its grade, made again from its record.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Environment, instance, seed and agent.
    pub header: Header,
    /// The question.
    pub question: Question,
    /// What the agent replied.
    pub reply: TextReply,
    /// The grade.
    pub grade: Grade,
    /// Whether a judge took part.
    pub is_judged: bool,
}

/// The answers of a run of questions with their grades, in the order of episodes.
///
/// # Errors
/// When the run is not one of questions, a file cannot be read, or a record does not belong to its question.
pub fn answers(registry: &Registry, run: &Run) -> Result<Vec<Answered>, RunError> {
    let plan = &run.plan;
    let kind = registry.kind(&plan.environment)?;
    // Before anything is read: the grades are made again, by this version's rules.
    if kind.version() != plan.version {
        return Err(RunError::usage(format!(
            "{}: the run began with version {} of the scorer and this is version {}: its figures cannot be mixed; see \
             `boardroom rescore`",
            run.name(),
            plan.version,
            kind.version()
        )));
    }
    let source = InstanceSource::of(kind, plan)?;
    run.scan(|record| {
        // Made again from the inputs, because a record holds the score but not the whole grade.
        let mut env = source.case(record.header.episode)?.open()?;
        for entry in &record.entries {
            env.apply(&entry.input);
        }
        let adapter = env.as_any().downcast_ref::<ToolAdapter<QuestionEnv>>();
        let graded = adapter.and_then(|adapter| {
            let env = adapter.env();
            let state = sim_core::Environment::state(env);
            Some((env, state.answer.clone()?, env.grade()?.clone()))
        });
        let Some((env, reply, grade)) = graded else {
            return Err(RunError::usage(format!(
                "{}: episode {} is not an answered question",
                run.name(),
                record.header.episode
            )));
        };
        Ok(Answered {
            question: env.question().clone(),
            reply,
            grade,
            is_judged: env.is_judged(),
            header: record.header.clone(),
        })
    })
}
