//! What one sentence states.

use super::words::{CASES, EXPLAINS, FILLERS, REFUSALS, RELATIVES, STATES, VERBS};
use crate::number::{Chars, Lexed, Number, Role, Token};

/// What a sentence states.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A value, in all its forms.
    Value(Vec<Number>),
    /// A value that cannot be told: a range, one of two, a number inside a larger expression.
    Unclear,
    /// No value.
    Nothing,
}

/// How clearly a number is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lead {
    None,
    /// After "of", or a verb such as "had".
    Weak,
    /// After a colon.
    Colon,
    /// After an equals sign, or "is".
    Strong,
}

/// The sentences and lines of a text.
pub(super) fn sentences(text: &Chars) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    // Most lines of a hostile reply are empty: they take no memory.
    let mut says = false;
    for at in 0..text.len() {
        let c = text.at(at);
        says |= c.is_alphanumeric();
        let ends = match c {
            '\n' => true,
            '.' | '!' | '?' => ends_sentence(text, at),
            _ => false,
        };
        if ends {
            if says {
                found.push((from, at + 1));
            }
            (from, says) = (at + 1, false);
        }
    }
    if says {
        found.push((from, text.len()));
    }
    found
}

fn ends_sentence(text: &Chars, at: usize) -> bool {
    let next = text.skip(at + 1, |c| matches!(c, '"' | '\'' | ')' | ']' | '$' | '*'));
    if !text.at(next).is_whitespace() {
        return false;
    }
    let start = text.at(text.skip(next, |c| c == ' '));
    if start.is_lowercase() {
        return false;
    }
    let (word, from) = text.word_before(at);
    let short = word.chars().count() == 1 && text.at(from).is_uppercase();
    let cut_short = [
        "inc", "corp", "co", "ltd", "vs", "approx", "no", "mr", "ms", "st", "e.g", "i.e", "rs",
    ];
    !(text.at(at) == '.' && (short || cut_short.contains(&word.as_str())))
}

/// Whether a sentence, in lower case, says that the answer is not known.
pub(super) fn is_refusal(sentence: &str) -> bool {
    REFUSALS.iter().any(|part| sentence.contains(part))
}

/// Whether a sentence, in lower case, explains a value stated before.
pub(super) fn explains(sentence: &str) -> bool {
    let opening = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    EXPLAINS.iter().any(|words| opening.starts_with(words)) || sentence.contains("for every ")
}

/// What the sentence from `from` to `to` states.
pub(super) fn said(text: &Chars, tokens: &[Token], from: usize, to: usize) -> Said {
    let inside = tokens_in(tokens, from, to);
    let sentence = text.text(from, to).to_lowercase();
    if inside.is_empty() || explains(&sentence) || sentence.trim_end().ends_with('?') {
        return Said::Nothing;
    }
    let opener = text.skip_back(from, |c| c.is_whitespace() || matches!(c, '*' | '$'));
    if let [Token::Number(lexed)] = inside
        && text.before(opener) == ':'
        && !lexed.operand
        && !text
            .text(from, lexed.from)
            .chars()
            .any(char::is_alphanumeric)
        && !text.text(lexed.to, to).chars().any(char::is_alphanumeric)
    {
        // A line of its own after "is:".
        return Said::Value(vec![lexed.number]);
    }
    let mut best = Lead::None;
    let mut chosen: Option<(usize, &Lexed)> = None;
    let mut amounts: Vec<&Lexed> = Vec::new();
    let mut broken = false;
    let mut denied: Option<usize> = None;
    for (place, token) in inside.iter().enumerate() {
        if is_denied(text, token.from()) {
            denied = Some(token.to());
            continue;
        }
        let lead = match denied.take() {
            // "is not 10 but 12"
            Some(end) if puts_right(&text.text(end, token.from())) => Lead::Strong,
            _ => lead(text, token.from(), from),
        };
        let Token::Number(lexed) = token else {
            // "= 10-15" states something that is no number.
            broken |= lead == Lead::Strong;
            continue;
        };
        if lexed.aside
            || lexed.role == Role::Label
            || lexed.role == Role::Year && lead < Lead::Colon
        {
            continue;
        }
        if lexed.operand {
            broken |= lead == Lead::Strong;
            continue;
        }
        if lexed.role == Role::Amount {
            amounts.push(lexed);
        }
        if lead == Lead::None || is_a_case(text, from, lexed.from) {
            continue;
        }
        if lead >= best {
            // "= 1/3 ≈ 11": a number after `≈` that is not near the exact one does not replace it.
            if let Some((_, exact)) = chosen
                && !near(exact.number, lexed.number)
                && text.text(exact.to, lexed.from).trim_matches([' ', '$']) == "≈"
            {
                continue;
            }
            best = lead;
            chosen = Some((place, lexed));
        }
        if lead == Lead::Strong {
            broken = false;
        }
    }
    let Some((place, lexed)) = chosen else {
        return Said::Nothing;
    };
    if broken && best < Lead::Strong {
        return Said::Nothing;
    }
    if best < Lead::Colon {
        let value = lexed.number.value;
        if amounts
            .iter()
            .any(|other| other.number.value != value && !other.number.restates(lexed.number))
        {
            return Said::Nothing;
        }
    }
    forms(text, inside, place, lexed)
}

