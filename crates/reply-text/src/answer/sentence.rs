//! What one sentence states.

use super::change::{changes_to, is_change, is_expected, is_level, is_of_prior_year};
use super::forms::{compares, forms, is_comparison, near};
use super::lead::{Lead, lead};
use super::qualified::qualified;
use super::remark::{concludes, explains, is_refusal, refuses_outright};
use super::words::{
    CASE, CASES, DENIALS, EXPLAINING, FALLS, FILLERS, GIVES_UP, MAYBE, OPENERS, STATES,
};
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
            ';' => opens_caveat(text, at + 1),
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

/// Whether a clause of its own begins here that denies a detail: "5; this does not include boats". Not "it", which may
/// be the text: "Sales of 2018 were 5; it does not include figures of 2019".
fn opens_caveat(text: &Chars, at: usize) -> bool {
    let opening = text.text(at, at + 24).to_lowercase();
    ["this", "that"].iter().any(|word| {
        let rest = opening
            .strip_prefix(' ')
            .and_then(|rest| rest.strip_prefix(word));
        rest.is_some_and(|rest| rest.starts_with(" does not include "))
    })
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
    // An initial: "J. Smith".
    let short = word.chars().count() == 1 && text.at(from).is_uppercase();
    let cut_short = [
        "inc", "corp", "co", "ltd", "vs", "approx", "no", "mr", "ms", "st", "e.g", "i.e", "rs",
    ];
    !(text.at(at) == '.' && (short || cut_short.contains(&word.as_str())))
}

/// What the sentence from `from` to `to` states.
pub(super) fn said(text: &Chars, tokens: &[Token], from: usize, to: usize) -> Said {
    // "With sales of 80 and costs of 70, the margin is 12": the main clause counts.
    main_clause(text, tokens, from, to).map_or_else(|| clause(text, tokens, from, to), Said::Value)
}

