//! Structured sets of the enterprise benchmark.

use super::Metric;

/// One of the ten structured finance sets.
///
/// The paper counts eleven; FinQA is included only as CodeFinQA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finance {
    /// Short word problems, answered by a program.
    FinCode,
    /// Questions over a page with a table, answered by a program.
    CodeFinQa,
    /// Questions over a table given as `df`, answered by a program.
    CodeTatQa,
    /// The last question of a conversation over a page.
    ConvFinQa,
    /// Spans and numbers from a page.
    TatQa,
    /// Labelled numbers from filings.
    SecNum,
    /// Examination questions with options.
    FinKnow,
    /// The missing body of a formula's function.
    FormulaEval,
    /// Four tags from a list.
    Finer,
    /// A formula applied.
    Formula,
}

impl Finance {
    /// All ten.
    pub const ALL: [Self; 10] = [
        Self::FinCode,
        Self::CodeFinQa,
        Self::CodeTatQa,
        Self::ConvFinQa,
        Self::TatQa,
        Self::SecNum,
        Self::FinKnow,
        Self::FormulaEval,
        Self::Finer,
        Self::Formula,
    ];

    /// Name as records carry it in `task`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FinCode => "FinCode",
            Self::CodeFinQa => "CodeFinQA",
            Self::CodeTatQa => "CodeTAT-QA",
            Self::ConvFinQa => "ConvFinQA",
            Self::TatQa => "TAT-QA",
            Self::SecNum => "SEC-NUM",
            Self::FinKnow => "FinKnow",
            Self::FormulaEval => "FormulaEval",
            Self::Finer => "finer",
            Self::Formula => "formula",
        }
    }

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
