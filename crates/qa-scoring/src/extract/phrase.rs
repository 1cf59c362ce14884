//! "The answer is B": letters that follow a phrase.
//!
//! The last announcement counts, because a model that reasons corrects itself: "the answer is B. No, the answer is C".

use super::published::is_word;
use super::shape::{letter_word, only_letters, opening_letter, unlisted};
use crate::letters::LetterSet;
use crate::span::{after, before, cut};
use reply_text::cut::head;
use reply_text::doubt::{denied_after, doubted};
use reply_text::mark::is_aside;

/// Words after a capital A or I that show that it is a letter and not an article or a pronoun.
const AFTER_LETTER: [&str; 21] = [
    "over", "rather", "instead", "is", "are", "was", "and", "or", "because", "since", "as",
    "given", "due", "for", "but", "which", "where", "when", "based", "per", "with",
];

/// Words before "choose", "select" and "pick" that make it a decision.
// "d" and "ll" remain of "I'd" and "I'll", which are cut at the apostrophe.
const DECIDES: [&str; 9] = [
    "i",
    "we",
    "d",
    "ll",
    "would",
    "will",
    "must",
    "therefore",
    "so",
];

/// Words before an announcement that make it one of other options, beside those before any answer ([`is_aside`]): "not
/// selected: B", "second-best answer: B".
const OTHERS: [&str; 8] = [
    "not",
    "non",
    "rejected",
    "eliminated",
    "excluded",
    "second",
    "alternative",
    "initial",
];

/// Words that may stand between an announcement and its letters.
const FILLERS: [&str; 12] = [
    "option",
    "options",
    "choice",
    "choices",
    "letter",
    "letters",
    "both",
    "most",
    "likely",
    "probably",
    "therefore",
    "clearly",
];

/// Words after an option that show that it is not chosen.
const REJECTS: [&str; 11] = [
    "not",
    "wrong",
    "incorrect",
    "false",
    "cannot",
    "isn",
    "doesn",
    "fails",
    "eliminated",
    "unlikely",
    "misses",
];

/// Words that may stand between an option and a word of [`REJECTS`].
const AUXILIARIES: [&str; 13] = [
    "is", "are", "was", "were", "be", "seems", "seem", "looks", "appears", "can", "also", "both",
    "clearly",
];

/// The words of the claim that no option is right.
const NONE_CLAIM: [&str; 22] = [
    "none", "neither", "of", "the", "these", "them", "above", "option", "options", "choice",
    "choices", "answer", "answers", "given", "listed", "provided", "is", "are", "correct", "right",
    "true", "apply",
];

/// Longest line that is looked at as a whole behind a phrase \[bytes\]: longer ones hold more than letters, and would be
/// read again behind each of their phrases.
const MOST_LINE: usize = 100;

/// What a text says about its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Letters.
    Letters(LetterSet),
    /// Letters joined by "or", or "none of the above": the reply names no option.
    Nothing,
}

/// The phrases of a text that name letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Phrases {
    /// The last phrase that announces an answer, and the position of its end.
    pub(super) answer: Option<(Said, usize)>,
    /// What the mentions such as "option B" say, if they all name the same letters.
    pub(super) mention: Option<Said>,
}

/// Reads every phrase of a text.
///
/// Announcements are answer, final answer, final choice, correct option, correct choice, I choose, go
/// with, 答案, 选, 选择 or 选项, then "is", ":" or nothing, then letters. If the line ends after an
/// announcement, the answer may be the next line that is not empty. A mention is the word "option" or
/// "choice" before a letter, unless the text goes on to call the option wrong. Mentions of several
/// options say nothing: a model that discusses all options has not chosen the one it mentions last.
pub(super) fn phrases(text: &str) -> Phrases {
    let mut found = Phrases::default();
    let mut mentions_differ = false;
    let mut heard = 0;
    for (end, announces) in phrase_ends(text) {
        // The second word of "option A and option D" belongs to the list that the first one opens.
        if !announces && end < heard {
            continue;
        }
        let Some(Heard { said, to, direct }) = answer_at(text, end, announces) else {
            continue;
        };
        heard = to;
        let tail = after(text, to);
        // "Answer B is wrong" rejects B. Behind "the answer is B" only the same sentence can take
        // it back: "The answer is B. Not A." rejects another one.
        let rejected = direct && is_rejected(tail)
            || !announces && doubted(before(text, end), tail)
            || announces
                && (denied_after(tail) && !tail.trim_start().starts_with('.') || open_after(tail));
        if announces && !rejected {
            found.answer = Some((said, to));
        } else if !announces && !rejected {
            mentions_differ |= found.mention.is_some_and(|known| known != said);
            found.mention = Some(said);
        }
    }
    if mentions_differ {
        found.mention = None;
    }
    found
}