/// The same, but the opening of the sentence counts like the rest.
fn clause(text: &Chars, tokens: &[Token], from: usize, to: usize) -> Said {
    let inside = tokens_in(tokens, from, to);
    let sentence = text.text(from, to).to_lowercase();
    // "There are 5 in 2019 and 7 in 2020, so it had 7": the conclusion counts.
    if let Some(start) = conclusion(text, from, to)
        && let Said::Value(forms) = clause(text, tokens, start, to)
    {
        return Said::Value(forms);
    }
    let refused = is_refusal(&sentence) && refuses_outright(&sentence) && !concludes(&sentence);
    if inside.is_empty() || refused || explains(&sentence) || sentence.trim_end().ends_with('?') {
        return Said::Nothing;
    }
    // "It could be 42, it could be 43."
    if MAYBE
        .iter()
        .map(|words| {
            let value = |at: usize| {
                crate::cut::head(crate::cut::after(&sentence, at + words.len()), 20)
                    .contains(|c: char| c.is_ascii_digit())
            };
            sentence
                .match_indices(*words)
                .filter(|(at, _)| value(*at))
                .count()
        })
        .sum::<usize>()
        > 1
    {
        return Said::Unclear;
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
    let mut strong: Vec<&Lexed> = Vec::new();
    // Whether an equals sign or "is" points to something that is not a number. A value behind a
    // weaker lead is then not what the sentence states.
    let mut broken = false;
    let mut denied: Option<usize> = None;
    let mut start_of_change: Option<usize> = None;
    let mut level_after_change: Option<Lead> = None;
    let mut explained: Option<usize> = None;
    for (place, token) in inside.iter().enumerate() {
        // "It is 5, since 2019 was 7": what follows the value explains it.
        if explained.is_some_and(|at| token.from() > at) {
            break;
        }
        if is_denied(text, token.from()) {
            denied = Some(token.to());
            continue;
        }
        if text
            .word_before(text.skip_back(token.from(), |c| matches!(c, ' ' | '$' | '(')))
            .0
            == "from"
        {
            // "fell from 26 to 24": the end is the value.
            start_of_change = Some(token.from());
            continue;
        }
        // "fell 5% to 42 million": the end is the value.
        if let Some(Token::Number(level)) = inside.get(place + 1)
            && changes_to(text, token, level)
        {
            level_after_change = Some(lead(text, token.from(), from));
            continue;
        }
        let lead = match denied.take() {
            // "is not 10 but 12"
            Some(end) if puts_right(&text.text(end, token.from())) => Lead::Strong,
            _ => lead(text, token.from(), from),
        };
        let mut lead = level_after_change.take().unwrap_or(lead);
        let mut part = false;
        if let Some(start) = start_of_change
            && text
                .word_before(text.skip_back(token.from(), |c| matches!(c, ' ' | '$')))
                .0
                == "to"
        {
            let (_, from_word) =
                text.word_before(text.skip_back(start, |c| matches!(c, ' ' | '$' | '(')));
            lead = super::lead::lead(text, from_word, from);
            part = lead == Lead::None;
        }
        let Token::Number(lexed) = token else {
            // "= 10-15" states something that is not a number.
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
        part |= {
            let earlier = place
                .checked_sub(1)
                .and_then(|place| inside.get(place))
                .map_or(from, Token::to);
            text.text(earlier, lexed.from).trim() == "of the"
                || text.text(earlier, lexed.from).ends_with("each of the ")
        };
        // "profit comes to 42 (2020: 38)", "rose by 4 (from 38 to 42)": the brackets compare.
        if let Some((_, value)) = chosen
            && is_inside(&text.text(value.to.max(lexed.from.saturating_sub(CASE)), lexed.from))
        {
            continue;
        }
        // "Profit: 42; prior year: 38"
        if let Some((_, value)) = chosen
            && is_of_prior_year(
                &text.text(value.to.max(lexed.from.saturating_sub(CASE)), lexed.from),
            )
        {
            continue;
        }
        // "The margin is 15%; it was 13% in 2019": the question says which one is meant.
        if let Some((_, value)) = chosen
            && text
                .text(value.to.max(lexed.from.saturating_sub(CASE)), lexed.from)
                .trim()
                == "; it was"
            && compares(text, lexed.to)
        {
            return Said::Unclear;
        }
        // "was expected to be 55 but came in at 48"
        if is_expected(text, from, lexed, to) {
            continue;
        }
        // "42 million, an increase of 2 million", "at 42 million, was 5 % higher": a change of the amount.
        let aside = match chosen {
            Some((_, level)) => {
                is_level(text, from, level.from) && is_change(text, level.to, lexed, to)
            }
            None => is_comparison(text, lexed, to) && inside.iter().any(|token| is_at(text, token)),
        };
        if aside {
            continue;
        }
        if lexed.role == Role::Amount && !part && !names_a_firm(text, lexed) {
            amounts.push(lexed);
        }
        if chosen.is_none() && lead == Lead::None && is_at(text, token) {
            lead = Lead::Weak;
        }
        if part || lead == Lead::None || is_a_case(text, from, lexed.from) {
            continue;
        }
        if qualified(text, lexed, from, text.len()) {
            broken |= lead == Lead::Strong;
            continue;
        }
        // Of equal leads the later one counts: a sentence works towards its value.
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
            explained = explanation(text, lexed.to, to);
        }
        if lead == Lead::Strong {
            broken = false;
            strong.push(lexed);
        }
    }
    let Some((place, lexed)) = chosen.or_else(|| subject(text, inside, from, &amounts)) else {
        return Said::Nothing;
    };
    let rest = text.text(lexed.to, to).to_lowercase();
    if DENIALS
        .iter()
        .chain(&GIVES_UP)
        .any(|words| rest.contains(words))
    {
        return Said::Nothing;
    }
    if broken && best < Lead::Strong {
        return Said::Nothing;
    }
    // "Profit was 42 and costs were 38."
    if best == Lead::Strong
        && strong.iter().any(|other| {
            other.to <= lexed.from
                && other.role == Role::Amount
                && other.number.value != lexed.number.value
                && other.number.unit == lexed.number.unit
                && joined_by_and(
                    &text.text(other.to.max(lexed.from.saturating_sub(CASE)), lexed.from),
                )
        })
    {
        return Said::Unclear;
    }
    // "US: 30; Europe: 12": a reply of one line that labels several values leaves open which one is meant.
    let labelled = |other: &&&Lexed| {
        text.before(text.skip_back(other.from, |c| matches!(c, ' ' | '*' | '$'))) == ':'
    };
    if best == Lead::Colon
        && labelled(&&lexed)
        && !text.0.contains(&'\n')
        && amounts.iter().filter(labelled).any(|other| {
            other.number.value != lexed.number.value && !other.number.restates(lexed.number)
        })
    {
        return Said::Unclear;
    }
    // Behind "of" or "had" a sentence names any of its amounts, so the value counts only if all say the same.
    if best < Lead::Colon {
        let value = lexed.number.value;
        if amounts
            .iter()
            .any(|other| other.number.value != value && !other.number.restates(lexed.number))
        {
            return Said::Nothing;
        }
    }
    match forms(text, inside, place, lexed) {
        Said::Value(mut forms) => {
            // "$11.6 billion in 2019, or $11,588 million": the same amount in another scale.
            let others = inside.get(place + 1..).unwrap_or_default();
            forms.extend(others.iter().filter_map(|token| match token {
                Token::Number(other)
                    if !other.operand
                        && other.number.scale != lexed.number.scale
                        && other.number.unit == lexed.number.unit
                        && other.remarked().restates(lexed.number) =>
                {
                    Some(other.remarked())
                }
                _ => None,
            }));
            Said::Value(with_fall(text, from, lexed, forms))
        }
        other => other,
    }
}

/// Whether a text between two stated values joins a second statement to the first one, without a conclusion: " and costs
/// were ".
fn joined_by_and(between: &str) -> bool {
    let lower = between.to_lowercase();
    let rest = lower.trim_start_matches([',', ' ']);
    let words: Vec<&str> = rest
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    words.first() == Some(&"and")
        && !between.contains(['=', '\n', '.'])
        && words.iter().all(|word| {
            !matches!(
                *word,
                "so" | "therefore"
                    | "thus"
                    | "hence"
                    | "difference"
                    | "change"
                    | "result"
                    | "answer"
                    | "sum"
                    | "total"
                    | "ratio"
                    | "that"
                    | "this"
                    | "it"
            )
        })
}

/// What the main clause of a sentence states that opens with what it builds on: "Given sales of 80, the margin is 12".
fn main_clause(text: &Chars, tokens: &[Token], from: usize, to: usize) -> Option<Vec<Number>> {
    let opens = |from| {
        let start = text.skip(from, |c| !c.is_alphanumeric() && c != '\n');
        let opening = text.text(start, start + 12).to_lowercase();
        OPENERS.iter().any(|words| opening.starts_with(words))
    };
    if !opens(from) || is_refusal(&text.text(from, to).to_lowercase()) {
        return None;
    }
    // A clause that opens the same way is no main clause. Without this, each of "with 1, with 2, .." would look at all
    // behind it, and so would each of those.
    (from..to)
        .filter(|&at| text.at(at) == ',' && text.at(at + 1) == ' ' && !opens(at + 1))
        .take(MOST_CLAUSES)
        .find_map(|at| match clause(text, tokens, at + 1, to) {
            Said::Value(forms) => Some(forms),
            _ => None,
        })
}

/// How many clauses of a sentence are looked at for its main one.
const MOST_CLAUSES: usize = 6;

/// Whether a number is a level behind "at", in a remark on the subject: "Profit, at 42 million, was".
fn is_at(text: &Chars, token: &Token) -> bool {
    let Token::Number(lexed) = token else {
        return false;
    };
    let (word, start) = text.word_before(text.skip_back(lexed.from, |c| c == ' '));
    let before = text.before(text.skip_back(start, |c| c == ' '));
    lexed.role == Role::Amount
        && word == "at"
        && matches!(before, ',' | '\n' | '.')
        && text.at(lexed.to) == ','
}

/// The forms of a value with its negative, if the words before it say a loss or a fall: "a loss of 57", "fell by 57".
///
/// The amount is written without a sign, and whether the right answer has one depends on the question ("the change", "the
/// loss"). So both count. "Fell to 57" states a level, "a smaller loss of", "no loss of" and "a decrease in losses of"
/// may be anything.
pub(super) fn with_fall(
    text: &Chars,
    from: usize,
    lexed: &Lexed,
    mut forms: Vec<Number>,
) -> Vec<Number> {
    let clause = text
        .text(from.max(lexed.from.saturating_sub(CASE)), lexed.from)
        .to_lowercase();
    let start = clause
        .trim_end_matches([' ', '$', '*', ':'])
        .rfind(|c: char| matches!(c, ',' | ';' | ':' | '(') || c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let words: Vec<&str> = crate::cut::after(&clause, start)
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let falls = words.iter().filter(|word| FALLS.contains(word)).count();
    let turned = words.iter().any(|word| {
        matches!(
            *word,
            "not"
                | "no"
                | "without"
                | "than"
                | "smaller"
                | "rise"
                | "increase"
                | "increased"
                | "rose"
                | "improved"
                | "improvement"
                | "narrowed"
                | "gain"
                | "to"
        ) || word.ends_with("n't")
    });
    // "57 % decrease", "57 million (lower)"
    let behind = text
        .text(lexed.to, text.len().min(lexed.to + CASE))
        .to_lowercase();
    let mut behind = behind
        .split([' ', '('])
        .map(|word| word.trim_matches(|c: char| !c.is_alphabetic()))
        .filter(|word| {
            !matches!(
                *word,
                "" | "percent" | "per" | "cent" | "million" | "billion" | "thousand"
            )
        });
    let named = behind.next().is_some_and(|word| FALL_NAMES.contains(&word))
        && behind
            .next()
            .is_none_or(|word| !matches!(word, "of" | "or"));
    let at = words.iter().rposition(|word| FALLS.contains(word));
    let near = at.is_some_and(|at| {
        words.get(at + 1..).unwrap_or_default().iter().all(|word| {
            matches!(
                *word,
                "of" | "by"
                    | "was"
                    | "is"
                    | "about"
                    | "around"
                    | "approximately"
                    | "roughly"
                    | "nearly"
                    | "almost"
                    | "us"
                    | "usd"
                    | "some"
                    | "a"
                    | "total"
            )
        })
    });
    let is_fall = match falls {
        // "Net cash used in investing was 57"
        0 => named || clause.contains("cash used "),
        1 => near && !turned,
        _ => false,
    };
    if is_fall && lexed.number.value > 0.0 {
        let negative = |number: &Number| Number {
            value: -number.value,
            ..*number
        };
        let added: Vec<Number> = forms.iter().map(negative).collect();
        forms.extend(added);
    }
    forms
}

/// Names of a fall behind its amount.
const FALL_NAMES: [&str; 7] = [
    "decrease",
    "decline",
    "reduction",
    "drop",
    "fall",
    "lower",
    "contraction",
];

/// Whether a text between two numbers opens a bracket that it does not close.
fn is_inside(between: &str) -> bool {
    between
        .rfind('(')
        .is_some_and(|at| !crate::cut::after(between, at).contains(')'))
}

/// The number that a sentence begins with and says something of: "24.5% was the margin in 2021."
fn subject<'a>(
    text: &Chars,
    inside: &'a [Token],
    from: usize,
    amounts: &[&Lexed],
) -> Option<(usize, &'a Lexed)> {
    let Some(Token::Number(first)) = inside.first() else {
        return None;
    };
    let head = text.text(from, first.from.min(from + CASE)).to_lowercase();
    let opens = head.split(|c: char| !c.is_alphanumeric()).all(|word| {
        word.is_empty() || matches!(word, "about" | "approximately" | "roughly" | "around")
    });
    let rest = text.text(first.to, first.to + 60).to_lowercase();
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    let mut verb = words.next().unwrap_or_default();
    // "5.5% of sales was spent on boats."
    if verb == "of" && first.number.unit != 1.0 {
        let states = |word: &&str| matches!(*word, "was" | "were" | "is" | "are");
        verb = words.take(4).find(states).unwrap_or_default();
    }
    (opens
        && matches!(verb, "is" | "was" | "are" | "were")
        && amounts.len() == 1
        && !first.operand
        && !first.aside
        && first.role == Role::Amount
        && !qualified(text, first, from, text.len()))
    .then_some((0, first))
}

/// Where the last clause of a sentence that draws a conclusion begins.
fn conclusion(text: &Chars, from: usize, to: usize) -> Option<usize> {
    (from + 1..to)
        .rev()
        .find(|&at| {
            matches!(text.at(at), ',' | ';')
                && matches!(
                    text.word_at(text.skip(at + 1, |c| c == ' ')).0.as_str(),
                    "so" | "hence" | "thus" | "therefore"
                )
        })
        .map(|at| at + 1)
}

/// Whether a number is the name of the firm 3M.
fn names_a_firm(text: &Chars, lexed: &Lexed) -> bool {
    text.text(lexed.from, lexed.to) == "3M"
        && text
            .at(text.skip(lexed.to, |c| matches!(c, ' ' | '\'' | 's')))
            .is_alphabetic()
}

/// Where a clause that explains or compares a value begins after it.
fn explanation(text: &Chars, from: usize, to: usize) -> Option<usize> {
    let rest = text.text(from, to.min(from + CASE)).to_lowercase();
    let at = EXPLAINING
        .iter()
        .filter_map(|words| rest.find(words))
        .min()?;
    Some(from + rest.get(..at)?.chars().count())
}

/// Whether "not" stands before a number.
fn is_denied(text: &Chars, from: usize) -> bool {
    let end = text.skip_back(from, |c| matches!(c, ' ' | '$' | '*' | '"'));
    matches!(
        text.word_before(end).0.as_str(),
        "not" | "nicht" | "pas" | "kein" | "keine"
    )
}

/// Whether the words after a denied number introduce the right one.
fn puts_right(words: &str) -> bool {
    words
        .to_lowercase()
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .any(|word| matches!(word, "but" | "rather") || STATES.contains(&word))
}

/// The tokens that begin in a sentence.
fn tokens_in(tokens: &[Token], from: usize, to: usize) -> &[Token] {
    let start = tokens.partition_point(|token| token.from() < from);
    let end = tokens.partition_point(|token| token.from() < to);
    tokens.get(start..end).unwrap_or_default()
}

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
                && !calculates(crate::cut::after(&before, at))
        })
    })
}

/// Whether a sentence, in lower case, opens with words that put a case.
pub(super) fn puts_a_case(sentence: &str) -> bool {
    let opening = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    CASES.iter().any(|words| opening.starts_with(words))
}

/// Whether "if" introduces a step of the calculation: "if we subtract 8 from 50, we get".
fn calculates(case: &str) -> bool {
    let verb = ["if we ", "if you ", "if i "]
        .iter()
        .find_map(|words| case.strip_prefix(words));
    verb.is_some_and(|verb| {
        [
            "look",
            "refer",
            "subtract",
            "divide",
            "add ",
            "multiply",
            "sum ",
            "calculate",
            "compute",
        ]
        .iter()
        .any(|word| verb.starts_with(word))
    })
}

/// The number at the front of an answer, after words such as "approximately"; `None` where another one is joined to it.
pub(super) fn leading(text: &Chars, tokens: &[Token]) -> Option<Vec<Number>> {
    let Some(Token::Number(first)) = tokens.first() else {
        return None;
    };
    let mut at = text.skip(0, |c| !c.is_alphanumeric() && c != '(');
    if qualified(text, first, 0, text.len()) {
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
