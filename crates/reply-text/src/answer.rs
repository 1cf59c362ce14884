//! The number that a reply states as its answer.
//!
//! [`number()`] takes, in this order:
//!
//! 1. a reply that is a number and nothing else;
//! 2. the last explicit answer ([`crate::mark`]): JSON, `[[..]]`, `\boxed{..}`, `<answer>`, `####`, "the answer
//!    is ..";
//! 3. a last line, else a first line, that is a number and nothing else;
//! 4. the last sentence or line that states a value: after an equals sign, "is", "was", a colon, "had .. of", and only
//!    if no later sentence says that the answer is not known.
//!
//! It never takes a number because it is the first or the only one in the reasoning.

mod change;
mod date;
mod forms;
mod lead;
mod parts;
mod qualified;
mod remark;
mod sentence;
mod spelled;
mod table;
mod words;

use crate::json;
use crate::mark::{self, Kind, Mark};
use crate::number::{
    self, Chars, Number, Role, Token, goes_on, leading_expression, tokens, whole, whole_number,
    worked,
};
use remark::is_refusal;
use sentence::{Said, said, sentences};
use serde::{Deserialize, Serialize};

/// The rule that found a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// The code of the reply was run.
    Program,
    /// An explicit answer: JSON, brackets, a box, a tag, `####`.
    Marked,
    /// A phrase such as "the answer is".
    Phrase,
    /// The whole text.
    Whole,
    /// The last or the first line.
    Line,
    /// The last sentence that states a value.
    Statement,
}

/// The number of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The number, and other ways in which the reply writes the same amount: "0.125 or 12.5 %".
    pub forms: Vec<Number>,
    /// The rule that found it.
    pub rule: Rule,
}

impl Answer {
    fn of(forms: Vec<Number>, rule: Rule) -> Option<Self> {
        (!forms.is_empty()).then_some(Self { forms, rule })
    }

    /// The number as it is written first.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.forms.first().map_or(0.0, |number| number.value)
    }
}

/// The number that a text without thoughts states as its answer.
///
/// ```
/// use reply_text::answer::number;
/// let value = |text| number(text).map(|answer| answer.value());
/// assert_eq!(value("in 2019 it was 5"), Some(5.0));
/// assert_eq!(value("Orders were 10 in 2019 and 74.2 in 2020. Thus, 74.2 - 10 = 64.2"), Some(64.2));
/// assert_eq!(value("Final answer (in millions): US$64.2"), Some(64.2));
/// assert_eq!(value("Sales of 2019 are not in the text."), None);
/// ```
#[must_use]
pub fn number(text: &str) -> Option<Answer> {
    number_asked(text, "")
}

/// The same for a `question`, which may name one of two amounts.
///
/// ```
/// use reply_text::answer::number_asked;
/// let text = "Domestic: $30M\nForeign: $12M";
/// let value = |question| number_asked(text, question).map(|answer| answer.value());
/// assert_eq!(value("What was the domestic tax?"), Some(30.0));
/// assert_eq!(value("How much was it in total?"), None);
/// ```
#[must_use]
pub fn number_asked(text: &str, question: &str) -> Option<Answer> {
    let text = crate::plain::without_tags(mark::before_next_question(text));
    let text = spelled::with_digits(text.trim());
    let text = text.as_ref();
    // In a box of mathematics x is a variable, not a ratio.
    let variable = text.contains("\\boxed") && text.contains("x}");
    if let Some(number) = whole(text).filter(|_| !variable) {
        return Answer::of(vec![number], Rule::Whole);
    }
    // "[42]"
    let inside = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    if let Some(number) = inside.and_then(whole_number) {
        return Answer::of(vec![number], Rule::Whole);
    }
    let mut marks = mark::all(text);
    if marks.is_empty()
        && text.starts_with(['{', '`'])
        && let Some(fields) = only_object(text)
    {
        return Answer::of(vec![only_number(&fields)?], Rule::Marked);
    }
    // A phrase that states nothing ("the answer is as follows") leaves the answer to the mark before it. A box, a tag or
    // a field that states nothing is the answer, so that no earlier one counts.
    while let Some(mark) = marks.pop() {
        if taken_back(text, &mark) {
            return None;
        }
        let line = crate::cut::before(text, mark.start).rsplit('\n').next();
        let on_line = line.is_some_and(|line| line.contains(char::is_alphabetic));
        match marked(&mark, on_line, crate::cut::after(text, mark.end)) {
            Marked::Number(forms) if mark.kind == Kind::Phrase => {
                let later = crate::cut::after(text, mark.end);
                let taken_back = zero_of_silence(crate::cut::before(text, mark.start), &forms)
                    || !is_final(text, &mark) && refuses(later);
                return if taken_back {
                    None
                } else {
                    Answer::of(forms, Rule::Phrase)
                };
            }
            Marked::Number(forms) => return Answer::of(forms, Rule::Marked),
            Marked::Refused => return None,
            Marked::Nothing if mark.kind == Kind::Phrase => {}
            Marked::Nothing => return None,
        }
    }
    // Before the rules for a single value, which would take the second amount for the answer.
    if let Some(parts) = parts::parts(text) {
        let mut asked = parts
            .into_iter()
            .filter(|(label, _)| parts::is_asked(label, question));
        return match (asked.next(), asked.next()) {
            (Some((_, number)), None) => Answer::of(vec![number], Rule::Statement),
            _ => None,
        };
    }
    let bare = date::without(without_opening(text));
    if let Some(forms) = with_unit(bare) {
        return Answer::of(forms, Rule::Whole);
    }
    if let Some(year) = date::year(text) {
        return Answer::of(vec![Number::bare(year)], Rule::Whole);
    }
    if let Some(number) = worked(text) {
        return Answer::of(vec![number], Rule::Whole);
    }
    if let Some(number) = bare_line(text) {
        return Answer::of(vec![number], Rule::Line);
    }
    if let Some(number) = bare_sentence(text) {
        return Answer::of(vec![number], Rule::Whole);
    }
    if let Some(forms) = stated(text, question) {
        return Answer::of(forms, Rule::Statement);
    }
    if let Some(forms) = with_remark(text) {
        return Answer::of(forms, Rule::Whole);
    }
    Answer::of(vec![table::value(text)?], Rule::Line)
}

