//! The strict rules for option letters.
//!
//! A reply may hold the letters in many forms, and the same letters for other reasons: as labels of options that it
//! discusses, as the article "A", as names. The rules are therefore tried in order of how clearly they announce an
//! answer; [`letters`] lists them. A rule that finds letters decides, even if they are not valid for the item: a later
//! rule would then only find a less clear mention.

use super::phrase::{Said, names_no_option, phrases};
use super::published::is_word;
use super::shape::{
    behind_number, explained_verdicts, folded, is_and, is_right, only_letters, opening_letter,
    unlisted, unnumbered, verdicts,
};
use super::without_thinking;
use crate::letters::LetterSet;
use crate::span::{after, before, cut};
use regex::{Captures, Regex};
use reply_text::cut::tail;
use reply_text::doubt::doubted;
use reply_text::mark::{self, Kind, Mark};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The option letters in a reply to an item with `options` options, by the strict cascade.
///
/// 1. Thinking is removed.
/// 2. JSON decides: a value under `answer`, `final_answer` or `choice`, or a list, or a text, or an object that switches
///    options on; if the reply is one object, its only field that holds letters alone.
/// 3. A reply that consists of letters and separators decides, and so does one whose lines call each option right or
///    wrong.
/// 4. The last explicit answer decides: the last `[[..]]` (letters, or one place counted from 0), the
///    last `\boxed{..}`, the last phrase such as "the answer is", or the last lines if they hold
///    letters only. "None of the above" is an explicit answer that names no letter.
/// 5. Without an explicit answer, the first of these decides: verdicts with reasons on one of more
///    than two options after the other; a first line of letters only; a last line that calls letters
///    correct; a mention such as "option B" if no other option is mentioned; a marked letter that
///    opens the first or the last line, "C) ..", outside a list of options; last lines of a number
///    and letters, "2. C"; the only option letter of the last line.
///
/// Letters beyond the item's options make the answer void; no later rule is tried.
///
/// # Source
/// These rules are our own. An explicit answer takes precedence over mentions, and of two explicit answers
/// the later one decides. The published rules of BizCompass
/// ([`published`](super::published)) take the first capital letter instead. The vectors are in
/// `choice_extraction.json`, `bizcompass_choice_combos.json` and `uncut_replies.json`.
///
/// ```
/// use qa_scoring::extract::letters;
/// assert_eq!(letters("Answer: B", 4).to_string(), "B");
/// assert_eq!(letters("I think A is wrong, so B", 4).to_string(), "B");
/// assert!(letters("Cannot determine", 4).is_empty());
/// assert!(letters("[[E]]", 4).is_empty());
/// ```
#[must_use]
pub fn letters(reply: &str, options: usize) -> LetterSet {
    // Before anything else: models that write Chinese use full-width letters.
    let folded = folded(reply);
    let Some(spoken) = without_thinking(&folded).text() else {
        return LetterSet::EMPTY;
    };
    let text = with_joined_marks(mark::before_next_question(spoken.trim()));
    if LEFT_OPEN.as_ref().is_some_and(|open| open.is_match(&text)) {
        return LetterSet::EMPTY;
    }
    let set = cascade(&text, options);
    // Void as a whole: of "B and F" with four options it is not clear what is meant.
    if set.within(options) {
        set
    } else {
        LetterSet::EMPTY
    }
}

/// A whole reply that gives one letter for a case and another one otherwise: "If default is counted, B; otherwise C."
static LEFT_OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let case = r"^\W*(?i:if|assuming|unless|provided)\b[^.;\n]*,[^.;\n]*\b[A-J]\W+";
    Regex::new(&format!(r"{case}(?i:otherwise|else)\b[^.;\n]*\b[A-J]\W*$")).ok()
});

/// A text in which marks side by side are one: "\boxed{A} and \boxed{C}" names two letters, of which the last mark alone
/// would say one.
fn with_joined_marks(text: &str) -> Cow<'_, str> {
    let Some(joined) = JOINED.as_ref() else {
        return Cow::Borrowed(text);
    };
    joined.replace_all(text, |found: &Captures<'_>| {
        let marks = found.get(0).map_or("", |marks| marks.as_str());
        let letters: Vec<String> = marks
            .chars()
            .filter(char::is_ascii_uppercase)
            .map(String::from)
            .collect();
        format!("\\boxed{{{}}}", letters.join(", "))
    })
}

