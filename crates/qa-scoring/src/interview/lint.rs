//! Findings about a case: mistakes of its author that do not keep it from being played.
//!
//! [`CaseStudy::parse`] refuses a case that cannot be played. [`CaseStudy::lint`] also looks for right
//! answers that do not follow from the facts, triggers that do not select one fact, and parts that are
//! missing. It compares words and numbers and does not understand texts.

use super::case::{CaseStudy, QuantCheck};
use super::formula::evaluate;
use super::matching::{has, has_any, numbers, plain, spoken_numbers, states};
use std::fmt;

/// Minimum number of facts of a case that look relevant but do not matter.
pub const RED_HERRINGS: usize = 2;

/// Numbers that a formula may contain without a source: counts of time, percent, thousands.
const UNITS: [f64; 10] = [
    1.0,
    7.0,
    12.0,
    24.0,
    52.0,
    60.0,
    100.0,
    365.0,
    1_000.0,
    1_000_000.0,
];

/// What is wrong with a case.
///
/// The texts name facts by id, checks and points by name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CaseFinding {
    /// `industry` or `kind` is absent.
    NoLabel {
        /// The field.
        field: &'static str,
    },
    /// There are fewer than [`RED_HERRINGS`] red herrings.
    FewRedHerrings {
        /// Number of red herrings.
        found: usize,
    },
    /// Words of the background already contain a trigger, so that repeating the background asks for the
    /// fact.
    TriggerInBackground {
        /// The fact.
        fact: String,
        /// The trigger.
        trigger: String,
    },
    /// Facts of different dimensions have the same trigger.
    SharedTrigger {
        /// The trigger.
        trigger: String,
        /// The fact that has it first.
        first: String,
        /// The fact that has it again.
        second: String,
    },
    /// A formula is not arithmetic.
    UnreadableFormula {
        /// The check.
        check: String,
        /// What cannot be read.
        why: String,
    },
    /// A number of a formula is in no text of the case and not the value of an earlier check.
    UnknownNumber {
        /// The check.
        check: String,
        /// The number.
        number: f64,
    },
    /// Formula and value differ by more than the tolerance.
    WrongValue {
        /// The check.
        check: String,
        /// The value in the case.
        value: f64,
        /// The value of the formula.
        formula: f64,
    },
    /// The value of a check is in the text of the case, so that nothing has to be calculated.
    ToldValue {
        /// The check.
        check: String,
        /// The value.
        value: f64,
    },
    /// The solution contains none of the accepted recommendations.
    SolutionNotAccepted,
    /// Background or objective contain an accepted recommendation, so that repeating them scores.
    RecommendationTold {
        /// The phrase.
        phrase: String,
    },
}

impl CaseFinding {
    /// Whether marks by the rubric would be wrong: a right answer does not follow from the case.
    #[must_use]
    pub fn is_wrong_answer(&self) -> bool {
        matches!(
            self,
            Self::UnreadableFormula { .. } | Self::UnknownNumber { .. } | Self::WrongValue { .. }
        )
    }
}

impl fmt::Display for CaseFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLabel { field } => write!(f, "`{field}` is absent"),
            Self::FewRedHerrings { found } => write!(
                f,
                "{found} facts are marked `red_herring`; at least {RED_HERRINGS} are wanted"
            ),
            Self::TriggerInBackground { fact, trigger } => write!(
                f,
                "fact `{fact}`: the background already contains the trigger `{trigger}`"
            ),
            Self::SharedTrigger {
                trigger,
                first,
                second,
            } => write!(
                f,
                "facts `{first}` and `{second}` share the trigger `{trigger}`"
            ),
            Self::UnreadableFormula { check, why } => {
                write!(f, "check `{check}`: the formula cannot be read: {why}")
            }
            Self::UnknownNumber { check, number } => write!(
                f,
                "check `{check}`: {number} is in no text of the case and not the value of an earlier \
                 check"
            ),
            Self::WrongValue {
                check,
                value,
                formula,
            } => write!(
                f,
                "check `{check}`: the value is {value}, but its formula gives {formula}"
            ),
            Self::ToldValue { check, value } => write!(
                f,
                "check `{check}`: {value} is in the text of the case and need not be calculated"
            ),
            Self::SolutionNotAccepted => {
                f.write_str("`internal.solution` contains no phrase of `rubric.recommendation_any`")
            }
            Self::RecommendationTold { phrase } => write!(
                f,
                "background or objective contain the recommendation `{phrase}`"
            ),
        }
    }
}

