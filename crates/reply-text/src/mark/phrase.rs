//! Phrases that announce an answer: "Answer:", "the final answer is", "答案是".

use super::{Kind, Mark};
use crate::cut::{after, before, cut, head, tail};
use std::borrow::Cow;

/// Words after which an announced answer stands.
const COPULAS: [&str; 15] = [
    "is", "are", "was", "were", "be", "equals", "=", "→", "ist", "lautet", "beträgt", "est", "es",
    "è", "é",
];

/// The word "answer" in other languages, in lower case.
const IN_OTHER_LANGUAGES: [&str; 6] = [
    "antwort",
    "réponse",
    "respuesta",
    "risposta",
    "resposta",
    "ответ",
];

/// The same in languages that are written without blanks.
const UNSPACED: [&str; 4] = ["答案", "答え", "正解", "정답"];

/// What joins such a word to its answer.
const UNSPACED_COPULAS: [char; 5] = ['是', '为', 'は', '은', '는'];

/// Words between "answer" and a verb that deny what follows.
const NEGATIONS: [&str; 7] = ["not", "cannot", "never", "nicht", "n'est", "n’est", "не"];

/// The same before a verb of their language: "no es 5", but "question no 5".
const DENIED_VERBS: [&str; 5] = ["no es", "no son", "non è", "não é", "ne est"];

/// Most words between "answer" and its verb, as in "the answer to the question that was asked is".
const MOST_WORDS: usize = 14;

/// Most bytes of an announced answer, and of what is looked at before its announcement.
const LONGEST: usize = 1_000;

/// Most announced answers of a text; the last ones count.
const MOST: usize = 32;

/// The last announced answers, in order.
pub(super) fn all(text: &str) -> Vec<Mark<'_>> {
    let words = words(text);
    let mut found: Vec<Mark<'_>> = words
        .into_iter()
        // From the end: only the last ones count, and looking around each of them takes time.
        .rev()
        .filter_map(|(from, to)| {
            if !announces(tail(before(text, from), LONGEST)) {
                return None;
            }
            let start = content(text, to)?;
            let end = start + sentence(head(after(text, start), LONGEST));
            // "The answer is 5? No."
            if cut(text, start, end).trim_end().ends_with('?') {
                return None;
            }
            Some(Mark {
                kind: Kind::Phrase,
                text: Cow::Borrowed(cut(text, start, end)),
                json: None,
                start,
                end,
            })
        })
        .take(MOST)
        .collect();
    found.reverse();
    found
}

/// Words before "answer" that make it a verb, or no answer.
const VERBS: [&str; 16] = [
    "to", "can", "cannot", "can't", "could", "couldn't", "will", "i'll", "would", "not", "please",
    "no", "don't", "you", "we", "i",
];

/// Words before "answer" that make it another one than the reply's own.
const ASIDE: [&str; 7] = [
    "wrong",
    "incorrect",
    "false",
    "draft",
    "previous",
    "earlier",
    "tempting",
];

/// Whether a word before "answer" makes it another one than the reply's own: "wrong answer", "draft answer".
#[must_use]
pub fn is_aside(word: &str) -> bool {
    ASIDE.contains(&word)
}

/// Words that give an answer as that of other people.
const OTHERS: [&str; 6] = [
    "some would",
    "some might",
    "one might",
    "some may",
    "one could",
    "you might",
];

/// Words before an answer that make it a case and not a statement.
const CASES: [&str; 5] = ["if ", "whether ", "assuming ", "suppose ", "for example"];

/// Whether the text before "answer" lets it announce one.
fn announces(before_it: &str) -> bool {
    let line = before_it.rsplit('\n').next().unwrap_or_default();
    let start = line.rfind(['.', '!', '?', ';']).map_or(0, |at| at + 1);
    let sentence = after(line, start).to_lowercase();
    let last = sentence.split_whitespace().next_back().unwrap_or_default();
    // "I said B. Answer: 5" begins anew.
    let verb = VERBS.contains(&last) || is_aside(last);
    let case = CASES.iter().any(|word| {
        sentence
            .match_indices(word)
            .any(|(at, _)| !before(&sentence, at).ends_with(char::is_alphanumeric))
    });
    // "Some would say the answer is 5."
    let others = || OTHERS.iter().any(|words| sentence.contains(words));
    !verb && !case && !others()
}

