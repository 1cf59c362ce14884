//! Numbers in words, written as digits: "twelve million", "forty-two", "seven (7)".
//!
//! Words such as "one" and "two" stand in most texts without being an answer. They are written as digits only where an
//! answer stands: at the front of the text, and after a colon, an equals sign or a verb such as "is". A single word has
//! to end its clause there as well, so that "is one of", "one or two" and "are two ways" stay as they are.

use crate::cut::{after, before};
use std::borrow::Cow;

/// Words of numbers below 20, from zero.
const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// Words of the tens, from twenty.
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Words of scale that stay as words, so that "twelve million" is read as "12 million" is.
const SCALES: [&str; 4] = ["million", "billion", "trillion", "thousand"];

/// Parts of one in the singular, with what they divide by.
const PARTS: [(&str, u32); 11] = [
    ("half", 2),
    ("third", 3),
    ("quarter", 4),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("hundredth", 100),
];

/// Words that may stand between a verb and a number in words.
const BETWEEN: [&str; 16] = [
    "about",
    "approximately",
    "roughly",
    "around",
    "exactly",
    "nearly",
    "almost",
    "only",
    "just",
    "therefore",
    "thus",
    "minus",
    "negative",
    "some",
    "a",
    "total",
];

/// Words after which an answer stands.
const STATING: [&str; 9] = [
    "is", "are", "was", "were", "be", "equals", "it's", "answer", "of",
];

/// Words after a single number that show that it is not an answer, or not all of it.
const GOES_ON: [&str; 20] = [
    "of", "or", "to", "and", "is", "are", "was", "were", "can", "could", "should", "would", "has",
    "have", "had", "but", "not", "by", "more", "less",
];

/// A run of words that say a number.
struct Run {
    /// Where it ends \[bytes\].
    end: usize,
    digits: String,
    /// Whether it cannot be a pronoun or an article: it has several words.
    several: bool,
}

/// The text with the numbers in words that may be an answer as digits.
pub(super) fn with_digits(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some((start, end)) = next_word(text, at) {
        at = end;
        // A part of a longer word, or the name of a command.
        if before(text, start).ends_with(['-', '\'', '_', '\\', '{']) {
            continue;
        }
        let Some(run) = run(text, start) else {
            continue;
        };
        let repeated = repeated(after(text, run.end), &run.digits);
        if repeated.is_none() && !is_answer(text, start, &run) {
            continue;
        }
        out.push_str(crate::cut::cut(text, copied, start));
        out.push_str(&run.digits);
        at = run.end + repeated.unwrap_or(0);
        copied = at;
    }
    if copied > 0 {
        out.push_str(after(text, copied));
    }
    let spelled = if copied == 0 {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    };
    with_nil(&spelled).map_or(spelled, Cow::Owned)
}

/// The text with "$0" for a dash behind a currency, which is how accountants write nothing: "$ —"; `None` without one.
fn with_nil(text: &str) -> Option<String> {
    let (at, length) = ["$—", "$ —", "$–", "$ –", "$ -", "$-"]
        .iter()
        .find_map(|dash| Some((text.find(dash)?, dash.len())))?;
    let tail = after(text, at + length);
    let ends = tail.trim_end_matches(['.', ' ', '*']).is_empty()
        || tail.starts_with([',', ';'])
        || tail.starts_with(" in ");
    ends.then(|| format!("{}$0{tail}", before(text, at)))
}

/// Where the next word of letters begins and ends.
fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + after(text, from).find(|c: char| c.is_alphabetic())?;
    let rest = after(text, start);
    let length = rest.find(|c: char| !c.is_alphabetic());
    Some((start, length.map_or(text.len(), |length| start + length)))
}

/// The length of digits in brackets that repeat the number before them: " (7)".
fn repeated(rest: &str, digits: &str) -> Option<usize> {
    let inside = rest.strip_prefix(" (")?;
    let end = crate::cut::head(inside, 32).find(')')?;
    (before(inside, end).replace(',', "") == digits).then_some(end + 3)
}