/// Marks side by side that hold one letter each. Of any other marks the last one counts: "\text{Thus }\boxed{C}".
static JOINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let boxed = r"\\boxed\{(?:[A-J]|\\text\{[A-J]\})\}";
    let tag = r"<answer>\s*[A-J]\s*</answer>";
    Regex::new(&format!(
        r"{boxed}(?:(?:, | and |\$ and \$|\$, \$)?{boxed})+|{tag}(?:(?:, | and |\n)?{tag})+"
    ))
    .ok()
});

fn cascade(text: &str, options: usize) -> LetterSet {
    if let Some(set) = bare_json(text) {
        return set;
    }
    // Before all that looks at single letters: the last of its lines could pass for an answer, and "[x]" for a letter.
    if let Some(set) = verdicts(text) {
        return set;
    }
    if let Some(set) = only_letters(text).or_else(|| only_letters(&unnumbered(text)?)) {
        return set;
    }
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let phrases = phrases(text);
    // Of several explicit answers the last one decides: models change their minds.
    let marks = mark::by_form(text);
    let said = phrases
        .answer
        // Words in a field of JSON are not an answer beside it.
        .filter(|&(_, end)| {
            !marks
                .iter()
                .any(|mark| mark.kind == Kind::Json && (mark.start..mark.end).contains(&end))
        });
    let explicit = marks
        .iter()
        .filter_map(marked)
        .chain(
            said.map(|(said, end)| (end, named(said)))
                .filter(|&(end, set)| !is_taken_back(after(text, end), set)),
        )
        .chain(closing_lines(&lines, options).map(|set| (text.len(), set)));
    // Of two that end at the same place the later one in the chain, which is how `max_by_key`
    // decides: a closing line outranks the mark in it.
    if let Some((_, set)) = explicit.max_by_key(|&(end, _)| end) {
        return set;
    }
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else {
        return LetterSet::EMPTY;
    };
    // Before the rules for one sentence, which would read a single one of the verdicts.
    // Of two options, "A. True" and "B. False" are often the options themselves.
    if let Some(set) = explained_verdicts(text).filter(|_| options > 2) {
        return set;
    }
    // "Statement A" above a discussion of it is a heading.
    let is_heading = || lines.len() > 1 && first.to_lowercase().contains("statement ");
    if let Some(set) = bare_line(first, options).filter(|_| !is_heading()) {
        return set;
    }
    if let Some(set) = judged(last, options) {
        return set;
    }
    if let Some(said) = phrases.mention {
        return named(said);
    }
    if let Some(set) = opening(&lines) {
        return set;
    }
    if let Some(set) = numbered_lines(&lines, options) {
        return set;
    }
    // The last line of a list of options is not an answer, nor is "neither A nor C".
    let listed = opening_letter(unlisted(last)).is_some();
    let open = last
        .split(|c: char| !is_word(c))
        .any(|word| OPEN.contains(&word.to_ascii_lowercase().as_str()));
    // "Cannot be determined. B is close."
    let refused = reply_text::answer::refuses(text) && !concludes(last);
    let refused = refused || last.trim_end().ends_with('?');
    if let Some(set) = lone_letter(last, options).filter(|_| !listed && !open && !refused) {
        return set;
    }
    LetterSet::EMPTY
}

/// Whether the sentence behind an answer takes it back for another letter: "The answer is B. No, wait, it is C."
fn is_taken_back(rest: &str, said: LetterSet) -> bool {
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let sentence = before(rest, rest.find(['.', '\n']).unwrap_or(rest.len()));
    let openings = [
        "no, wait",
        "no wait",
        "wait",
        "actually",
        "sorry",
        "oops",
        "correction",
    ];
    let opens = openings.iter().any(|opening| {
        let head = sentence.get(..opening.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(opening))
    });
    let is_other = |word: &str| {
        // "A" and "I" are words as well.
        let letter = word.chars().next().filter(|c| matches!(c, 'B'..='H' | 'J'));
        word.len() == 1 && letter.is_some_and(|letter| said.iter().all(|own| own != letter))
    };
    // "No, B.": behind "no" alone a sentence may also go on about the answer.
    let renamed = sentence
        .get(..4)
        .filter(|head| head.eq_ignore_ascii_case("no, "))
        .and_then(|head| only_letters(after(sentence, head.len())));
    renamed.is_some_and(|set| set != said)
        || opens && sentence.split(|c: char| !is_word(c)).any(is_other)
}