/// Whether what follows a letter leaves it open: "B|C", "B?C?", "B then C", "A-C", "B to C", "B → C".
fn open_after(tail: &str) -> bool {
    let capital = |text: &str| {
        let mut letters = text.trim_start().chars();
        letters.next().is_some_and(|c| c.is_ascii_uppercase())
            && !letters.next().is_some_and(is_word)
    };
    let marks = [
        "|",
        "?",
        "+",
        " then ",
        " to ",
        " through ",
        "-",
        "–",
        " → ",
        " -> ",
    ];
    marks
        .iter()
        .any(|mark| tail.strip_prefix(mark).is_some_and(capital))
        || tail.trim() == "?"
}

/// Every phrase of the text: where it ends, and whether it announces an answer.
fn phrase_ends(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let mut previous = String::new();
    let mut previous_end = 0;
    let mut was_denied = false;
    let mut words = Words { text, at: 0 };
    std::iter::from_fn(move || {
        loop {
            let (word, mut end) = words.next()?;
            let start = end.saturating_sub(word.len());
            // "Selected option(s): B"
            if after(text, end).starts_with("(s)") {
                end += 3;
                words.at = end;
            }
            // Not of ASCII letters alone: "Ответ".
            let lower = word.to_lowercase();
            // "B is correct; option A is a distractor"
            if cut(text, previous_end, end).contains([';', '.']) {
                previous.clear();
            }
            // Side by side only: "B is wrong, answer: C", "B is wrong - answer: C"
            let is_next = matches!(
                cut(text, previous_end, start).trim_end_matches('*'),
                " " | "-"
            );
            previous_end = end;
            let announces = matches!(
                previous.as_str(),
                "correct" | "final" | "right" | "best" | "my" | "selected" | "chosen"
            );
            // "not correct options: B, D"
            let names_others = OTHERS.contains(&previous.as_str()) || is_aside(&previous);
            let denied = is_next && (names_others || announces && was_denied);
            was_denied = denied;
            let found = match lower.as_str() {
                "answer" | "answers" => Some(true),
                word if EASTERN.contains(&word) => {
                    announces_eastern(text, start, word).then_some(true)
                }
                "option" | "choice" => Some(announces),
                // "the options are A, B, C, D" makes no choice; "the correct options are A and C"
                // does.
                "options" | "choices" | "selection" | "selections" | "ones" if announces => {
                    Some(true)
                }
                // "A and C are out, which leaves B."
                "leaves" | "leaving" => ends_with_capital(after(text, end)).then_some(true),
                // "one might choose A" makes no choice.
                "choose" | "select" | "pick" => {
                    DECIDES.contains(&previous.as_str()).then_some(true)
                }
                // "Actually, C."
                // "Wait, actually C."
                "actually" => (after(text, end).starts_with([',', ':'])
                    || ends_with_capital(after(text, end)))
                .then_some(true),
                "with" if previous == "go" || previous == "going" => Some(true),
                // "Selected: A, D", "Options chosen: B".
                "selected" | "chosen" | "selection" | "selections" | "correct" | "correction"
                | "corrected" | "final" | "antwort" | "réponse" | "respuesta" | "risposta"
                | "resposta" | "ответ" => colon_follows(after(text, end)).then_some(true),
                // "True: A, C", but not "A is true: C falls".
                "true" => (starts_line(before(text, start)) && colon_follows(after(text, end)))
                    .then_some(true),
                _ => None,
            };
            previous = lower;
            if let Some(announces) = found.filter(|announces| !(*announces && denied)) {
                return Some((end, announces));
            }
        }
    })
}

/// Whether a capital and nothing else follows on the line.
fn ends_with_capital(text: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\n';
    let rest = text.trim_start_matches(is_mark);
    let rest = rest.strip_prefix(|c: char| c.is_ascii_uppercase());
    // Looks no further than the next word. A search to the end of the line after each word would
    // take quadratic time in a long line.
    let rest = rest.map(|rest| rest.trim_start_matches(is_mark));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
}