/// The number of a piece of text that is the answer: what stands in a box, after "Answer:" or in a field of JSON.
///
/// ```
/// use reply_text::answer::in_marked;
/// let value = |text| in_marked(text).map(|forms| forms[0].value);
/// assert_eq!(value("approximately $1,204 million, up from $900 million"), Some(1204.0));
/// assert_eq!(value("74.2 - 10 = 64.2"), Some(64.2));
/// assert_eq!(value("between 5 and 7"), None);
/// ```
#[must_use]
pub fn in_marked(text: &str) -> Option<Vec<Number>> {
    let text = date::without(text);
    if let Some(number) = leading_expression(text) {
        return Some(vec![number]);
    }
    without_expression(text)
}

/// As [`in_marked`], but the value of an expression is not read.
fn without_expression(marked: &str) -> Option<Vec<Number>> {
    let text = Chars::plain(marked);
    let tokens = tokens(&text);
    if let Some(forms) = sentence::leading(&text, &tokens) {
        return Some(match tokens.first() {
            Some(Token::Number(first)) => sentence::with_fall(&text, 0, first, forms),
            _ => forms,
        });
    }
    if let Some(number) = worked(marked) {
        return Some(vec![number]);
    }
    for (from, to) in sentences(&text).into_iter().rev() {
        match said(&text, &tokens, from, to) {
            Said::Value(forms) => return Some(forms),
            Said::Unclear => return None,
            Said::Nothing => {}
        }
    }
    // "12 boats", "week 3": the only number of a short answer.
    let [Token::Number(lexed)] = tokens.as_slice() else {
        return None;
    };
    let shown = text.text(0, text.len());
    // "x > 3" states a range.
    let bounds = |c: char| matches!(c, '<' | '>' | '≤' | '≥' | '\\');
    let qualified = qualified::qualified(&text, lexed, 0, text.len());
    (!lexed.operand
        && !qualified
        && !is_refusal(&shown.to_lowercase())
        && shown.split_whitespace().count() <= 8
        && !shown.contains(bounds))
    // "three quarters (0.75)": the brackets hold a remark.
    .then(|| {
        vec![if lexed.aside {
            lexed.remarked()
        } else {
            lexed.number
        }]
    })
}

/// The object of a text that is JSON, with or without a fence, and nothing else.
fn only_object(text: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let mut objects = json::printed_objects(text);
    let (fields, start, end) = objects.pop()?;
    let beside = |text: &str| {
        text.trim_matches('`')
            .trim()
            .trim_start_matches("json")
            .trim()
            .is_empty()
    };
    (objects.is_empty()
        && beside(crate::cut::before(text, start))
        && beside(crate::cut::after(text, end)))
    .then_some(fields)
}

