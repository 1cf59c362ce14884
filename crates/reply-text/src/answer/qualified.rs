//! Words around a number that make it something else than an answer: a bound, one of several, a part of a calculation.

use crate::doubt::{denied_after, denied_number};
use crate::number::{Chars, Lexed, Role};

/// How far around a number the words are looked at \[characters\].
const FAR: usize = 200;

/// Words before a number that bound it or calculate with it.
const BEFORE: [&str; 55] = [
    "than",
    "above",
    "below",
    "under",
    "over",
    "beyond",
    "exceeding",
    "exceeds",
    "exceed",
    "not",
    "twice",
    "double",
    "triple",
    "thrice",
    "half",
    "log",
    "ln",
    "sqrt",
    "squared",
    "up to",
    "at least",
    "at most",
    "or equal to",
    "minimum of",
    "maximum of",
    "one over",
    "wrong answer",
    "incorrect answer",
    "draft answer",
    "nicht",
    "pas",
    "als",
    "höchstens",
    "mindestens",
    "maximal",
    "minimal",
    "über",
    "unter",
    "plus de",
    "moins de",
    "au moins",
    "au plus",
    "más de",
    "menos de",
    "al menos",
    "como máximo",
    "più di",
    "meno di",
    "almeno",
    "mais de",
    "не",
    "более",
    "менее",
    "больше",
    "меньше",
];

/// The same in languages that are written without blanks.
const UNSPACED_BEFORE: [&str; 15] = [
    "不是", "不为", "非", "超过", "超過", "少于", "多于", "低于", "高于", "大于", "小于", "至少",
    "最多", "不到", "不足",
];

/// Words of such languages after a number.
const UNSPACED_AFTER: [&str; 8] = ["以上", "以下", "以内", "未満", "多", "이상", "이하", "미만"];

/// Words of such languages that deny the number before them.
const UNSPACED_DENIALS: [&str; 7] = [
    "ではな",
    "ではありません",
    "じゃな",
    "가 아니",
    "가 아닙",
    "이 아니",
    "이 아닙",
];

/// Parts of which a number after "of" is the whole.
const PARTS: [&str; 9] = [
    "half",
    "third",
    "quarter",
    "fifth",
    "tenth",
    "hundredth",
    "root",
    "logarithm",
    "square",
];

/// Words after a number that bound it or go on with a calculation.
const AFTER: [&str; 33] = [
    "or more",
    "or less",
    "or fewer",
    "or higher",
    "or lower",
    "or above",
    "or below",
    "or greater",
    "or over",
    "and above",
    "and below",
    "and up",
    "and over",
    "and more",
    "at least",
    "at most",
    "at minimum",
    "at maximum",
    "minimum",
    "maximum",
    "squared",
    "cubed",
    "multiplied",
    "divided",
    "times the",
    "times its",
    "times as",
    "times that",
    "to the power",
    "plus",
    "dozen",
    "below zero",
    "above zero",
];

/// Whether the words around a number, from `from` to `to`, make it no answer: a bound ("up to 5", "5 or more"), a part of
/// a calculation ("twice 5", "5 squared"), a reference ("see Note 5"), or denied ("5 is wrong").
pub(super) fn qualified(text: &Chars, lexed: &Lexed, from: usize, to: usize) -> bool {
    // Limited, since this is done for each number of a text.
    let before = text.text(from.max(lexed.from.saturating_sub(FAR)), lexed.from);
    let after = text.text(lexed.to, to.min(lexed.to + FAR));
    lexed.role == Role::Label
        || bounded(&before)
        || denied_number(&before)
        || goes_on(&after)
        || denied_after(&after)
}

/// Whether the words before a number make it a bound or a part: "more than 3", "< 3", "half of 3".
pub(super) fn bounded(before: &str) -> bool {
    // An arrow states what it points to.
    let arrow = before.trim_end();
    if arrow.ends_with("=>") || arrow.ends_with("->") {
        return false;
    }
    // What stands before an earlier number belongs to that one.
    let start = before
        .rfind(|c: char| c.is_ascii_digit() || c == '=')
        .map_or(0, |at| at + 1);
    let words = crate::cut::after(before, start).to_lowercase();
    let words: Vec<&str> = words
        .split(|c: char| !c.is_alphabetic() && !matches!(c, '<' | '>' | '≤' | '≥' | '≠'))
        .filter(|word| !word.is_empty())
        .collect();
    let Some(&last) = words.last() else {
        return false;
    };
    let unspaced = UNSPACED_BEFORE.iter().any(|words| last.ends_with(words));
    if unspaced || last.contains(['<', '>', '≤', '≥', '≠']) {
        return true;
    }
    let tail = words
        // Three words, as many as the longest phrase has.
        .get(words.len().saturating_sub(3)..)
        .unwrap_or_default()
        .join(" ");
    let ends = |phrase: &str| {
        tail.strip_suffix(phrase)
            .is_some_and(|head| head.is_empty() || head.ends_with(' '))
    };
    // "went up to 5" states a value, and so does "over 2019 and 2020 5".
    let rises = words.len() > 2
        && last == "to"
        && !words
            .get(words.len() - 3)
            .is_some_and(|word| matches!(*word, "is" | "was" | "be" | "answer" | "of"));
    let part = last == "of"
        && words
            .get(words.len().wrapping_sub(2))
            .is_some_and(|word| PARTS.contains(word));
    part || BEFORE
        .iter()
        .any(|phrase| ends(phrase) && !(rises && *phrase == "up to"))
}

/// Whether the text after a number bounds it, or goes on with a calculation: "+", "or more", "squared".
fn goes_on(after: &str) -> bool {
    let after = after.to_lowercase();
    // Marks of emphasis and of mathematics close behind the number.
    let rest = after.trim_start_matches(['*', '$', '"']);
    if rest.trim_start().starts_with('≠')
        || rest.starts_with('+')
        || rest.starts_with("...")
            && rest.len() > 3
            && rest
                .trim_start_matches('.')
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit())
    {
        return true;
    }
    let unspaced = rest.trim_start();
    if UNSPACED_AFTER
        .iter()
        .any(|words| unspaced.starts_with(words))
    {
        return true;
    }
    // What is said behind the clause bounds another number.
    let clause = rest.split(['.', ';', '\n', ',']).next().unwrap_or(rest);
    // "5이고 6이 아닙니다": so does what is said behind the next number.
    let own = clause.split(|c: char| c.is_ascii_digit()).next();
    if own.is_some_and(|own| UNSPACED_DENIALS.iter().any(|words| own.contains(words))) {
        return true;
    }
    let words: Vec<&str> = clause
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(5)
        .collect();
    let opens = |from: usize| {
        let words = format!("{} ", words.get(from..).unwrap_or_default().join(" "));
        AFTER.iter().any(|phrase| {
            words
                .strip_prefix(phrase)
                .is_some_and(|rest| rest.starts_with(' ') && !rest.starts_with(" or minus "))
        })
    };
    // A unit may stand between: "5 boats or more".
    opens(0) || words.len() > 2 && opens(1)
}
