//! Shares of occupations and coverage of tasks in O*NET.
//!
//! # Source
//! BizCompass, appendix J: employment and opening shares over all categories (Table 17), share of a
//! role's tasks that each representative task matches, and share matched at least once (Table 18).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The scenario that an occupation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnetCategory {
    /// Advising firms.
    Consulting,
    /// Evaluating information.
    Analysis,
    /// Buying and selling.
    Trading,
    /// None of the three.
    None,
}

impl OnetCategory {
    /// The three scenarios.
    pub const CORE: [Self; 3] = [Self::Consulting, Self::Analysis, Self::Trading];
}

/// An occupation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occupation {
    /// Title; occupations listed in several clusters repeat it.
    pub title: String,
    /// Scenario.
    pub category: OnetCategory,
    /// Employed persons.
    pub employment: f64,
    /// Projected openings.
    pub openings: f64,
}

/// Shares of one scenario \[per cent of all categories\].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// Of employed persons.
    pub employment_share: f64,
    /// Of projected openings.
    pub opening_share: f64,
}

/// Shares of the three scenarios. Occupations with the same title count once (the first); totals
/// run over all categories, including `None`.
///
/// ```
/// use qa_scoring::onet::{OnetCategory, Occupation, shares};
/// let occupation = |title: &str, category, employment| Occupation {
///     title: title.into(),
///     category,
///     employment,
///     openings: 1.0,
/// };
/// let list = [
///     occupation("a", OnetCategory::Trading, 1.0),
///     occupation("a", OnetCategory::Trading, 1.0), // listed in two clusters
///     occupation("b", OnetCategory::None, 3.0),
/// ];
/// assert_eq!(shares(&list)[&OnetCategory::Trading].employment_share, 25.0);
/// ```
#[must_use]
pub fn shares(occupations: &[Occupation]) -> BTreeMap<OnetCategory, Shares> {
    let mut unique: BTreeMap<&str, &Occupation> = BTreeMap::new();
    for occupation in occupations {
        unique.entry(&occupation.title).or_insert(occupation);
    }
    let sum = |value: fn(&Occupation) -> f64, only: Option<OnetCategory>| -> f64 {
        unique
            .values()
            .filter(|o| only.is_none_or(|c| o.category == c))
            .map(|o| value(o))
            .sum()
    };
    let share = |value: fn(&Occupation) -> f64, category: OnetCategory| -> f64 {
        let total = sum(value, None);
        if total > 0.0 {
            100.0 * sum(value, Some(category)) / total
        } else {
            0.0
        }
    };
    OnetCategory::CORE
        .into_iter()
        .map(|category| {
            let shares = Shares {
                employment_share: share(|o| o.employment, category),
                opening_share: share(|o| o.openings, category),
            };
            (category, shares)
        })
        .collect()
}

/// Matches between a role's tasks and its representative tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// For each representative task the share of the role's tasks that match it \[per cent\].
    pub matched: Vec<f64>,
    /// Share of the role's tasks that match at least one \[per cent\].
    pub coverage: f64,
}

/// Coverage of a role from its relevance table: a row for each unique task, a column for each
/// representative task. `None` for no row or for rows of different lengths.
///
/// ```
/// use qa_scoring::onet::coverage;
/// let found = coverage(&[vec![true, false], vec![false, false]]).unwrap();
/// assert_eq!((found.matched, found.coverage), (vec![50.0, 0.0], 50.0));
/// ```
#[must_use]
pub fn coverage(relevance: &[Vec<bool>]) -> Option<Coverage> {
    let columns = relevance.first()?.len();
    if relevance.iter().any(|row| row.len() != columns) {
        return None;
    }
    let rows = relevance.len() as f64;
    let matched = (0..columns)
        .map(|column| {
            let hits = relevance
                .iter()
                .filter(|row| row.get(column).copied().unwrap_or(false))
                .count();
            100.0 * hits as f64 / rows
        })
        .collect();
    let any = relevance.iter().filter(|row| row.contains(&true)).count();
    Some(Coverage {
        matched,
        coverage: 100.0 * any as f64 / rows,
    })
}
