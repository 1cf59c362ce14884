//! Whether a text in somebody's own words says a value.
//!
//! A text is read as a row of values: dates, numbers and words. A value that is asked for has to stand in it
//! as a whole, so 17 does not say 7 and 26 July does not say 6 July; how a date or a number is written makes
//! no difference, so "July 23, 2025", "2025-07-23" and "the 23rd of July 2025" are the same. A place that the
//! text denies ("not 7 days but 3") does not count.
//!
//! What is not understood as a number (`7-10`, `7/10`, `12:30`, `v7`) stays a word, and says no number.

use crate::data::value::{Day, MONTHS, row_no};

/// Words of a text before a value in which a denial is looked for.
const REACH: usize = 4;

/// Words between a denial and a value by which it denies no more than what lies on one side of the value: "not
/// later than 7 days", "do not forget the 7 keys" and "not 3 but 7" say 7.
const SPARED: [&str; 18] = [
    "above", "after", "before", "below", "beyond", "but", "earlier", "exceed", "fewer", "forget",
    "just", "later", "less", "longer", "more", "only", "over", "until",
];

/// Number words from two on; "one" is also a pronoun.
const COUNTS: [&str; 11] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// What stands in one place of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A day: year, if it is said, month and day of the month.
    Date(Option<i32>, u32, u32),
    Number(f64),
    /// Anything else, as in [`Item::word`].
    Word,
}

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) token: Token,
    /// The characters in lower case, without punctuation at the ends.
    pub(crate) word: String,
    /// The punctuation behind it: a clause ends there.
    end: Option<char>,
    /// Whether it began with a capital letter.
    is_capital: bool,
}

impl Item {
    /// Whether this place of a text says `wanted`, a part of a value. Numbers differ by at most `tolerance`.
    pub(crate) fn says(&self, wanted: &Self, tolerance: f64) -> bool {
        match (&self.token, &wanted.token) {
            (Token::Number(said), Token::Number(wanted)) => {
                (said - wanted).abs() <= tolerance + 1e-9
            }
            (Token::Word, Token::Number(wanted)) => {
                let counted = COUNTS.iter().position(|word| *word == self.word);
                counted.is_some_and(|at| row_no(at + 2) == whole(*wanted))
            }
            (Token::Date(year, month, day), Token::Date(wanted, m, d)) => {
                (month, day) == (m, d) && (wanted.is_none() || wanted == year)
            }
            (Token::Word, Token::Word) => self.word == wanted.word,
            _ => false,
        }
    }
}

/// A small whole number; a number that no word names gives 0.
fn whole(number: f64) -> u32 {
    (2..=12)
        .find(|n| (f64::from(*n) - number).abs() < 1e-9)
        .unwrap_or(0)
}

/// The values of a text, in order.
pub(crate) fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for line in text.lines() {
        for chunk in joined_digits(line).split_whitespace() {
            for piece in pieces(chunk) {
                push(&mut items, piece);
            }
        }
        if let Some(last) = items.last_mut() {
            last.end = last.end.or(Some('\n'));
        }
    }
    with_dates(&items)
}

/// A line with spaces that only group digits taken out, and with plain apostrophes.
fn joined_digits(line: &str) -> String {
    let line: Vec<char> = line.chars().collect();
    let digit = |at: Option<usize>| {
        at.and_then(|at| line.get(at))
            .is_some_and(char::is_ascii_digit)
    };
    let mut out = String::new();
    for (at, &c) in line.iter().enumerate() {
        match c {
            '\u{a0}' | '\u{2009}' | '\u{202f}'
                if digit(at.checked_sub(1)) && digit(Some(at + 1)) => {}
            '\u{2018}' | '\u{2019}' => out.push('\''),
            _ => out.push(c),
        }
    }
    out
}

/// A chunk cut where two values touch: `7-day`, `limit:7`, `and/or`. Digits on both sides stay together,
/// because `7-10`, `7/10` and `12:30` are neither 7 nor 10, and so does a letter before a digit (`M-219`).
fn pieces(chunk: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut before = None;
    let mut rest = chunk.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map(|(_, c)| *c);
        let digits = |c: Option<char>| c.is_some_and(|c: char| c.is_ascii_digit());
        let letters = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        let cuts = match c {
            '\u{2014}' | '|' | '"' | '\u{201c}' | '\u{201d}' | '=' | ';' => true,
            ':' | '/' => !digits(before) && (letters(after) || digits(after)),
            '-' => letters(after) && (letters(before) || digits(before)),
            _ => false,
        };
        if cuts {
            // The mark stays with what it follows, as its punctuation.
            let end = at + c.len_utf8();
            out.extend(chunk.get(from..end));
            from = end;
        }
        before = Some(c);
    }
    out.extend(chunk.get(from..));
    out
}

