//! The chain from a text to finished questions.
//!
//! | step | request | dropped when |
//! |---|---|---|
//! | draft | questions with answers and quotations | the reply cannot be read twice |
//! | evidence | | a quotation is not in the source |
//! | score | depth, synthesis, centrality | the reply cannot be read twice |
//! | filter | | a score is below 6 |
//! | suitability | clarity, misconceptions | the reply cannot be read twice |
//! | distractors, lint | the right option and wrong ones, at most twice | the reply cannot be read; after two attempts with findings the question stays open |

use super::request::{distractor_request, draft_request, score_request, suitability_request};
use super::step::{
    AnswerOptions, Distractor, QuestionDraft, read_distractors, read_drafts, read_scores,
    read_suitability,
};
use super::{ConstructionPlan, SourceText, Step};
use crate::item::{Gold, Item};
use crate::judge::{Judge, JudgeRequest, UnreadableReply, repair};
use crate::letters::LetterSet;
use crate::quality::{Conversion, Quality, RuleViolation, convert, lint};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::Seed;
use std::collections::BTreeMap;

/// A finished question with its history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    /// The question as an item.
    pub item: Item,
    /// The draft that it was made from.
    pub draft: QuestionDraft,
    /// Its scores.
    pub quality: Quality,
    /// Its fitness for options.
    pub suitability: Conversion,
    /// The form in which it was finished.
    pub form: QuestionForm,
}

/// The form of a finished question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuestionForm {
    /// An open question, because it is not fit for options.
    Open,
    /// An open question, because its options broke format rules twice.
    OpenAfterLint(Vec<RuleViolation>),
    /// A choice, with the mistake behind each wrong option.
    Choice(Vec<Distractor>),
}

/// A draft, or a whole text, that was dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DroppedText {
    /// Name of the source.
    pub source: String,
    /// The draft; absent when none could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<QuestionDraft>,
    /// The step at which it was dropped.
    pub step: Step,
    /// The reason.
    pub reason: String,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstructionReport {
    /// Finished questions.
    pub built: Vec<Built>,
    /// Drafts that were dropped.
    pub dropped: Vec<DroppedText>,
}

impl ConstructionReport {
    /// Number of drafts that were dropped at each step.
    #[must_use]
    pub fn dropped_by_step(&self) -> BTreeMap<Step, usize> {
        let mut counts = BTreeMap::new();
        for dropped in &self.dropped {
            *counts.entry(dropped.step).or_insert(0) += 1;
        }
        counts
    }
}

/// Makes questions from texts. Deterministic given the model's replies; the order of options follows
/// from the plan's seed and the question's identifier.
///
/// # Example
/// ```
/// use qa_scoring::construct::{QuestionForm, ConstructionPlan, SourceText, build};
/// use qa_scoring::judge::{JudgeRequest, NoReply};
///
/// // A "model" that answers each of the three steps from its instruction.
/// let mut model = |request: &JudgeRequest| -> Result<String, NoReply> {
///     Ok(if request.system.starts_with("You write examination questions") {
///         r#"{"questions": [{"question": "Why?", "answer": "So.", "evidence": ["Prices rise."]}]}"#
///     } else if request.system.starts_with("You rate") {
///         r#"{"A": 7, "B": 6, "C": 8, "why": "x"}"#
///     } else {
///         r#"{"clarity": 4, "misconception": 5}"#
///     }
///     .to_owned())
/// };
/// let source = SourceText { name: "page1".to_owned(), text: "Prices rise. Demand falls.".to_owned() };
/// let report = build(&[source], &ConstructionPlan::default(), &mut model);
/// assert_eq!(report.built[0].item.id, "page1:1");
/// assert_eq!(report.built[0].form, QuestionForm::Open); // (4 + 5) / 2 is below 9
/// ```
pub fn build(
    sources: &[SourceText],
    plan: &ConstructionPlan,
    model: &mut dyn Judge,
) -> ConstructionReport {
    let mut report = ConstructionReport::default();
    for source in sources {
        let limit = usize::try_from(plan.drafts).unwrap_or(usize::MAX);
        let request = draft_request(&source.text, plan.drafts);
        let drafts = match asked(model, &request, |reply| read_drafts(reply, limit)) {
            Ok(drafts) => drafts,
            Err(reason) => {
                // The whole text is lost here, but not the other ones.
                report.dropped.push(DroppedText {
                    source: source.name.clone(),
                    draft: None,
                    step: Step::Draft,
                    reason,
                });
                continue;
            }
        };
        for (number, draft) in drafts.into_iter().enumerate() {
            let id = format!("{}:{}", source.name, number + 1);
            match one(&id, source, draft.clone(), plan, model) {
                Ok(built) => report.built.push(built),
                Err((step, reason)) => report.dropped.push(DroppedText {
                    source: source.name.clone(),
                    draft: Some(draft),
                    step,
                    reason,
                }),
            }
        }
    }
    report
}