/// Fields whose number says when, where or how sure, not what.
const CIRCUMSTANCES: [&str; 9] = [
    "year",
    "confidence",
    "probability",
    "certainty",
    "page",
    "source",
    "id",
    "step",
    "decimals",
];

/// The only number among the fields of an object without an answer field: `{"profit": 42, "unit": "million"}`.
fn only_number(fields: &serde_json::Map<String, serde_json::Value>) -> Option<Number> {
    let mut found = fields
        .iter()
        .filter(|(key, _)| {
            let key = key.to_lowercase();
            !CIRCUMSTANCES
                .iter()
                .any(|word| key == *word || key.ends_with(&format!("_{word}")))
        })
        .filter(|(_, value)| {
            // A text without digits is a name or a unit. A list or an object may hold a number that
            // is meant, so it counts and then leaves open which one is.
            value.is_number()
                || value.is_object()
                || value.is_array()
                || value.as_str().is_some_and(|text| number::count(text) > 0)
        });
    let (_, value) = found.next()?;
    let number = match value {
        serde_json::Value::String(text) => whole(text)?,
        value => Number::bare(value.as_f64()?),
    };
    found.next().is_none().then_some(number)
}

/// Whether the text after an explicit answer takes it back: "No, that is wrong", "\boxed{5} is wrong".
fn taken_back(text: &str, mark: &Mark<'_>) -> bool {
    let later = crate::plain::plain(crate::cut::head(crate::cut::after(text, mark.end), 200));
    match mark.kind {
        // A phrase ends with its sentence.
        Kind::Phrase => crate::doubt::corrected(&format!(".{later}")),
        Kind::Boxed => later.starts_with('{') || crate::doubt::denied_after(&later),
        _ => crate::doubt::denied_after(&later),
    }
}

enum Marked {
    Number(Vec<Number>),
    Refused,
    Nothing,
}

/// What an explicit answer states; `on_line`: its announcement is on its line, `later`: the text after it.
fn marked(mark: &Mark<'_>, on_line: bool, later: &str) -> Marked {
    if let Some(value) = mark.json.as_ref().and_then(serde_json::Value::as_f64) {
        return Marked::Number(vec![Number::bare(value)]);
    }
    let none = mark
        .text
        .trim_start()
        .split(|c: char| !c.is_alphabetic())
        .next()
        .is_some_and(|word| {
            ["none", "unknown", "neither"]
                .iter()
                .any(|none| word.eq_ignore_ascii_case(none))
        });
    if mark.kind == Kind::Phrase && (none || refuses(&mark.text)) {
        return Marked::Refused;
    }
    // "\boxed{3x}": the value of a variable is not known.
    if mark.kind == Kind::Boxed && mark.text.trim_end().ends_with('x') {
        return Marked::Nothing;
    }
    // "Answer: - 57"
    let signed = mark.text.strip_prefix("- ").filter(|rest| {
        mark.kind == Kind::Phrase
            && on_line
            && rest.starts_with(|c: char| c.is_ascii_digit() || c == '$')
    });
    if let Some(rest) = signed {
        return in_marked(&format!("-{rest}")).map_or(Marked::Nothing, Marked::Number);
    }
    // An answer inside an answer: {"answer": "[[5]]"}.
    if mark.json.is_some()
        && let Some(inner) = mark::all(&mark.text).pop()
        && inner.kind != Kind::Phrase
    {
        return marked(&inner, false, "");
    }
    // <answer><number>42</number><unit>USD</unit></answer>
    if mark.kind == Kind::Tag && mark.text.contains("</") {
        let text: String = mark
            .text
            .split('<')
            .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text))
            .collect::<Vec<_>>()
            .join(" ");
        return in_marked(&text).map_or(Marked::Nothing, Marked::Number);
    }
    // "Answer: 3 * 4" with "= 12" in the next line does not state the answer yet.
    let number = if mark.kind == Kind::Phrase && goes_on(later) {
        without_expression(&mark.text)
    } else {
        in_marked(&mark.text)
    };
    number.map_or(Marked::Nothing, Marked::Number)
}

/// Whether the phrase before an answer calls it final. Such an answer counts even if doubts follow.
fn is_final(text: &str, mark: &Mark<'_>) -> bool {
    let phrase = crate::cut::tail(crate::cut::before(text, mark.start), 60).to_lowercase();
    phrase
        .rfind("answer")
        .is_some_and(|at| crate::cut::before(&phrase, at).ends_with("final "))
}

