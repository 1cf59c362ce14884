//! Whether a reply means what it mentions: "not B", "B is wrong", "between A and B", "Is it positive?".
//!
//! One check for letters, labels, numbers, yes and no, and lists. It looks at the clause around a mention: a reply that
//! denies, rules out, questions or conditions something does not give it as its answer.

use crate::cut::{after, before, tail};

/// Words of a clause that deny what follows them, or leave it open.
const DENIALS: [&str; 50] = [
    "not",
    "never",
    "neither",
    "nor",
    "cannot",
    "without",
    "nothing",
    "non",
    "hardly",
    "scarcely",
    "lack",
    "lacks",
    "lacking",
    "doubt",
    "doubtful",
    "refuse",
    "refuses",
    "unlikely",
    "unable",
    "impossible",
    "except",
    "excluding",
    "exclude",
    "excludes",
    "eliminate",
    "eliminates",
    "eliminating",
    "reject",
    "rejects",
    "rejecting",
    "wrong",
    "incorrect",
    "false",
    "opposite",
    "whether",
    "if",
    "unless",
    "between",
    "either",
    "unsure",
    "unclear",
    "thought",
    "might",
    "pretend",
    "prevents",
    "instead",
    "avoid",
    "assuming",
    "suppose",
    "otherwise",
];

/// The same in several words.
const PHRASES: [&str; 15] = [
    "anything but",
    "everything but",
    "all but",
    "other than",
    "rather than",
    "far from",
    "rule out",
    "rules out",
    "ruled out",
    "ruling out",
    "too early to",
    "labels include",
    "options include",
    "options are",
    "one of the labels",
];

/// Words that look like a denial but affirm.
const AFFIRMED: [&str; 9] = [
    "no doubt",
    "not only",
    "no question",
    "without doubt",
    "without question",
    "without a doubt",
    "nothing other than",
    "none other than",
    "not in doubt",
];

/// Words that begin a new clause.
const BREAKS: [&str; 12] = [
    "but",
    "because",
    "since",
    "so",
    "therefore",
    "thus",
    "hence",
    "yet",
    "however",
    "while",
    "whereas",
    "then",
];

/// Words between a mention and what is said of it.
const AUXILIARIES: [&str; 28] = [
    "is",
    "are",
    "was",
    "were",
    "be",
    "seems",
    "seem",
    "looks",
    "appears",
    "can",
    "also",
    "both",
    "clearly",
    "would",
    "will",
    "could",
    "should",
    "must",
    "therefore",
    "thus",
    "hence",
    "option",
    "the",
    "a",
    "an",
    "has",
    "been",
    "to",
];

/// Words that deny what stands before them.
const REJECTIONS: [&str; 30] = [
    "not",
    "never",
    "wrong",
    "incorrect",
    "false",
    "cannot",
    "isn't",
    "aren't",
    "wasn't",
    "can't",
    "couldn't",
    "doesn't",
    "don't",
    "didn't",
    "won't",
    "wouldn't",
    "does",
    "do",
    "fails",
    "fail",
    "excluded",
    "eliminated",
    "rejected",
    "dismissed",
    "unlikely",
    "misses",
    "ruled",
    "if",
    "unless",
    "otherwise",
];

/// Most bytes of a clause that are looked at.
const LONGEST: usize = 240;

/// Whether the words around a mention deny it or leave it open.
///
/// ```
/// use reply_text::doubt::doubted;
/// assert!(doubted("It is not ", "."));
/// assert!(doubted("Option ", " is wrong."));
/// assert!(doubted("Is it ", "?"));
/// assert!(!doubted("A is wrong, so it is ", "."));
/// assert!(!doubted("There is no doubt that it is ", "."));
/// ```
#[must_use]
pub fn doubted(before: &str, after: &str) -> bool {
    denied_before(before) || denied_after(after)
}

/// Whether the clause that ends here denies what follows it, or leaves it open.
#[must_use]
pub fn denied_before(text: &str) -> bool {
    let clause = clause_before(text);
    let mut clause = format!(" {} ", words(&clause).join(" "));
    // First, so that the "no" and the "not" in them deny nothing.
    for affirmed in AFFIRMED {
        clause = clause.replace(&format!(" {affirmed} "), " ");
    }
    if PHRASES
        .iter()
        .any(|phrase| clause.contains(&format!(" {phrase} ")))
    {
        return true;
    }
    let words: Vec<&str> = clause.split(' ').filter(|word| !word.is_empty()).collect();
    let start = words
        .iter()
        // What stands before "but" or "so" speaks of something else: "A is wrong, so it is B".
        .rposition(|word| BREAKS.contains(word))
        .map_or(0, |at| at + 1);
    let clause = words.get(start..).unwrap_or_default();
    let near = |word: &str, within: usize| clause.iter().rev().take(within).any(|w| *w == word);
    // "There is no reason to say yes"; what "and" joins to it is another claim.
    let groundless = clause.windows(3).rposition(|words| {
        matches!(
            words,
            [
                "no",
                "reason" | "evidence" | "grounds" | "basis" | "way",
                "to" | "that" | "for"
            ]
        )
    });
    let groundless = groundless.and_then(|at| clause.get(at..));
    if groundless.is_some_and(|rest| !rest.contains(&"and")) {
        return true;
    }
    clause
        .iter()
        .any(|word| DENIALS.contains(word) || word.ends_with("n't"))
        // "No" only nearby: further away it denies another thing, or is an answer itself.
        || near("no", 3)
        || near("over", 1)
        || near("less", 1)
}