/// Every "answer", "answers" and "答案" that is a word, in order. Each of the two is looked for once from front to
/// back: looked for again behind every other one, a text of a megabyte would take minutes.
fn words(text: &str) -> Vec<(usize, usize)> {
    let unspaced = UNSPACED.iter().flat_map(|word| text.match_indices(word));
    let mut found: Vec<(usize, usize)> = unspaced.map(|(at, word)| (at, at + word.len())).collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for word in IN_OTHER_LANGUAGES {
        // Either case of the first letter; the others are rarely written in capitals.
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        let title = format!("{}{}", first.unwrap_or_default(), letters.as_str());
        let both = [word, &title];
        let all = both.iter().flat_map(|word| text.match_indices(word));
        found.extend(
            all.map(|(at, word)| (at, at + word.len()))
                .filter(|&(at, end)| {
                    !before(text, at).ends_with(is_part) && !after(text, end).starts_with(is_part)
                }),
        );
    }
    let mut from = 0;
    while let Some(start) = crate::cut::find_ignoring_case(text, "answer", from) {
        let mut end = start + "answer".len();
        if after(text, end).starts_with(['s', 'S']) {
            end += 1;
        }
        let is_inside = before(text, start).ends_with(is_part)
            || after(text, end).starts_with(is_part)
            || before(text, start).ends_with(['<', '[', '/']);
        if !is_inside {
            found.push((start, end));
        }
        from = end;
    }
    // "Ans. 5", "Correction: 5"
    for (word, ends) in [("ans", &['.', ':'][..]), ("correction", &[':'][..])] {
        let mut from = 0;
        while let Some(start) = crate::cut::find_ignoring_case(text, word, from) {
            from = start + word.len();
            let is_word = !before(text, start).ends_with(is_part);
            let bare = after(text, from).trim_start_matches(['*', '_']);
            if is_word && bare.starts_with(ends) {
                let dot = usize::from(bare.starts_with('.'));
                found.push((start, text.len() - bare.len() + dot));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Where the announced answer begins.
fn content(text: &str, at: usize) -> Option<usize> {
    let line_end = at + line(head(after(text, at), LONGEST));
    let mut place = at;
    for count in 0..=MOST_WORDS {
        place = skip_marks(text, place, line_end);
        let rest = cut(text, place, line_end);
        // "Answer - 5", "Answer -> 5": a dash with a blank is not a sign.
        let arrow = ["->", "=>", "→", "➡️", "➡", "-", "–", "—"]
            .into_iter()
            .find(|mark| rest.starts_with(mark));
        if let Some(arrow) = arrow
            && (arrow.len() != 1 && !matches!(arrow, "–" | "—")
                || after(rest, arrow.len()).starts_with(' '))
        {
            place += arrow.len();
            let next = skip_marks(text, place, line_end);
            if cut(text, next, line_end)
                .starts_with(|c: char| c.is_ascii_digit() || "$€£-(".contains(c))
            {
                return Some(next);
            }
            continue;
        }
        // "Answer 1: 5" is the first answer.
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if count == 0 && digits > 0 && after(rest, digits).starts_with(':') {
            place += digits;
            continue;
        }
        // A row of a table: "| Answer | 64.2 |"
        let row = rest.starts_with('|')
            && before(text, at)
                .rsplit('\n')
                .next()
                .is_some_and(|head| head.starts_with('|'));
        if row || rest.starts_with([':', '：']) {
            place = skip_marks(text, place + rest.chars().next()?.len_utf8(), line_end);
            // "The answer is: ..", "Answer: is ..".
            return filled(text, place, line_end);
        }
        if rest.is_empty() {
            // A heading: the answer is on the next line.
            let words = tail(before(text, at), LONGEST)
                .rsplit('\n')
                .next()?
                .split_whitespace()
                .count();
            return (count == 0 && words <= 4)
                .then(|| filled(text, place, line_end))
                .flatten();
        }
        if rest.starts_with('(') {
            let end = rest.find(')')? + 1;
            // "Answer (in millions): 5" has a remark; "The answer (57)" has an accountant's number.
            if !before(rest, end).contains(char::is_alphabetic) {
                return filled(text, place, line_end);
            }
            place += end;
            continue;
        }
        if count == 0
            && (rest.starts_with(|c: char| c.is_ascii_digit())
                || rest.starts_with(['$', '\\', '€', '£']))
        {
            return Some(place);
        }
        if let Some(tail) = rest.strip_prefix(UNSPACED_COPULAS) {
            let colon = tail.strip_prefix([':', '：']).unwrap_or(tail);
            return filled(
                text,
                skip_marks(text, line_end - colon.len(), line_end),
                line_end,
            );
        }
        let length = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, ':' | ',' | ';' | '.' | '?' | '!' | '*')
            })
            .unwrap_or(rest.len())
            .max(rest.chars().next()?.len_utf8());
        let word = before(rest, length);
        let next = place + length;
        if COPULAS
            .iter()
            .any(|copula| copula.eq_ignore_ascii_case(word))
        {
            let place = skip_marks(text, next, line_end);
            let tail = cut(text, place, line_end);
            // "is:", "is therefore:"
            return match tail.find(':') {
                Some(colon)
                    if tail.get(..colon).is_some_and(|words| {
                        words.len() <= 20 && !words.bytes().any(|b| b.is_ascii_digit())
                    }) =>
                {
                    filled(
                        text,
                        skip_marks(text, place + colon + 1, line_end),
                        line_end,
                    )
                }
                _ => filled(text, place, line_end),
            };
        }
        // "The answer should not be 5", "The answer cannot be told from the 10 tables."
        let lower = word.to_ascii_lowercase();
        let denies = |words: &&str| head(rest, 16).to_lowercase().starts_with(*words);
        if NEGATIONS.contains(&lower.as_str())
            || lower.ends_with("n't")
            || word.starts_with('不')
            || DENIED_VERBS.iter().any(denies)
        {
            return None;
        }
        // Another sentence.
        if matches!(word, "." | "?" | "!" | ";") {
            return None;
        }
        place = next;
    }
    None
}

/// The place itself, or the next line that is not empty where the line has ended.
fn filled(text: &str, place: usize, line_end: usize) -> Option<usize> {
    if cut(text, place, line_end)
        .chars()
        .any(char::is_alphanumeric)
    {
        return Some(place);
    }
    let rest = head(after(text, line_end), LONGEST);
    let mut from = line_end;
    for line in rest.split_inclusive('\n') {
        if line.chars().any(char::is_alphanumeric) {
            return Some(from);
        }
        from += line.len();
    }
    None
}

fn skip_marks(text: &str, at: usize, end: usize) -> usize {
    let rest = cut(text, at, end);
    end.max(at)
        - rest
            .trim_start_matches(|c: char| {
                c.is_whitespace() || matches!(c, '*' | '"' | '`' | '_' | '“')
            })
            .len()
}

/// Length of the line at the front.
fn line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Length of the sentence at the front.
fn sentence(text: &str) -> usize {
    let line = line(text);
    let mut at = 0;
    while let Some(dot) = cut(text, at, line).find(['.', '!', '?']) {
        let end = at + dot + 1;
        let rest = cut(text, end, line);
        let next = rest.trim_start_matches([' ', '"', '*', ')', '(']);
        if next.len() < rest.len() && rest.contains(' ') && next.starts_with(char::is_uppercase) {
            return end;
        }
        at = end;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn announced_answers() {
        let cases = [
            ("Answer: 5", Some("5")),
            ("**Answer:** 5", Some("5")),
            ("**Answer**: 5", Some("5")),
            ("Final answer (in millions): 64.2", Some("64.2")),
            ("The answer is therefore 64.2", Some("therefore 64.2")),
            ("the answer to your question is: 7.", Some("7.")),
            (
                "The answer, rounded to one place, is 5.2 million. It rose.",
                Some("5.2 million."),
            ),
            ("### Final Answer\n\n64.2", Some("64.2")),
            ("Answer:\n\n\\[\n9\n\\]", Some("9")),
            ("Answer $9$", Some("$9$")),
            ("答案是5", Some("5")),
            ("答案：5", Some("5")),
            ("The answer can wait. Sales: 5", None),
            (
                "The answer is 12. (Had it been two, it would be 24.)",
                Some("12."),
            ),
            (
                "Die Antwort lautet 64,2 Millionen.",
                Some("64,2 Millionen."),
            ),
            ("La réponse est de 5", Some("de 5")),
            ("La respuesta final es 5", Some("5")),
            ("La respuesta no es 5", None),
            ("La réponse n'est pas 5", None),
            ("Antwort: 5", Some("5")),
            ("Ответ — 5.", Some("5.")),
            ("答えは5です。", Some("5です。")),
            ("정답은 5입니다.", Some("5입니다.")),
            ("答案不是5", None),
            ("unanswered: 5", None),
            (
                "Here are the details to answer the question:\n- it is 5",
                None,
            ),
            ("If there are none, the answer would be 0.", None),
            ("I have no answer", None),
        ];
        for (text, want) in cases {
            let found = all(text);
            assert_eq!(found.last().map(|mark| mark.text.as_ref()), want, "{text}");
        }
    }
}
