//! The numbers in a text: one lexer for all that is scored.
//!
//! It reads signs as `-`, U+2212, dashes before a digit, "minus" and "negative"; accountants' brackets; thousands by
//! comma (only before three digits), blanks of every width, apostrophe, `{,}`, `\,`; a decimal comma where nothing else
//! fits; `1.5e7`, `1.5×10^7`, `\times 10^{7}`; `3/4`, `\frac{3}{4}`, `1 3/4`; per cent and basis points; words of scale
//! from hundred to crore; a currency before or after.
//!
//! A number inside a larger expression (`5x`, `10-15`, `1.2.3`, `\sqrt{2}`) is `Token::Odd`: no rule reads its first
//! piece. An answer that consists of one constant expression, such as `3\sqrt{2}`, is read as its value.

mod around;
mod digits;
mod expression;

use crate::cut::{after, before};
use crate::plain::plain;
use around::Around;
use digits::Run;

pub use crate::plain::digit;

/// The names of the months, in lower case.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Whether a word in lower case is a month, in full or cut short: "november", "nov", "sept".
pub(crate) fn is_month(word: &str) -> bool {
    word == "sept"
        || MONTHS
            .iter()
            .any(|month| word == *month || month.get(..3) == Some(word))
}

pub(crate) use expression::{goes_on, leading as leading_expression, worked};

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its value as written, with its sign: 12.5 for "12.5 %", -57 for "(57)", 9 for "$9 million".
    pub value: f64,
    /// The factor of its unit: 0.01 for per cent, 0.0001 for basis points, else 1.
    pub unit: f64,
    /// The factor of its word of scale: 1,000,000 for "million", else 1.
    pub scale: f64,
}

impl Number {
    /// A number without unit and scale.
    #[must_use]
    pub fn bare(value: f64) -> Self {
        Self {
            value,
            unit: 1.0,
            scale: 1.0,
        }
    }

    /// The value with its unit and its scale applied: 0.125 for "12.5 %", 9,000,000 for "$9 million".
    ///
    /// Decimal places are kept as written, so that 12.5 % is exactly the 0.125 of a text.
    #[must_use]
    pub fn applied(self) -> f64 {
        if self.unit == 1.0 {
            return self.value * self.scale;
        }
        // Division rounds once where multiplication by 0.01 would round twice.
        self.value * self.scale / (1.0 / self.unit).round()
    }

    /// Whether both say the same amount in two ways: "0.125 or 12.5 %", "1.5 million (1,500,000)".
    #[must_use]
    pub fn restates(self, other: Self) -> bool {
        // A number that is rounded to three digits differs by at most 0.5 %.
        let close = |a: f64, b: f64| (a - b).abs() <= 0.006 * a.abs().max(b.abs());
        close(self.applied(), other.applied())
            // The same figure in another unit or rounded to another scale; two near figures of one
            // kind are two.
            && (self.unit != other.unit || self.scale != other.scale || self.value == other.value)
    }
}

/// What role a number has where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It may be an amount.
    Amount,
    /// A whole number from 1900 to 2100 without currency, unit or separator.
    Year,
    /// A part of a date, the number of a note, a page, a step or a decimal place.
    Label,
}

/// A piece of text with digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token {
    /// A number.
    Number(Lexed),
    /// A number inside something that is not understood.
    Odd { from: usize, to: usize },
}

/// A number with its place \[characters\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lexed {
    pub(crate) number: Number,
    pub(crate) role: Role,
    /// Where it begins, with its sign, currency and brackets.
    pub(crate) from: usize,
    /// Where it ends, with its unit, scale and brackets.
    pub(crate) to: usize,
    /// Whether it stands in brackets of its own after a word, as a remark does.
    pub(crate) aside: bool,
    /// Whether accountants' brackets make it negative.
    pub(crate) bracketed: bool,
    /// Whether an operator and a further operand follow or precede it.
    pub(crate) operand: bool,
}

impl Lexed {
    /// The number as a remark on another one: brackets around it do not mean a minus sign.
    pub(crate) fn remarked(&self) -> Number {
        let sign = if self.aside && self.bracketed {
            -1.0
        } else {
            1.0
        };
        Number {
            value: sign * self.number.value,
            ..self.number
        }
    }
}

