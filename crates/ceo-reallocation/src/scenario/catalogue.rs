//! The 13 authored scenarios and their 7 companies (`fixtures/scenarios.json`).

use super::Scenario;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;

/// Ids of the authored scenarios, in the order of the catalogue: also the names of the presets.
pub const AUTHORED_IDS: [&str; 13] = [
    "C1-R1", "C1-R2", "C2-R1", "C2-R2", "C3-R2", "C3-R3", "C4-R1", "C4-R3", "C5-R3", "C6-R2",
    "C6-R3", "C7-R2", "C7-R3",
];

/// Change of a company per round that no decision causes, in rolling mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Change of the runway \[months / round\].
    pub runway: f64,
    /// Change of the leverage \[x / round\].
    pub leverage: f64,
    /// Change of the transformation pressure \[points / round\].
    pub pressure: f64,
}

/// A company of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueCompany {
    /// Its id (`C3`).
    pub id: String,
    /// Its name in texts.
    pub name: String,
    /// Line of business.
    pub sector: String,
    /// Its change per round that no decision causes.
    pub drift: Drift,
}

/// A file of scenarios with their companies.
///
/// A file of your own has the same form: read it with `serde_json`, then check each
/// scenario with [`Scenario::check`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Version of the file form; 1 is the only one so far.
    pub schema_version: u32,
    /// The unit of all amounts, in words.
    pub units_of_measure: String,
    /// Companies.
    pub companies: Vec<CatalogueCompany>,
    /// Scenarios.
    pub scenarios: Vec<Scenario>,
}

impl Catalogue {
    /// The scenario called `id`.
    #[must_use]
    pub fn scenario(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }

    /// The company called `id`.
    #[must_use]
    pub fn company(&self, id: &str) -> Option<&CatalogueCompany> {
        self.companies.iter().find(|company| company.id == id)
    }
}

/// The catalogue that is built in.
///
/// ```
/// let catalogue = ceo_reallocation::scenario::authored();
/// assert_eq!(catalogue.scenarios.len(), 13);
/// assert_eq!(catalogue.companies.len(), 7);
/// ```
#[must_use]
#[expect(
    clippy::expect_used,
    reason = "the text is part of the program; a test reads it and counts 13 scenarios"
)]
pub fn authored() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        // By way of a `Value`, as settings are read, so that the reading code is compiled once.
        let text = include_str!("../../fixtures/scenarios.json");
        let value: Value = serde_json::from_str(text).expect("the catalogue is JSON");
        serde_path_to_error::deserialize(&value).expect("the catalogue has the form of one")
    });
    &CATALOGUE
}
