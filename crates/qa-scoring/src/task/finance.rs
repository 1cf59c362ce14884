//! Structured sets of the enterprise benchmark.

use super::Metric;
use strum::{Display, IntoStaticStr, VariantArray};

/// One of the ten structured finance sets, by the name that records carry in `task`.
///
/// The paper counts eleven; FinQA is included only as CodeFinQA.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr, VariantArray,
)]
pub enum Finance {
    /// Short word problems, answered by a program.
    FinCode,
    /// Questions over a page with a table, answered by a program.
    #[strum(serialize = "CodeFinQA")]
    CodeFinQa,
    /// Questions over a table given as `df`, answered by a program.
    #[strum(serialize = "CodeTAT-QA")]
    CodeTatQa,
    /// The last question of a conversation over a page.
    #[strum(serialize = "ConvFinQA")]
    ConvFinQa,
    /// Spans and numbers from a page.
    #[strum(serialize = "TAT-QA")]
    TatQa,
    /// Labelled numbers from filings.
    #[strum(serialize = "SEC-NUM")]
    SecNum,
    /// Examination questions with options.
    FinKnow,
    /// The missing body of a formula's function.
    FormulaEval,
    /// Four tags from a list.
    #[strum(serialize = "finer")]
    Finer,
    /// A formula applied.
    #[strum(serialize = "formula")]
    Formula,
}

impl Finance {
    /// Items of the test split.
    ///
    /// The rows of the paper's Table 5 sum to 4,703 with 48 interviews; the printed 4,706 is three
    /// too high.
    #[must_use]
    pub fn items(self) -> usize {
        match self {
            Self::FinCode => 47,
            Self::CodeFinQa => 788,
            Self::CodeTatQa => 288,
            Self::ConvFinQa => 132,
            Self::TatQa => 120,
            Self::SecNum => 2_000,
            Self::FinKnow => 589,
            Self::FormulaEval => 50,
            Self::Finer => 441,
            Self::Formula => 200,
        }
    }

    /// Its scoring.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::FinCode | Self::CodeFinQa | Self::CodeTatQa => Metric::Program,
            Self::ConvFinQa | Self::TatQa | Self::SecNum => Metric::Quantity,
            Self::FinKnow => Metric::Choice,
            Self::FormulaEval => Metric::Completion,
            Self::Finer => Metric::Tags,
            Self::Formula => Metric::Formula,
        }
    }
}