/// A text without the word with which a talk begins: "Yes, 42.", "No, 42.", but not "No, 42 is too low."
fn without_opening(text: &str) -> &str {
    let words = ["Yes, ", "Sure, ", "Well, ", "OK, ", "Okay, "];
    let rest = words.iter().find_map(|word| text.strip_prefix(word));
    let denied = text.strip_prefix("No, ");
    let corrected = denied.filter(|rest| whole_number(rest).is_some());
    rest.or(corrected).unwrap_or(text)
}

/// Maximum number of words of a unit after a number.
const UNIT_WORDS: usize = 3;

/// The number of a reply that consists of a number and its unit, in all forms in which the reply states it: "125
/// miles", "3/4 of the cake", "about 0.2", "0.2 (20 %)".
fn with_unit(text: &str) -> Option<Vec<Number>> {
    let chars = Chars::plain(text.trim());
    let tokens = tokens(&chars);
    let [Token::Number(first), ..] = tokens.as_slice() else {
        return None;
    };
    let forms = sentence::leading(&chars, &tokens)?;
    let end = tokens.last().map_or(0, Token::to);
    // "42 t CO2": its digit counts nothing.
    let unit = chars.text(end, chars.len()).replace("CO2", "CO");
    let words = unit
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric));
    // "5 (2019)"
    let remark = |token: &&Token| {
        matches!(token, Token::Number(lexed) if lexed.aside && lexed.role == Role::Year)
            || forms::is_change_aside(&chars, first, token)
    };
    let amounts = tokens.len() - tokens.iter().filter(remark).count();
    let fits = forms.len() == amounts
        && first.role == Role::Amount
        && words.count() <= UNIT_WORDS
        && unit.chars().all(|c| {
            c.is_alphabetic()
                || crate::plain::is_currency(c)
                || matches!(c, ' ' | '.' | '-' | '/' | '*' | '(' | ')' | '[' | ']' | '²' | '³')
                // Ticks, but no crosses.
                || matches!(c, '✅' | '✓' | '✔' | '☑' | '\u{fe0f}')
        })
        // "4.2-fold" and "42 year-ends", but not "42 - unknown", "10-K", and "42-": some programs put the sign behind
        && !unit.contains(" -")
        && (!unit.starts_with('-') || unit.starts_with("-fold"))
        && !refuses(text);
    fits.then(|| sentence::with_fall(&chars, 0, first, forms))
}

/// The number of a reply of one line that begins with it and goes on with a remark: "64.2 million, up from 10 in 2019".
fn with_remark(text: &str) -> Option<Vec<Number>> {
    let chars = Chars::plain(text.trim());
    let tokens = tokens(&chars);
    let Token::Number(first) = tokens.first()? else {
        return None;
    };
    let forms = sentence::leading(&chars, &tokens)?;
    let word = chars.skip(first.to + 1, |c| c == ' ');
    let comma = chars.at(first.to) == ',' && word > first.to + 1 && chars.at(word).is_alphabetic();
    // "42 million vs 38 million in 2019"
    let compares = chars.at(first.to) == ' '
        && matches!(
            chars.word_at(word).0.as_str(),
            "vs" | "versus" | "compared" | "against"
        );
    // "40, no, 42"
    let corrected = matches!(
        chars.word_at(word).0.as_str(),
        "no" | "sorry" | "wait" | "oops" | "correction" | "actually"
    );
    let remark = comma && !corrected || compares;
    let one_line = !text.trim().contains('\n');
    let denies = words::DENIALS.iter().any(|words| text.contains(words));
    (remark && one_line && !denies && first.role == Role::Amount && !refuses(text)).then_some(forms)
}

/// Whether a text says that the answer is not known.
#[must_use]
pub fn refuses(text: &str) -> bool {
    let text = Chars::plain(text);
    sentences(&text)
        .into_iter()
        .any(|(from, to)| is_refusal(&text.text(from, to).to_lowercase()))
}

/// The number of the last line, else of the first line, that is nothing else. Lines of a table are not meant: a bare
/// number next to another one.
fn bare_line(text: &str) -> Option<Number> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect();
    let arrow = |c: char| c.is_whitespace() || matches!(c, '➡' | '→' | '\u{fe0f}' | '▶');
    let bare = |line: Option<&&str>| line.and_then(|line| whole(line.trim_start_matches(arrow)));
    let last = bare(lines.last());
    if last.is_some() {
        let above = lines
            .len()
            .checked_sub(2)
            .and_then(|place| lines.get(place));
        return last.filter(|_| bare(above).is_none());
    }
    let goes_on = lines
        .get(1)
        .is_some_and(|line| line.trim_start().starts_with(['=', '≈']));
    bare(lines.first()).filter(|_| !goes_on && bare(lines.get(1)).is_none() && !refuses(text))
}