/// Adds a piece; one without letters and digits ends the clause before it.
fn push(items: &mut Vec<Item>, piece: &str) {
    if !piece.chars().any(char::is_alphanumeric) {
        if let Some(last) = items.last_mut() {
            last.end = last.end.or(piece.chars().next());
        }
        return;
    }
    // What changes the meaning of a number stays: `#7` is a name, `7+` and `<7` are ranges, `-7` is negative.
    let opens =
        |c: char| !c.is_alphanumeric() && !"-\u{2212}\u{2013}#<>\u{2264}\u{2265}.".contains(c);
    let closes = |c: char| !c.is_alphanumeric() && c != '+';
    let core = piece.trim_start_matches(opens).trim_end_matches(closes);
    let is_capital = core.chars().next().is_some_and(char::is_uppercase);
    let mut word = core.to_lowercase();
    let number = number(&word);
    if number.is_none() {
        let plain = word
            .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '#' && c != '<' && c != '>');
        word = plain.strip_suffix("'s").unwrap_or(plain).to_owned();
    }
    let tail = piece.get(piece.trim_end_matches(closes).len()..);
    let mut tail = tail.unwrap_or_default().chars();
    items.push(Item {
        token: number.map_or(Token::Word, Token::Number),
        word,
        end: tail.find(|c| ".,;:!?)|\u{2014}".contains(*c)),
        is_capital,
    });
}

/// A number of digits with at most a sign, separators of thousands and a decimal point.
fn number(word: &str) -> Option<f64> {
    let (sign, digits) = match word.strip_prefix(['-', '\u{2212}', '\u{2013}']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, word),
    };
    let digits = digits.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && c != '.' && c != '<' && c != '>' && c != '#'
    });
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let groups: Vec<&str> = whole.split([',', '\'']).collect();
    let (first, others) = groups.split_first()?;
    // Thousands, or lakhs and crores; the last group always has three digits.
    let grouped = others.split_last().is_none_or(|(last, others)| {
        let between = others.iter().all(|group| (2..=3).contains(&group.len()));
        last.len() == 3 && between && (1..=3).contains(&first.len())
    });
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let written =
        grouped && !whole.is_empty() && plain(part) && groups.iter().all(|group| plain(group));
    // "7." at the end of a sentence lost its point before; "7.x" is a word.
    let written = written && !(part.is_empty() && digits.contains('.'));
    let text = format!(
        "{}.{}",
        groups.concat(),
        if part.is_empty() { "0" } else { part }
    );
    written.then(|| text.parse().ok().map(|number: f64| sign * number))?
}

fn month(word: &str) -> Option<u32> {
    let at = MONTHS.iter().position(|month| {
        let begins = month.get(..word.len());
        let whole = word.len() == 3 || word == "sept" || word.len() == month.len();
        whole && begins.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
    })?;
    u32::try_from(at + 1).ok()
}

/// The day of a month: 1 to 31, also `1st`; and whether it is written as an ordinal.
fn day_of_month(word: &str) -> Option<(u32, bool)> {
    let ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    let digits = ordinal.unwrap_or(word);
    let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let day = plain
        .then(|| digits.parse().ok())?
        .filter(|day| (1..=31).contains(day))?;
    Some((day, ordinal.is_some()))
}

/// A date in digits: year first, day first, or month first where no month is above 12.
fn numeric_date(word: &str) -> Option<Day> {
    let american = || {
        let mut parts = word.split('/');
        let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
        Day::parse(&format!("{day}/{month}/{year}"))
    };
    Day::of(&word.to_uppercase()).or_else(american)
}

