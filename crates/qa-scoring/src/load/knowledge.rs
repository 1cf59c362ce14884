//! BizCompass knowledge files.

use super::Loaded;
use super::record::{Reader, records};
use super::remark::RemarkKind;
use crate::error::LoadError;
use crate::item::{Gold, Item};
use crate::letters::{LetterSet, right_letter};
use crate::task::QuestionType;
use serde_json::Value;

/// Known fields that the scorer does not need.
const SILENT: [&str; 3] = [
    "pi_justification",
    "quality_scores",
    "quality_justification",
];

/// Every record of a knowledge file.
pub(super) fn items(kind: QuestionType, bytes: &[u8]) -> Result<Loaded<Item>, LoadError> {
    records(
        bytes,
        |item: &Item| &item.id,
        |reader| {
            let item = item(reader, kind, OptionList::Needed)?;
            reader.finish(&SILENT);
            Ok(item)
        },
    )
}

/// The question of a record, with its options and right answer.
pub(super) fn item(
    reader: &mut Reader<'_>,
    kind: QuestionType,
    list: OptionList,
) -> Result<Item, LoadError> {
    let id = reader.id(&["id"])?;
    let question = reader.text(&["question"])?.unwrap_or_default();
    let (options, gold) = match kind {
        QuestionType::Single | QuestionType::Multiple => choice(reader, kind, list)?,
        QuestionType::General | QuestionType::Table => {
            let answer = reader.text(&["answer"])?;
            (Vec::new(), answer.map_or(Gold::Absent, Gold::Text))
        }
    };
    Ok(Item {
        options,
        ..Item::new(id, question, gold)
    })
}

/// Whether a choice record must list its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionList {
    /// A question of a data set.
    Needed,
    /// An answered question: one published result file has a record without options.
    Optional,
}

/// Options and right letters of a choice record.
fn choice(
    reader: &mut Reader<'_>,
    kind: QuestionType,
    list: OptionList,
) -> Result<(Vec<String>, Gold), LoadError> {
    let options = if list == OptionList::Optional && reader.value(&["options"]).is_none() {
        reader.note(RemarkKind::NoOptions);
        Vec::new()
    } else {
        option_texts(reader)?
    };
    let answer = reader.needed(&["answer"])?;
    // Some published records have an empty right answer; they are set aside and counted.
    let blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    if blank(answer)
        || answer
            .as_array()
            .is_some_and(|items| items.iter().all(blank))
    {
        reader.note(RemarkKind::NoRightAnswer);
        return Ok((options, Gold::Absent));
    }
    let expected = match kind {
        QuestionType::Multiple => "a list of letters, such as [\"A\", \"C\"]",
        _ => "one letter, such as `B`",
    };
    let set = match (kind, answer) {
        (QuestionType::Multiple, Value::Array(items)) => letters(items, right_letter),
        // A text is refused for several letters: "AC" and "A, C" would both have to be guessed.
        (QuestionType::Multiple, _) => None,
        (_, value) => value
            .as_str()
            .and_then(right_letter)
            .map(LetterSet::of_letter),
    };
    let set = set
        .filter(|set| !set.is_empty())
        .ok_or_else(|| reader.bad("answer", answer, expected))?;
    if !options.is_empty() && !set.within(options.len()) {
        reader.note(RemarkKind::GoldBeyondOptions);
    }
    Ok((options, Gold::Letters(set)))
}

/// The letters of a list whose values have one `letter` each.
pub(super) fn letters(items: &[Value], letter: fn(&str) -> Option<char>) -> Option<LetterSet> {
    items.iter().map(|item| letter(item.as_str()?)).collect()
}

/// Options from an object whose keys are the letters A, B, C and so on.
fn option_texts(reader: &mut Reader<'_>) -> Result<Vec<String>, LoadError> {
    let value = reader.needed(&["options"])?;
    let expected = "an object with the keys A, B, C and so on";
    let Value::Object(fields) = value else {
        return Err(reader.bad("options", value, expected));
    };
    let mut options = Vec::with_capacity(fields.len());
    // By letter and not in the order of the file, and without gaps: a missing letter is an error.
    for letter in ('A'..='Z').take(fields.len()) {
        let text = crate::extract::field(fields, &letter.to_string())
            .and_then(Value::as_str)
            .ok_or_else(|| reader.bad("options", value, expected))?;
        options.push(text.to_owned());
    }
    if options.len() != 4 {
        reader.note(RemarkKind::UnusualOptions);
    }
    Ok(options)
}
