//! Free text: ROUGE, judges, and rules that need no judge.
//!
//! | task | with a judge | without |
//! |---|---|---|
//! | ROUGE | | the mean of the three F values |
//! | judged | the mean score, 0 to 5 | unscored |
//! | judged label | right, wrong, or the share of judges | the companion rule |

use super::{AnswerOutcome, Detail, Grade, Grader, Settings};
use crate::extract::{behind_number, plain_label, without_thinking, yes_no};
use crate::item::{Gold, Item};
use crate::judge::{Judge, PublishedCategory, Rubric, Subject, judge, published_verdict, request};
use crate::metric::{entity_counts, token_tag_counts};
use crate::profile::Profile;
use crate::python::{float_text, value_text};
use crate::rouge::{Prf, RougeScores};
use crate::rules::compare::Right;
use crate::rules::program::is_within;
use crate::span::{after, before};
use crate::task::Companion;
use crate::tatqa::{self, AnswerType, GoldAnswer};
use reply_text::mark;
use serde_json::Value;

/// Whether the profile counts an item without a reference: the published package scores 0 against an
/// empty reference, and the published number of items includes it.
pub(super) fn counts_without_gold(profile: Profile) -> bool {
    matches!(profile, Profile::Paper | Profile::Authors)
}

/// The scores of an answer that has nothing in common with the reference.
pub(super) fn no_overlap(settings: &Settings) -> RougeScores {
    RougeScores {
        rouge_lsum: settings.lsum.then(Prf::default),
        ..RougeScores::default()
    }
}

/// ROUGE against the reference.
pub(super) fn rouge(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let right = match (&item.gold, grader.settings.profile) {
        (Gold::Text(text), _) => text.as_str(),
        (Gold::Absent, profile) if counts_without_gold(profile) => "",
        _ => return Grade::no_gold(),
    };
    // The published code scores the whole reply, thoughts included.
    let spoken = match grader.settings.profile {
        Profile::Strict => without_thinking(reply).text(),
        _ => Some(reply.into()),
    };
    let Some(spoken) = spoken else {
        return Grade::of(AnswerOutcome::NoAnswer, 0.0)
            .detail(Detail::Rouge(no_overlap(&grader.settings)));
    };
    let mut scores = grader.rouge.score(right, &spoken);
    if grader.settings.lsum {
        scores.rouge_lsum = grader.rouge.lsum(right, &spoken);
    }
    Grade::of(AnswerOutcome::Graded, scores.mean_f()).detail(Detail::Rouge(scores))
}

/// The question as shown to a judge: context, then question.
fn asked(item: &Item) -> String {
    match &item.context {
        Some(context) => format!("{context}\n\n{}", item.question),
        None => item.question.clone(),
    }
}

/// A judge's score, 0 to 5.
pub(super) fn judged(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(reference) = item.gold_text() else {
        return Grade::no_gold();
    };
    let (profile, judges) = (grader.settings.profile, grader.settings.judges);
    // Before the answer is looked at: without a judge no reply to the task can be scored, whatever
    // it holds.
    let Some(backend) = grader.judge.as_mut() else {
        return Grade::of(AnswerOutcome::Unscored, None).note("there is no judge");
    };
    let question = asked(item);
    // A judge sees what was said. A reply of thoughts alone costs no request.
    let Some(answer) = without_thinking(reply).text() else {
        return Grade::of(AnswerOutcome::NoAnswer, 0.0);
    };
    let subject = Subject {
        question: &question,
        reference,
        answer: &answer,
    };
    if profile == Profile::Authors {
        return published(&subject, &mut **backend);
    }
    let verdict = judge(Rubric::Score, &subject, judges, &mut **backend);
    let grade = match verdict.score {
        Some(score) => Grade::of(AnswerOutcome::Graded, score),
        None => Grade::of(AnswerOutcome::Unscored, None).note(verdict.why_unscored()),
    };
    grade.detail(Detail::Judged(verdict))
}