/// The letters of an answer that is marked by its form, with the place of its end. JSON under an answer key with another
/// value is an answer that names no option.
fn marked(mark: &Mark<'_>) -> Option<(usize, LetterSet)> {
    let set = match mark.kind {
        // Empty and not skipped: the reply has announced an answer that is no option.
        Kind::Json => Some(value_letters(mark.json.as_ref()?).unwrap_or_default()),
        Kind::Braces => brace_letters(&mark.text),
        // "\boxed{\text{A}, \text{C}}"
        Kind::Boxed => {
            let bare = mark.text.replace("\\text{", "");
            only_letters(&bare.replace(['{', '}', '\\'], ""))
        }
        // "<answer>B. rises</answer>"
        Kind::Tag => only_letters(&mark.text).or_else(|| opening_letter(mark.text.trim())),
        // "#### B" is read as a line.
        Kind::Hashes | Kind::Phrase => None,
    };
    Some((mark.end, set?))
}

fn named(said: Said) -> LetterSet {
    match said {
        Said::Letters(set) => set,
        Said::Nothing => LetterSet::EMPTY,
    }
}

/// The letters of a line that holds nothing else.
///
/// A line of single letters may also be a formula such as "u(x,y)"; lower-case letters or letters
/// beyond the options show that.
fn bare_line(line: &str, options: usize) -> Option<LetterSet> {
    only_letters(unlisted(line)).filter(|set| set.within(options))
}

/// The letters of the lines at the end of a reply that hold a number and letters, "2. C"; the empty set if they name all
/// options, since that is an order of them and no answer.
fn numbered_lines(lines: &[&str], options: usize) -> Option<LetterSet> {
    let mut set = LetterSet::EMPTY;
    for line in lines
        .iter()
        .rev()
        .map_while(|line| only_letters(behind_number(unlisted(line))?))
    {
        set.insert(line);
    }
    let is_order = set.len() == options;
    (!set.is_empty() && set.within(options)).then_some(if is_order {
        LetterSet::EMPTY
    } else {
        set
    })
}

/// The letters of the lines at the end of a reply that hold nothing else, or the empty set if the
/// last line says "none of the above".
fn closing_lines(lines: &[&str], options: usize) -> Option<LetterSet> {
    // It decides alone: letters in the lines above it are those that it rejects.
    if lines.last().is_some_and(|line| names_no_option(line)) {
        return Some(LetterSet::EMPTY);
    }
    let mut set = LetterSet::EMPTY;
    for line in lines
        .iter()
        .rev()
        .map_while(|line| bare_line(line, options))
    {
        set.insert(line);
    }
    (!set.is_empty()).then_some(set)
}

/// The letter that opens the first or the last line, "C) ..", unless the line belongs to a list of
/// several options. A first line that opens with a later letter than the next opening is not the
/// beginning of a list.
fn opening(lines: &[&str]) -> Option<LetterSet> {
    let opening = |line: &str| opening_letter(unlisted(line));
    let mut openings = lines.iter().filter_map(|line| opening(line));
    let first = openings.next()?;
    let starts = lines.first().copied().and_then(opening).is_some();
    let ends = lines.last().copied().and_then(opening).is_some();
    let rest: Vec<LetterSet> = openings.collect();
    // The same letter again is a restatement; another one makes it a list.
    let alone = rest.iter().all(|&other| other == first);
    let chosen = starts && rest.first().is_some_and(|next| next.span() <= first.span());
    // "A. No wait, B."
    let taken_back = lines.iter().any(|line| {
        let rest = opening(line).and_then(|set| unlisted(line).split_once(set.single()?));
        rest.is_some_and(|(_, rest)| is_taken_back(rest, first))
    });
    if taken_back {
        return None;
    }
    ((alone && (starts || ends)) || chosen).then_some(first)
}

/// Whether a line draws a conclusion.
fn concludes(line: &str) -> bool {
    line.split(|c: char| !is_word(c)).any(|word| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "so" | "therefore" | "thus" | "hence" | "but" | "answer"
        )
    })
}

/// Words of a line that leave the answer open.
const OPEN: [&str; 4] = ["neither", "nor", "whether", "unclear"];

/// Words before "is correct" that take the claim back.
// Words are cut at the apostrophe: "don" and "doesn" are what remains of "don't" and "doesn't".
const DOUBTS: [&str; 10] = [
    "not", "nor", "neither", "Neither", "whether", "if", "If", "don", "doesn", "cannot",
];