/// Whether a colon follows, after marks of emphasis.
fn colon_follows(text: &str) -> bool {
    text.trim_start_matches([' ', '*', '_'])
        .starts_with([':', '：'])
}

/// Whether a line begins here, after marks of lists and emphasis.
fn starts_line(head: &str) -> bool {
    let head = head.trim_end_matches([' ', '*', '#', '_', '-', '【', '「']);
    head.is_empty() || head.ends_with('\n')
}

/// Whether one of the phrases of [`EASTERN`] that begins at `start` announces an answer.
fn announces_eastern(text: &str, start: usize, word: &str) -> bool {
    if !matches!(word, "正解" | "정답" | "답") {
        return true;
    }
    let head = before(text, start);
    // "不正解" and "오답" are wrong answers; "답" is also the end of other words.
    let is_part = head.ends_with('不') || word != "正解" && head.ends_with(is_word);
    // "B: 正解" at the end of a line is a verdict on B and does not announce the next line.
    let tail = after(text, start + word.len()).trim_start_matches([' ', '*']);
    !is_part && (starts_line(head) || !tail.starts_with(['\n', '\r']))
}

/// Phrases of Chinese, Japanese and Korean that announce an answer.
// Longer ones first: "选" is the beginning of two others.
const EASTERN: [&str; 8] = ["答案", "答え", "正解", "选择", "选项", "选", "정답", "답"];

/// Whether one of these phrases may begin with a character, which no space sets off from the words before it.
fn opens_eastern(c: char) -> bool {
    matches!(c, '答' | '选' | '正' | '정' | '답')
}

/// Words of the text with the position after each: runs of letters, and the phrases of [`EASTERN`].
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = after(self.text, self.at);
            let first = rest.chars().next()?;
            for phrase in EASTERN {
                if rest.starts_with(phrase) {
                    self.at += phrase.len();
                    return Some((phrase, self.at));
                }
            }
            if is_word(first) && !opens_eastern(first) {
                let length = rest
                    .find(|c: char| !is_word(c) || opens_eastern(c))
                    .unwrap_or(rest.len());
                self.at += length;
                return Some((before(rest, length), self.at));
            }
            self.at += first.len_utf8();
        }
    }
}

/// What stands after a phrase.
struct Heard {
    said: Said,
    /// Where it ends.
    to: usize,
    /// Whether neither a colon nor "is" stands between the phrase and its letters: "answer B".
    direct: bool,
}

/// What stands after a phrase that ends at `end`.
fn answer_at(text: &str, end: usize, announces: bool) -> Option<Heard> {
    // A comma stands here only after "actually"; after any other phrase it begins a new clause.
    let comma =
        usize::from(before(text, end).ends_with("ctually") && after(text, end).starts_with(','));
    let mut at = skip(text, end + comma, is_mark);
    let mut direct = !cut(text, end, at).contains([':', '：', '=']);
    for glue in [
        "is",
        "are",
        "was",
        "would be",
        "should be",
        "must be",
        "是",
        "为",
        "は",
        "은",
        "는",
    ] {
        let rest = after(text, at);
        if let Some(tail) = rest.strip_prefix(glue)
            // Chinese and Japanese words have no blank behind them: "答案是B".
            && (!glue.is_ascii() || !tail.starts_with(is_word))
        {
            at = skip(text, at + glue.len(), is_mark);
            direct = false;
            break;
        }
    }
    if announces {
        // "Answer choices: A, B" lists the options.
        let rest = after(text, at);
        if direct
            && ["choices", "options"]
                .iter()
                .any(|word| rest.starts_with(word))
        {
            return None;
        }
        while let Some(next) = filler(text, at) {
            at = skip(text, next, is_mark);
        }
        if starts_with_none(after(text, at)) {
            let said = Said::Nothing;
            return Some(Heard {
                said,
                to: at,
                direct: false,
            });
        }
        // "Answer: a, c", "Answer: A C"
        let near = head(after(text, at), MOST_LINE);
        let line = near.lines().next().unwrap_or_default();
        if let Some(set) = only_letters(line).filter(|_| line.len() < MOST_LINE) {
            return Some(Heard {
                said: Said::Letters(set),
                // Without the marks behind the letters: what follows the full stop does not deny them.
                to: at
                    + line
                        .trim_end_matches(|c: char| !c.is_ascii_alphabetic())
                        .len(),
                direct,
            });
        }
        if after(text, at).starts_with(['\n', '\r']) {
            let (said, to) = next_line(text, at)?;
            return Some(Heard {
                said,
                to,
                direct: false,
            });
        }
    }
    // After "option" a capital is a letter, whatever follows: "option A has merit".
    // After an announcement "A" may be an article: "the answer is a matter of taste".
    let (mut set, mut at) = if announces {
        letter_at(text, at)
    } else {
        capital_at(text, at).or_else(|| letter_at(text, at))
    }?;
    let mut open = false;
    let mut clause = None;
    while let Some((more, next, or)) = further(text, at) {
        if cut(text, at, next).contains(';') {
            clause = Some((set, at, open));
        }
        set.insert(more);
        at = next;
        open |= or;
    }
    // "I pick A and C; B and D are wrong"
    if let Some(before) = clause.filter(|_| is_rejected(after(text, at))) {
        (set, at, open) = before;
    }
    let said = if open {
        Said::Nothing
    } else {
        Said::Letters(set)
    };
    Some(Heard {
        said,
        to: at,
        direct,
    })
}