/// The number of a first sentence that is nothing else: "64.2 million. In 2019 it was 10."; also "64.2, not 10".
fn bare_sentence(text: &str) -> Option<Number> {
    let end = [". ", ", not ", " rather than ", " instead of "]
        .iter()
        .filter_map(|mark| text.find(mark))
        .chain(remark_after(text))
        .min()?;
    let first = crate::cut::before(text, end);
    let remarked = remark_after(text) == Some(end);
    let hedged = || with_unit(first).filter(|_| remarked)?.first().copied();
    let number = number::whole_number(first).or_else(hedged)?;
    let digits = first.trim_matches('*');
    // "2019. That was the best year": a year, unless it cannot be one.
    let year = digits.len() == 4
        && digits.bytes().all(|b| b.is_ascii_digit())
        && digits.starts_with(['1', '2'])
        && !matches!(
            digits.as_bytes(),
            [b'1', b'0'..=b'7', ..] | [b'2', b'2'..=b'9', ..]
        )
        && (remarked || text.contains(". "));
    // "1. Sales" is an item of a list.
    let item = first.trim().len() <= 2 && crate::cut::after(text, end).starts_with(". ");
    (!year && !item && !refuses(text)).then_some(number)
}

/// Where a remark in words begins after the first value of a reply of one line: behind a dash ("42 - computed as 50 - 8"),
/// or in brackets up to the end ("0.42 (rounded from 0.4213)").
fn remark_after(text: &str) -> Option<usize> {
    let text = text.trim_end_matches(['.', ' ']);
    let starts_word = |rest: &str| {
        let word = rest.split(|c: char| !c.is_alphabetic()).next();
        word.is_some_and(|word| {
            word.len() > 1
                && ![
                    "or", "if", "not", "maybe", "possibly", "perhaps", "to", "and", "assuming",
                ]
                .contains(&word.to_lowercase().as_str())
        })
    };
    if text.contains('\n') {
        return None;
    }
    let dash = [" – ", " — ", " - ", "—"]
        .iter()
        .filter_map(|dash| Some((text.find(dash)?, dash.len())))
        .min();
    // "120 - cost of 78 = 42" is a calculation.
    let dash = dash.filter(|&(at, length)| {
        let rest = crate::cut::after(text, at + length);
        starts_word(rest) && !rest.contains('=')
    });
    // "5.5% (2021: 4.9%)"
    let earlier = |rest: &str| rest.get(4..).is_some_and(|rest| rest.starts_with(": "));
    let bracket = text.find(" (").filter(|&at| {
        let rest = crate::cut::after(text, at + 2);
        text.find(')') == text.len().checked_sub(1) && (starts_word(rest) || earlier(rest))
    });
    dash.map(|(at, _)| at).into_iter().chain(bracket).min()
}

/// The value of the last sentence that states one, if no later one says that the answer is not known.
///
/// Sentences that check, explain or compare a value that was stated before do not count, nor does a value after a
/// refusal.
fn stated(text: &str, question: &str) -> Option<Vec<Number>> {
    let chars = Chars::plain(text);
    let tokens = tokens(&chars);
    let mut all = sentences(&chars);
    if let Some(end) = checks_from(&chars, &tokens, &all, question) {
        all.truncate(end);
    }
    let lower = |place: (usize, usize)| chars.text(place.0, place.1).to_lowercase();
    for (count, &(from, to)) in all.iter().enumerate().rev() {
        let words = lower((from, to));
        match said(&chars, &tokens, from, to) {
            Said::Value(forms) if zero_of_silence(&chars.text(0, from), &forms) => return None,
            Said::Value(forms) => {
                let earlier = all.get(..count).unwrap_or_default();
                let refused = earlier
                    .first()
                    .is_some_and(|&first| remark::refuses_outright(&lower(first)));
                let alternative = earlier
                    .last()
                    .is_some_and(|&last| remark::same_label(&lower(last), &words));
                // "Let's say sales are 50. Then profit is 42."
                let supposed = words.trim_start().starts_with("then ")
                    && earlier
                        .last()
                        .is_some_and(|&last| sentence::puts_a_case(&lower(last)));
                let stands = !supposed && (!refused || remark::concludes(&words));
                return (stands && !alternative)
                    .then(|| with_earlier(&chars, &tokens, forms, from));
            }
            Said::Unclear => return None,
            Said::Nothing if is_refusal(&words) && !remark::explains(&words) => return None,
            Said::Nothing => {}
        }
    }
    None
}

