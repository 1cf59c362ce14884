//! All forms in which a sentence writes its value: "0.2 (20 %)", "1/3 ≈ 0.33".

use super::sentence::Said;
use super::words::{CASE, COMPARES, STATES, VERBS};
use crate::number::{Chars, Lexed, Number, Role, Token};

/// Whether `rounded` may be `exact`, rounded: they differ by at most 5 %.
// As much as rounding to two digits can change: 10.5 to 10 or 11.
pub(super) fn near(exact: Number, rounded: Number) -> bool {
    let (exact, rounded) = (exact.applied(), rounded.applied());
    (exact - rounded).abs() <= 0.05 * exact.abs().max(rounded.abs())
}

/// Whether a number stands without currency, unit and scale, and without a word that says what is counted.
fn is_bare(text: &Chars, number: &Lexed) -> bool {
    let written = text.text(number.from, number.to);
    !number.bracketed
        && written
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'))
}

/// Whether a token is a number with a unit of measure written to it ("1,000m²"), and its sentence ends there.
fn is_measure_at_end(text: &Chars, token: &Token) -> bool {
    let Token::Number(number) = token else {
        return false;
    };
    let written = text.text(number.from, number.to);
    let unit = written.trim_start_matches(|c: char| !c.is_alphabetic());
    let measure = !matches!(unit, "" | "x")
        && !written.contains(' ')
        && number.number.unit == 1.0
        && number.number.scale == 1.0;
    let end = text.skip(number.to, |c| c == ' ');
    measure && (end >= text.len() || matches!(text.at(end), '.' | '!' | ';' | '\n'))
}

/// The value at a place with the forms that restate it; unclear where another value is joined to it.
pub(super) fn forms(text: &Chars, inside: &[Token], place: usize, lexed: &Lexed) -> Said {
    let mut forms = vec![lexed.number];
    let mut end = lexed.to;
    for token in inside.iter().skip(place + 1) {
        let between = text.text(end, token.from()).to_lowercase();
        let joined = between.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '$' | ';' | '.' | '…' | '|' | '—')
        });
        let (number, year) = match token {
            Token::Number(other) => (
                Some(other.remarked()),
                other.aside && other.role == Role::Year,
            ),
            Token::Odd { .. } => (None, false),
        };
        let same = number.is_some_and(|number| number.restates(lexed.number));
        let unsigned = Number {
            value: -lexed.number.value,
            ..lexed.number
        };
        let same_unsigned =
            lexed.bracketed && number.is_some_and(|number| number.restates(unsigned));
        // "$381,603 thousand, or roughly $382 million": the same amount with other words between.
        let bare = without_hedges(joined);
        let joined = bare.as_str();
        let rounded = number.is_some_and(|number| {
            let (a, b) = (number.applied(), lexed.number.applied());
            (a - b).abs() <= 0.006 * a.abs().max(b.abs())
        }) && between
            .split_whitespace()
            .any(|word| HEDGES.contains(&word.trim_matches(['(', ','])));
        let same = same || rounded && !matches!(joined, "to" | "-" | "and");
        // "1/3 ≈ 0.33", "24.26, which rounds to 24.3": the value as it is written last.
        // "1/3 (0.33)"
        let aside = joined.is_empty() && between.contains(' ') && is_aside(token);
        if let Token::Number(other) = token
            && (aside
                || matches!(
                    joined,
                    "=" | "≈"
                        | "or"
                        | "("
                        | "(≈"
                        | "(about"
                        | "(approximately"
                        | "(or about"
                        | "which rounds to"
                        | "or about"
                        | "rounded to"
                ))
            && (text.text(lexed.from, lexed.to).contains('/')
                || joined == "which rounds to"
                || joined == "rounded to"
                || joined == "or" && is_rounded(text, other.to))
            && near(lexed.number, other.remarked())
            && other.number.unit == lexed.number.unit
        {
            forms.insert(0, other.remarked());
            end = token.to();
            continue;
        }
        // "$42 million, 5% higher than in 2019"
        if between.starts_with(',')
            && matches!(token, Token::Number(other) if is_comparison(text, other, text.len()))
        {
            break;
        }
        match joined {
            "which is equivalent to"
            | "which is equal to"
            | "which is"
            | "which equals"
            | "equivalent to"
            | "or equivalently"
                if same || same_unsigned =>
            {
                // "$(4,625) million, which is equivalent to $4.625 billion": the brackets mean no minus sign.
                if same_unsigned {
                    forms = vec![unsigned];
                }
                forms.extend(number);
                end = token.to();
            }
            // "The area is 10 which is 1,000m²": the sentence goes on from a bare number to one with its unit, and ends
            // with it. A share ("which is 5 %") or a sum of money only says more about the first.
            "which is" | "which equals" | "which is equal to" | "which is equivalent to"
                if is_bare(text, lexed) && is_measure_at_end(text, token) =>
            {
                forms = number.into_iter().collect();
                end = token.to();
            }
            // "0.2 (20 %)", "5 (2019)"
            "" if same && between.contains(' ') && is_aside(token) => {
                forms.extend(number);
                end = token.to();
            }
            "" if year || is_change_aside(text, lexed, token) => end = token.to(),
            "or" | "(" | "i.e" | "(i.e" | "or approximately" | "or about" | "(or" | "=" | "≈"
            | "(approximately" | "(≈" | "(about" | "(or about"
                if same =>
            {
                forms.extend(number);
                end = token.to();
            }
            // One of two, or both.
            // "64.2, versus 60 in 2019" compares.
            "vs" | "versus" if between.starts_with(',') || compares(text, token.to()) => break,
            // "$42 million, or 12% of sales" says what share the amount is.
            "or" if between.starts_with(',')
                && number.is_some_and(|number| number.unit != 1.0 && lexed.number.unit == 1.0)
                && text.word_at(text.skip(token.to(), |c| c == ' ')).0 == "of" =>
            {
                break;
            }
            "or" | "and" | "to" | "-" | "/" | "" | "vs" | "versus" | "through" | "till"
            | "thru" | "until" | "xor" | "respectively" | "alternatively" | "(alternatively"
            | "or possibly" | "or maybe" | "or perhaps" | "possibly" | "maybe" | "oder" | "ou"
            | "o" | "bis" | "und" | "et" | "y" | "或" | "或者" | "和" | "及" | "または" | "と"
            | "또는" | "hasta" | "até" | "tot" | "til" | "до" | "или" | "и" | "eller" | "och"
            | "og" => return Said::Unclear,
            // "10 a 20" in Spanish, but "$42 million, a 5% increase"
            "à" | "a" | "e" if !between.contains(',') => return Said::Unclear,
            // A part of a larger expression or of a measure.
            "of" | "out of" | "over" | "x" | "per" | "hours" | "hour" | "years" | "feet"
            | "foot" | "ft" | "'" | "pounds" | "minutes" | "months"
                if !is_year(token) =>
            {
                return Said::Unclear;
            }
            // A calculation in words.
            "less" | "minus" | "plus" | "times" | "divided by" | "multiplied by" => {
                return Said::Unclear;
            }
            _ => break,
        }
    }
    // "= 0.308 = 30.8 %": the forms before it.
    let mut start = lexed.from;
    for token in inside.iter().take(place).rev() {
        let Token::Number(other) = token else { break };
        let between = text.text(other.to, start);
        let joined = between.trim_matches([' ', '$']);
        let joins = matches!(joined, "=" | "or" | "× 100 =" | "* 100 =")
            && other.number.restates(lexed.number)
            || joined == "≈" && near(other.number, lexed.number);
        if !joins {
            break;
        }
        forms.push(other.number);
        start = other.from;
    }
    // "4.1 % in 2018 and 4.3 % in 2019" states two values.
    let other = inside.iter().skip(place + 1).find_map(|token| match token {
        Token::Number(other)
            if other.from >= end
                && other.role == Role::Amount
                && !other.aside
                && !other.operand
                && !forms.iter().any(|form| form.restates(other.number)) =>
        {
            Some(other)
        }
        _ => None,
    });
    if let Some(other) = other
        && other.number.unit == lexed.number.unit
    {
        let between = text.text(end, other.from).to_lowercase();
        let words: Vec<&str> = between
            .split(|c: char| !c.is_alphabetic() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let joins = words.contains(&"and");
        let verb = words
            .iter()
            .any(|word| STATES.contains(word) || VERBS.contains(word) || word.ends_with("ing"));
        if joins && !verb {
            return Said::Unclear;
        }
    }
    Said::Value(forms)
}