/// The answer in the first line after `at` that is not empty: letters alone, or "C) text" if the line
/// after it does not go on with another option.
fn next_line(text: &str, at: usize) -> Option<(Said, usize)> {
    let start = skip(text, at, char::is_whitespace);
    let line = after(text, start).lines().next()?;
    let end = start + line.len();
    if let Some(set) = only_letters(unlisted(line)) {
        // "Choose the answer" over a list of letters announces nothing.
        let below = after(text, end).trim_start().lines().next();
        let listed = below.and_then(|below| only_letters(unlisted(below)));
        return listed
            .is_none_or(|below| below == set)
            .then_some((Said::Letters(set), end));
    }
    let set = opening_letter(line)?;
    let below = after(text, end).trim_start().lines().next();
    below
        .and_then(opening_letter)
        .is_none_or(|below| below == set)
        .then_some((Said::Letters(set), end))
}

/// A word between a phrase and its letters, as in "the answer is option B": where it ends.
fn filler(text: &str, at: usize) -> Option<usize> {
    let rest = after(text, at);
    let length = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    FILLERS
        .contains(&before(rest, length).to_ascii_lowercase().as_str())
        .then_some(at + length)
}

/// Whether a text begins with "none" or "neither" as a word, other than in "none other than".
fn starts_with_none(text: &str) -> bool {
    let mut words = lower_words(text);
    words
        .next()
        .is_some_and(|word| matches!(word.as_str(), "none" | "neither"))
        && words.next().is_none_or(|word| word != "other")
}

/// Whether a line says "none of the above" and nothing else.
pub(super) fn names_no_option(line: &str) -> bool {
    starts_with_none(line) && lower_words(line).all(|word| NONE_CLAIM.contains(&word.as_str()))
}

fn lower_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// Whether what follows an option calls it wrong: "is incorrect", "is not ..", "cannot ..".
fn is_rejected(tail: &str) -> bool {
    // A reply without marks of a sentence would be read to its end after each of its phrases.
    let near = head(tail, 400);
    let sentence = near.split(['.', ',', '\n', ';']).next().unwrap_or(near);
    lower_words(sentence)
        .find(|word| !AUXILIARIES.contains(&word.as_str()))
        .is_some_and(|word| REJECTS.contains(&word.as_str()))
}

/// Marks between a phrase and its letters: space, colon, quotes, brackets, emphasis. A line break is
/// not a mark: "choose an option", a line break and "A) .." lists the options.
fn is_mark(c: char) -> bool {
    (c.is_whitespace() && c != '\n' && c != '\r')
        || matches!(
            c,
            ':' | '*'
                | '"'
                | '\''
                | '“'
                | '‘'
                | '('
                | '['
                | '{'
                | '\\'
                | '`'
                | '='
                | '_'
                | '$'
                | '：'
        )
}

fn skip(text: &str, from: usize, what: impl Fn(char) -> bool) -> usize {
    let rest = after(text, from);
    from + rest.find(|c| !what(c)).unwrap_or(rest.len())
}