/// The letters of which the last line says that they are right: "So B and D are correct."
fn judged(line: &str, options: usize) -> Option<LetterSet> {
    let words: Vec<&str> = line
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .collect();
    let says_right = |verb: &usize| {
        // "B is the best."
        let mut tail = words.iter().skip(verb + 1).filter(|word| **word != "the");
        let is = words
            .get(*verb)
            .is_some_and(|word| matches!(*word, "is" | "are"));
        is && tail
            .next()
            .is_some_and(|word| matches!(*word, "correct" | "right" | "best" | "better" | "true"))
    };
    let verb = (0..words.len()).find(says_right)?;
    let before = words.iter().take(verb);
    if before.clone().any(|word| DOUBTS.contains(word)) {
        return None;
    }
    // "Between B and C, C is better."
    let compared = before.clone().any(|word| {
        matches!(
            *word,
            "between" | "Between" | "among" | "Among" | "of" | "Of"
        )
    });
    let mut set = LetterSet::EMPTY;
    for word in before.rev() {
        match *word {
            _ if compared && !set.is_empty() => break,
            "and" | "option" | "Option" | "options" | "Options" => {}
            // "B or C is correct" leaves it open.
            "or" => return None,
            word if word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase()) => {
                set.insert(
                    word.chars()
                        .map(LetterSet::of_letter)
                        .next()
                        .unwrap_or_default(),
                );
            }
            _ => break,
        }
    }
    (!set.is_empty() && set.within(options)).then_some(set)
}

/// The letters of a reply that is, or whose first code fence is, a JSON list or text.
fn bare_json(text: &str) -> Option<LetterSet> {
    let fence = mark::first_fence(text);
    [Some(text), fence].into_iter().flatten().find_map(|part| {
        let part = part.trim();
        // "On reflection, the answer is B." behind a fence; not "The answer follows from the table."
        let behind = text.split_once(part).map_or("", |(_, behind)| behind);
        let is_answered = phrases(behind).answer.is_some()
            || mark::by_form(behind)
                .iter()
                .any(|mark| marked(mark).is_some());
        if is_answered {
            return None;
        }
        if part.starts_with('{') {
            let fields = serde_json::from_str(part).ok()?;
            // A field that is named as the answer is read below, also where it holds no letter.
            let is_named = mark::by_form(part)
                .iter()
                .any(|mark| mark.kind == Kind::Json);
            // Beside other text an object may be anything: data of the question, a first thought.
            let whole = text.trim();
            let is_whole = whole == part || whole.starts_with("```") && whole.ends_with("```");
            return switched_on(&fields)
                .or_else(|| only_field(&fields).filter(|_| is_whole && !is_named));
        }
        if !part.starts_with(['[', '"']) {
            return None;
        }
        value_letters(&serde_json::from_str(part).ok()?)
    })
}

/// The letters of an object that says of each option whether it is right: `{"A": true, "B": false}`.
fn switched_on(options: &serde_json::Map<String, Value>) -> Option<LetterSet> {
    let mut set = LetterSet::EMPTY;
    for (key, value) in options {
        let letter = key.chars().next().filter(char::is_ascii_uppercase)?;
        if key.len() != 1 {
            return None;
        }
        let is_right = match value {
            Value::Bool(is_right) => *is_right,
            Value::Number(number) => number.as_u64().filter(|number| *number < 2)? == 1,
            other => is_right(other.as_str()?.trim())?,
        };
        if is_right {
            set.insert(LetterSet::of_letter(letter));
        }
    }
    (!set.is_empty()).then_some(set)
}

/// The letters of the only field of an object that holds letters alone: `{"correct_options": ["A", "C"], "why": ".."}`.
fn only_field(fields: &serde_json::Map<String, Value>) -> Option<LetterSet> {
    // Parts of words, as in "rejected_options" and "isFalse".
    let denials = [
        "wrong",
        "incorrect",
        "false",
        "not",
        "reject",
        "eliminat",
        "exclud",
    ];
    let mut found = fields.iter().filter_map(|(key, value)| {
        let key = key.to_lowercase();
        let set = match value {
            // Not "A. is wrong, because ..", which is a reason.
            Value::String(text) => only_letters(text),
            other => value_letters(other),
        };
        set.filter(|_| !denials.iter().any(|denial| key.contains(denial)))
    });
    let set = found.next()?;
    found.next().is_none().then_some(set)
}

/// The letters of a JSON text or list of texts; an option written out ("B. rises") counts by its letter.
fn value_letters(value: &Value) -> Option<LetterSet> {
    match value {
        Value::String(text) => only_letters(text).or_else(|| opening_letter(text)),
        Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            only_letters(&texts?.join(","))
        }
        // {"answer": {"letter": "B", "text": "rises"}}
        Value::Object(fields) => only_field(fields),
        _ => None,
    }
}

/// The letters between double brackets, or the letter at a place that is counted from 0.
fn brace_letters(inside: &str) -> Option<LetterSet> {
    if !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit()) {
        // From 0, as the rule of the finance sets counts, which reads no letter beyond D: E is `[[4]]`.
        // An index beyond the alphabet is as invalid as one beyond the options.
        let place = inside.parse().unwrap_or(usize::MAX).min(25);
        return Some(LetterSet::of_index(place));
    }
    only_letters(inside)
}