/// Whether the words after a number say that it is rounded: "or 42.13 when rounded".
fn is_rounded(text: &Chars, to: usize) -> bool {
    let rest = text.text(to, to + 20).to_lowercase();
    [" when rounded", " rounded", " after rounding"]
        .iter()
        .any(|words| rest.starts_with(words))
}

/// Whether a token in brackets is the change of the amount before it in per cent, with its sign: "42 (+10.5%)".
pub(super) fn is_change_aside(text: &Chars, amount: &Lexed, token: &Token) -> bool {
    matches!(token, Token::Number(change) if change.aside
        && change.number.unit == 0.01
        && amount.number.unit == 1.0
        && matches!(text.at(change.from + 1), '+' | '-'))
}

/// Words that say that a number is not exact.
pub(super) const HEDGES: [&str; 8] = [
    "about",
    "approximately",
    "approx",
    "approx.",
    "roughly",
    "around",
    "nearly",
    "almost",
];

/// What joins two numbers, without the words that say that the second is not exact.
fn without_hedges(joined: &str) -> String {
    let words: Vec<&str> = joined
        .split_whitespace()
        .map(|word| word.trim_matches(','))
        .filter(|word| !HEDGES.contains(word))
        .collect();
    words.join(" ")
}

/// Whether the number that ends at a place belongs to another time: "in 2019", "last year", "a year earlier".
pub(super) fn compares(text: &Chars, to: usize) -> bool {
    let rest = text.text(to, to + 40).to_lowercase();
    let rest = rest.trim_start_matches([' ', '(']);
    [
        "in 1", "in 2", "in fy", "for fy", "in the p", "in the y", "last ", "a year", "the year",
        "the p",
    ]
    .iter()
    .any(|words| rest.starts_with(words))
}

/// Whether the words after a number compare it with another time or thing: "5 % higher", "2 million more than".
pub(super) fn is_comparison(text: &Chars, lexed: &Lexed, to: usize) -> bool {
    let rest = text.text(lexed.to, to.min(lexed.to + CASE)).to_lowercase();
    rest.split(|c: char| !c.is_alphabetic())
        .find(|word| !word.is_empty())
        .is_some_and(|word| COMPARES.contains(&word))
}

fn is_year(token: &Token) -> bool {
    matches!(token, Token::Number(lexed) if lexed.role == Role::Year)
}

fn is_aside(token: &Token) -> bool {
    matches!(token, Token::Number(lexed) if lexed.aside)
}