/// The first sentence of those at the end that check, prove, explain or compare a value which an earlier one states.
fn checks_from(
    chars: &Chars,
    tokens: &[Token],
    all: &[(usize, usize)],
    question: &str,
) -> Option<usize> {
    let lower = |place: (usize, usize)| chars.text(place.0, place.1).to_lowercase();
    let states =
        |&(from, to): &(usize, usize)| matches!(said(chars, tokens, from, to), Said::Value(_));
    let second = all.iter().take(2).next_back();
    let at = match second {
        // An answer in the first sentence, with what it was made of behind it, or with what it is compared with.
        Some(&place)
            if remark::opens_parts(&lower(place))
                || is_list(chars, all)
                || all.len() == 2
                    && all.first().is_some_and(|&first| {
                        let (first, second) = (lower(first), lower(place));
                        let question = question.to_lowercase();
                        remark::is_of_earlier_year(&first, &second, &question)
                            || remark::is_of_peers(&second, &question)
                            || has_one_amount(tokens, place.0)
                                && remark::compares(&first, &second, &question)
                    }) =>
        {
            1
        }
        _ => all
            .iter()
            .position(|&place| remark::checks(&lower(place)))?,
    };
    let concludes = all
        .get(at..)?
        .iter()
        .any(|&place| remark::concludes(&lower(place)));
    // "Checking: 50 - 9 is 41, so 42 was wrong."
    // "Since the costs are not given, I cannot compute it."
    let corrects = all.get(at..)?.iter().any(|&place| {
        let words = lower(place);
        remark::corrects(&words) || is_refusal(&words)
    });
    (!concludes && !corrects && all.get(..at)?.iter().any(states)).then_some(at)
}

/// Whether exactly one amount stands before a place; a comparison may be the result of two.
fn has_one_amount(tokens: &[Token], end: usize) -> bool {
    let amount = |token: &&Token| match token {
        Token::Number(lexed) => lexed.role == Role::Amount,
        Token::Odd { .. } => true,
    };
    let before = tokens.iter().take_while(|token| token.from() < end);
    before.filter(amount).count() == 1
}

/// Whether all sentences but the first one are items of a list: "The margin is 5 %.\n- Income: 5\n- Sales: 100".
fn is_list(chars: &Chars, all: &[(usize, usize)]) -> bool {
    let item = |&(from, to): &(usize, usize)| {
        let line = chars.text(from, to);
        let line = line.trim_start();
        ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark))
    };
    all.len() > 2 && all.first().is_some_and(|first| !item(first)) && all.iter().skip(1).all(item)
}

/// How many statements before the last one may hold another form of its value.
const EARLIER: usize = 3;

/// The forms of a stated value with those of the statements right before it, where they write the same amount in another
/// unit: "= 0.308 or 30.8 %. So it is 30.8 %."
fn with_earlier(
    chars: &Chars,
    tokens: &[Token],
    mut forms: Vec<Number>,
    from: usize,
) -> Vec<Number> {
    let earlier = sentences(chars)
        .into_iter()
        .rev()
        .filter(|&(_, to)| to <= from);
    let stated = earlier.filter_map(|(from, to)| match said(chars, tokens, from, to) {
        Said::Value(forms) => Some(forms),
        _ => None,
    });
    for others in stated.take(EARLIER) {
        let same = |number: &Number| {
            forms
                .iter()
                .any(|form| form.value == number.value && form.unit == number.unit)
        };
        if others.iter().any(same) {
            forms.extend(others);
        }
    }
    forms
}

/// Whether a reply concludes a zero from missing data: one of the two last sentences `before` it says that the amount
/// is not known. A question shows only a part of a report, so a missing amount is not 0.
fn zero_of_silence(before: &str, forms: &[Number]) -> bool {
    let text = Chars::plain(before);
    let is_zero = forms.iter().all(|number| number.value == 0.0);
    is_zero
        && sentences(&text).iter().rev().take(2).any(|&(from, to)| {
            // "does not explicitly list any costs": there are none.
            let words = text.text(from, to).to_lowercase();
            is_refusal(&remark::without_facts(&words))
        })
}

#[cfg(test)]
mod tests;
