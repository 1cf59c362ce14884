//! Judges of interviews.
//!
//! A judge reads the case and the transcript, and gives five marks from 0 to 10. Several judges form a
//! [`Panel`], whose marks are medians. Marks that cannot be read are absent and are never counted as 0.

use super::case::CaseStudy;
use super::matching::{has_any, numbers, plain, states, word_count};
use super::transcript::{Speaker, Transcript};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use sim_core::ReplyForm;

/// Marks from 0 to 10, and feedback.
///
/// A mark is read from a number or from text (`7`, `"7"`, `"7/10"`); anything outside 0 to 10 is refused.
///
/// ```
/// use qa_scoring::interview::InterviewScores;
/// let scores: InterviewScores = serde_json::from_str(
///     r#"{"structure": 8, "quant": "6", "business_sense": "7/10", "communication": 9, "overall": 7}"#,
/// )?;
/// assert_eq!((scores.mean4(), scores.overall), (7.5, 7.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InterviewScores {
    /// Understanding and structure of the problem.
    #[serde(deserialize_with = "mark")]
    pub structure: f64,
    /// Asking for, reading and using numbers.
    #[serde(deserialize_with = "mark")]
    pub quant: f64,
    /// Drivers, conclusions, risks.
    #[serde(deserialize_with = "mark")]
    pub business_sense: f64,
    /// Clear, short, in order.
    #[serde(deserialize_with = "mark")]
    pub communication: f64,
    /// The judge's own impression of the whole; not a mean.
    #[serde(deserialize_with = "mark")]
    pub overall: f64,
    /// Feedback in words.
    #[serde(default)]
    pub feedback: String,
}

/// A number, or text with a number (`"7"`, `"7/10"`).
fn mark<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let number = match &value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => {
            let text = text.trim();
            // Only of ten: "4/5" is on another scale, and to read it as 4 would be worse than to
            // refuse it.
            let text = text.strip_suffix("/10").unwrap_or(text);
            text.trim().parse().ok()
        }
        _ => None,
    };
    number
        .filter(|n| (0.0..=10.0).contains(n))
        .ok_or_else(|| serde::de::Error::custom(format!("`{value}` is not a mark from 0 to 10")))
}

impl InterviewScores {
    /// The mean of the four parts.
    ///
    /// `(structure + quant + business_sense + communication) / 4`; `overall` is not part of it.
    #[must_use]
    pub fn mean4(&self) -> f64 {
        (self.structure + self.quant + self.business_sense + self.communication) / 4.0
    }

    /// Every mark with its name, `overall` last.
    #[must_use]
    pub fn marks(&self) -> [(&'static str, f64); 5] {
        [
            ("structure", self.structure),
            ("quant", self.quant),
            ("business_sense", self.business_sense),
            ("communication", self.communication),
            ("overall", self.overall),
        ]
    }
}

/// The form in which a judge gives its marks.
pub(crate) fn marks_form() -> ReplyForm {
    let mark = json!({"type": "number", "minimum": 0, "maximum": 10});
    ReplyForm::Json {
        name: "marks".to_owned(),
        about: "the five marks from 0 to 10 and the feedback".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "structure": mark, "quant": mark, "business_sense": mark,
                "communication": mark, "overall": mark, "feedback": {"type": "string"},
            },
            "required": ["structure", "quant", "business_sense", "communication", "overall", "feedback"],
        }),
    }
}

/// A judge that works by rules, from the rubric: a test double and a lower bound without cost. Its
/// marks are never the paper's metric.
///
/// * structure: share of the structure points named in the first two answers (7), order by first,
///   second, 1., 2. (1.5), a hypothesis (1.5)
/// * quant: share of the numbers calculated (7), share of the facts that were asked for (3; red herrings do
///   not count)
/// * business sense: share of the drivers (4), the recommendation (4), share of the risks (2)
/// * communication: 10, minus deductions for silence, length, many questions at once and missing
///   order
/// * overall: 0.3 structure, 0.25 quant, 0.3 business sense, 0.15 communication
///
/// The numbers in parentheses are points. "Named" means that a word stem of the rubric occurs
/// ([`matching::has`](super::matching::has)); a fact counts only if it was disclosed after a question.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptedJudge;

const ORDER: [&str; 8] = [
    "first",
    "second",
    "third",
    "1",
    "2",
    "finally",
    "next",
    "my structure",
];