/// Whether the words before a number deny it: "cannot be 5", "is not 5", "I doubt that it is 5".
///
/// Numbers stand in long sentences, where a "not" may belong to something else. Only the words around the verb before
/// the number count.
#[must_use]
pub(crate) fn denied_number(text: &str) -> bool {
    let clause = clause_before(text);
    let words = words(&clause);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // "not 3 but 4"
    let start = words
        .iter()
        .rposition(|word| matches!(*word, "but" | "rather" | "so"));
    // "Anything but 5": there the "but" is a part of the denial.
    let anything = start
        .and_then(|at| words.get(at.checked_sub(1)?))
        .is_some_and(|word| word.ends_with("thing"));
    let start = start.filter(|_| !anything).map_or(0, |at| at + 1);
    let words = words.get(start..).unwrap_or_default();
    let verb = words
        .iter()
        .rposition(|word| matches!(*word, "is" | "are" | "was" | "were" | "be" | "it's"));
    let start = verb.map_or(words.len().saturating_sub(3), |at| at.saturating_sub(2));
    // "not 10 it's 12": a "not" before an earlier number belongs to that one.
    let earlier = verb.and_then(|at| {
        let before = words.get(..at)?;
        before
            .iter()
            .rposition(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    });
    let start = start.max(earlier.map_or(0, |at| at + 1));
    let near = words.get(start..).unwrap_or_default();
    let denies = |word: &str| {
        matches!(
            word,
            "not"
                | "never"
                | "cannot"
                | "unlikely"
                | "hardly"
                | "neither"
                | "nor"
                | "wrong"
                | "incorrect"
        ) || word.ends_with("n't")
    };
    let clause = format!(" {} ", words.join(" "));
    near.iter().any(|word| denies(word)) && !clause.contains(" not only ")
        || [
            " whether ",
            " doubt ",
            " doubts ",
            " no evidence ",
            " not say ",
            "n't say ",
            " might think ",
            " might say ",
            " would think ",
            " anything but ",
            " everything but ",
            " wrong answer ",
            " incorrect answer ",
        ]
        .iter()
        .any(|words| clause.contains(words))
}

/// The text from the last end of a sentence or clause on, in lower case.
fn clause_before(text: &str) -> String {
    let text = tail(text, LONGEST).to_lowercase().replace('’', "'");
    let ends = |(at, c): (usize, char)| {
        let next = after(&text, at + c.len_utf8());
        match c {
            '\n' | ',' | ';' | ':' | '(' | ')' | '!' | '?' | '—' | '"' => true,
            // A dot inside a number or a name ends nothing.
            '.' => next.starts_with([' ', '\n', '.']) || next.is_empty(),
            _ => false,
        }
    };
    let start = text
        .char_indices()
        .rev()
        // Quotes and marks directly before the mention do not end the clause.
        .skip_while(|&(_, c)| !c.is_alphanumeric() && !matches!(c, '.' | ',' | ';' | ':' | '\n'))
        .find(|&place| ends(place))
        .map_or(0, |(at, c)| at + c.len_utf8());
    after(&text, start).to_owned()
}

/// Whether the text after a mention denies it, makes it a case, or asks.
#[must_use]
pub fn denied_after(text: &str) -> bool {
    let text = crate::cut::head(text, LONGEST)
        .to_lowercase()
        .replace('’', "'");
    // What is said of a list is said of its first letter too.
    let text = after_list(&text);
    if corrected(text) {
        return true;
    }
    let end = text
        .char_indices()
        .find(|&(at, c)| match c {
            '?' | '!' | '\n' | ';' => true,
            // "3.5 is wrong": the dot of a number does not end the sentence.
            '.' => !after(text, at + 1).starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        })
        .map_or(text.len(), |(at, _)| at);
    if after(text, end).starts_with('?') {
        return true;
    }
    let sentence = before(text, end);
    let bare = sentence.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '"' | '`' | ')' | ']' | '}' | '\'' | '$' | '\\')
    });
    if ["is one of the labels", "is one of the options"]
        .iter()
        .any(|words| bare.starts_with(words))
    {
        return true;
    }
    let clause = before(bare, bare.find([',', '(', ':']).unwrap_or(bare.len()));
    let words = words(clause);
    let mut rest = words
        .iter()
        .map(String::as_str)
        // "Is", "would be" and articles are stepped over, as they stand before a denial and before
        // its contrary.
        .skip_while(|word| AUXILIARIES.contains(word));
    match rest.next() {
        Some("does" | "do" | "did") => rest.next() == Some("not"),
        // "Not only" affirms.
        Some("not") => rest.next() != Some("only"),
        Some(word) => REJECTIONS.contains(&word),
        None => sentence.contains(", otherwise"),
    }
}

