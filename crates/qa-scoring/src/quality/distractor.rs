//! Kinds of mistakes behind distractors (paper, Table 12).

use serde::{Deserialize, Serialize};

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ErrorKind {
    /// A wrong belief of most learners.
    CommonMisconception,
    /// Right except for one detail.
    AlmostCorrect,
    /// The opposite of what is right.
    OppositeIdea,
    /// A needed step left out.
    MissingStep,
    /// The steps in a wrong order.
    WrongOrder,
    /// The right procedure with a rule of it misapplied.
    RuleMisuse,
    /// A sign turned around.
    SignError,
    /// A wrong unit or conversion.
    UnitError,
    /// Operations in a wrong order.
    OrderError,
    /// Correlation taken for causation.
    CorrelationAsCause,
    /// A general conclusion from too little evidence.
    HastyGeneralisation,
    /// An inference of an invalid form.
    InvalidLogic,
    /// A true statement that does not answer the question.
    TrueButIrrelevant,
    /// A number close to one that the question mentions for another reason.
    AnchorTrap,
    /// The expected result, against the given evidence.
    ConfirmationTrap,
}

impl ErrorKind {
    /// Instruction for making such a distractor, in one clause.
    #[must_use]
    pub fn recipe(self) -> &'static str {
        match self {
            Self::CommonMisconception => "what many learners believe although it is not so",
            Self::AlmostCorrect => "the right answer with one detail missing or changed",
            Self::OppositeIdea => "the reverse of the right idea",
            Self::MissingStep => "the result when one needed step is skipped",
            Self::WrongOrder => "all steps, in an order that does not work",
            Self::RuleMisuse => "the right procedure with one of its rules or formulas misapplied",
            Self::SignError => "the result with a sign turned around on the way",
            Self::UnitError => "the result in a wrong unit or after a wrong conversion",
            Self::OrderError => "the result when operations are done in a wrong order",
            Self::CorrelationAsCause => "a cause claimed where two things only go together",
            Self::HastyGeneralisation => "a general claim from too little or one-sided evidence",
            Self::InvalidLogic => "a conclusion by an inference that does not hold",
            Self::TrueButIrrelevant => "a true statement that does not answer the question",
            Self::AnchorTrap => {
                "a number close to one that the question mentions for another reason"
            }
            Self::ConfirmationTrap => "what one would expect, against the evidence given",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn names_as_serde_writes_them() {
        sim_core::testkit::check_names::<ErrorKind>();
    }
}