/// The letters of the word at `at` and where it ends, `None` when it is an ordinary word.
fn letter_at(text: &str, at: usize) -> Option<(LetterSet, usize)> {
    let rest = after(text, at);
    let length = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let word = before(rest, length);
    let tail = after(rest, length);
    // Japanese and Korean end a sentence without a blank: "答えはCです。"
    let tail = ["です", "だ", "입니다"]
        .iter()
        .find_map(|verb| tail.strip_prefix(verb))
        .unwrap_or(tail);
    // "A和C"
    let goes_on = tail.starts_with(is_word) && !tail.starts_with(['和', '与', '及', '或']);
    if word.is_empty() || goes_on || tail.starts_with(['\'', '’']) && length == 1 {
        // A quote after the letter is a closing quote and not an apostrophe unless a letter
        // follows.
        let mut quoted = tail.chars().skip(1);
        if word.is_empty() || goes_on || quoted.next().is_some_and(is_word) {
            return None;
        }
    }
    let set = letter_word(word)?;
    let lower = word.chars().all(|c| c.is_ascii_lowercase());
    let article = matches!(word, "A" | "I") || lower;
    let next = next_lower_word(tail);
    // "option b is correct"; behind a small "a" or "i" the same words go on with a sentence, and "x" and "r" are
    // variables.
    let reads_on = next.is_some_and(|n| {
        let judges = matches!(n, "is" | "because" | "since");
        !AFTER_LETTER.contains(&n) || lower && !(judges && ("b"..="h").contains(&word))
    });
    (!(article && reads_on)).then_some((set, at + length))
}

/// The capital that is a word of its own at `at`, and where it ends.
fn capital_at(text: &str, at: usize) -> Option<(LetterSet, usize)> {
    let rest = after(text, at);
    let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
    (!after(rest, 1).starts_with(is_word)).then(|| (LetterSet::of_letter(letter), at + 1))
}

/// The word that follows after blanks, when it begins with a lower-case letter.
fn next_lower_word(tail: &str) -> Option<&str> {
    let trimmed = tail.trim_start_matches([' ', '\t']);
    if trimmed.len() == tail.len() {
        return None;
    }
    let length = trimmed
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(trimmed.len());
    let word = before(trimmed, length);
    word.chars()
        .next()
        .filter(|c| c.is_lowercase())
        .map(|_| word)
}

/// A separator and a further letter at `at`: its set, where it ends, and whether "or" joined it.
fn further(text: &str, at: usize) -> Option<(LetterSet, usize, bool)> {
    let closed = skip(text, at, |c| {
        matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | '*' | '`')
    });
    let blank = skip(text, closed, |c| matches!(c, ' ' | '\t'));
    // "A (rates) and C (rating)"
    let remark = after(text, blank).strip_prefix('(').and_then(|rest| {
        // The limit keeps this linear: in a reply with an open bracket behind each letter, each
        // search would go to the end.
        head(rest, 400)
            .find([')', '\n'])
            .filter(|&end| after(rest, end).starts_with(')'))
    });
    let blank = match remark {
        Some(length) => skip(text, blank + length + 2, |c| matches!(c, ' ' | '\t')),
        None => blank,
    };
    let comma = skip(text, blank, |c| {
        matches!(c, ',' | ';' | '&' | '/' | '、' | '，' | '和' | '与' | '及')
    });
    let mut next = skip(text, comma, |c| matches!(c, ' ' | '\t'));
    let mut joined = comma > blank;
    let mut or = false;
    for (word, is_or) in [
        ("and", false),
        ("as well as", false),
        ("und", false),
        ("et", false),
        ("y", false),
        ("or", true),
        ("或", true),
    ] {
        if let Some(tail) = after(text, next).strip_prefix(word)
            && (!word.is_ascii() || !tail.starts_with(is_word))
        {
            next = skip(text, next + word.len(), |c| matches!(c, ' ' | '\t'));
            (joined, or) = (true, is_or);
            break;
        }
    }
    if !joined {
        return None;
    }
    let opens = |c: char| matches!(c, '(' | '[' | '"' | '\'' | '“' | '‘' | '*' | '`');
    let mut start = skip(text, next, opens);
    // "option A and option D"
    if let Some(named) = option_word(text, start) {
        start = skip(text, named, |c| c == ' ' || opens(c));
    }
    let (set, end) = letter_at(text, start)?;
    cut(text, start, end)
        .chars()
        .all(|c| c.is_ascii_uppercase())
        .then_some((set, end, or))
}

/// Where the word "option" or "choice" at a place ends, if a blank follows it.
fn option_word(text: &str, at: usize) -> Option<usize> {
    let rest = head(after(text, at), 8).to_ascii_lowercase();
    ["option ", "choice "]
        .iter()
        .find(|word| rest.starts_with(*word))
        .map(|word| at + word.len())
}

#[cfg(test)]
mod tests;
