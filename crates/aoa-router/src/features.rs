//! What the text of a sample looks like, without a model.
//!
//! Each feature is a pure function of question and context with the definition given here. The
//! definitions have a number, [`FEATURE_VERSION`]: a policy that was learnt under one set of
//! definitions is not applied under another.

mod code;
mod numbers;
mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of the definitions below.
pub const FEATURE_VERSION: u32 = 1;

/// The version that stored forms have if they name none.
pub(crate) fn current() -> u32 {
    FEATURE_VERSION
}

/// Features of a sample. One that is not known is absent, and no rule that asks for it matches.
///
/// The paper names the six and defines none of them; the definitions are Boardroom's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(default, deny_unknown_fields)]
pub struct Features {
    /// Whether there is a table: two lines or more with two separators (`|` or tab) or more each,
    /// an HTML table, or a JSON list of lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_table: Option<bool>,
    /// Whether there is program code: a fenced block, or two lines or more that define, import,
    /// return or assign the result of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_code: Option<bool>,
    /// Numbers in the text: runs of digits with thousands separators and decimals, not inside a
    /// word (`Q3` holds none); sign, percent and parentheses belong to the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_numbers: Option<u64>,
    /// Length of the context [Unicode characters]; absent where context and question are one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_chars: Option<u64>,
    /// Length of the question [Unicode characters].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_chars: Option<u64>,
    /// Rows of tables: the lines above less header rules, HTML rows, inner JSON lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_row_estimate: Option<u64>,
}

impl Features {
    /// The features of a question with its context, if that is a text of its own.
    ///
    /// ```
    /// use aoa_router::Features;
    /// let table = "| year | sales |\n|---|---|\n| 2023 | 1,200 |\n| 2024 | 1,450 |";
    /// let found = Features::of("By how much did sales grow?", Some(table));
    /// assert_eq!(found.has_table, Some(true));
    /// assert_eq!(found.table_row_estimate, Some(3)); // with the header, without its rule
    /// assert_eq!(found.num_numbers, Some(4));
    /// assert_eq!(found.question_chars, Some(27));
    /// ```
    #[must_use]
    pub fn of(question: &str, context: Option<&str>) -> Self {
        let texts = [Some(question), context];
        let texts = || texts.iter().flatten();
        let rows: u64 = texts().map(|text| table::rows(text)).sum();
        Self {
            has_table: Some(rows > 0),
            has_code: Some(texts().any(|text| code::is_in(text))),
            num_numbers: Some(texts().map(|text| numbers::count(text)).sum()),
            context_chars: context.map(|text| text.chars().count() as u64),
            question_chars: Some(question.chars().count() as u64),
            table_row_estimate: Some(rows),
        }
    }

    /// The value of a countable feature.
    #[must_use]
    pub fn count(&self, of: Countable) -> Option<u64> {
        match of {
            Countable::Numbers => self.num_numbers,
            Countable::ContextChars => self.context_chars,
            Countable::QuestionChars => self.question_chars,
            Countable::TableRows => self.table_row_estimate,
        }
    }
}

/// A feature that is a number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Countable {
    /// Numbers in the text.
    #[strum(serialize = "num_numbers")]
    Numbers,
    /// Characters of the context.
    ContextChars,
    /// Characters of the question.
    QuestionChars,
    /// Rows of tables.
    #[strum(serialize = "table_row_estimate")]
    TableRows,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_and_context_count_together() {
        let found = Features::of("What is 2 + 2?", Some("a\tb\tc\n1\t2\t3\n"));
        let expected = Features {
            has_table: Some(true),
            has_code: Some(false),
            num_numbers: Some(5),
            context_chars: Some(12),
            question_chars: Some(14),
            table_row_estimate: Some(2),
        };
        assert_eq!(found, expected);
        assert_eq!(Features::of("é?", None).question_chars, Some(2));
        assert_eq!(Features::of("é?", None).context_chars, None);
    }
}
