//! Options that a reply writes out, in place of their letters or behind them.

use super::{spans, without_thinking};
use crate::letters::LetterSet;
use reply_text::doubt::denied_before;
use reply_text::mark;

/// Words before an option that only introduce it.
const OPENINGS: [&str; 8] = [
    "it is ", "it's ", "this is ", "that is ", "the ", "a ", "an ", "option ",
];

/// The letters of the options whose texts a reply gives as its answer, and nothing beside them; `None` if it gives
/// anything else, or the text of two options that read the same.
///
/// The answer is what an explicit announcement says, else the whole reply, else its last line. Several options stand on
/// lines of their own, or a semicolon, a comma or "and" stands between them.
///
/// ```
/// use qa_scoring::extract::written_options;
/// let options = ["Total risk", "Systematic risk", "Beta"].map(str::to_owned);
/// let read = |reply| written_options(reply, &options).map(|set| set.to_string());
/// assert_eq!(read("The answer is systematic risk.").as_deref(), Some("B"));
/// assert_eq!(read("Beta and total risk").as_deref(), Some("A,C"));
/// assert_eq!(read("Not systematic risk"), None);
/// ```
#[must_use]
pub fn written_options(reply: &str, options: &[String]) -> Option<LetterSet> {
    let plain: Vec<String> = options.iter().map(|option| bare(option)).collect();
    let letter = |piece: &str| {
        let piece = bare(piece);
        // Two options that read alike cannot be told apart by their texts.
        let mut same = (0..plain.len()).filter(|&place| plain.get(place) == Some(&piece));
        let place = same.next().filter(|_| !piece.is_empty())?;
        same.next().is_none().then(|| LetterSet::of_index(place))
    };
    let spoken = without_thinking(reply).text()?;
    let said = mark::all(&spoken).pop();
    // Announced or a line of its own: "The weakest is the second option" says something else.
    let is_own = |answer: &str| {
        let said = said.as_ref().map(|mark| mark.text.trim());
        said == Some(answer.trim()) || spoken.lines().any(|line| line.trim() == answer.trim())
    };
    let found = answers(reply).iter().find_map(|answer| {
        letter(answer)
            .or_else(|| all_of(answer, letter))
            .or_else(|| ordinal(answer, options.len()).filter(|_| is_own(answer)))
    })?;
    // The last line of a list of options is not an answer.
    let listed = spoken.lines().filter(|line| letter(line).is_some()).count();
    (found.len() > 1 || said.is_some() || listed < 2).then_some(found)
}

/// The letters of two or more options that a reply gives as its answer, each behind its letter: "A. Rates rise; C. The
/// rating is cut". `None` if it gives anything else, or lists all options without a heading that calls them right.
pub(crate) fn lettered_options(reply: &str, options: &[String]) -> Option<LetterSet> {
    let letter = |piece: &str| {
        let piece = piece.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut signs = piece.chars();
        let set = LetterSet::of_letter(signs.next().filter(char::is_ascii_uppercase)?);
        let text = signs
            .as_str()
            .trim_start_matches('*')
            .strip_prefix(['.', ')', ':'])?;
        let place = set.span().checked_sub(1)?;
        // Letter and text must agree; where they do not, one of the two is a mistake.
        (bare(text) == bare(options.get(place)?)).then_some(set)
    };
    answers(reply).iter().find_map(|answer| {
        let headed = answer.split_once('\n').and_then(|(heading, rest)| {
            let lower = heading.to_lowercase();
            let right = ["correct", "right", "answer", "selected", "true", "choose"];
            let names = right.iter().any(|word| lower.contains(word));
            let is_heading = lower.trim_end_matches(['*', ' ']).ends_with(':');
            let denied = denied_before(heading) || lower.contains("incorrect");
            (names && is_heading && !denied).then_some(rest)
        });
        let set = all_of(headed.unwrap_or(answer), letter)?;
        // All options in a row are the question repeated.
        let is_list = set.len() == options.len() && headed.is_none();
        (set.len() > 1 && !is_list).then_some(set)
    })
}

/// The pieces of a reply that may be its answer, the clearest first.
fn answers(reply: &str) -> Vec<String> {
    without_thinking(reply)
        .text()
        .map_or_else(Vec::new, |spoken| spans(&spoken))
}

/// A text without marks and introducing words around it, in lower case, with single blanks.
fn bare(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘'], "'");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut bare =
        // Signs by which options differ stay: "5" and "5 %", "5" and "-5".
        text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '$' | '-' | '?'));
    while let Some(rest) = OPENINGS.iter().find_map(|words| bare.strip_prefix(words)) {
        bare = rest;
    }
    bare.to_owned()
}

