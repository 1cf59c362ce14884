//! A case: what is disclosed at the start, what has to be asked for, what stays hidden, and how it
//! is judged.
//!
//! Cases are JSON files with the fields of [`CaseStudy`]; unknown fields are refused, and
//! [`CaseStudy::lint`] looks for mistakes of the author. A [`CaseFact`] is gated: it
//! is disclosed only after a question that contains one of its triggers. [`Internal`] is never disclosed.
//! [`CaseRubric`] is what judges that work by rules count; model judges read [`Internal`] instead.

use super::matching::plain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::error::read_from;
use std::collections::BTreeSet;
use strum::VariantArray;

/// Intended length of an interview (strategic paper, A.4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Length {
    /// About 15 minutes: at least 3 answers of the candidate.
    Short,
    /// About 30 minutes: at least 5.
    Medium,
    /// About 45 minutes: at least 7.
    Long,
}

impl Length {
    /// Minimum number of answers of the candidate before the interview may close.
    #[must_use]
    pub fn least_answers(self) -> u32 {
        match self {
            Self::Short => 3,
            Self::Medium => 5,
            Self::Long => 7,
        }
    }

    /// The description of the length for an interviewer.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Short => "short (15 minutes; 3 to 4 answers)",
            Self::Medium => "medium (30 minutes; 5 to 7 answers)",
            Self::Long => "long (45 minutes; 7 to 10 answers)",
        }
    }
}

/// What a case asks for.
///
/// The strategic paper does not list kinds; its interviews move between profitability, market, customers,
/// competition, operations and risks (A.4). These are the usual types of consulting cases.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", parse_err_fn = unknown_kind, parse_err_ty = String)]
#[non_exhaustive]
pub enum CaseKind {
    /// Why a result fell, and what to do about it.
    Profitability,
    /// Whether to enter a market.
    MarketEntry,
    /// Where additional sales come from.
    Growth,
    /// Which price, or which form of price.
    Pricing,
    /// Whether to buy or join with a firm, and at what price.
    Merger,
    /// How work is organised: capacity, queues, errors, sites.
    Operations,
    /// Whether an outlay is worth making.
    Investment,
    /// Whether to offer something new.
    NewProduct,
    /// Whether to make or to buy.
    Sourcing,
}

fn unknown_kind(text: &str) -> String {
    let kinds: Vec<&str> = CaseKind::VARIANTS.iter().map(Into::into).collect();
    format!(
        "`{}` is not a kind of case; there are {}",
        sim_core::error::clip(text),
        kinds.join(", ")
    )
}

/// A fact that has to be asked for.
///
/// Several facts may have the same dimension; one question unlocks one of them, in the order of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFact {
    /// Its name.
    pub id: String,
    /// Its topic, in one or two words.
    pub dimension: String,
    /// Word stems (or beginnings of phrases) that aim at it.
    /// They match beginnings of words without regard to case: `competit` matches "our competitors".
    pub triggers: Vec<String>,
    /// The text that is disclosed.
    pub text: String,
    /// Facts that have to be disclosed first.
    /// Only names of facts that stand earlier in the case.
    #[serde(default)]
    pub after: Vec<String>,
    /// Whether it looks relevant and does not matter. Asking for it earns no points.
    #[serde(default, skip_serializing_if = "is_false")]
    pub red_herring: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// Text that the candidate never sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Internal {
    /// Questions that a good candidate asks.
    pub key_questions: Vec<String>,
    /// How the numbers are combined.
    pub analysis: String,
    /// The right solution.
    pub solution: String,
    /// The closing remark.
    pub wrapup: String,
}

/// A point that counts if one of its words is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RubricPoint {
    /// Its name.
    pub name: String,
    /// Word stems or beginnings of phrases, any of which counts.
    pub any: Vec<String>,
}

/// A number that has to be calculated.
///
/// Met by any number of the candidate that is within `tol * |value|` of `value`; the sign is ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuantCheck {
    /// Its name.
    pub name: String,
    /// The number; percentages as 15 for 15 %.
    pub value: f64,
    /// Tolerance, as a share of the value.
    /// \[0 to 0.5\]
    pub tol: f64,
    /// The arithmetic from the facts of the case, in words or as an expression.
    pub how: String,
    /// The arithmetic as an expression of numbers, `+ - * /` and brackets; it must give `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

/// The criteria for points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseRubric {
    /// Parts of a good structure.
    pub structure_points: Vec<RubricPoint>,
    /// Numbers to calculate.
    pub quant_checks: Vec<QuantCheck>,
    /// Factors that decide the case.
    pub drivers: Vec<RubricPoint>,
    /// Phrases of acceptable recommendations.
    pub recommendation_any: Vec<String>,
    /// Possible risks.
    pub risks: Vec<RubricPoint>,
}

