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
/// assert_eq!(asked_scale("Revenue ($ million)?"), Some(1e6));
/// assert_eq!(asked_scale("Did it sell a million boats?"), None);
/// ```
#[must_use]
pub fn asked_scale(question: &str) -> Option<f64> {
    let question = question.to_lowercase();
    [("thousand", 1e3), ("million", 1e6), ("billion", 1e9)]
        .into_iter()
        .filter_map(|(word, scale)| {
            let at = question.rfind(word)?;
            let head = question.get(..at)?;
            let before: Vec<&str> = head
                .rsplit(|c: char| !c.is_alphanumeric() && c != '$')
                .filter(|word| !word.is_empty())
                .take(3)
                .collect();
            // "USD millions" asks for a scale; "2 million boats" is an amount in the question.
            let plural = question.get(at + word.len()..)?.starts_with('s');
            let currency = |word: &&str| CURRENCIES.contains(word);
            let asked = match before.as_slice() {
                ["in", ..] => true,
                [first, "in", ..] if currency(first) => true,
                [first, ..] if currency(first) => plural || head.contains(&format!("({first}")),
                [..] => plural && (before.contains(&"in") || head.ends_with('(')),
            };
            asked.then_some((at, scale))
        })
        // The last one, as questions end with how they are to be answered.
        .max_by_key(|&(at, _)| at)
        .map(|(_, scale)| scale)
}

/// Currencies before a word of scale in a question, in lower case.
const CURRENCIES: [&str; 7] = ["usd", "us$", "$", "dollars", "eur", "gbp", "inr"];

/// How a question asks for per cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerCent {
    /// Its answer is one: "what percentage", "the % margin".
    Named,
    /// The answer is to be written in this unit: "in percent". A number without a sign is one then.
    Unit,
}

/// Whether a question asks for per cents; a number of per cents in it is not meant.
///
/// ```
/// use qa_scoring::rules::compare::{PerCent, asked_per_cent};
/// assert_eq!(asked_per_cent("What is the EBITDA % margin?"), Some(PerCent::Named));
/// assert_eq!(asked_per_cent("Growth (in units of percents)?"), Some(PerCent::Unit));
/// assert_eq!(asked_per_cent("What does a 5% bond cost?"), None);
/// ```
#[must_use]
pub fn asked_per_cent(question: &str) -> Option<PerCent> {
    let question = question.to_lowercase();
    ["%", "percent", "per cent"]
        .into_iter()
        .flat_map(|word| question.match_indices(word))
        .filter_map(|(at, word)| {
            let head = question.get(..at)?.trim_end();
            let tail = question.get(at + word.len()..)?;
            let part = tail.starts_with("ile") || tail.starts_with("age point");
            // "A 5 % bond" and percentile or percentage points ask for no per cents.
            if head.ends_with(|c: char| c.is_ascii_digit()) || part {
                return None;
            }
            let unit = [" in", "(in", "units of", "unit of"];
            let unit = unit.iter().any(|words| head.ends_with(words));
            Some(if unit { PerCent::Unit } else { PerCent::Named })
        })
        .max_by_key(|asked| *asked == PerCent::Unit)
}

/// Whether a number has neither a unit nor a word of scale.
fn is_bare(number: Number) -> bool {
    number.unit == 1.0 && number.scale == 1.0
}

/// Whether a value, rounded to the decimals of the right one, is the right one: 16.52 for 16.5, but not 31 for 30.8.
fn has_digits_of(value: f64, right: f64) -> bool {
    // By the digits of the number, as nobody says how exact the right answer is.
    let written = right.to_string();
    let decimals = written.split_once('.').map_or(0, |(_, after)| after.len());
    let last = i32::try_from(decimals).map_or(0.0, |decimals| 10_f64.powi(-decimals));
    // A half is rounded either way.
    (value - right).abs() <= 0.5 * last * (1.0 + 1e-9)
}

/// Whether a right answer in the asked scale is the given amount of a smaller scale, rounded: 389 million for 0.4 where
/// billions are asked for. A right answer without decimals says too little for that.
fn is_rounded(given: Number, asked: f64, right: f64) -> bool {
    given.scale > 1.0
        && given.scale < asked
        && right.fract() != 0.0
        && has_digits_of(given.applied() / asked, right)
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
    /// million", and for 9 where the question asks for millions. All forms in which the reply writes its amount count.
    ///
    /// Where the question asks for per cents, they are right for a fraction under the strict rule too, if they also agree
    /// in every digit of the right answer: 16.52 % for 0.165, but not 31 % for 0.308.
    pub fn is(&self, forms: &[Number], within: impl Fn(f64, f64) -> bool) -> bool {
        let right = self.number;
        let asked = asked_scale(self.question).filter(|_| is_bare(right));
        let scaled = Number {
            scale: asked.unwrap_or(right.scale),
            ..right
        };
        // As written first: most right answers and replies are in the unit that was asked for.
        if forms.iter().any(|given| {
            !contradicts(*given, right)
                // A number of per cents has no scale: a question that names millions may still ask
                // for a share.
                && (given.unit != 1.0 || !contradicts(*given, scaled))
                && within(given.value, right.value)
        }) {
            return true;
        }
        // Only for a right answer without a sign: one with a sign has said it already.
        let per_cent = asked_per_cent(self.question).filter(|_| is_bare(right));
        // A unit is applied on each side: "0.125 %" is wrong for "12.5 %".
        forms.iter().any(|given| {
            let share = match per_cent {
                Some(_) if given.unit == 0.01 => Some(given.applied()),
                Some(PerCent::Unit) if is_bare(*given) => Some(given.value / 100.0),
                _ => None,
            };
            let agrees = |share: f64| {
                within(share, right.value) && (self.lenient || has_digits_of(share, right.value))
            };
            share.is_some_and(agrees)
                || self.lenient
                    && (within(given.applied(), right.applied())
                        || asked.is_some_and(|scale| {
                            within(given.applied(), right.value * scale)
                                || is_rounded(*given, scale, right.value)
                        }))
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
