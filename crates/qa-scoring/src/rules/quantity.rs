//! A number or a span copied from the context.

use super::compare::Right;
use super::number::{authors_number, first_number};
use crate::extract::{spans, yes_no};
use crate::python::{is_space, strip};
use crate::snippet::SnippetRunner;
use reply_text::answer;
use reply_text::number::{Number, list, listed, whole};

/// Allowed absolute difference.
pub const ABSOLUTE: f64 = 1e-6;

/// Whether two numbers are the same: within 1e-6, or equal.
#[must_use]
pub fn is_same(given: f64, right: f64) -> bool {
    given == right || (given - right).abs() <= ABSOLUTE
}

/// A span as it is compared: trimmed, in lower case, without commas, `$` and `%`, single blanks.
///
/// ```
/// assert_eq!(qa_scoring::rules::quantity::plain_span(" Value  Added, Tax "), "value added tax");
/// ```
#[must_use]
pub fn plain_span(text: &str) -> String {
    let kept: String = strip(text)
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '%'))
        .collect();
    let mut out = String::with_capacity(kept.len());
    for c in kept.chars() {
        if is_space(c) {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The rule of the benchmark's code and of the paper: two numbers within 1e-6, else equal spans.
pub fn authors(given: &str, right: &str, runner: Option<&mut (dyn SnippetRunner + '_)>) -> bool {
    match (authors_number(given, runner), first_number(right)) {
        (Some(given), Some(right)) => is_same(given, right),
        _ => plain_span(given) == plain_span(right),
    }
}

/// Whether two numbers are the same by the strict rule: within 1e-6 of each other, of the right one's size where that is
/// below 1; where the right one is 0, within 1e-6.
#[must_use]
pub fn is_equal(given: f64, right: f64) -> bool {
    // 1e-6 alone would accept 0 for a right answer of 0.0000005.
    let size = if right == 0.0 {
        1.0
    } else {
        right.abs().min(1.0)
    };
    given == right || (given - right).abs() <= ABSOLUTE * size
}

/// What a reply to an item with a copied number or span says.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// Whether the strict rule finds it right.
    pub right: bool,
    /// Whether the last number is right; absent where the right answer is not one number.
    pub flexible: Option<bool>,
    /// The answer as it was read; absent where the reply has none.
    pub read: Option<String>,
}

/// The strict rule, for a reply without its thoughts.
///
/// A right answer that is one number is met by the reply's number ([`reply_text::answer`]). One of several numbers
/// ("2019, 2018", "10-15") needs all of them and no other, in any order. Any other ("December 31, 2019", "yes") has to
/// be given as it is; the published rule accepts "31" for it.
///
/// ```
/// use qa_scoring::rules::quantity::strict;
/// let right = |given, right| strict(given, right, "", false).right;
/// assert!(right("It was $9 million.", "9"));
/// assert!(!right("31", "December 31, 2019"));
/// assert!(!right("12,50", "1250") && !right("10", "10-15"));
/// assert!(right("2018 and 2019", "2019, 2018"));
/// ```
#[must_use]
pub fn strict(spoken: &str, right: &str, question: &str, lenient: bool) -> Copied {
    // First, because a single number has the most spellings.
    if whole(right).is_some()
        && let Some(wanted) = Right::of(right, question, lenient)
    {
        let found = answer::number_asked(spoken, question);
        let (right, flexible) = wanted.both(found.as_ref(), spoken, is_equal);
        return Copied {
            right,
            flexible: Some(flexible),
            read: found.map(|found| crate::python::float_text(found.value())),
        };
    }
    let candidates = spans(spoken);
    let read = candidates.first().map(|span| span.trim().to_owned());
    if let Some(wanted) = list(right) {
        // The explicit answer, else the whole reply, else the sentence that it ends with.
        let last = spoken.trim_end().trim_end_matches('.').rsplit(". ").next();
        // An explicit answer is the only one that counts; without one there are three places to
        // look.
        let explicit = reply_text::mark::all(spoken).last().is_some();
        // A date is given as it is written: 12/31/2019.
        let fits =
            |span: &str| bare_span(span) == bare_span(right) || has_all(span, &wanted, right);
        let right = if explicit {
            candidates.first().is_some_and(|span| fits(span))
        } else {
            fits(spoken) || last.is_some_and(fits) || items(spoken).is_some_and(|list| fits(&list))
        };
        return Copied {
            right,
            flexible: None,
            read,
        };
    }
    let wanted = bare_span(right);
    // Said in sentences: "No, it did not" holds no span that reads "no" alone.
    if let Some(truth) = truth_of(&wanted) {
        let said = yes_no(spoken);
        return Copied {
            right: said == Some(truth),
            flexible: None,
            read: said.map(|said| if said { "yes" } else { "no" }.to_owned()),
        };
    }
    Copied {
        right: candidates.iter().any(|span| bare_span(span) == wanted),
        flexible: None,
        read,
    }
}

fn truth_of(span: &str) -> Option<bool> {
    match span {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// A span as the strict rule compares it: as [`plain_span`], without marks, emphasis and a full stop around it.
fn bare_span(text: &str) -> String {
    let is_mark = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '*' | '`'
                    | '"'
                    | '\''
                    | '_'
                    | '“'
                    | '”'
                    | '‘'
                    | '’'
                    | '.'
                    | ':'
                    | ';'
                    | '$'
                    | '('
                    | ')'
            )
    };
    let bare = text.trim_matches(is_mark);
    let typeset = bare
        .strip_prefix("\\text{")
        .and_then(|rest| rest.strip_suffix('}'));
    let bare = typeset.unwrap_or(bare).trim_matches(is_mark);
    // A quotation with its blank: ">5 years" is another span than "5 years".
    let bare = ["- ", "> ", "1. "]
        .iter()
        .find_map(|mark| bare.strip_prefix(mark))
        .unwrap_or(bare);
    let bare = ["the ", "The "]
        .iter()
        .find_map(|article| bare.strip_prefix(article))
        .unwrap_or(bare);
    plain_span(&bare.replace(" - ", "-").replace(" – ", "-"))
}

/// The items of a reply that is a list with one item a line, as one line; `None` for any other text.
fn items(text: &str) -> Option<String> {
    let mut items = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        // Counted along: "2. .." as a first line is not the mark of an item.
        let number = format!("{}", items.len() + 1);
        let item = line
            .strip_prefix(&number)
            .and_then(|rest| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")));
        let item = item.or_else(|| {
            ["- ", "* ", "• "]
                .iter()
                .find_map(|mark| line.strip_prefix(mark))
        });
        items.push(item?.trim_end_matches([',', ';', '.']));
    }
    (items.len() > 1).then(|| items.join("; "))
}

/// Whether an answer is a list of exactly these numbers: in any order, but a range from its lower end. Years count only
/// where one is asked for.
///
/// Nothing but words of a list may stand between the numbers: "2019, not 2018", "5 of 10" and "either 10 or 15" are no
/// lists of two numbers.
fn has_all(text: &str, wanted: &[Number], right: &str) -> bool {
    let ranged = [" to ", " through "]
        .iter()
        .any(|word| right.contains(word))
        // A hyphen in front is a minus sign.
        || right.trim_start_matches('-').contains(['-', '–']);
    let years = wanted.iter().any(|number| is_year(*number));
    let Some(mut given) = listed(text, ranged, right.contains('/')) else {
        // "2,5,7" without blanks.
        let pieces: Option<Vec<f64>> = text
            .trim()
            .split(',')
            .map(|piece| piece.parse().ok())
            .collect();
        return pieces.is_some_and(|pieces| {
            pieces.len() == wanted.len()
                && pieces
                    .iter()
                    .zip(wanted)
                    .all(|(a, b)| is_equal(*a, b.value))
        });
    };
    // A year in the reply says which year the value is of.
    if !years {
        given.retain(|number| !is_year(*number));
    }
    // From 15 to 10 is another statement than from 10 to 15.
    if ranged && given.len() == wanted.len() {
        return given
            .iter()
            .zip(wanted)
            .all(|(given, wanted)| is_equal(given.value, wanted.value));
    }
    let mut left = wanted.to_vec();
    for number in &given {
        let Some(place) = left
            .iter()
            .position(|wanted| is_equal(number.value, wanted.value))
        else {
            // A number that is said twice is not another one.
            if wanted
                .iter()
                .any(|wanted| is_equal(number.value, wanted.value))
            {
                continue;
            }
            return false;
        };
        left.swap_remove(place);
    }
    left.is_empty()
}

fn is_year(number: Number) -> bool {
    number.unit == 1.0
        && number.scale == 1.0
        && number.value.fract() == 0.0
        && (1900.0..=2100.0).contains(&number.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_cases() {
        let cases = [
            ("[[29,423]]", "29423", true),
            ("$9 million", "9", true),
            ("The notional amount is 29,423", "29423", true),
            ("26276.000002", "26276", false),
            ("26276.0000001", "26276", true),
            ("VALUE ADDED  TAX, net", "Value added tax, net", true),
            ("December 31, 2019", "December 31, 2019", true),
            ("31", "December 31, 2019", false),
            ("494", "(494)", false),
            ("-494", "(494)", true),
            ("(494)", "(494)", true),
            ("12,50", "1250", false),
            ("0", "0.0000001", false),
            ("0.0000001", "0", true),
            ("2019", "2019, 2018", false),
            ("2018, 2019", "2019, 2018", true),
            ("2018, 2019, 2020", "2019, 2018", false),
            ("1204", "$ 1,204 / $ 1,131", false),
            (
                "It was $1,131 in 2018 and $1,204 in 2019.",
                "$ 1,204 / $ 1,131",
                true,
            ),
            ("12.5", "12.5%, 13.1%", false),
            ("10", "10-15", false),
            ("10 to 15", "10-15", true),
            ("Answer: 10-15", "10-15", true),
            ("1. 2019\n2. 2018", "2019, 2018", true),
            ("* 2019\n* 2018", "2019, 2018", true),
            ("1. 2019\n2. 2017", "2019, 2018", false),
            ("The date is 2019-12-31.", "2019-12-31", true),
            ("The date is not 2019-12-31.", "2019-12-31", false),
            ("Is the term 5 years?", "5 years", false),
            ("Answer: the net sales of boats", "net sales of boats", true),
            ("Yes.", "yes", true),
            ("Answer: yes", "yes", true),
            ("The answer is yes.", "yes", true),
            ("No, it fell.", "yes", false),
            ("There is no change", "no", false),
            ("9 billion", "9 million", false),
            ("$9 thousand", "$9 million", false),
            ("9 million", "9%", false),
            ("12.5%", "12.5 million", false),
            ("12.5", "12.5%", true),
            ("9", "$9 million", true),
            ("Net sales of boats.", "net sales of boats", true),
            (
                "{\"answer\": \"net sales of boats\"}",
                "net sales of boats",
                true,
            ),
            ("**Net sales of boats**", "net sales of boats", true),
            (
                "The sales are not net sales of boats",
                "net sales of boats",
                false,
            ),
        ];
        for (given, right, want) in cases {
            assert_eq!(
                strict(given, right, "", false).right,
                want,
                "{given} for {right}"
            );
        }
        let lenient = [
            ("494", "(494)", false),
            ("-494", "(494)", true),
            ("(494)", "494", false),
            ("$(494) million", "494000000", false),
            ("18,450,000", "(18,450,000)", false),
            ("(18,450,000)", "(18,450,000)", true),
            ("-$18.45 million", "(18,450,000)", true),
            ("$18.45 million", "(18,450,000)", false),
            ("(3, 4)", "(3, 4)", true),
            ("3 and 4", "[3, 4]", true),
            ("-3, -4", "(3, 4)", false),
            ("$9 million", "9000000", true),
            ("$9 million", "9", true),
            ("9", "9000000", false),
            ("12.5%", "0.125", true),
            ("0.125", "12.5%", true),
            ("the growth rate is 101.5%", "1.015", true),
            ("12.5", "0.125", false),
            ("9 billion", "9 million", false),
            ("9,000 thousand", "9 million", true),
            ("0.125%", "12.5%", false),
            ("1250%", "12.5%", false),
            ("1,250 bps", "12.5%", true),
            ("9 million", "9%", false),
        ];
        for (given, right, want) in lenient {
            assert_eq!(
                strict(given, right, "", true).right,
                want,
                "{given} for {right}"
            );
        }
    }
}
