//! BizCompass application tasks.

use super::{Companion, Metric};

/// One of the 21 application tasks, in the order of the paper's Table 16.
///
/// ```
/// use qa_scoring::{Application, Companion, Metric};
/// use strum::VariantArray;
/// assert_eq!(Application::FinQa.column(), "FinQA");
/// assert_eq!(Application::FinQa.metric(), Metric::JudgedLabel(Companion::Number));
/// assert_eq!(Application::VARIANTS.iter().map(|task| task.items()).sum::<usize>(), 8_613);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
pub enum Application {
    /// Asset pricing, analyst: letters.
    ApAnalyst,
    /// Asset pricing, trader: does the price rise or fall?
    Cikm18,
    /// Tone of a financial phrase.
    Fpb,
    /// Is a merger rumoured or complete?
    Ma,
    /// Stance of a central bank.
    Fomc,
    /// Risk manager examination: letters.
    Frm,
    /// Credit card fraud.
    CcFraud,
    /// Bankruptcy of Taiwanese firms.
    Taiwan,
    /// Risk management, consultant: text.
    RmConsultant,
    /// Questions on filings: text.
    Secque,
    /// Headlines.
    EdtSum,
    /// Algorithmic trading, pseudo-code.
    AtAlgorithm,
    /// Tags of numbers in sentences.
    Fnxl,
    /// Calculations over filings.
    FinQa,
    /// Spans and calculations over tables.
    TatQa,
    /// Entities in agreements.
    FinRed,
    /// Strategy development, trader: text.
    SdTrader,
    /// Strategy development, consultant: text.
    SdConsultant,
    /// Portfolio management, analyst: text.
    PmAnalyst,
    /// Portfolio management, consultant: text.
    PmConsultant,
    /// Algorithmic trading, strategy design: text.
    AtStrategy,
}

impl Application {
    /// Column name of the paper's Table 16.
    #[must_use]
    pub fn column(self) -> &'static str {
        self.row().0
    }

    /// Path below `Actual_Task`; "Developmet" is how the repository spells it.
    #[must_use]
    pub fn file(self) -> &'static str {
        self.row().1
    }

    /// Number of items in the file.
    #[must_use]
    pub fn items(self) -> usize {
        self.row().2
    }

    /// Its scoring (paper, Table 16).
    #[must_use]
    pub fn metric(self) -> Metric {
        self.row().3
    }

    /// Column, file, number of items and scoring.
    fn row(self) -> (&'static str, &'static str, usize, Metric) {
        const YES_NO: Metric = Metric::Label(&["no", "yes"]);
        // A match and not a list beside the enum: a task without its row does not compile.
        match self {
            Self::ApAnalyst => (
                "AP_A",
                "Analyst_Asset_Pricing/AP_Analyst.json",
                495,
                Metric::Letter,
            ),
            Self::Cikm18 => (
                "CIKM18",
                "Trader_Asset_Pricing/CIKM18.json",
                500,
                Metric::Label(&["rise", "fall"]),
            ),
            Self::Fpb => (
                "FPB",
                "Analyst_Market_Trend_Analysis/FPB.json",
                500,
                Metric::Label(&["positive", "neutral", "negative"]),
            ),
            Self::Ma => (
                "M&A",
                "Trader_Market_Trend_Analysis/MA.json",
                500,
                Metric::Label(&["rumour", "complete"]),
            ),
            Self::Fomc => (
                "FOMC",
                "Consultant_Market_Trend_Analysis/FOMC.json",
                496,
                Metric::Label(&["hawkish", "dovish", "neutral"]),
            ),
            Self::Frm => (
                "FRM",
                "Analyst_Risk_Management/FRM.json",
                438,
                Metric::Letter,
            ),
            Self::CcFraud => (
                "CCFraud",
                "Analyst_Fraud_Detection/CCFraud.json",
                500,
                YES_NO,
            ),
            Self::Taiwan => (
                "Taiwan",
                "Consultant_Fraud_Detection/Taiwan_Economic_Journal.json",
                500,
                YES_NO,
            ),
            Self::RmConsultant => (
                "RM_C",
                "Consultant_Risk_Management/RM_Consultant.json",
                500,
                Metric::Judged,
            ),
            Self::Secque => (
                "SECQUE",
                "Analyst_Risk_Management/SECQUE.json",
                85,
                Metric::Rouge,
            ),
            Self::EdtSum => (
                "EDTSUM",
                "Consultant_Financial_Document_Analysis/EDTSUM.json",
                500,
                Metric::Rouge,
            ),
            Self::AtAlgorithm => (
                "AT_T_Algorithm",
                "Trader_Algorithm_Trading/Trader_Algorithm_Trading_Algorithm/AT_Trader_type_Algorithm_Implementation_Problem.json",
                155,
                Metric::Rouge,
            ),
            Self::Fnxl => (
                "FNXL",
                "Analyst_Financial_Document_Analysis/FNXL.json",
                318,
                Metric::JudgedLabel(Companion::TokenTags),
            ),
            Self::FinQa => (
                "FinQA",
                "Analyst_Financial_Document_Analysis/FinQA.json",
                500,
                Metric::JudgedLabel(Companion::Number),
            ),
            Self::TatQa => (
                "TATQA",
                "Analyst_Financial_Document_Analysis/TATQA.json",
                500,
                Metric::JudgedLabel(Companion::Spans),
            ),
            Self::FinRed => (
                "FinRED",
                "Analyst_Financial_Document_Analysis/FinRED.json",
                408,
                Metric::JudgedLabel(Companion::Entities),
            ),
            Self::SdTrader => (
                "SD_T",
                "Trader_Strategy_Developmet/SD_Trader.json",
                318,
                Metric::Judged,
            ),
            Self::SdConsultant => (
                "SD_C",
                "Consultant_Strategy_Developmet/SD_Consultant.json",
                497,
                Metric::Judged,
            ),
            Self::PmAnalyst => (
                "PM_A",
                "Analyst_Portfolio_Management/PM_Analyst.json",
                315,
                Metric::Judged,
            ),
            Self::PmConsultant => (
                "PM_C",
                "Consultant_Portfolio_Management/PM_Consultant.json",
                500,
                Metric::Judged,
            ),
            Self::AtStrategy => (
                "AT_T_Strategy",
                "Trader_Algorithm_Trading/Trader_Algorithm_Trading_Strategy_Design/AT_Trader_type_Strategy_Design_Problem.json",
                88,
                Metric::Judged,
            ),
        }
    }
}
