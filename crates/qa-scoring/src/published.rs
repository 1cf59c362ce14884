//! Tables that BizCompass prints, for comparison with your own figures.
//!
//! # Source
//! BizCompass: Tables 2, 3, 13, 15, 16, 17 and 18, transcribed.

use crate::error::TableError;
use crate::load;
use crate::model_table::ModelTable;

const KNOWLEDGE: &str = include_str!("published/knowledge.csv");
const APPLICATION: &str = include_str!("published/application.csv");

/// Tables 15 and 16: the figures of 23 models on the knowledge and application tasks, with the numbers of
/// items that the paper's own means imply.
///
/// # Errors
/// Never with the files as they are shipped.
///
/// ```
/// let table = qa_scoring::published::models()?;
/// assert_eq!(table.models().count(), 23);
/// assert_eq!(table.value("Grok3", "FRM", Default::default()), Some(66.44));
/// # Ok::<(), qa_scoring::TableError>(())
/// ```
pub fn models() -> Result<ModelTable, TableError> {
    let mut table = ModelTable::default();
    table.read(&load::rows(KNOWLEDGE.as_bytes())?)?;
    table.read(&load::rows(APPLICATION.as_bytes())?)?;
    Ok(table)
}

/// Weights of depth, synthesis and centrality (appendix D.2).
pub const QUALITY_WEIGHTS: [f64; 3] = crate::quality::WEIGHTS;

/// Weights of clarity and misconception (appendix E.1).
pub const CONVERSION_WEIGHTS: [f64; 2] = [0.5, 0.5];

/// Share of the questions rejected by experts that the threshold 6 rejects too (appendix D.2).
pub const REJECTION_RECALL: f64 = 0.90;

/// Table 17: shares of employed persons and of projected openings \[per cent\].
pub const SHARES: [(&str, f64, f64); 4] = [
    ("consulting", 38.76, 35.01),
    ("analysis", 33.60, 30.72),
    ("trading", 23.20, 29.52),
    ("total", 95.56, 95.25),
];

/// A role of Table 18.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedRole {
    /// Its name.
    pub name: &'static str,
    /// Number of its unique tasks.
    pub tasks: usize,
    /// Its representative tasks with the share of its tasks that match them \[per cent\].
    pub matched: &'static [(&'static str, f64)],
    /// Share of its tasks that match at least one \[per cent\].
    pub overall: f64,
}

/// Table 18: the coverage of each role.
pub const COVERAGE: [PublishedRole; 3] = [
    PublishedRole {
        name: "analysis",
        tasks: 1_068,
        matched: &[
            ("asset pricing", 36.52),
            ("market trend analysis", 44.76),
            ("risk management", 76.12),
            ("portfolio management", 43.91),
            ("fraud detection", 48.41),
            ("financial document analysis", 55.90),
        ],
        overall: 88.20,
    },
    PublishedRole {
        name: "consulting",
        tasks: 947,
        matched: &[
            ("market trend analysis", 31.05),
            ("risk management", 74.55),
            ("strategy development", 66.84),
            ("portfolio management", 29.14),
            ("fraud detection", 25.77),
            ("financial document analysis", 31.57),
        ],
        overall: 91.13,
    },
    PublishedRole {
        name: "trading",
        tasks: 329,
        matched: &[
            ("asset pricing", 30.40),
            ("market trend analysis", 30.09),
            ("strategy development", 39.51),
            ("algorithmic trading", 12.16),
        ],
        overall: 70.52,
    },
];