/// The word at a place in lower case, after a blank or a hyphen where it is not the first, and where it ends.
fn joined(text: &str, at: usize, first: bool) -> Option<(String, usize)> {
    let rest = after(text, at);
    let start = if first {
        at
    } else {
        at + usize::from(rest.starts_with([' ', '-']))
    };
    if !first && start == at {
        return None;
    }
    // No word of a number is longer; the cut keeps a text without blanks from being read again and
    // again.
    let (from, end) = next_word(crate::cut::head(text, start + 24), start)?;
    (from == start).then(|| {
        (
            before(text, end)
                .get(start..)
                .unwrap_or_default()
                .to_lowercase(),
            end,
        )
    })
}

/// The number whose words begin at a place.
fn run(text: &str, start: usize) -> Option<Run> {
    // What was read: a total of thousands, and the group below them.
    let (mut total, mut group) = (0_u64, 0_u64);
    let mut least = u64::MAX;
    let mut count = 0;
    let mut end = start;
    let mut at = start;
    // The smallest unit that may still be filled: after "twenty" only units, after "two" none.
    let mut room = 1_000_u64;
    if let Some((digits, end)) = dozen(text, start) {
        return Some(Run {
            end,
            digits: digits.to_string(),
            several: true,
        });
    }
    while let Some((word, to)) = joined(text, at, count == 0) {
        let small = match word.as_str() {
            "nil" => Some(0),
            _ => SMALL.iter().position(|small| *small == word),
        };
        let tens = TENS.iter().position(|tens| *tens == word);
        let value = small.or(tens.map(|place| (place + 2) * 10));
        if let Some(value) = value.and_then(|value| u64::try_from(value).ok()) {
            let fits = if value == 0 {
                count == 0
            } else {
                value < 10 && room >= 10 || room >= 100
            };
            if !fits {
                break;
            }
            group += value;
            room = if tens.is_some() { 10 } else { 1 };
        } else if word == "hundred" && (1..100).contains(&group) {
            group *= 100;
            room = 100;
        // "Million" and above stay words, so there is only one group of thousands.
        } else if word == "thousand" && (1..1_000).contains(&group) && least > 1_000 {
            total += group * 1_000;
            (group, least, room) = (0, 1_000, 1_000);
        } else if word == "and" && count > 0 && room >= 100 && (group > 0 || total > 0) {
            // "two hundred and five": only before a further number.
            at = to;
            continue;
        } else {
            break;
        }
        count += 1;
        (end, at) = (to, to);
    }
    if count == 0 {
        return None;
    }
    let whole = total + group;
    let mut run = Run {
        end,
        digits: whole.to_string(),
        several: count > 1,
    };
    tail(text, &mut run, whole);
    let goes_on = |at: usize| {
        joined(text, at, false)
            .filter(|(word, _)| SCALES.contains(&word.as_str()))
            .is_some_and(|(_, to)| {
                joined(text, to, false).is_some_and(|(word, _)| {
                    SMALL.contains(&word.as_str()) || TENS.contains(&word.as_str())
                })
            })
    };
    // "one million two hundred thousand" is not 1 million.
    (!goes_on(run.end) && !is_one_of_several(text, run.end)).then_some(run)
}

/// The number of dozens at a place, and where their words end: "a dozen", "half a dozen", "two dozen".
fn dozen(text: &str, start: usize) -> Option<(usize, usize)> {
    let (first, mut at) = joined(text, start, true)?;
    let times = match first.as_str() {
        "a" => 12,
        "half" => {
            let (article, to) = joined(text, at, false)?;
            at = to;
            (article == "a").then_some(6)?
        }
        _ => {
            let small = SMALL.iter().position(|small| *small == first)?;
            12 * (small > 0 && small < 13).then_some(small)?
        }
    };
    let (word, end) = joined(text, at, false)?;
    (word == "dozen").then_some((times, end))
}

/// Whether a further number in words follows: "twenty-one or twenty-two", "nineteen ninety-eight".
fn is_one_of_several(text: &str, end: usize) -> bool {
    let rest = crate::cut::head(after(text, end), 60).to_lowercase();
    let mut words = rest
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—'))
        .filter(|word| !word.is_empty());
    words
        .find(|word| !["or", "to", "and"].contains(word) && !SCALES.contains(word))
        .is_some_and(|word| {
            let word = word.trim_end_matches(|c: char| !c.is_alphabetic());
            SMALL.contains(&word) || TENS.contains(&word)
        })
}

