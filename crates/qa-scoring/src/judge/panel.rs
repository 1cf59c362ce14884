//! Asks one judge or several.

use super::reply::{JudgedScore, UnreadableReply, read_label, read_score};
use super::rubric::{Rubric, Subject, repair, request};
use super::{Judge, JudgeRequest, NO_REPLY};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The vote of one judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Vote {
    /// Which judge, from 0.
    pub judge: u32,
    /// Its score: 0 to 5, or 0 and 1 for right or wrong; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Sub-scores and the reported score, for the rubric with parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<JudgedScore>,
    /// The last reply, empty if there was none.
    pub reply: String,
    /// Whether a repair was needed.
    pub repaired: bool,
    /// Why there is no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The votes of all judges.
///
/// The spread says how far judges agree; with one model asked several times it measures the model's own noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Verdict {
    /// Mean of the readable votes; absent if there are none, and the item is unscored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Standard deviation of those votes; absent for fewer than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Every vote.
    pub votes: Vec<Vote>,
}

impl Verdict {
    /// Why there is no score, in words that are the same for every answer: without the message of the provider.
    pub(crate) fn why_unscored(&self) -> String {
        let class = |vote: &Vote| {
            // One vote of another kind is enough for the general words: a reply was there and could
            // not be read.
            let reason = vote.problem.as_deref()?.strip_prefix(NO_REPLY)?;
            // What follows the colon differs from one request to the next, and equal notes are
            // counted together.
            reason.split(':').next().map(str::to_owned)
        };
        let classes: Option<BTreeSet<String>> = self.votes.iter().map(class).collect();
        match classes {
            Some(classes) if !classes.is_empty() => {
                let classes: Vec<String> = classes.into_iter().collect();
                format!("{NO_REPLY}{}", classes.join(", "))
            }
            _ => "no readable judgement".to_owned(),
        }
    }
}

/// Has an answer scored by `judges` judges (at least one), each with one repair.
///
/// ```
/// use qa_scoring::judge::{JudgeRequest, NoReply, Round, Rubric, Subject, judge};
/// let mut script = |request: &JudgeRequest| match request.round {
///     Round::First => Ok("I would say four.".to_owned()),
///     Round::Repair => Ok("{\"score\": 4}".to_owned()),
/// };
/// let subject = Subject { question: "Why?", reference: "Because.", answer: "So." };
/// let verdict = judge(Rubric::Score, &subject, 1, &mut script);
/// assert_eq!(verdict.score, Some(4.0));
/// assert!(verdict.votes[0].repaired);
/// ```
pub fn judge(
    rubric: Rubric,
    subject: &Subject<'_>,
    judges: u32,
    backend: &mut dyn Judge,
) -> Verdict {
    let votes: Vec<Vote> = (0..judges.max(1))
        .map(|number| vote(rubric, &request(rubric, subject, number), backend))
        .collect();
    let scores: Vec<f64> = votes.iter().filter_map(|vote| vote.score).collect();
    Verdict {
        score: sim_core::stats::mean(&scores),
        spread: sim_core::stats::sd(&scores),
        votes,
    }
}

/// One judge: the request, and once more with the reason if the reply cannot be read.
fn vote(rubric: Rubric, first: &JudgeRequest, backend: &mut dyn Judge) -> Vote {
    let mut vote = Vote {
        judge: first.judge,
        score: None,
        detail: None,
        reply: String::new(),
        repaired: false,
        problem: None,
    };
    let mut asked = first.clone();
    for attempt in 0..2 {
        let reply = match backend.ask(&asked) {
            Ok(reply) => reply,
            Err(error) => {
                vote.problem = Some(error.to_string());
                return vote;
            }
        };
        vote.repaired = attempt > 0;
        let read = read(rubric, &reply);
        vote.reply = reply;
        match read {
            Ok((score, detail)) => {
                vote.score = Some(score);
                vote.detail = detail;
                // The problem of the first attempt is solved; `repaired` still tells of it.
                vote.problem = None;
                return vote;
            }
            Err(reason) => {
                vote.problem = Some(reason.to_string());
                // From the first request, so that a second repair would not grow with each reply.
                asked = repair(first, &vote.reply, &reason);
            }
        }
    }
    vote
}

fn read(rubric: Rubric, reply: &str) -> Result<(f64, Option<JudgedScore>), UnreadableReply> {
    match rubric {
        Rubric::Score => read_score(reply).map(|score| (score.score, Some(score))),
        Rubric::Label => read_label(reply).map(|right| (f64::from(u8::from(right)), None)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NoReply, Round};
    use super::*;

    const SUBJECT: Subject<'static> = Subject {
        question: "q",
        reference: "r",
        answer: "a",
    };

    #[test]
    fn unreadable_replies_leave_the_item_unscored() {
        let mut asked = 0;
        let mut script = |request: &JudgeRequest| {
            asked += 1;
            assert_eq!(
                request.messages.len(),
                if request.round == Round::First { 1 } else { 3 }
            );
            Ok("no".to_owned())
        };
        let verdict = judge(Rubric::Score, &SUBJECT, 1, &mut script);
        assert_eq!((verdict.score, asked), (None, 2));
        assert!(
            verdict.votes[0]
                .problem
                .as_deref()
                .unwrap()
                .contains("score")
        );
    }

    #[test]
    fn several_judges_give_mean_and_spread() {
        let mut script = |request: &JudgeRequest| match request.judge {
            0 => Ok("{\"score\": 3}".to_owned()),
            1 => Ok("{\"score\": 5}".to_owned()),
            _ => Err(NoReply {
                reason: "quota".to_owned(),
            }),
        };
        let verdict = judge(Rubric::Score, &SUBJECT, 3, &mut script);
        assert_eq!(verdict.score, Some(4.0));
        assert!((verdict.spread.unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(verdict.votes.len(), 3);
        assert!(
            verdict.votes[2]
                .problem
                .as_deref()
                .unwrap()
                .contains("quota")
        );
        let mut label = |_: &JudgeRequest| Ok("{\"correct\": \"Yes\"}".to_owned());
        assert_eq!(
            judge(Rubric::Label, &SUBJECT, 0, &mut label).score,
            Some(1.0)
        );
    }
}
