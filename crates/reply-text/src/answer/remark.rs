//! What a whole sentence does beside stating a value: it refuses, checks, explains or concludes.

use super::words::{
    ASIDES, CHANGES, CHANGING, CHECKS, COMPARES, DENIALS, EXPLAINS, HEADINGS, PARTS, REFUSALS,
    SIDES,
};

/// Whether a sentence, in lower case, says that the answer is not known.
pub(super) fn is_refusal(sentence: &str) -> bool {
    let refuses = |sentence: &str| REFUSALS.iter().any(|part| sentence.contains(part));
    (refuses(sentence) || sentence.contains("n't") && refuses(&sentence.replace("n't", " not")))
        && !is_caveat(sentence)
}

/// Whether a sentence, in lower case, denies only what was not asked for: "It does not give a breakdown", "This figure
/// does not include boats".
fn is_caveat(sentence: &str) -> bool {
    let answers = [
        "cannot",
        "can't",
        "unable",
        "not possible",
        "impossible",
        "determine",
        "calculate",
        "compute",
        "need",
        "answer",
        "sorry",
        "apolog",
        "unfortunately",
    ];
    let opening = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    // "I am an AI and cannot provide financial advice.", "Please consult the filing to verify this figure."
    let verifies = opening.starts_with("please ")
        && ["verify", "confirm", "double-check"]
            .iter()
            .any(|word| opening.contains(word));
    let advises = sentence.contains(" advice") || verifies;
    // "However" stands before a caveat as well as before an answer.
    let opening = opening.strip_prefix("however, ").unwrap_or(opening);
    let includes = [
        "this ",
        "that ",
        "it ",
        "the figure ",
        "the amount ",
        "the total ",
    ]
    .iter()
    .any(|words| opening.starts_with(words))
        && ["does not include ", "do not include ", "doesn't include "]
            .iter()
            .any(|words| {
                sentence
                    .find(words)
                    .is_some_and(|at| crate::cut::before(opening, at).split(' ').count() <= 4)
            });
    let aside = || ASIDES.iter().any(|words| sentence.contains(words));
    advises || (includes || aside()) && !answers.iter().any(|word| sentence.contains(word))
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
    // "Did not have any data" is a refusal: what is missing there is the text, not the thing.
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
    // "Note 7 states an amount of 42."
    let numbered = opening
        .strip_prefix("note ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    case || !numbered && EXPLAINS.iter().any(|words| opening.starts_with(words))
        || sentence
            .split(", meaning ")
            .next()
            .is_some_and(|clause| clause.contains("for every "))
}

/// Whether a sentence, in lower case, opens a check or an explanation of a value stated before.
pub(super) fn checks(sentence: &str) -> bool {
    let opening =
        sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '✓' | '✔'));
    let heading = |words: &&str| {
        opening
            .strip_prefix(*words)
            .is_some_and(|rest| rest.starts_with(':'))
    };
    let compares = opening.strip_prefix("the ").is_some_and(|rest| {
        rest.get(..4)
            .is_some_and(|year| year.parse::<u32>().is_ok())
            && rest.contains(" was ")
            || rest.starts_with("rest is")
            || rest.starts_with("remaining")
    });
    compares
        || HEADINGS.iter().any(heading)
        || CHECKS.iter().any(|words| {
            opening
                .strip_prefix(words)
                .is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
        })
}

/// Whether a sentence, in lower case, is a heading of what a value stated before was made of: "Calculation:", "Here's how
/// I calculated it:".
pub(super) fn opens_parts(sentence: &str) -> bool {
    let heading = sentence.trim_matches(|c: char| !c.is_alphanumeric() && c != ':');
    let Some((heading, rest)) = heading.split_once(':') else {
        return false;
    };
    let heading = heading.trim();
    let here = ["here's ", "here is ", "here are "]
        .iter()
        .any(|words| heading.starts_with(words));
    let ends = rest.chars().all(|c| !c.is_alphanumeric());
    let named = PARTS.iter().any(|words| {
        heading == *words
            || heading.strip_prefix("the ") == Some(words)
            || here && heading.ends_with(words)
    });
    named || here && ends && heading.contains("calculat")
}