impl ScriptedJudge {
    /// The marks.
    ///
    /// Without any answer all marks are 0. Communication begins at 10 times the share of answers with at
    /// least five words; 2 are deducted for an answer of more than 300 words, 4 for more than three question
    /// marks in one answer, 3 if fewer than two of the eight words of order occur; the minimum is 0.
    #[must_use]
    pub fn marks(case: &CaseStudy, transcript: &Transcript) -> InterviewScores {
        let answers: Vec<&str> = transcript
            .of(Speaker::Candidate)
            .filter(|text| *text != "(silence)")
            .collect();
        if answers.is_empty() {
            return InterviewScores {
                feedback: "the candidate said nothing".to_owned(),
                ..InterviewScores::default()
            };
        }
        // A structure that comes with the recommendation has structured nothing.
        let early: String = answers.iter().take(2).map(|text| plain(text)).collect();
        let all: String = answers.iter().map(|text| plain(text)).collect();
        let said: Vec<f64> = answers.iter().flat_map(|text| numbers(text)).collect();
        let rubric = &case.rubric;
        let points = |points: &[super::case::RubricPoint], text: &str| {
            share(points.iter().map(|p| has_any(text, &p.any)))
        };
        // By different words and not by their number: "first" said eight times is no order.
        let ordered = share(ORDER.iter().map(|word| has_any(&all, &[word])));
        let hypothesis = f64::from(u8::from(has_any(&all, &["hypothes"])));
        let structure = 7.0 * points(&rubric.structure_points, &early)
            + 1.5 * (ordered * 3.0).min(1.0)
            + 1.5 * hypothesis;
        let computed = share(
            rubric
                .quant_checks
                .iter()
                .map(|check| states(&said, check.value, check.tol)),
        );
        let (_, told) = super::audit::LeakAuditor::new(case).audit(transcript);
        let facts = share(
            case.relevant_facts()
                .map(|fact| told.iter().any(|(id, _)| *id == fact.id)),
        );
        let quant = 7.0 * computed + 3.0 * facts;
        let recommends = f64::from(u8::from(has_any(&all, &rubric.recommendation_any)));
        let business_sense = 4.0 * points(&rubric.drivers, &all)
            + 4.0 * recommends
            + 2.0 * points(&rubric.risks, &all);
        let longest = answers
            .iter()
            .map(|text| word_count(text))
            .max()
            .unwrap_or(0);
        let questions = answers.iter().map(|text| text.matches('?').count()).max();
        // Silences count here, though the answers above leave them out.
        let spoken = share(
            transcript
                .of(Speaker::Candidate)
                .map(|text| word_count(text) >= 5),
        );
        let mut communication = 10.0 * spoken;
        if longest > 300 {
            communication -= 2.0;
        }
        if questions.unwrap_or(0) > 3 {
            communication -= 4.0;
        }
        if ordered < 0.25 {
            communication -= 3.0;
        }
        let communication = communication.max(0.0);
        InterviewScores {
            structure,
            quant,
            business_sense,
            communication,
            overall: 0.3 * structure + 0.25 * quant + 0.3 * business_sense + 0.15 * communication,
            feedback: format!(
                "numbers worked out: {computed:.2}, facts found: {facts:.2}, recommendation: {}",
                if recommends > 0.0 { "yes" } else { "no" }
            ),
        }
    }
}

/// Share of values that are true.
fn share(hits: impl Iterator<Item = bool>) -> f64 {
    let (mut yes, mut all) = (0.0, 0.0);
    for hit in hits {
        all += 1.0;
        yes += f64::from(u8::from(hit));
    }
    if all > 0.0 { yes / all } else { 0.0 }
}

/// Several judges of one interview: the median of their marks, and their range.
///
/// An even number of judges gives the mean of the two middle marks. Judges without readable marks do not count.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Median of each mark; absent when no judge's marks can be read.
    pub scores: Option<InterviewScores>,
    /// Range of the overall marks (maximum - minimum), where several judges gave any: that of a single mark, which is
    /// always 0, says nothing of judges.
    pub spread: Option<f64>,
}

impl Panel {
    /// The panel's verdict.
    #[must_use]
    pub fn of(marks: &[InterviewScores]) -> Self {
        let column = |part: usize| {
            let values = marks
                .iter()
                .filter_map(|m| m.marks().get(part).map(|mark| mark.1));
            let mut values: Vec<f64> = values.collect();
            // Each mark by itself: the median of one part may come from another judge than that of
            // the next.
            values.sort_by(f64::total_cmp);
            values
        };
        let medians = || {
            let feedback: Vec<&str> = marks.iter().map(|m| m.feedback.as_str()).collect();
            Some(InterviewScores {
                structure: median(&column(0))?,
                quant: median(&column(1))?,
                business_sense: median(&column(2))?,
                communication: median(&column(3))?,
                overall: median(&column(4))?,
                feedback: feedback.join("\n"),
            })
        };
        let overall = column(4);
        let spread = overall.last().zip(overall.first()).map(|(a, b)| a - b);
        Self {
            scores: medians(),
            spread: spread.filter(|_| marks.len() > 1),
        }
    }
}

/// The median of sorted values; `None` if there are none.
fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    if !sorted.len().is_multiple_of(2) {
        return Some(upper);
    }
    let lower = *sorted.get(half.checked_sub(1)?)?;
    Some(f64::midpoint(lower, upper))
}