/// The items with those that make up a date joined.
fn with_dates(items: &[Item]) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let (token, used) = date_at(items, at).unwrap_or((item.token.clone(), 1));
        let parts = items.get(at..at + used).unwrap_or_default();
        let words: Vec<&str> = parts.iter().map(|part| part.word.as_str()).collect();
        out.push(Item {
            token,
            word: words.join(" "),
            end: parts.last().and_then(|part| part.end),
            is_capital: item.is_capital,
        });
        at += used.max(1);
    }
    out
}

/// The date that begins at a place, and the number of items that it takes.
fn date_at(items: &[Item], at: usize) -> Option<(Token, usize)> {
    let first = items.get(at)?;
    if let Some(day) = numeric_date(&first.word) {
        let (year, month, day) = day.date();
        return Some((Token::Date(Some(year), month, day), 1));
    }
    // Where a year stands behind `end`, which may be a comma, or the point of a short month.
    let year_behind = |next: usize, end: Option<char>, is_short: bool| {
        let joined = end.is_none() || end == Some(',') || (end == Some('.') && is_short);
        let word = &items.get(next).filter(|_| joined)?.word;
        let year: i32 = word.parse().ok().filter(|_| word.len() == 4)?;
        (1900..=2199).contains(&year).then_some(year)
    };
    if let Some((day, _)) = day_of_month(&first.word)
        && first.end.is_none()
    {
        let of = items
            .get(at + 1)
            .filter(|next| next.word == "of" && next.end.is_none());
        let next = at + 1 + usize::from(of.is_some());
        let named = items.get(next)?;
        let month = month(&named.word)?;
        let year = year_behind(next + 1, named.end, named.word.len() <= 4);
        let used = next + 1 - at + usize::from(year.is_some());
        return Some((Token::Date(year, month, day), used));
    }
    let month = month(&first.word)?;
    let is_short = first.word.len() <= 4;
    if !(first.end.is_none() || (first.end == Some('.') && is_short)) {
        return None;
    }
    let next = items.get(at + 1)?;
    let (day, is_ordinal) = day_of_month(&next.word)?;
    let year = year_behind(at + 2, next.end, false);
    // "you may 7 times" names no month.
    let used = 2 + usize::from(year.is_some());
    let named = year.is_some() || is_ordinal || first.is_capital;
    named.then_some((Token::Date(year, month, day), used))
}

/// The only value of a text, if it is a date with its year.
pub(crate) fn as_day(text: &str) -> Option<Day> {
    match only(text)?.token {
        Token::Date(Some(year), month, day) => Day::from_date(year, month, day),
        _ => None,
    }
}

/// The value of a text that has one only.
fn only(text: &str) -> Option<Item> {
    let [one] = <[Item; 1]>::try_from(items(text)).ok()?;
    Some(one)
}

