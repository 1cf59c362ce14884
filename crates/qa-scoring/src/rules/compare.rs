//! Whether the number of a reply is the right one, in units and scales too.

use reply_text::answer::{Answer, in_marked};
use reply_text::number::{Number, last, whole};

/// The right number of an item, where its right answer is a number.
#[must_use]
pub fn right_number(text: &str) -> Option<Number> {
    whole(text).or_else(|| in_marked(text)?.into_iter().next())
}

/// The factor in which a question asks for its answer: 1,000,000 for "(in USD millions)".
///
/// ```
/// use qa_scoring::rules::compare::asked_scale;
/// assert_eq!(asked_scale("Revenue in USD millions?"), Some(1e6));
/// assert_eq!(asked_scale("Did it sell a million boats?"), None);
/// ```
#[must_use]
pub fn asked_scale(question: &str) -> Option<f64> {
    let question = question.to_lowercase();
    [("thousands", 1e3), ("millions", 1e6), ("billions", 1e9)]
        .into_iter()
        .filter_map(|(word, scale)| {
            let at = question.rfind(word)?;
            let before: Vec<&str> = question
                .get(..at)?
                .rsplit(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .take(3)
                .collect();
            before.contains(&"in").then_some((at, scale))
        })
        .max_by_key(|&(at, _)| at)
        .map(|(_, scale)| scale)
}

/// Whether a number has neither a unit nor a word of scale.
fn is_bare(number: Number) -> bool {
    number.unit == 1.0 && number.scale == 1.0
}

/// Whether two numbers name a unit or a scale each, and not the same.
fn contradicts(given: Number, right: Number) -> bool {
    // Per mille is never left out: "12.5 ‰" is not 12.5.
    if (given.unit == 0.001) != (right.unit == 0.001) {
        return true;
    }
    !is_bare(given) && !is_bare(right) && (given.unit, given.scale) != (right.unit, right.scale)
}

/// The right answer that a reply's number is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Right<'a> {
    /// Its number.
    pub number: Number,
    /// The question, which may say a scale.
    pub question: &'a str,
    /// Whether units and scales are applied: 12.5 % is right for 0.125, $9 million for 9,000,000.
    /// Accountants' brackets are a minus sign under either rule: "494" is wrong for "(494)".
    pub lenient: bool,
}

impl<'a> Right<'a> {
    /// The right answer, if its text is a number.
    #[must_use]
    pub fn of(text: &str, question: &'a str, lenient: bool) -> Option<Self> {
        right_number(text).map(|number| Self {
            number,
            question,
            lenient,
        })
    }

    /// Whether a reply's number is right by `within`, which compares a given value with the right one.
    ///
    /// The values as written are compared first, unless their units or scales differ: "9 billion" is wrong for "9
    /// million". All forms in which the reply writes its amount count.
    pub fn is(&self, forms: &[Number], within: impl Fn(f64, f64) -> bool) -> bool {
        let right = self.number;
        if forms
            .iter()
            .any(|given| !contradicts(*given, right) && within(given.value, right.value))
        {
            return true;
        }
        if !self.lenient {
            return false;
        }
        let asked = asked_scale(self.question).filter(|_| is_bare(right));
        // A unit is applied on each side: "0.125 %" is wrong for "12.5 %".
        forms.iter().any(|given| {
            within(given.applied(), right.applied())
                || asked.is_some_and(|scale| within(given.applied(), right.value * scale))
        })
    }

    /// The same for the strict rule's answer and for the flexible one's: the last number of the text.
    pub fn both(
        &self,
        strict: Option<&Answer>,
        text: &str,
        within: impl Fn(f64, f64) -> bool,
    ) -> (bool, bool) {
        let strict = strict.is_some_and(|answer| self.is(&answer.forms, &within));
        let flexible = last(text).is_some_and(|number| self.is(&[number], &within));
        (strict, flexible)
    }
}
