//! What a whole sentence does beside stating a value: it refuses, checks, explains or concludes.

use super::words::{CHECKS, DENIALS, EXPLAINS, REFUSALS, SIDES};

/// Whether a sentence, in lower case, says that the answer is not known.
pub(super) fn is_refusal(sentence: &str) -> bool {
    REFUSALS.iter().any(|part| sentence.contains(part))
}

/// A sentence, in lower case, without the words of a refusal that state a fact: "does not explicitly outline any costs",
/// "the firm did not have any debt": there is none.
pub(super) fn without_facts(sentence: &str) -> String {
    let sentence = sentence.replace("not explicitly outline", "");
    let data = [
        "information",
        "data",
        "detail",
        "figure",
        "access",
        "mention",
        "disclos",
        "enough",
        "value",
        "i do",
        "document",
        "context",
        "text",
        "excerpt",
        "report",
    ];
    if data.iter().any(|word| sentence.contains(word)) {
        return sentence;
    }
    sentence
        .replace("did not have any ", "")
        .replace("does not have any ", "")
}

/// Whether a sentence, in lower case, says that something before it was wrong.
pub(super) fn corrects(sentence: &str) -> bool {
    [
        "mistake",
        "wrong",
        "incorrect",
        "error",
        "actually",
        "should be",
        "oops",
        "correction",
    ]
    .iter()
    .any(|word| sentence.contains(word))
}

/// Whether a sentence, in lower case, explains a value stated before.
pub(super) fn explains(sentence: &str) -> bool {
    let opening = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    // "(Had it been two years, it would be 24.)"
    let case = opening.starts_with("had ") && opening.contains("would");
    case || EXPLAINS.iter().any(|words| opening.starts_with(words))
        || sentence.contains("for every ")
}

/// Whether a sentence, in lower case, opens a check or an explanation of a value stated before.
pub(super) fn checks(sentence: &str) -> bool {
    let opening =
        sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '✓' | '✔'));
    let compares = opening.strip_prefix("the ").is_some_and(|rest| {
        rest.get(..4)
            .is_some_and(|year| year.parse::<u32>().is_ok())
            && rest.contains(" was ")
            || rest.starts_with("rest is")
            || rest.starts_with("remaining")
    });
    compares
        || CHECKS.iter().any(|words| {
            opening
                .strip_prefix(words)
                .is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        })
}

/// Whether a sentence, in lower case, draws a conclusion.
pub(super) fn concludes(sentence: &str) -> bool {
    sentence.split(|c: char| !c.is_alphabetic()).any(|word| {
        matches!(
            word,
            "therefore"
                | "thus"
                | "hence"
                | "so"
                | "conclusion"
                | "final"
                | "finally"
                | "overall"
                | "however"
                | "but"
        )
    })
}

/// Whether a sentence, in lower case, says outright that there is no answer, without a way around it.
pub(super) fn refuses_outright(sentence: &str) -> bool {
    let opening = sentence.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(
        opening,
        "unknown" | "not given" | "n/a" | "none" | "not available" | "unclear" | "not stated"
    ) || (is_refusal(sentence) || DENIALS.iter().any(|words| sentence.contains(words)))
        && ![
            "but ",
            "however",
            "directly",
            "explicitly",
            "although",
            "while ",
            "can be ",
        ]
        .iter()
        .any(|words| sentence.contains(words))
}

/// Whether two lines give values of one thing for two years or two cases: "2019: 5" and "2020: 6".
pub(super) fn same_label(earlier: &str, later: &str) -> bool {
    let label = |line: &str| -> Option<String> {
        let (label, value) = line.split_once(':')?;
        let words: Vec<&str> = label
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty() && !SIDES.contains(word))
            .collect();
        let differs = label.chars().any(|c| c.is_ascii_digit())
            || label
                .split(|c: char| !c.is_alphabetic())
                .any(|word| SIDES.contains(&word));
        // Steps of a calculation are no cases.
        let differs = differs && !words.contains(&"step");
        (differs && value.contains(|c: char| c.is_ascii_digit()) && words.len() <= 3)
            .then(|| words.join(" "))
    };
    // "1. Sales" and "2. Sales" are items of a list.
    let item = |line: &str| {
        line.trim_start()
            .split_once(". ")
            .is_some_and(|(mark, _)| mark.len() <= 2)
    };
    !item(later)
        && label(later).is_some_and(|later| label(earlier).is_some_and(|earlier| earlier == later))
}
