//! Departments, levels and the roles of levels.
//!
//! | level | role | published people |
//! |---:|---|---:|
//! | 9 | associate | 677 |
//! | 10 | team lead | 301 |
//! | 11 | reserved | 0 |
//! | 12 | manager | 250 |
//! | 13 | reserved | 3 |
//! | 14 | director | 29 |
//! | 15 | chief executive, optional | 0 |
//!
//! Access rules compare levels as numbers; records show the code of department and level, such as
//! `EN10`.
//!
//! ```
//! use enterprise_sandbox::data::org::{Department, Rank, level_code, parse_level_code};
//!
//! assert_eq!(level_code(Department::Engineering, 10), "EN10");
//! assert_eq!(parse_level_code("FI12"), Some((Department::Finance, 12)));
//! assert_eq!(parse_level_code("FI08"), None);
//! assert_eq!(Rank::of_level(12).title(), "Manager");
//! assert_eq!(Department::parse("hr"), Some(Department::HumanResources));
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A department of the company. The order is that of the published head-counts.
///
/// Shares in a generated company: Engineering 38 %, HR and Business Development 10 % each,
/// Information Technology, BPO, Finance and Sales 9 % each, Management 6 %. Finance and BPO have
/// data and rules, but no domain of tasks.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "title_case")]
pub enum Department {
    /// Software engineering (`EN`).
    Engineering,
    /// Human resources (`HR`).
    #[serde(rename = "HR")]
    #[strum(serialize = "HR")]
    HumanResources,
    /// Business development (`BU`).
    #[serde(rename = "Business Development")]
    BusinessDevelopment,
    /// Information technology, the helpdesk (`IN`).
    #[serde(rename = "Information Technology")]
    InformationTechnology,
    /// Business process outsourcing, customer support (`BP`).
    #[serde(rename = "BPO")]
    #[strum(serialize = "BPO")]
    Bpo,
    /// Finance (`FI`).
    Finance,
    /// Sales (`SA`).
    Sales,
    /// Management (`MA`).
    Management,
}

impl Department {
    /// All departments, largest first.
    pub const ALL: [Self; 8] = [
        Self::Engineering,
        Self::HumanResources,
        Self::BusinessDevelopment,
        Self::InformationTechnology,
        Self::Bpo,
        Self::Finance,
        Self::Sales,
        Self::Management,
    ];

    /// Name as the data spells it (`category`).
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The two letters in front of a level (`EN10`).
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Engineering => "EN",
            Self::HumanResources => "HR",
            Self::BusinessDevelopment => "BU",
            Self::InformationTechnology => "IN",
            Self::Bpo => "BP",
            Self::Finance => "FI",
            Self::Sales => "SA",
            Self::Management => "MA",
        }
    }

    /// The department of that name or prefix, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::ALL
            .into_iter()
            .find(|d| d.name().eq_ignore_ascii_case(text) || d.prefix().eq_ignore_ascii_case(text))
    }
}

/// The levels that exist: 9 associate, 10 team lead, 11 (reserved), 12 manager, 13 (reserved),
/// 14 director, 15 chief executive (optional).
///
/// Tools refuse 11 and 15 for new and changed people; imported data may have them.
pub const LEVELS: [u8; 7] = [9, 10, 11, 12, 13, 14, 15];

/// The four roles of the paper, in its order, with their levels.
pub const ROLES: [(Rank, u8); 4] = [
    (Rank::Associate, 9),
    (Rank::TeamLead, 10),
    (Rank::Manager, 12),
    (Rank::Director, 14),
];

/// The role of a level.
///
/// The paper's four roles and a chief executive. Only titles and signatures use it; access depends
/// on the level itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "title_case")]
pub enum Rank {
    /// Level 9 and below.
    Associate,
    /// Levels 10 and 11.
    TeamLead,
    /// Levels 12 and 13.
    Manager,
    /// Level 14.
    Director,
    /// Level 15.
    ChiefExecutive,
}

impl Rank {
    /// The role of a level.
    #[must_use]
    pub fn of_level(level: u8) -> Self {
        match level {
            0..=9 => Self::Associate,
            10 | 11 => Self::TeamLead,
            12 | 13 => Self::Manager,
            14 => Self::Director,
            _ => Self::ChiefExecutive,
        }
    }

    /// The job title of a person with this role.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.into()
    }
}

/// `EN10`: department prefix and two digits.
#[must_use]
pub fn level_code(department: Department, level: u8) -> String {
    format!("{}{level:02}", department.prefix())
}

/// Reads `EN10` into its department and level; the level must be one of [`LEVELS`].
#[must_use]
pub fn parse_level_code(text: &str) -> Option<(Department, u8)> {
    // Checked, because the third byte of an imported text may be inside a character.
    let (prefix, digits) = text.trim().split_at_checked(2)?;
    let level: u8 = digits.parse().ok()?;
    let department = Department::ALL.into_iter().find(|d| d.prefix() == prefix)?;
    LEVELS.contains(&level).then_some((department, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_there_and_back() {
        for d in Department::ALL {
            for l in LEVELS {
                assert_eq!(parse_level_code(&level_code(d, l)), Some((d, l)));
            }
            assert_eq!(Department::parse(d.name()), Some(d));
            assert_eq!(serde_json::to_value(d).unwrap(), d.name());
        }
        assert_eq!(parse_level_code("EN08"), None);
        assert_eq!(parse_level_code("XX10"), None);
        assert_eq!(parse_level_code("E"), None);
    }
}
