//! Shares of occupations and coverage of tasks in O*NET.
//!
//! # Source
//! BizCompass, appendix J: employment and opening shares over all categories (Table 17), share of a
//! role's tasks that each representative task matches, and share matched at least once (Table 18).

use crate::error::TableError;
use crate::load::{Row, bad_cell, flag, needed_number, text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The scenario that an occupation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        // By title: O*NET lists one occupation in several clusters, and its people would count
        // twice.
        unique.entry(&occupation.title).or_insert(occupation);
    }
    let sum = |value: fn(&Occupation) -> f64, only: Option<OnetCategory>| -> f64 {
        unique
            .values()
            .filter(|o| only.is_none_or(|c| o.category == c))
            .map(|o| value(o))
            // The sum of no numbers is -0 in Rust.
            .fold(0.0, |sum, value| sum + value)
    };
    let share = |value: fn(&Occupation) -> f64, category: OnetCategory| -> f64 {
        // Over all categories: the share of three alone would always sum to 100.
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

/// Shares by the name of the category, with their sum as `total`: the rows of Table 17.
#[must_use]
pub fn with_total(shares: &BTreeMap<OnetCategory, Shares>) -> BTreeMap<&'static str, Shares> {
    let mut named = BTreeMap::new();
    let mut total = Shares::default();
    for (category, share) in shares {
        total.employment_share += share.employment_share;
        total.opening_share += share.opening_share;
        named.insert((*category).into(), *share);
    }
    named.insert("total", total);
    named
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
/// let found = coverage(&[vec![true, false], vec![false, false]]);
/// let found = found.map(|it| (it.matched, it.coverage));
/// assert_eq!(found, Some((vec![50.0, 0.0], 50.0)));
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

/// Reads occupations from a table with the columns `title`, `category` (consulting, analysis, trading
/// or none), `employment` and `openings`.
///
/// # Errors
/// [`TableError`] when a column is absent or a cell has the wrong form.
pub fn occupations(rows: &[Row]) -> Result<Vec<Occupation>, TableError> {
    rows.iter()
        .enumerate()
        .map(|(at, row)| {
            let word = text(row, at, &["category"])?;
            let category = match word.to_ascii_lowercase().as_str() {
                "consulting" => OnetCategory::Consulting,
                "analysis" => OnetCategory::Analysis,
                "trading" => OnetCategory::Trading,
                "none" => OnetCategory::None,
                _ => {
                    let expected = "consulting, analysis, trading or none";
                    return Err(bad_cell(at, "category", word, expected));
                }
            };
            let amount = |name: &str| {
                let value = needed_number(row, at, &[name])?;
                if value < 0.0 {
                    return Err(bad_cell(at, name, &value.to_string(), "at least 0"));
                }
                Ok(value)
            };
            Ok(Occupation {
                title: text(row, at, &["title"])?.to_owned(),
                category,
                employment: amount("employment")?,
                openings: amount("openings")?,
            })
        })
        .collect()
}

/// Tasks of a role, and which of its representative tasks each of them matches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleTasks {
    /// Names of the role's representative tasks.
    pub representative: Vec<String>,
    /// A row for each unique task of the role, a column for each representative task.
    pub matches: Vec<Vec<bool>>,
}

/// Reads the relevance table: the columns `role` and `task`, and one column for each representative
/// task with yes or no; the cell of a representative task that is not one of the role's stays blank. A
/// task that a role lists twice counts once (the first).
///
/// # Errors
/// [`TableError`] when a column is absent, a cell is neither yes nor no, or a role fills other columns
/// in one row than in another.
pub fn relevance(rows: &[Row]) -> Result<BTreeMap<String, RoleTasks>, TableError> {
    let mut roles: BTreeMap<String, RoleTasks> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        let role = text(row, at, &["role"])?;
        let task = text(row, at, &["task"])?;
        let (mut names, mut matches) = (Vec::new(), Vec::new());
        for name in row.keys() {
            let is_key = ["role", "task"]
                .iter()
                .any(|key| name.trim().eq_ignore_ascii_case(key));
            // A blank cell is not a no: the column belongs to another role.
            if !is_key && let Some(is_match) = flag(row, at, name)? {
                names.push(name.trim().to_owned());
                matches.push(is_match);
            }
        }
        let known = roles.entry(role.to_owned()).or_insert_with(|| RoleTasks {
            representative: names.clone(),
            matches: Vec::new(),
        });
        if known.representative != names {
            let expected = "filled in the same columns as the role's first row";
            return Err(bad_cell(at, "task", task, expected));
        }
        // After the checks, so that a faulty row is refused even where it is a repetition.
        if seen.insert((role.to_owned(), task.to_owned())) {
            known.matches.push(matches);
        }
    }
    Ok(roles)
}