impl CaseStudy {
    /// All findings, in the order of the fields of the case; empty if there are none.
    ///
    /// Numbers of a formula may be those of background, objective and facts (`1.3 million` as 1.3 or
    /// 1300000, `35 percent` as 35 or 0.35), values of earlier checks, and 1, 7, 12, 24, 52, 60, 100,
    /// 365, 1000 and 1000000. Numbers that are written as words do not count.
    ///
    /// # Example
    /// ```
    /// use qa_scoring::interview::cases;
    /// let case = cases()?.into_iter().find(|case| case.id == "cheese-export").ok_or("no case")?;
    /// assert_eq!(case.lint(), []);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn lint(&self) -> Vec<CaseFinding> {
        let mut found = Vec::new();
        if self.industry.trim().is_empty() {
            found.push(CaseFinding::NoLabel { field: "industry" });
        }
        if self.kind.is_none() {
            found.push(CaseFinding::NoLabel { field: "kind" });
        }
        let herrings = self.gated.iter().filter(|fact| fact.red_herring).count();
        if herrings < RED_HERRINGS {
            found.push(CaseFinding::FewRedHerrings { found: herrings });
        }
        self.lint_triggers(&mut found);
        self.lint_numbers(&mut found);
        let phrases = &self.rubric.recommendation_any;
        // The solution is the answer that must score; where it does not, the phrases are wrong.
        if !has_any(&plain(&self.internal.solution), phrases) {
            found.push(CaseFinding::SolutionNotAccepted);
        }
        let opening = plain(&format!("{} {}", self.background, self.objective));
        let told = phrases.iter().filter(|phrase| has(&opening, phrase));
        found.extend(told.map(|phrase| CaseFinding::RecommendationTold {
            phrase: phrase.clone(),
        }));
        found
    }

    fn lint_triggers(&self, found: &mut Vec<CaseFinding>) {
        // Of the background alone: the facts are told one by one, and only after they were asked
        // for.
        let background = plain(&self.background);
        for (place, fact) in self.gated.iter().enumerate() {
            for trigger in &fact.triggers {
                if has(&background, trigger) {
                    found.push(CaseFinding::TriggerInBackground {
                        fact: fact.id.clone(),
                        trigger: trigger.clone(),
                    });
                }
                let earlier = self.gated.iter().take(place);
                let same = |other: &String| plain(other) == plain(trigger);
                let first = earlier
                    // In one dimension a question may well ask for two facts.
                    .filter(|other| other.dimension != fact.dimension)
                    .find(|other| other.triggers.iter().any(same));
                if let Some(first) = first {
                    found.push(CaseFinding::SharedTrigger {
                        trigger: trigger.clone(),
                        first: first.id.clone(),
                        second: fact.id.clone(),
                    });
                }
            }
        }
    }

    fn lint_numbers(&self, found: &mut Vec<CaseFinding>) {
        let facts = self.gated.iter().map(|fact| fact.text.as_str());
        let texts = [self.background.as_str(), self.objective.as_str()];
        let texts: Vec<&str> = texts.into_iter().chain(facts).collect();
        let told: Vec<f64> = texts.iter().flat_map(|text| numbers(text)).collect();
        let mut known: Vec<f64> = texts.iter().flat_map(|text| spoken_numbers(text)).collect();
        // Not counted as told: that a year has 12 months gives no result away.
        known.extend(UNITS);
        for check in &self.rubric.quant_checks {
            if let Some(formula) = &check.formula {
                lint_formula(check, formula, &known, found);
            }
            if states(&told, check.value, check.tol) {
                found.push(CaseFinding::ToldValue {
                    check: check.name.clone(),
                    value: check.value,
                });
            }
            // After its own check, so that no check can be the source of itself.
            known.push(check.value);
        }
    }
}

fn lint_formula(check: &QuantCheck, formula: &str, known: &[f64], found: &mut Vec<CaseFinding>) {
    let name = || check.name.clone();
    let (value, used) = match evaluate(formula) {
        Ok(read) => read,
        Err(why) => {
            found.push(CaseFinding::UnreadableFormula { check: name(), why });
            return;
        }
    };
    for number in used {
        // Percentages are divided by 100 here, so that equality is up to rounding.
        if !states(known, number, 1e-9) {
            found.push(CaseFinding::UnknownNumber {
                check: name(),
                number,
            });
        }
    }
    // The tolerance is relative, so a right value of zero needs an absolute one as well.
    if (value - check.value).abs() > check.value.abs() * check.tol + 1e-9 {
        found.push(CaseFinding::WrongValue {
            check: name(),
            value: check.value,
            formula: value,
        });
    }
}