/// Sends one request and reads the reply by the published rule, in which an unreadable reply scores 0, and so does a
/// judge that does not reply: `API_ERROR` in `evaluation/evaluator.py`, whose means include it.
fn published(subject: &Subject<'_>, backend: &mut dyn Judge) -> Grade {
    match backend.ask(&request(Rubric::Score, subject, 0)) {
        Err(_) => Grade::of(AnswerOutcome::Graded, 0.0)
            .note("the judge gave no reply: the published code counts it as API_ERROR, 0"),
        Ok(reply) => {
            let verdict = published_verdict(&reply);
            let grade = Grade::of(AnswerOutcome::Graded, verdict.score);
            if verdict.category == PublishedCategory::EvaluationError {
                grade.note("the published evaluation cannot read the reply and scores 0")
            } else {
                grade
            }
        }
    }
}

/// Right or wrong as a judge decides; without a judge, the companion rule.
pub(super) fn judged_label(
    grader: &mut Grader<'_>,
    companion: Companion,
    item: &Item,
    reply: &str,
) -> Grade {
    let Some(reference) = item.gold_text() else {
        return Grade::no_gold();
    };
    let Some(answer) = without_thinking(reply).text() else {
        let detail = companion_detail(companion, &grader.settings, item, reference, "");
        return Grade::of(AnswerOutcome::NoAnswer, 0.0).detail(detail);
    };
    let detail = companion_detail(companion, &grader.settings, item, reference, &answer);
    let judges = grader.settings.judges;
    let Some(backend) = grader.judge.as_mut() else {
        let flexible = flexible(companion, &grader.settings, item, reference, &answer);
        return companion_grade(detail, reference, &answer).flexible(flexible);
    };
    let question = asked(item);
    let subject = Subject {
        question: &question,
        reference,
        answer: &answer,
    };
    let verdict = judge(Rubric::Label, &subject, judges, &mut **backend);
    let grade = match verdict.score {
        Some(score) if score >= 1.0 => Grade::verdict(true),
        Some(score) if score <= 0.0 => Grade::verdict(false),
        Some(share) => Grade::of(AnswerOutcome::Graded, share).note("the judges disagree"),
        None => Grade::of(AnswerOutcome::Unscored, None).note(verdict.why_unscored()),
    };
    grade.detail(detail)
}

/// The details of a rule that needs no judge.
pub(super) fn companion_detail(
    companion: Companion,
    settings: &Settings,
    item: &Item,
    right: &str,
    given: &str,
) -> Detail {
    match companion {
        Companion::Number => {
            let wanted = Right::of(right, &item.question, settings.lenient);
            let (given, within) = number_or_word(right, wanted, given);
            Detail::Number {
                given,
                within_one_per_cent: within,
            }
        }
        Companion::Spans => {
            let gold = GoldAnswer {
                answer_type: AnswerType::MultiSpan,
                parts: right.lines().map(str::to_owned).collect(),
                scale: String::new(),
            };
            let parts = listed_parts(given, gold.parts.len());
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let scores = tatqa::score(&gold, &parts, "");
            Detail::Spans {
                exact: scores.exact,
                f1: scores.f1,
            }
        }
        Companion::Entities => Detail::Lines(entity_counts(right, given)),
        Companion::TokenTags => Detail::Lines(token_tag_counts(right, given)),
    }
}

