//! BizCompass knowledge questions.

use serde::{Deserialize, Serialize};

/// A knowledge domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Domain {
    /// Finance.
    Fin,
    /// Economics.
    Econ,
    /// Operations management.
    Om,
    /// Statistics.
    Stat,
}

impl Domain {
    /// All four, in the paper's order.
    pub const ALL: [Self; 4] = [Self::Fin, Self::Econ, Self::Om, Self::Stat];

    /// Its subject in words.
    #[must_use]
    pub fn subject(self) -> &'static str {
        match self {
            Self::Fin => "finance",
            Self::Econ => "economics",
            Self::Om => "operations management",
            Self::Stat => "statistics",
        }
    }

    /// Name of the folder in the published repository.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Fin => "Fin",
            Self::Econ => "Econ",
            Self::Om => "OM",
            Self::Stat => "Stat",
        }
    }
}

/// A type of knowledge question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum QuestionType {
    /// One right option.
    Single,
    /// Two to four right options.
    Multiple,
    /// Open question.
    General,
    /// Open question over a table.
    Table,
}

impl QuestionType {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Single, Self::Multiple, Self::General, Self::Table];

    /// Name of the folder in the published repository.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Single => "Single Choice",
            Self::Multiple => "Multiple Choice",
            Self::General => "General QA",
            Self::Table => "Table QA",
        }
    }
}

/// Items of a published file; counted in the published repository.
pub(super) fn items(domain: Domain, kind: QuestionType) -> Option<usize> {
    use {Domain as D, QuestionType as Q};
    Some(match (domain, kind) {
        (D::Econ, Q::Single) => 511,
        (D::Econ, Q::Multiple) => 433,
        (D::Econ, Q::General) => 393,
        (D::Econ, Q::Table) => 421,
        (D::Fin, Q::Single) => 442,
        (D::Fin, Q::Multiple) => 468,
        (D::Fin, Q::General) => 503,
        (D::Fin, Q::Table) => 433,
        (D::Om, Q::Single) => 449,
        (D::Om, Q::Multiple) => 469,
        (D::Om, Q::Table) => 350,
        (D::Stat, Q::Single) => 471,
        (D::Stat, Q::Multiple) => 459,
        (D::Stat, Q::Table) => 431,
        (D::Om | D::Stat, Q::General) => return None,
    })
}