/// Reads what may follow a whole number in words: "point five", "and a half", "thirds", "million".
fn tail(text: &str, run: &mut Run, whole: u64) {
    let word = |at: usize| joined(text, at, false);
    let Some((next, to)) = word(run.end) else {
        return;
    };
    if next == "point" {
        let mut at = to;
        let mut decimals = String::new();
        while let Some((digit, to)) = word(at)
            && let Some(value) = SMALL.iter().take(10).position(|small| *small == digit)
        {
            decimals.push_str(&value.to_string());
            at = to;
        }
        if !decimals.is_empty() {
            run.digits = format!("{whole}.{decimals}");
            (run.end, run.several) = (at, true);
        }
    } else if after(text, run.end).starts_with(" and a half") {
        run.digits = format!("{whole}.5");
        (run.end, run.several) = (run.end + " and a half".len(), true);
    // Below ten only: "twenty third" is an ordinal.
    } else if let Some((_, by)) = PARTS
        .iter()
        .find(|(part, _)| *part == next || next.strip_suffix('s') == Some(*part))
        && whole > 0
        && whole < 10
    {
        // "three quarters" may be months: the whole counts as one word, which has to end its clause.
        run.digits = format!("{whole}/{by}");
        (run.end, run.several) = (to, false);
    }
    if word(run.end).is_some_and(|(next, _)| SCALES.contains(&next.as_str())) {
        run.several = true;
    }
}

/// Whether a number in words stands where an answer does.
fn is_answer(text: &str, start: usize, run: &Run) -> bool {
    let head = crate::cut::tail(before(text, start), 80).to_lowercase();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let mut rest = line.trim_end_matches([' ', '*', '"', '$', '_']);
    let mut stated = None;
    for _ in 0..4 {
        if rest.is_empty() || rest.ends_with([':', '=', '≈']) {
            break;
        }
        let at = rest.rfind(|c: char| !c.is_alphabetic() && c != '\'');
        let word = at.map_or(rest, |at| {
            after(rest, at + 1).trim_start_matches(|c: char| !c.is_alphabetic())
        });
        if STATING.contains(&word) {
            stated = Some(word);
            break;
        }
        if !BETWEEN.contains(&word) {
            return counts(text, start, run, None);
        }
        rest = before(rest, rest.len() - word.len()).trim_end_matches([' ', '*']);
    }
    let opens = rest.is_empty() && start < 40 && !before(text, start).contains('\n');
    let marked = rest.ends_with([':', '=', '≈']);
    let total = stated == Some("of") && line.contains("total");
    if !(opens || marked || stated.is_some_and(|word| word != "of") || total) {
        return counts(text, start, run, None);
    }
    let tail = after(text, run.end);
    // Several words cannot be a pronoun, so where an answer stands they are one.
    if run.several {
        return true;
    }
    // "It is one." speaks of something else.
    let announced = line.contains("answer") || opens;
    if run.digits == "1" && !announced && !marked {
        return false;
    }
    let bare = tail.trim_start_matches(['*', '"', '_', '`', '}', ')', '$']);
    let ends = bare.trim_start_matches(' ').is_empty()
        || bare.starts_with([',', ';', '\n', '<'])
        || bare.starts_with('.') && !after(bare, 1).starts_with(|c: char| c.is_alphanumeric())
        || bare.starts_with(" (");
    let words: Vec<&str> = crate::cut::head(bare, 160)
        .lines()
        .next()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(5)
        .collect();
    let unit = ["percent", "per"]
        .iter()
        .any(|unit| words.first() == Some(unit));
    let short = announced
        && bare.starts_with(' ')
        && words.len() <= 2
        && !words
            .iter()
            .any(|word| GOES_ON.contains(&word.to_lowercase().as_str()))
        && (!opens || bare.trim_end().lines().count() <= 1);
    ends || unit || short || counts(text, start, run, stated)
}