/// A whole case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseStudy {
    /// Its name.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Intended length of the interview.
    pub length: Length,
    /// Industry of the client, in lower case with underscores (`health_care`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub industry: String,
    /// What it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CaseKind>,
    /// The situation; disclosed at the start.
    pub background: String,
    /// The question; disclosed at the start.
    pub objective: String,
    /// Facts that have to be asked for.
    pub gated: Vec<CaseFact>,
    /// Text that is never disclosed.
    pub internal: Internal,
    /// The criteria for points.
    pub rubric: CaseRubric,
}

/// Whether there are stems and none of them is empty: an empty stem would be found in every text.
fn are_words(stems: &[String]) -> bool {
    !stems.is_empty() && stems.iter().all(|stem| !plain(stem).trim().is_empty())
}

impl CaseStudy {
    /// Reads a case and checks that it can be played.
    ///
    /// # Errors
    /// One line: the place and what is wrong.
    ///
    /// # Example
    /// ```
    /// use qa_scoring::interview::CaseStudy;
    /// let error = CaseStudy::parse(r#"{"id": "x", "titel": "A shop"}"#).unwrap_err();
    /// assert!(error.contains("unknown field `titel`"), "{error}");
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        let case: Self = read_from(&mut json).map_err(|e| e.to_string())?;
        case.check()?;
        Ok(case)
    }

    /// The JSON Schema of a case file.
    #[must_use]
    pub fn schema() -> Value {
        sim_core::described::plain_schema(schemars::schema_for!(Self).to_value())
    }

    /// Refuses a case in which a fact can never be unlocked or a point can never be scored.
    pub(crate) fn check(&self) -> Result<(), String> {
        let fail = |message: String| Err(format!("case `{}`: {message}", self.id));
        let mut known = BTreeSet::new();
        for fact in &self.gated {
            if !are_words(&fact.triggers) {
                return fail(format!("fact `{}` has no triggers", fact.id));
            }
            // Before the name of the fact itself is known, so that a fact cannot wait for itself.
            if let Some(unknown) = fact.after.iter().find(|id| !known.contains(id.as_str())) {
                return fail(format!(
                    "fact `{}` comes after `{unknown}`, which is not an earlier fact",
                    fact.id
                ));
            }
            if !known.insert(fact.id.as_str()) {
                return fail(format!("there are two facts `{}`", fact.id));
            }
        }
        let rubric = &self.rubric;
        let lists = [
            ("structure_points", rubric.structure_points.len()),
            ("quant_checks", rubric.quant_checks.len()),
            ("drivers", rubric.drivers.len()),
            ("recommendation_any", rubric.recommendation_any.len()),
            ("risks", rubric.risks.len()),
            ("gated", self.gated.len()),
        ];
        // A share of nothing is 0: an empty list would take its points from every candidate.
        if let Some((name, _)) = lists.iter().find(|(_, count)| *count == 0) {
            return fail(format!("`{name}` is empty"));
        }
        let lists = [&rubric.structure_points, &rubric.drivers, &rubric.risks];
        for point in lists.into_iter().flatten() {
            if !are_words(&point.any) {
                return fail(format!("point `{}` has no words", point.name));
            }
        }
        if !are_words(&rubric.recommendation_any) {
            return fail("`recommendation_any` has an empty phrase".to_owned());
        }
        // Whether a formula gives its value is a matter of the lint: a case without formulas can be
        // played too.
        for check in &rubric.quant_checks {
            if !check.value.is_finite() || !(0.0..=0.5).contains(&check.tol) {
                return fail(format!(
                    "`{}` needs a finite value and a tol of 0 to 0.5",
                    check.name
                ));
            }
        }
        Ok(())
    }

    /// The case without `industry`, `kind` and formulas, which do not change an interview.
    ///
    /// Digests are computed from this form, so that a case keeps its digest when labels are added.
    #[must_use]
    pub fn unlabelled(&self) -> Self {
        let mut case = self.clone();
        case.industry.clear();
        case.kind = None;
        for check in &mut case.rubric.quant_checks {
            check.formula = None;
        }
        case
    }

    /// The facts that matter: those that are not red herrings.
    pub fn relevant_facts(&self) -> impl Iterator<Item = &CaseFact> {
        self.gated.iter().filter(|fact| !fact.red_herring)
    }

    /// All text that is never disclosed: guidance and solution.
    #[must_use]
    pub fn hidden_texts(&self) -> Vec<&str> {
        // Taken apart by name: a field that is added does not compile until it is listed here, and
        // so cannot be forgotten by the audit for leaks.
        let Internal {
            key_questions,
            analysis,
            solution,
            wrapup,
        } = &self.internal;
        key_questions
            .iter()
            .map(String::as_str)
            .chain([analysis.as_str(), solution.as_str(), wrapup.as_str()])
            .collect()
    }
}