/// Whether a sentence, in lower case, draws a conclusion.
pub(super) fn concludes(sentence: &str) -> bool {
    // "I see 5, but not what you ask for."
    let sentence = sentence.replace("but not", "");
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
    // "I'm sorry, but the text does not say."
    let polite = [
        "sorry, but ",
        "sorry but ",
        "apologize, but ",
        "apologise, but ",
        "unfortunately, but ",
    ];
    let sentence = polite
        .iter()
        .fold(sentence.to_owned(), |rest, words| rest.replace(words, ""));
    let sentence = sentence.as_str();
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
        // Steps of a calculation are not cases.
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

/// Whether a second sentence gives the value of an earlier year than the first one: "The margin of 2022 is 5. In 2021, it
/// was 4." Where the first one names no year, the `question` must not ask for the earlier one. All in lower case.
pub(super) fn is_of_earlier_year(first: &str, second: &str, question: &str) -> bool {
    fn year(text: &str) -> Option<u32> {
        let digits = text.strip_prefix("fy").unwrap_or(text);
        let year = digits.get(..4)?.parse().ok()?;
        (1900..=2100).contains(&year).then_some(year)
    }
    // The latest: a sentence on two years is about the last of them.
    let latest = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .filter_map(year)
            .max()
    };
    let opening = second.trim_start_matches(|c: char| !c.is_alphanumeric());
    let opened = ["in ", "for ", "in fiscal ", "for fiscal "]
        .iter()
        .filter_map(|words| opening.strip_prefix(words))
        .find_map(year);
    let Some(opened) = opened else {
        return false;
    };
    match latest(first) {
        Some(latest) => opened < latest,
        None => {
            let same_thing = opening.split(' ').skip(2).take(3).collect::<Vec<_>>();
            let asked = ["prior", "previous", "last ", "earlier", "before"]
                .iter()
                .any(|words| question.contains(words))
                || question.contains(&opened.to_string())
                // "FY19", "Q4'19"
                || question
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|word| {
                        let digits = word.strip_prefix("fy").unwrap_or(word);
                        digits == format!("{:02}", opened % 100)
                    });
            same_thing.starts_with(&["it", "was"])
                && !asked
                && latest(question).is_none_or(|latest| opened < latest)
        }
    }
}

/// Whether a second sentence gives the value of others, for which the `question` does not ask: "Peers earned 8 %." Both
/// in lower case.
pub(super) fn is_of_peers(second: &str, question: &str) -> bool {
    let opening = second.trim_start_matches(|c: char| !c.is_alphanumeric());
    ["peers ", "the peer ", "the industry "]
        .iter()
        .any(|words| opening.starts_with(words))
        && ![
            "peer",
            "industr",
            "average",
            "median",
            "benchmark",
            "sector",
        ]
        .iter()
        .any(|words| question.contains(words))
        && !asks_for_change(question)
}

/// Whether a second sentence only compares the value of the first one: "This is 5 % higher than in 2019.", "This is an
/// increase of 5 %." If the `question` asks for a comparison, it is the answer. All in lower case.
pub(super) fn compares(first: &str, second: &str, question: &str) -> bool {
    let is_share =
        |text: &str| text.contains('%') || text.contains("percent") || text.contains("per cent");
    if asks_for_change(question) || is_share(question) && !is_share(first) {
        return false;
    }
    let opening = second.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = ["this", "that", "it"]
        .iter()
        .filter_map(|words| opening.strip_prefix(words))
        .find_map(|rest| {
            [" is ", " was ", "'s "]
                .iter()
                .find_map(|verb| rest.strip_prefix(verb))
        });
    rest.is_some_and(|rest| {
        // A gain is a result of its own, and "up" and "down" have other meanings.
        let change = |word| CHANGES.contains(&word) && !matches!(word, "gain" | "up" | "down");
        let compared =
            rest.contains(" than ") && words_of(rest).any(|word| COMPARES.contains(&word));
        let named = rest.starts_with("a ") || rest.starts_with("an ");
        compared || named && words_of(rest).any(change)
    })
}

/// Whether a question, in lower case, asks for a change or a comparison.
fn asks_for_change(question: &str) -> bool {
    let stems = [
        "chang", "grow", "increas", "decreas", "declin", "reduc", "improv", "differ", "compar",
        "exceed", "expan", "shr", "var", "yoy", "risen", "fallen",
    ];
    // "By" alone is among the verbs, but most questions with it ask for no change.
    question.contains("by how")
        || words_of(question).any(|word| {
            CHANGES.contains(&word)
                || COMPARES.contains(&word)
                || CHANGING.contains(&word) && word != "by"
                || stems.iter().any(|stem| word.starts_with(stem))
        })
}

/// The words of a text.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
}