/// Whether "not" stands before a number.
fn is_denied(text: &Chars, from: usize) -> bool {
    let end = text.skip_back(from, |c| matches!(c, ' ' | '$' | '*' | '"'));
    text.word_before(end).0 == "not"
}

/// Whether the words after a denied number introduce the right one.
fn puts_right(words: &str) -> bool {
    words
        .to_lowercase()
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .any(|word| matches!(word, "but" | "rather") || STATES.contains(&word))
}

/// Whether `rounded` may be `exact`, rounded: they differ by at most 5 %.
fn near(exact: Number, rounded: Number) -> bool {
    let (exact, rounded) = (exact.applied(), rounded.applied());
    (exact - rounded).abs() <= 0.05 * exact.abs().max(rounded.abs())
}

/// The tokens that begin in a sentence.
fn tokens_in(tokens: &[Token], from: usize, to: usize) -> &[Token] {
    let start = tokens.partition_point(|token| token.from() < from);
    let end = tokens.partition_point(|token| token.from() < to);
    tokens.get(start..end).unwrap_or_default()
}

/// How far before a number the words that put a case are looked for \[characters\].
const CASE: usize = 400;

/// Whether the words before a number put a case: "if", "for example".
fn is_a_case(text: &Chars, from: usize, to: usize) -> bool {
    let before = text
        .text(from.max(to.saturating_sub(CASE)), to)
        .to_lowercase();
    CASES.iter().any(|word| {
        before.match_indices(word).any(|(at, _)| {
            !before
                .get(..at)
                .is_some_and(|head| head.ends_with(char::is_alphanumeric))
        })
    })
}

/// How the words before a number state it.
fn lead(text: &Chars, to: usize, from: usize) -> Lead {
    let mut at = to;
    let mut of = false;
    for _ in 0..9 {
        at = text.skip_back(at, |c| {
            c.is_whitespace() && c != '\n'
                || matches!(c, '"' | '\'' | '$' | '(' | '[' | '*' | '`' | '|' | ',')
        });
        if at <= from {
            return if of { Lead::Weak } else { Lead::None };
        }
        match text.before(at) {
            '=' | '≈' | '→' => {
                let two = text.before(at - 1);
                return if matches!(two, '<' | '>' | '!') {
                    Lead::None
                } else {
                    Lead::Strong
                };
            }
            ':' => return Lead::Colon,
            // "(in millions)" between the word and its value.
            ')' => {
                let open = (at.saturating_sub(40)..at - 1)
                    .rev()
                    .find(|&place| text.at(place) == '(');
                // "was (57) in 2020": the brackets hold a number, not a remark.
                let remark = |&open: &usize| {
                    open >= from && text.text(open, at).contains(char::is_alphabetic)
                };
                let Some(open) = open.filter(remark) else {
                    return Lead::None;
                };
                at = open;
                continue;
            }
            _ => {}
        }
        let (word, start) = text.word_before(at);
        if word.is_empty() || start < from {
            return if of { Lead::Weak } else { Lead::None };
        }
        if STATES.contains(&word.as_str()) {
            let (ahead, _) = text.word_before(text.skip_back(start, |c| c == ' '));
            return if RELATIVES.contains(&ahead.as_str()) {
                Lead::None
            } else if of {
                Lead::Weak
            } else {
                Lead::Strong
            };
        }
        if VERBS.contains(&word.as_str()) && !FILLERS.contains(&word.as_str()) {
            return Lead::Weak;
        }
        if word == "of" {
            of = true;
        } else if !FILLERS.contains(&word.as_str()) {
            return if of { Lead::Weak } else { Lead::None };
        }
        at = start;
    }
    Lead::None
}