/// The text after further single letters that are joined to a mention: "B, C and D are wrong".
fn after_list(text: &str) -> &str {
    let mut rest = text;
    loop {
        let next = rest.trim_start_matches([' ', ',', '&', '*', ')']);
        let next = next
            .strip_prefix("and ")
            .or_else(|| next.strip_prefix("or "))
            .unwrap_or(next)
            .trim_start_matches(['*', ' ']);
        let mut letters = next.chars();
        let single = letters
            .next()
            // "A" is an article as well, so it does not go on with a list.
            .is_some_and(|c| c.is_ascii_lowercase() && c != 'a')
            && letters
                .next()
                .is_none_or(|c| !c.is_alphanumeric() && c != '\'');
        if !single || next.len() == rest.len() {
            return rest;
        }
        rest = after(next, 1);
    }
}

/// Whether the text after an answer takes it back: "No, that is wrong.", "Wait, ..", "It is not."
#[must_use]
pub fn corrected(text: &str) -> bool {
    let text = crate::cut::head(text, LONGEST)
        .to_lowercase()
        .replace('’', "'");
    let opening = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let skipped = before(&text, text.len() - opening.len());
    // Within one clause the same words may belong to what is stated: "B that is wrong for C".
    if !skipped.contains(['.', '!', '?', ',', ';', '\n', '…', '—', '-']) {
        return false;
    }
    let opening = opening
        .replace("that's", "that is")
        .replace("isn't", "is not");
    let begins = |words: &str| {
        opening
            .strip_prefix(words)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let takes_back = [
        "correction",
        "scratch that",
        "that is wrong",
        "that is not right",
        "that is not correct",
        "that is incorrect",
        "this is wrong",
        "this is incorrect",
        "it is not",
        "no wait",
        "wait",
        "no, that",
        "no, it",
        "no, this",
        "no, actually",
        "edit:",
        "update:",
        "sorry",
        "oops",
        "my mistake",
        "i misread",
        "i made a mistake",
        "i made an error",
    ];
    // Alone it takes back; with more words it says what the answer is not: "It is not a loss."
    if begins("it is not") {
        let rest = after(&opening, "it is not".len());
        return rest.trim_start_matches(' ').starts_with('.') || rest.trim().is_empty();
    }
    // "B... no, C": "no" after dots or a dash.
    takes_back.iter().any(|words| begins(words))
        || begins("no") && (skipped.contains(['…', '—', '?']) || skipped.contains(".."))
}

/// The words of a text in lower case, apostrophes within them kept.
fn words(text: &str) -> Vec<String> {
    // An apostrophe stays, because "n't" is a denial.
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\'').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::doubted;

    /// `_` stands for the mention.
    #[test]
    fn denied_open_and_meant() {
        let denied = [
            "Not _",
            "It isn't _.",
            "It is not _ at all.",
            "cannot be called _",
            "anything but _",
            "neither _ nor anything else",
            "no _ tone",
            "There is no reason to say _.",
            "There is no evidence that the tone of it is _.",
            "non-_",
            "I rule out _.",
            "All except _",
            "Eliminate _.",
            "The only incorrect option is _.",
            "I am not sure between A and _.",
            "I doubt that it is _.",
            "It is hard to say whether it is _.",
            "_ is wrong.",
            "_ is not the answer.",
            "_ does not hold.",
            "_ can be excluded.",
            "_ would be wrong",
            "The answer is _ if taxes are ignored, otherwise C.",
            "Is it _?",
            "_... no, C.",
            "The answer is _. No, that is wrong.",
            "The answer is _. Wait, that's wrong.",
            "One might think that it is _.",
            "_, C and D are wrong",
            "A rather than _",
            "far from _",
        ];
        let meant = [
            "_",
            "The answer is _.",
            "C is wrong, so _.",
            "Not C, but _.",
            "It is not C; it is _.",
            "There is no doubt that it is _.",
            "It is not only _.",
            "_, not C",
            "_ (C is wrong)",
            "_ rather than C",
            "_. C is not right.",
            "The answer is _. No other option fits.",
            "The answer is _. It is not in the table.",
            "The text does not mention costs. It is _.",
            "Since orders did not fall, it is _.",
            "_, because nothing else fits",
            "Neither C nor D: _",
            "Without tax, _",
            "There is no evidence for a fall and the tone is _.",
            "There is no reason to wait, so it is _.",
            "It was not sold, and it is in doubt; still: _",
        ];
        let around = |text: &str| {
            let (before, after) = text.split_once('_').unwrap_or((text, ""));
            doubted(before, after)
        };
        for text in denied {
            assert!(around(text), "{text}");
        }
        for text in meant {
            assert!(!around(text), "{text}");
        }
    }
}