/// One draft through all steps after the first; an error names the step at which it was dropped.
fn one(
    id: &str,
    source: &SourceText,
    draft: QuestionDraft,
    plan: &ConstructionPlan,
    model: &mut dyn Judge,
) -> Result<Built, (Step, String)> {
    // First, because it costs no request: a draft without a source is not worth a judge.
    if let Some(quotation) = draft.missing_quotation(&source.text) {
        let shown = sim_core::error::clip(quotation);
        return Err((Step::Evidence, format!("`{shown}` is not in the source")));
    }
    let quality =
        asked(model, &score_request(&draft), read_scores).map_err(|e| (Step::Score, e))?;
    if !quality.is_kept() {
        let reason = format!(
            "depth {}, synthesis {}, centrality {}; each must be at least 6",
            quality.depth, quality.synthesis, quality.centrality
        );
        return Err((Step::Filter, reason));
    }
    let suitability = asked(model, &suitability_request(&draft), read_suitability)
        .map_err(|e| (Step::Suitability, e))?;
    // Not dropped for want of options: as an open question it is as good as before.
    let mut form = QuestionForm::Open;
    let mut item = Item::new(id, &draft.question, Gold::Text(draft.answer.clone()));
    if convert(suitability) {
        match choice(&draft, plan, model)? {
            Ok(options) => {
                fill(&mut item, &options, Seed(plan.seed));
                form = QuestionForm::Choice(options.distractors);
            }
            Err(findings) => form = QuestionForm::OpenAfterLint(findings),
        }
    }
    Ok(Built {
        item,
        draft,
        quality,
        suitability,
        form,
    })
}

/// Options that satisfy the format rules, at the second attempt at the latest; else the rules that
/// the second attempt violated.
fn choice(
    draft: &QuestionDraft,
    plan: &ConstructionPlan,
    model: &mut dyn Judge,
) -> Result<Result<AnswerOptions, Vec<RuleViolation>>, (Step, String)> {
    let count = usize::try_from(plan.distractors).unwrap_or(usize::MAX);
    let mut findings = Vec::new();
    for _ in 0..2 {
        // With the findings of the first attempt; a request that is merely repeated gets the same
        // options.
        let request = distractor_request(draft, plan.distractors, &findings);
        let options = asked(model, &request, |reply| read_distractors(reply, count))
            .map_err(|e| (Step::Distractors, e))?;
        let texts: Vec<&str> = std::iter::once(options.right.as_str())
            .chain(options.distractors.iter().map(|d| d.text.as_str()))
            .collect();
        // The right option among them: one that stands out by its form gives the answer away.
        findings = lint(&texts);
        if findings.is_empty() {
            return Ok(Ok(options));
        }
    }
    Ok(Err(findings))
}

/// Puts the options in a random order and records the place of the right one.
fn fill(item: &mut Item, options: &AnswerOptions, seed: Seed) {
    let mut order: Vec<(bool, &str)> = std::iter::once((true, options.right.as_str()))
        .chain(options.distractors.iter().map(|d| (false, d.text.as_str())))
        .collect();
    // From the name of the question, so that its order does not depend on the questions before it.
    seed.child(&item.id, 0)
        .stream("option-order", 0)
        .shuffle(&mut order);
    item.question.clone_from(&options.question);
    item.options = order.iter().map(|(_, text)| (*text).to_owned()).collect();
    let right = order.iter().position(|(right, _)| *right).unwrap_or(0);
    item.gold = Gold::Letters(LetterSet::of_index(right));
}

/// Sends a request and reads the reply; asks once more if the reply cannot be read.
fn asked<T>(
    model: &mut dyn Judge,
    request: &JudgeRequest,
    read: impl Fn(&str) -> Result<T, UnreadableReply>,
) -> Result<T, String> {
    let reply = model.ask(request).map_err(|e| e.to_string())?;
    let reason = match read(&reply) {
        Ok(value) => return Ok(value),
        Err(reason) => reason,
    };
    // Once: a model that cannot follow the form with the reason in front of it will not at the
    // third try.
    let again = model
        .ask(&repair(request, &reply, &reason))
        .map_err(|e| e.to_string())?;
    read(&again).map_err(|e| e.to_string())
}

/// A finished question in BizCompass's own form, as [`load::items`](crate::load::items) reads it.
///
/// Options get the letters A, B, C and so on in their stored order.
#[must_use]
pub fn to_record(built: &Built) -> Value {
    let item = &built.item;
    match item.gold_letters() {
        Some(set) => {
            let options: serde_json::Map<String, Value> = ('A'..='Z')
                .zip(&item.options)
                .map(|(letter, text)| (letter.to_string(), json!(text)))
                .collect();
            json!({
                "ID": item.id,
                "Question": item.question,
                "Options": options,
                "Answer": set.to_string(),
            })
        }
        None => json!({
            "ID": item.id,
            "Question": item.question,
            "Answer": item.gold_text().unwrap_or_default(),
        }),
    }
}