/// The option letters of a line that it does not deny or leave open: capitals that are words of their own; "A" does not
/// count if a lower-case word follows that goes on with a sentence. One letter, or several that only words of a list
/// join: "A (rates) and C".
fn lone_letter(line: &str, options: usize) -> Option<LetterSet> {
    let mut found = LetterSet::EMPTY;
    let mut previous_is_word = false;
    let mut first = None;
    let mut end = 0;
    let mut listed = true;
    let mut remarked = false;
    for (at, c) in line.char_indices() {
        let rest = after(line, at + c.len_utf8());
        if c.is_ascii_uppercase() && !previous_is_word && !rest.starts_with(is_word) {
            let one = LetterSet::of_letter(c);
            let head = before(line, at);
            if !is_article(c, head, rest)
                && !is_name(head)
                && one.within(options)
                && !doubted(head, rest)
            {
                if ends_range(head) {
                    return None;
                }
                let between = cut(line, end, at);
                let joined = first.is_none() || joins(between);
                // "B, C is a trap": a remark on C, which no "and" joins to B.
                remarked |= first.is_some()
                    && joined
                    && !between.contains("and")
                    && rest.starts_with(" is ");
                if !remarked {
                    found.insert(one);
                }
                listed &= joined;
                first.get_or_insert(at);
                end = at + 1;
            }
        }
        previous_is_word = is_word(c);
    }
    let opens = before(line, first.unwrap_or_default());
    let opens = opens
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty());
    (found.len() == 1 && !remarked
        || !found.is_empty()
            && listed
            && opens.clone().count() <= 4
            && opens.clone().all(opens_list))
    .then_some(found)
}

/// Whether a letter behind these words ends a range, of which it is not said which options it holds: "A to C". Not "from A
/// to C", which is a change.
fn ends_range(head: &str) -> bool {
    let marks = |c: char| matches!(c, '*' | '(' | ')' | '"' | '`');
    let head = head.trim_end_matches(marks);
    [" to ", " through "].iter().any(|word| {
        let first = head
            .strip_suffix(word)
            .map(|head| head.trim_end_matches(marks));
        let opens = first.and_then(|head| head.strip_suffix(|c: char| c.is_ascii_uppercase()));
        opens.is_some_and(|opens| {
            let opens = opens.trim_end_matches(marks);
            !opens.ends_with(is_word) && !opens.trim_end().ends_with("from")
        })
    })
}

/// Words before a capital that make it a part of a name.
const NAMES: [&str; 10] = [
    "vitamin",
    "company",
    "plan",
    "series",
    "class",
    "firm",
    "schedule",
    "exhibit",
    "appendix",
    "hepatitis",
];

/// Whether the word before a capital makes it a part of a name: "Company C".
fn is_name(head: &str) -> bool {
    let last = head
        .trim_end()
        .rsplit(|c: char| !is_word(c))
        .next()
        .unwrap_or_default();
    head.ends_with(' ') && NAMES.contains(&last.to_ascii_lowercase().as_str())
}

/// Whether a capital A is the article of a sentence.
fn is_article(letter: char, head: &str, rest: &str) -> bool {
    let named = tail(head.trim_end(), "option".len()).to_ascii_lowercase();
    let next = rest
        .trim_start()
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    letter == 'A'
        && !matches!(named.as_str(), "option" | "choice")
        && rest.starts_with([' ', '\t'])
        && rest.trim_start().starts_with(char::is_lowercase)
        && !is_and(next)
        && !matches!(next, "is" | "or" | "over" | "rather" | "instead")
        && !rest.trim_start().starts_with("as well as")
}

/// Whether a text between two letters joins them to a list; remarks in brackets do not matter.
fn joins(between: &str) -> bool {
    let mut depth = 0_i32;
    let plain: String = between
        .chars()
        .filter(|&c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth <= 0 && c != ')'
        })
        .collect();
    // "A (C is a trap)"
    depth == 0
        && plain
            .replace("as well as", "and")
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '*' | '&' | '+'))
            .all(|word| word.is_empty() || is_and(word))
}

/// Whether a word may stand before a list of letters that is an answer.
fn opens_list(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "therefore"
            | "so"
            | "thus"
            | "hence"
            | "both"
            | "only"
            | "choose"
            | "options"
            | "the"
            | "are"
            | "correct"
            | "my"
            | "selections"
            | "selection"
            | "final"
            | "is"
            | "answer"
            | "answers"
            | "it"
    )
}