/// The value at a place with the forms that restate it; unclear where another value is joined to it.
fn forms(text: &Chars, inside: &[Token], place: usize, lexed: &Lexed) -> Said {
    let mut forms = vec![lexed.number];
    let mut end = lexed.to;
    for token in inside.iter().skip(place + 1) {
        let between = text.text(end, token.from()).to_lowercase();
        let joined = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '$'));
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
            // "0.2 (20 %)", "5 (2019)"
            "" if same && between.contains(' ') && is_aside(token) => {
                forms.extend(number);
                end = token.to();
            }
            "" if year => end = token.to(),
            "or" | "(" | "i.e." | "(i.e." | "or approximately" | "or about" | "(or" | "=" | "≈"
            | "(approximately"
                if same =>
            {
                forms.extend(number);
                end = token.to();
            }
            // One of two, or both.
            "or" | "and" | "to" | "-" | "/" | "" => return Said::Unclear,
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

fn is_aside(token: &Token) -> bool {
    matches!(token, Token::Number(lexed) if lexed.aside)
}

/// Whether the words before a number make it a bound, or deny it: "more than 3", "< 3", "not 3".
pub(super) fn states_a_bound(before: &str) -> bool {
    let words = before.to_lowercase();
    let mut words = words
        .split(|c: char| !c.is_alphabetic() && !matches!(c, '<' | '>' | '≤' | '≥' | '≠'))
        .filter(|word| !word.is_empty())
        .rev();
    match words.next() {
        Some("than") => true,
        Some("least" | "most") => words.next() == Some("at"),
        Some(word) => word == "not" || word.contains(['<', '>', '≤', '≥', '≠']),
        None => false,
    }
}

/// The number at the front of an answer, after words such as "approximately"; `None` where another one is joined to it.
pub(super) fn leading(text: &Chars, tokens: &[Token]) -> Option<Vec<Number>> {
    let Some(Token::Number(first)) = tokens.first() else {
        return None;
    };
    let mut at = text.skip(0, |c| !c.is_alphanumeric() && c != '(');
    if states_a_bound(&text.text(0, first.from)) {
        return None;
    }
    while at < first.from {
        if text.at(at) == '(' {
            // "(in millions)"
            at = text.skip(at, |c| c != ')' && c != '\n') + 1;
        } else {
            let (word, end) = text.word_at(at);
            if end == at || !(FILLERS.contains(&word.as_str()) || STATES.contains(&word.as_str())) {
                return None;
            }
            at = end;
        }
        at = text.skip(at, |c| !c.is_alphanumeric() && c != '(' && c != '\n');
        at = at.min(text.len());
    }
    if first.operand || first.role == Role::Label {
        return None;
    }
    let next = text.at(text.skip(first.to, |c| matches!(c, ' ' | '$' | '*')));
    match forms(text, tokens, 0, first) {
        // "1/2 of it = 10/9": the rest of the sentence decides which side is the answer.
        Said::Value(forms) if forms.len() == 1 && next == '=' => None,
        Said::Value(forms) => Some(forms),
        _ => None,
    }
}