impl Token {
    pub(crate) fn from(&self) -> usize {
        match self {
            Self::Number(lexed) => lexed.from,
            Self::Odd { from, .. } => *from,
        }
    }

    pub(crate) fn to(&self) -> usize {
        match self {
            Self::Number(lexed) => lexed.to,
            Self::Odd { to, .. } => *to,
        }
    }
}

/// A text in its plain spelling, as characters.
// Four bytes for each character: the rules look back and ahead from every place, and a place in
// bytes may be inside a character.
#[derive(Debug, Clone)]
pub(crate) struct Chars(pub(crate) Vec<char>);

impl Chars {
    pub(crate) fn plain(text: &str) -> Self {
        Self(plain(text).chars().collect())
    }

    /// The character at a place, a line end outside.
    pub(crate) fn at(&self, place: usize) -> char {
        self.0.get(place).copied().unwrap_or('\n')
    }

    /// The character before a place, a line end at the start.
    pub(crate) fn before(&self, place: usize) -> char {
        place.checked_sub(1).map_or('\n', |place| self.at(place))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn text(&self, from: usize, to: usize) -> String {
        self.0
            .get(from..to.min(self.len()))
            .unwrap_or_default()
            .iter()
            .collect()
    }

    /// The first place from `from` on whose character is not `what`.
    pub(crate) fn skip(&self, from: usize, what: impl Fn(char) -> bool) -> usize {
        let mut at = from;
        while at < self.len() && what(self.at(at)) {
            at += 1;
        }
        at
    }

    /// The place where a run of `what` that ends at `to` begins.
    pub(crate) fn skip_back(&self, to: usize, what: impl Fn(char) -> bool) -> usize {
        let mut at = to;
        while at > 0 && what(self.before(at)) {
            at -= 1;
        }
        at
    }

    /// The word that ends at `to`, in lower case, and where it begins.
    pub(crate) fn word_before(&self, to: usize) -> (String, usize) {
        let is_part = |c: char| c.is_alphabetic() || c == '\'';
        let mut from = to;
        // Long runs without a blank are not words.
        while from > 0 && to - from < 24 && is_part(self.before(from)) {
            from -= 1;
        }
        (self.text(from, to).to_lowercase(), from)
    }

    /// The word that begins at `from`, in lower case, and where it ends.
    pub(crate) fn word_at(&self, from: usize) -> (String, usize) {
        let mut to = from;
        while to - from < 24 && self.at(to).is_alphabetic() {
            to += 1;
        }
        (self.text(from, to).to_lowercase(), to)
    }
}

/// Every piece of a text with digits, in order.
pub(crate) fn tokens(text: &Chars) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let starts = text.at(at).is_ascii_digit()
            || text.at(at) == '.'
                && text.at(at + 1).is_ascii_digit()
                // The dot behind a letter or a digit ends something: "note.5".
                && !text.before(at).is_alphanumeric();
        if !starts {
            at += 1;
            continue;
        }
        let run = Run::at(text, at);
        let least = found.last().map_or(0, Token::to);
        let token = Around { text, least }.read(&run);
        at = match token {
            // The rest of the expression belongs to it.
            Some(token) => {
                // Never before the end of the run: its digits would be read again as a number of
                // their own.
                let to = token.to().max(run.to);
                found.push(token);
                to
            }
            None => run.to,
        };
    }
    found
}

/// How many numbers, or pieces of text with digits, a text has.
#[must_use]
pub fn count(text: &str) -> usize {
    tokens(&Chars::plain(text)).len()
}

/// The last number of a text: the flexible rule of several evaluators.
///
/// ```
/// use reply_text::number::last;
/// assert_eq!(last("12 then $1,500.25 in 2019?").map(|n| n.value), Some(2019.0));
/// assert_eq!(last("none"), None);
/// ```
#[must_use]
pub fn last(text: &str) -> Option<Number> {
    let text = Chars::plain(text);
    let tokens = tokens(&text);
    let mut numbers = tokens.iter().rev().filter_map(|token| match token {
        Token::Number(lexed) => Some(lexed),
        Token::Odd { .. } => None,
    });
    let last = numbers.next()?;
    // "0.2 (20 %)" states one amount twice; its brackets do not mean a minus sign.
    let twice = numbers
        .next()
        .is_some_and(|earlier| earlier.number.restates(last.remarked()));
    Some(if twice { last.remarked() } else { last.number })
}