/// A text cut at marks, without empty pieces.
fn pieces<'a>(text: &'a str, marks: &[&str]) -> Vec<&'a str> {
    let mut pieces = vec![text];
    for mark in marks {
        pieces = pieces
            .into_iter()
            .flat_map(|piece| piece.split(mark))
            .collect();
    }
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

/// The letters of a list of options.
fn all_of(answer: &str, letter: impl Fn(&str) -> Option<LetterSet>) -> Option<LetterSet> {
    // Lines first: an option may contain commas and "and" itself.
    let lists = [&["\n", ";"][..], &[", and ", ", ", " and "][..]];
    lists
        .iter()
        .find_map(|marks| all(&pieces(answer, marks), &letter))
}

/// The letter of an answer that names the place of one of `count` options: "the second option", "I choose the second
/// option", "option 2".
fn ordinal(answer: &str, count: usize) -> Option<LetterSet> {
    const PLACES: [[&str; 2]; 5] = [
        ["first", "1"],
        ["second", "2"],
        ["third", "3"],
        ["fourth", "4"],
        ["fifth", "5"],
    ];
    let answer = answer.trim_end_matches(['.', '*', ' ']).to_lowercase();
    let answer = answer.trim_start_matches(['*', ' ']);
    let answer = ["i choose ", "i select ", "i pick "]
        .iter()
        .find_map(|words| answer.strip_prefix(words))
        .unwrap_or(answer);
    let named = ["option", "choice", "answer", "one"]
        .iter()
        .find_map(|noun| answer.strip_suffix(noun)?.strip_prefix("the "));
    let numbered = ["option ", "choice "]
        .iter()
        .find_map(|noun| answer.strip_prefix(noun));
    let place = PLACES.iter().position(|[word, digit]| {
        named.is_some_and(|named| named.trim_end() == *word) || numbered == Some(digit)
    })?;
    (place < count).then(|| LetterSet::of_index(place))
}

/// The letters of all pieces, if each has one.
fn all(pieces: &[&str], letter: impl Fn(&str) -> Option<LetterSet>) -> Option<LetterSet> {
    let mut set = LetterSet::EMPTY;
    for piece in pieces {
        set.insert(letter(piece)?);
    }
    (!set.is_empty()).then_some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<String> {
        [
            "Market rates rise",
            "Market rates fall",
            "The issuer's rating is cut",
            "-5 %",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn options_written_out() {
        let cases = [
            ("Market rates rise", Some("A")),
            ("**Market rates rise.**", Some("A")),
            ("Because of bonds.\nAnswer: market rates rise", Some("A")),
            ("It is the issuer’s rating is cut", Some("C")),
            ("-5 %", Some("D")),
            ("5 %", None),
            ("Market rates rise\nMarket rates fall", Some("A,B")),
            (
                "Market rates rise and the issuer's rating is cut",
                Some("A,C"),
            ),
            ("Market rates rise; the rating is cut", None),
            ("Market rates do not rise", None),
            ("Market rates rise?", None),
            (
                "The options are:\nMarket rates rise\nMarket rates fall",
                None,
            ),
            ("", None),
        ];
        for (text, want) in cases {
            let found = written_options(text, &options()).map(|set| set.to_string());
            assert_eq!(found.as_deref(), want, "{text}");
        }
        let twice = ["Yes", "yes", "No"].map(str::to_owned);
        assert_eq!(written_options("yes", &twice), None);
    }

    #[test]
    fn options_behind_their_letters() {
        let cases = [
            (
                "A. Market rates rise\nC. The issuer's rating is cut",
                Some("A,C"),
            ),
            (
                "Final answer: A. Market rates rise; C. The issuer's rating is cut",
                Some("A,C"),
            ),
            (
                "Correct options:\nA) Market rates rise\nB) Market rates fall",
                Some("A,B"),
            ),
            (
                "Incorrect options:\nA) Market rates rise\nB) Market rates fall",
                None,
            ),
            ("A. Market rates fall\nC. The issuer's rating is cut", None),
            ("A. Market rates rise", None),
            (
                "A. Market rates rise\nB. Market rates fall\nC. The issuer's rating is cut\nD. -5 %",
                None,
            ),
        ];
        for (text, want) in cases {
            let found = lettered_options(text, &options()).map(|set| set.to_string());
            assert_eq!(found.as_deref(), want, "{text}");
        }
    }
}
