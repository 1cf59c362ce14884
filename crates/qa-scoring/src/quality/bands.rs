//! Bands of the three dimensions (paper, Table 11).
//!
//! A score is a whole number from 1 to 10 inside the highest band whose conditions a question
//! satisfies completely.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Properties of a question's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    /// Necessary reasoning steps.
    pub steps: u32,
    /// Later conclusions depend on earlier results.
    pub later_uses_earlier: bool,
    /// A comparative static, a counterfactual or a derivation in stages is among the steps.
    pub has_operation: bool,
    /// Information sources that the steps connect.
    pub sources: u32,
    /// The steps form one tight chain.
    pub tight_chain: bool,
    /// The set-up is changed in substance, or a bias is decomposed with explicit criteria.
    pub changed_setup: bool,
}

/// Properties of a question's sources. A source counts only if the answer would change without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthesis {
    /// Number of distinct sources that are used in substance.
    pub sources: u32,
    /// An equation or formal condition is among them.
    pub has_equation: bool,
    /// A numerical table is among them.
    pub has_table: bool,
    /// They constrain each other or correspond in a non-obvious way.
    pub mutual_constraints: bool,
}

/// Closeness of a question to the claims of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Centrality {
    /// Not related to the main claims.
    Peripheral,
    /// Supports them.
    Supportive,
    /// Serves a key condition, mechanism or baseline.
    Direct,
    /// Is the contribution itself.
    Core,
}

/// Band of the depth of reasoning.
///
/// ```
/// use qa_scoring::quality::{Depth, depth_band};
/// assert_eq!(depth_band(Depth { steps: 4, ..Depth::default() }), 4..=6);
/// ```
#[must_use]
pub fn depth_band(depth: Depth) -> RangeInclusive<u8> {
    // The condition of both upper bands: the highest asks for more of the same.
    let complex =
        depth.steps >= 5 && depth.later_uses_earlier && depth.has_operation && depth.sources >= 2;
    if complex && depth.steps >= 7 && depth.tight_chain && depth.changed_setup {
        9..=10
    } else if complex {
        7..=8
    } else if depth.steps >= 3 {
        4..=6
    } else {
        1..=3
    }
}

/// Band of the degree of synthesis.
///
/// ```
/// use qa_scoring::quality::{Synthesis, synthesis_band};
/// // Three sources without a table stay in the second band.
/// let synthesis = Synthesis { sources: 3, has_equation: true, ..Synthesis::default() };
/// assert_eq!(synthesis_band(synthesis), 4..=6);
/// ```
#[must_use]
pub fn synthesis_band(synthesis: Synthesis) -> RangeInclusive<u8> {
    let both = synthesis.has_equation && synthesis.has_table;
    if synthesis.sources > 3 && both && synthesis.mutual_constraints {
        9..=10
    } else if synthesis.sources >= 3 && both {
        7..=8
    } else if synthesis.sources >= 2 {
        4..=6
    } else {
        1..=3
    }
}

/// Band of the conceptual centrality.
#[must_use]
pub fn centrality_band(centrality: Centrality) -> RangeInclusive<u8> {
    match centrality {
        Centrality::Peripheral => 1..=3,
        Centrality::Supportive => 4..=6,
        Centrality::Direct => 7..=8,
        Centrality::Core => 9..=10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_band_met_in_full() {
        let full = Depth {
            steps: 7,
            later_uses_earlier: true,
            has_operation: true,
            sources: 2,
            tight_chain: true,
            changed_setup: true,
        };
        assert_eq!(depth_band(full), 9..=10);
        assert_eq!(
            depth_band(Depth {
                tight_chain: false,
                ..full
            }),
            7..=8
        );
        assert_eq!(depth_band(Depth { sources: 1, ..full }), 4..=6);
        assert_eq!(depth_band(Depth { steps: 2, ..full }), 1..=3);
        let all = Synthesis {
            sources: 4,
            has_equation: true,
            has_table: true,
            mutual_constraints: true,
        };
        assert_eq!(synthesis_band(all), 9..=10);
        assert_eq!(synthesis_band(Synthesis { sources: 3, ..all }), 7..=8);
        assert_eq!(
            synthesis_band(Synthesis {
                has_table: false,
                ..all
            }),
            4..=6
        );
        assert_eq!(synthesis_band(Synthesis { sources: 1, ..all }), 1..=3);
        assert_eq!(centrality_band(Centrality::Direct), 7..=8);
    }
}