/// The number that a text consists of, with its sign, currency, unit and scale, and nothing else; also the value of a
/// constant expression of numbers, roots, powers, `\pi` and `e`.
///
/// ```
/// use reply_text::number::whole;
/// let value = |text| whole(text).map(|number| number.value);
/// assert_eq!(value("$1,204.5 million"), Some(1204.5));
/// assert_eq!(value("(1,204)"), Some(-1204.0));
/// assert_eq!(value("12,50"), Some(12.5));
/// assert_eq!(value(r"1.5 \times 10^{7}"), Some(15_000_000.0));
/// assert_eq!(value(r"\frac{\sqrt{16}}{2}"), Some(2.0));
/// assert_eq!(value("10-15"), None);
/// assert_eq!(value("about 5"), None);
/// ```
#[must_use]
pub fn whole(text: &str) -> Option<Number> {
    whole_number(text).or_else(|| expression::value(text))
}

/// The number that a text consists of; `None` for an expression.
pub(crate) fn whole_number(text: &str) -> Option<Number> {
    let text = Chars::plain(text);
    let tokens = tokens(&text);
    let [Token::Number(lexed)] = tokens.as_slice() else {
        return None;
    };
    let bare = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '$' | '`');
    let alone = text.skip(0, bare) >= lexed.from
        && text.skip(lexed.to, |c| bare(c) || c == '.') >= text.len();
    (alone && !lexed.operand).then_some(lexed.number)
}