/// A date or a number as other people write it; empty for anything else.
pub(crate) fn other_forms(part: &str) -> Vec<String> {
    let Some(Item { token, word, .. }) = only(part) else {
        return Vec::new();
    };
    match token {
        Token::Date(Some(year), month, day) => {
            let name = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
            let short = name.get(..3).unwrap_or_default();
            vec![
                format!("{name} {day}, {year}"),
                format!("{day} {short} {year}"),
                format!("{year:04}-{month:02}-{day:02}"),
                format!("{day:02}/{month:02}/{year:04}"),
            ]
        }
        Token::Number(number) if number.abs() >= 1_000.0 && !word.contains(',') => {
            let (whole, part) = word.split_once('.').unwrap_or((&word, ""));
            let thousands = whole.len().saturating_sub(3);
            let grouped = format!(
                "{},{}",
                whole.get(..thousands).unwrap_or(""),
                whole.get(thousands..).unwrap_or("")
            );
            let point = if part.is_empty() { "" } else { "." };
            // From a million on a second comma would be needed.
            (whole.len() <= 6)
                .then(|| format!("{grouped}{point}{part}"))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the text denies the value at `start..end`: by a word before it in the same clause ("not", "no",
/// "instead of"), or by calling it wrong.
///
/// `is_said` marks places that belong to another value which the text says: "the phone does not ring since 6
/// July" does not deny the day.
pub(crate) fn is_denied(
    items: &[Item],
    start: usize,
    end: usize,
    is_said: impl Fn(usize) -> bool,
) -> bool {
    let word = |at: usize| items.get(at).map_or("", |item| item.word.as_str());
    let denies = |at: usize| match word(at) {
        "not" | "no" | "never" | "cannot" | "neither" | "nor" => true,
        "instead" => word(at + 1) == "of",
        "rather" => word(at + 1) == "than",
        other => other.ends_with("n't"),
    };
    for at in (start.saturating_sub(REACH)..start).rev() {
        if items.get(at).is_some_and(|item| item.end.is_some()) || SPARED.contains(&word(at)) {
            break;
        }
        if denies(at) && !is_said(at) {
            return true;
        }
    }
    for at in end..end + REACH {
        if items
            .get(at.wrapping_sub(1))
            .is_none_or(|item| item.end.is_some())
        {
            break;
        }
        let refuted =
            denies(at) && !is_said(at) && ["correct", "right", "true"].contains(&word(at + 1));
        if refuted || ["false", "incorrect", "untrue", "wrong"].contains(&word(at)) {
            return true;
        }
    }
    false
}

/// The digits of a telephone number: at least seven, with nothing but spaces and signs between them.
fn telephone(text: &str) -> Option<String> {
    let digits = telephone_part(text)?;
    (digits.len() >= 7 && numeric_date(text).is_none()).then_some(digits)
}

fn telephone_part(text: &str) -> Option<String> {
    let only = text
        .chars()
        .all(|c| c.is_ascii_digit() || " +-().".contains(c));
    only.then(|| text.chars().filter(char::is_ascii_digit).collect())
}

/// The number of items from `start` on that hold exactly these digits, in at most five groups.
fn dials(items: &[Item], start: usize, digits: &str) -> Option<usize> {
    let mut left = digits;
    for (used, item) in items.iter().skip(start).take(5).enumerate() {
        let group = telephone_part(&item.word)?;
        left = left.strip_prefix(group.as_str())?;
        if left.is_empty() {
            return Some(used + 1);
        }
    }
    None
}

/// The places in a text that hold `part`, as the first place and the one behind the last.
fn places(said: &[Item], part: &str) -> Vec<(usize, usize)> {
    let wanted = items(part);
    let digits = telephone(part);
    let end_of = |start: usize| match &digits {
        Some(digits) => dials(said, start, digits).map(|used| start + used),
        None => {
            let end = start + wanted.len();
            let place = said.get(start..end)?;
            let mut pairs = place.iter().zip(&wanted);
            pairs
                .all(|(said, wanted)| said.says(wanted, 0.0))
                .then_some(end)
        }
    };
    let starts = 0..said.len();
    starts
        .filter_map(|start| Some((start, end_of(start)?)))
        .collect()
}

/// Whether `text` says all `parts`, each in a place where it does not deny it.
///
/// ```
/// use enterprise_sandbox::tasks::evaluate::says;
///
/// assert!(says("Hello Ana, you have 7 days left.", &["7"]));
/// assert!(!says("Hello Ana, you have 17 days left.", &["7"]));
/// assert!(!says("You do not have 7 days but 3.", &["7"]));
/// assert!(says("It is due on July 23, 2025.", &["23 July 2025"]));
/// assert!(!says("It is due on 26 July 2025.", &["6 July 2025"]));
/// ```
#[must_use]
pub fn says<S: AsRef<str>>(text: &str, parts: &[S]) -> bool {
    let said = items(text);
    // A part of marks alone, such as "?!", has no values, and is looked for letter by letter.
    let parts = parts.iter().map(AsRef::as_ref);
    let (marks, parts): (Vec<&str>, Vec<&str>) = parts.partition(|part| items(part).is_empty());
    let found: Vec<Vec<(usize, usize)>> = parts.iter().map(|part| places(&said, part)).collect();
    let is_said = |at: usize| {
        let mut all = found.iter().flatten();
        all.any(|(start, end)| (*start..*end).contains(&at))
    };
    let is_stated = |(start, end): &(usize, usize)| !is_denied(&said, *start, *end, is_said);
    marks.into_iter().all(|mark| text.contains(mark))
        && found.iter().all(|places| places.iter().any(is_stated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_hand() {
        for (text, part, right) in [
            // numbers
            ("You have 7 days left.", "7", true),
            ("You have 17 days left.", "7", false),
            ("You have 7.5 days left.", "7", false),
            ("You have 7,000 days left.", "7", false),
            ("You have 7-10 days left.", "7", false),
            ("You have 7/10 of it.", "7", false),
            ("Room v7, at 7:30, item #7, M-7, 7+", "7", false),
            ("Minus: -7", "7", false),
            ("The figure is **7**.", "7", true),
            ("A 7-day window", "7", true),
            ("seven days", "7", true),
            ("limit:7", "7", true),
            ("It costs €1,234.50 in all", "1234.5", true),
            ("It costs 1\u{202f}234.50", "1,234.50", true),
            ("up to 40%", "40", true),
            // dates
            ("on 26 July 2025", "6 July 2025", false),
            ("on July 23, 2025.", "23 July 2025", true),
            ("on Wednesday, July 23rd, 2025", "23 July 2025", true),
            ("by the 23rd of July 2025", "23 July 2025", true),
            ("by 23 Jul. 2025", "23 July 2025", true),
            ("2025-07-23", "23 July 2025", true),
            ("23.07.2025, at noon", "23 July 2025", true),
            ("07/23/2025", "23 July 2025", true),
            ("on 23 July 2024", "23 July 2025", false),
            ("on 23 July", "23 July 2025", false),
            ("on 23 July 2025", "23 July", true),
            ("on 7 July 2025", "7", false),
            ("It takes 7. March is fine.", "7", true),
            // names and words
            ("Anna Smith's desk", "Anna Smith", true),
            ("Anna Smithson", "Anna Smith", false),
            (
                "write to \u{201c}anna.smith@corp.com\u{201d}.",
                "anna.smith@corp.com",
                true,
            ),
            (
                "write to joanna.smith@corp.com",
                "anna.smith@corp.com",
                false,
            ),
            ("call 98765 43210 now", "98765-43210", true),
            ("call 198765 43210 now", "98765-43210", false),
            ("the power\nsupply", "power supply", true),
            // denials
            ("You do not have 7 days but 3.", "7", false),
            ("You do not have 7 days but 3.", "3", true),
            ("It isn't 7 days.", "7", false),
            ("It is 3 instead of 7 days.", "7", false),
            ("7 is wrong.", "7", false),
            ("7 days is not right", "7", false),
            ("Not 3, 7 days.", "7", true),
            ("No, 7 days.", "7", true),
            ("7 days, not 3.", "7", true),
            ("It is not 7 at first. In the end it is 7.", "7", true),
            (
                "You must hand it in not later than 23 July 2025.",
                "23 July 2025",
                true,
            ),
            ("There is no need to answer; the figure is 7.", "7", true),
        ] {
            assert_eq!(says(text, &[part]), right, "{text} | {part}");
        }
    }

    #[test]
    fn a_denial_that_has_to_be_said_denies_nothing_else() {
        let parts = ["phone does not synchronise", "23 June 2025"];
        assert!(says(
            "My phone does not synchronise since 23 June 2025.",
            &parts
        ));
        assert!(!says(
            "My phone does not synchronise, not since 23 June 2025.",
            &parts
        ));
        assert!(!says(
            "My phone does synchronise since 23 June 2025.",
            &parts
        ));
        assert!(says("Really?!", &["?!"]) && !says("Really.", &["?!"]));
    }

    #[test]
    fn a_day_is_read_in_every_form() {
        for text in [
            "2025-07-23",
            "23 July 2025",
            "July 23, 2025",
            "23-07-2025",
            "the 23rd of July 2025",
        ] {
            let day = as_day(text.trim_start_matches("the "));
            assert_eq!(day, Day::from_date(2025, 7, 23), "{text}");
        }
        for text in ["23 July", "31 February 2025", "July 2025", "2025", ""] {
            assert_eq!(as_day(text), None, "{text}");
        }
    }

    proptest::proptest! {
        /// A value in a sentence is said, and another number that holds it is not it.
        #[test]
        fn what_stands_in_a_text_is_said(text in ".{0,80}", number in 0..1_000_000_u32) {
            // Neither a text nor a part that nobody would write makes the reader fail.
            let _ = (says(&text, &[number.to_string()]), says("7 days", &[text]));
            let said = format!("The figure is {number}.");
            proptest::prop_assert!(says(&said, &[number.to_string()]));
            let other = format!("The figure is 1{number}.");
            proptest::prop_assert!(!says(&other, &[number.to_string()]));
        }
    }
}