/// Whether a number in words counts the things that the only sentence of a reply is about: "There were three such
/// segments.", "The firm had four segments in 2021."
fn counts(text: &str, start: usize, run: &Run, stated: Option<&str>) -> bool {
    // A long text has several sentences, and this one rule is for a reply of one.
    if start > MOST_COUNTED || text.len() > run.end + MOST_COUNTED {
        return false;
    }
    let (head, tail) = (before(text, start), after(text, run.end));
    let opening = head.trim_end().to_lowercase();
    // "A total of three segments were reported."
    let total = opening == "a total of";
    let has = total || COUNTING.iter().any(|verb| opening.ends_with(verb));
    let there = opening.contains("there ") && stated.is_some();
    let sentence = tail.trim_end_matches(['.', ' ', '\n', '*']);
    // "There are three: boats, cars and planes."
    let things = sentence.split([':', '(']).next().unwrap_or_default();
    let words: Vec<&str> = things
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let goes_on = |word: &&str| {
        GOES_ON.contains(&word.to_lowercase().as_str())
            && *word != "of"
            && !(total && matches!(*word, "was" | "were" | "are"))
    };
    let year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let digits = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric()).any(|word| {
            word.starts_with(|c: char| c.is_ascii_digit()) && !year(word) && word != "3M"
        })
    };
    (there || has)
        && !head.contains(['.', '\n', ':'])
        && tail.starts_with([' ', ':'])
        && !sentence.contains(['.', '\n', '?', ';'])
        && words.len() <= 8
        && (!words.is_empty() || things.len() < sentence.len())
        && !digits(head)
        && !digits(tail)
        && !words.iter().any(goes_on)
        && words.first() != Some(&"of")
}

/// How far before and behind its number such a sentence may reach \[bytes\].
const MOST_COUNTED: usize = 300;

/// Verbs before a number of things.
const COUNTING: [&str; 17] = [
    " made",
    " completed",
    " acquired",
    " opened",
    " closed",
    " has",
    " had",
    " have",
    " in",
    " reports",
    " reported",
    " operates",
    " operated",
    " owns",
    " owned",
    " lists",
    " listed",
];

#[cfg(test)]
mod tests {
    use super::with_digits;

    #[test]
    fn numbers_in_words() {
        let cases = [
            ("Three.", "3."),
            ("three companies", "3 companies"),
            ("The answer is twelve million.", "The answer is 12 million."),
            ("Answer: twelve hundred", "Answer: 1200"),
            ("Forty two million dollars", "42 million dollars"),
            ("forty-two", "42"),
            ("one thousand two hundred", "1200"),
            ("two hundred and five boats", "205 boats"),
            ("It is two and a half.", "It is 2.5."),
            ("two point five", "2.5"),
            ("three quarters", "3/4"),
            ("The answer is one fifth.", "The answer is 1/5."),
            ("five sixths", "5/6"),
            ("three-tenths", "3/10"),
            ("The answer is seven eighths.", "The answer is 7/8."),
            ("It took seven (7) years.", "It took 7 years."),
            ("Final answer: minus five", "Final answer: minus 5"),
            ("There are **three**.", "There are **3**."),
            ("a total of twenty-one", "a total of 21"),
            ("Growth was five percent.", "Growth was 5 percent."),
            ("$ —", "$0"),
            ("The charge was $— in 2020.", "The charge was $0 in 2020."),
        ];
        for (text, want) in cases {
            assert_eq!(with_digits(text), want, "{text}");
        }
        let kept = [
            "One or two.",
            "The answer is one of them.",
            "No one knows.",
            "One can compute it.",
            "It is one.",
            "There are two ways to tell.",
            "In the last three quarters sales fell.",
            "The answer is two to three.",
            "I see two. Or not",
            "Ten-K filings list it",
            "one million two hundred thousand",
            "The answer is twenty-one or twenty-two.",
            "Answer: twelve million to fifteen million",
            "The answer is nineteen ninety-eight.",
            "Two – three years",
            "$ — 5",
            "$-5",
            "—",
        ];
        for text in kept {
            assert_eq!(with_digits(text), text);
        }
    }
}