/// Every number of a text that consists of numbers and what separates them: `2019, 2018`, `$ 1,204 / $ 1,131`, `10-15`.
///
/// `None` when there is anything else in it, or no number. Both ends of a range are numbers of it.
///
/// ```
/// use reply_text::number::list;
/// let values = |text| list(text).map(|all| all.iter().map(|n| n.value).collect::<Vec<_>>());
/// assert_eq!(values("12.5%, 13.1%"), Some(vec![12.5, 13.1]));
/// assert_eq!(values("10-15"), Some(vec![10.0, 15.0]));
/// assert_eq!(values("10 boats"), None);
/// ```
#[must_use]
pub fn list(text: &str) -> Option<Vec<Number>> {
    let plain = plain(text);
    let mut found = Vec::new();
    let separators = |c: char| matches!(c, ';' | '/' | '|' | '\n' | '[' | ']' | '{' | '}');
    for part in plain.split(separators) {
        // A comma before a blank separates; so does a dash between digits, and the words.
        for piece in part.split(", ").flat_map(|piece| piece.split(" and ")) {
            let piece = piece
                .trim()
                .trim_start_matches("and ")
                .trim_matches([',', '"', '\'']);
            if piece.is_empty() {
                continue;
            }
            match whole_number(piece) {
                Some(number) => found.push(number),
                None => found.extend(range(piece)?),
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Words that may stand between the numbers of a list, besides marks and years.
const BETWEEN: [&str; 14] = [
    "and",
    "und",
    "et",
    "in",
    "for",
    "fy",
    "the",
    "year",
    "years",
    "respectively",
    "million",
    "as",
    "well",
    "of",
];

/// Words before the first number that leave a list open, or bound it.
const OPENS: [&str; 12] = [
    "either", "neither", "maybe", "perhaps", "possibly", "than", "page", "table", "note", "only",
    "or", "except",
];

/// Every number of a text that states a list of them: "It was 5 in 2018 and 7 in 2019", "10-15 years". Years are numbers
/// too. `None` where anything but words of a list stands between the numbers, where they are denied or bounded, or where
/// more than a unit follows.
///
/// `ranged`: whether a dash or "to" may join two; `slashed`: whether a slash may.
///
/// ```
/// use reply_text::number::listed;
/// let values = |text| listed(text, false, false).map(|all| all.iter().map(|n| n.value).collect::<Vec<_>>());
/// assert_eq!(values("FY2019 and FY2018"), Some(vec![2019.0, 2018.0]));
/// assert_eq!(values("$1,204 (2020) and $1,131 (2019)"), Some(vec![1204.0, 2020.0, 1131.0, 2019.0]));
/// assert_eq!(values("2019, not 2018"), None);
/// assert_eq!(values("5 of 10"), None);
/// ```
#[must_use]
pub fn listed(text: &str, ranged: bool, slashed: bool) -> Option<Vec<Number>> {
    let text = text.trim().replace("FY", "").replace("fy", "");
    let chars = Chars::plain(&text);
    let mut found: Vec<Number> = Vec::new();
    let mut end: Option<(usize, bool)> = None;
    for token in tokens(&chars) {
        let year = matches!(token, Token::Number(lexed) if lexed.role == Role::Year);
        match end {
            None => {
                let head = chars.text(0, token.from());
                let words = head.to_lowercase();
                let open = words
                    .split(|c: char| !c.is_alphabetic())
                    .any(|word| OPENS.contains(&word));
                if open
                    || head.trim_end().ends_with(['<', '>'])
                    || crate::doubt::denied_before(&head) && !words.contains("between")
                {
                    return None;
                }
            }
            Some((end, earlier)) => {
                let between = chars.text(end, token.from()).to_lowercase();
                joins(
                    &between,
                    earlier || year,
                    chars.before(end) == '%',
                    ranged,
                    slashed,
                )
                .then_some(())?;
            }
        }
        match token {
            Token::Number(lexed) if lexed.role == Role::Label => return None,
            Token::Number(lexed) if lexed.operand && !ranged && !slashed => return None,
            Token::Number(lexed) => found.push(if lexed.aside {
                lexed.remarked()
            } else {
                lexed.number
            }),
            Token::Odd { from, to } if ranged => found.extend(range(&chars.text(from, to))?),
            Token::Odd { .. } => return None,
        }
        end = Some((token.to(), year));
    }
    let tail = chars.text(end?.0, chars.len());
    let words = tail
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let plain = !tail.contains(['?', '<', '>', '+']) && words.clone().count() <= 2;
    (plain
        && !crate::doubt::denied_after(&tail)
        && !words
            .clone()
            .any(|word| matches!(word, "not" | "no" | "has" | "or")))
    .then_some(found)
}

/// Whether a text between two numbers joins them to a list; `year`: one of them is a year, which may belong to the other;
/// `marked`: the first ends with a mark, so that a blank is enough.
fn joins(between: &str, year: bool, marked: bool, ranged: bool, slashed: bool) -> bool {
    let marks = between.chars().all(|c| {
        c.is_alphabetic()
            || c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | '&' | '(' | ')' | ':' | '•' | '*' | '"' | '\'' | '[' | ']' | '$' | '.'
            )
            || c == '-' && (ranged || between.contains('\n'))
            || matches!(c, '/' | '|') && slashed
    });
    let mut words = between
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let is_list = words.all(|word| {
        BETWEEN.contains(&word) && word != "of"
            || ranged && RANGING.contains(&word)
            || word == "of" && year
    });
    // "in 2019 2018": something has to stand between two values.
    marks && is_list && (year || marked || between.trim().len() + between.matches('\n').count() > 0)
}

/// Words between the two ends of a range.
const RANGING: [&str; 3] = ["to", "through", "thru"];

/// The ends of `10-15`, `10 to 15`, `10 through 15`, `10 - 15`.
fn range(text: &str) -> Option<[Number; 2]> {
    let words = RANGING
        .iter()
        .find_map(|word| text.split_once(&format!(" {word} ")));
    let (low, high) = words.or_else(|| {
        // A dash at the front is a sign.
        let first = text.chars().next()?.len_utf8();
        let at = first + after(text, first).find('-')?;
        Some((before(text, at), after(text, at + 1)))
    })?;
    Some([whole_number(low)?, whole_number(high)?])
}

#[cfg(test)]
mod tests;