/// The parts of an answer that is a list of spans: of its last explicit answer, else its lines. A single line is cut where
/// a list is joined, if that gives the `count` of the right parts.
fn listed_parts(given: &str, count: usize) -> Vec<String> {
    let text = mark::before_next_question(given.trim());
    let last = mark::all(text).pop();
    let stated = match &last {
        Some(mark) if mark.kind == mark::Kind::Phrase => {
            let block = after(text, mark.start);
            let block = before(block, block.find("\n\n").unwrap_or(block.len()));
            // A line alone ends with its sentence; a list goes on to the next empty line.
            if block.trim().contains('\n') {
                block
            } else {
                mark.text.as_ref()
            }
        }
        Some(mark) => mark.text.as_ref(),
        None => text,
    };
    let json = mark::first_fence(stated).unwrap_or(stated).trim();
    if let Ok(list) = serde_json::from_str::<Vec<Value>>(json) {
        return list.iter().map(value_text).collect();
    }
    let lines: Vec<&str> = stated
        .lines()
        .map(|line| {
            let line = line.trim();
            // With its blank: "-5" is a number.
            let item = ["- ", "* ", "• "]
                .iter()
                .find_map(|mark| line.strip_prefix(mark));
            let line = item.unwrap_or(line).trim_start();
            behind_number(line)
                .unwrap_or(line)
                .trim_start_matches([' ', '*'])
                .trim_end_matches(['*', '.', ' '])
        })
        .filter(|line| !line.is_empty())
        .collect();
    if let [line] = lines.as_slice()
        && count > 1
    {
        for joints in [&[";"][..], &[", and ", ", ", " and "]] {
            let pieces = joints.iter().fold(vec![*line], |pieces, joint| {
                let cut = pieces.into_iter().flat_map(|piece| piece.split(joint));
                cut.map(str::trim).collect()
            });
            if pieces.len() == count {
                return pieces.into_iter().map(str::to_owned).collect();
            }
        }
    }
    lines.into_iter().map(str::to_owned).collect()
}

/// Whether the last number of the answer is within 1 % of the right one; `None` if no number is right.
fn flexible(
    companion: Companion,
    settings: &Settings,
    item: &Item,
    right: &str,
    given: &str,
) -> Option<bool> {
    if companion != Companion::Number || truth(right).is_some() {
        return None;
    }
    let wanted = Right::of(right, &item.question, settings.lenient)?;
    Some(wanted.both(None, given, is_within).1)
}

/// `true` if the right answer is yes, `false` if it is no, `None` otherwise.
fn truth(right: &str) -> Option<bool> {
    match plain_label(right).as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The number that was read, if one is right, and whether the answer is right: within 1 %, or the same yes or no.
fn number_or_word(right: &str, wanted: Option<Right<'_>>, given: &str) -> (Option<f64>, bool) {
    let truth = truth(right);
    if truth.is_some() {
        return (None, yes_no(given) == truth);
    }
    let found = reply_text::answer::number(given);
    let within = wanted.is_some_and(|wanted| wanted.both(found.as_ref(), "", is_within).0);
    (found.map(|found| found.value()), within)
}

/// The grade by the companion rule: right, wrong, or an F1 between.
fn companion_grade(detail: Detail, right: &str, answer: &str) -> Grade {
    let grade = match &detail {
        Detail::Number {
            given,
            within_one_per_cent,
        } => {
            let grade = Grade::verdict(*within_one_per_cent);
            let word = truth(right).and_then(|_| yes_no(answer));
            match (given, word) {
                (Some(value), _) => grade.read(float_text(*value)),
                (None, Some(said)) => grade.read(if said { "yes" } else { "no" }),
                (None, None) => grade.without_answer(),
            }
        }
        Detail::Spans { exact, f1 } if *exact >= 1.0 || *f1 <= 0.0 => Grade::verdict(*exact >= 1.0),
        // Neither exact nor without a word in common: the outcome says so, but the figure stays the
        // exact match.
        Detail::Spans { exact, .. } => Grade::of(AnswerOutcome::Graded, *exact),
        Detail::Lines(counts) => {
            let f = counts.prf().f;
            // Two empty lists agree.
            let f = if counts.given + counts.right == 0 {
                1.0
            } else {
                f
            };
            if f >= 1.0 {
                Grade::verdict(true)
            } else {
                Grade::of(AnswerOutcome::Graded, f)
            }
        }
        _ => Grade::verdict(false),
    };
    grade
        .detail(detail)
        .note("graded by the companion rule, there is no judge")
}
