//! BizCompass knowledge files.

use super::Loaded;
use super::record::{Reader, note_repeats, read_objects};
use super::remark::{RemarkKind, Remarks};
use crate::error::LoadError;
use crate::item::{Gold, Item};
use crate::letters::LetterSet;
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
    let mut remarks = Remarks::default();
    let mut records = Vec::new();
    for (index, fields) in read_objects(bytes, &mut remarks)?.iter().enumerate() {
        let mut reader = Reader::new(fields, index);
        let id = reader.id()?;
        let question = reader
            .text(&["question"], &mut remarks)?
            .unwrap_or_default();
        let (options, gold) = match kind {
            QuestionType::Single | QuestionType::Multiple => {
                choice(&mut reader, kind, index, &mut remarks, OptionList::Needed)?
            }
            QuestionType::General | QuestionType::Table => {
                let answer = reader.text(&["answer"], &mut remarks)?;
                (Vec::new(), answer.map_or(Gold::Absent, Gold::Text))
            }
        };
        reader.finish(&SILENT, &mut remarks);
        records.push(Item {
            options,
            ..Item::new(id, question, gold)
        });
    }
    note_repeats(records.iter().map(|item| item.id.as_str()), &mut remarks);
    Ok(Loaded {
        records,
        remarks: remarks.into_vec(),
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
pub(super) fn choice(
    reader: &mut Reader<'_>,
    kind: QuestionType,
    index: usize,
    remarks: &mut Remarks,
    list: OptionList,
) -> Result<(Vec<String>, Gold), LoadError> {
    let options = if list == OptionList::Optional && reader.value(&["options"]).is_none() {
        remarks.note(RemarkKind::NoOptions, index);
        Vec::new()
    } else {
        option_texts(reader, index, remarks)?
    };
    let answer = reader.needed(&["answer"])?;
    // Some published records have an empty right answer; they are set aside and counted.
    let blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    if blank(answer)
        || answer
            .as_array()
            .is_some_and(|items| items.iter().all(blank))
    {
        remarks.note(RemarkKind::NoRightAnswer, index);
        return Ok((options, Gold::Absent));
    }
    let expected = match kind {
        QuestionType::Multiple => "a list of letters",
        _ => "one letter",
    };
    let set = match (kind, answer) {
        (QuestionType::Multiple, Value::Array(items)) => items
            .iter()
            .map(one_letter)
            .collect::<Option<Vec<char>>>()
            .map(|letters| letters.into_iter().collect::<LetterSet>()),
        (QuestionType::Multiple, _) => None,
        (_, value) => one_letter(value).map(LetterSet::of_letter),
    };
    let set = set
        .filter(|set| !set.is_empty())
        .ok_or_else(|| reader.bad("answer", answer, expected))?;
    if !options.is_empty() && !set.within(options.len()) {
        remarks.note(RemarkKind::GoldBeyondOptions, index);
    }
    Ok((options, Gold::Letters(set)))
}

/// The letter of a text that is one capital.
fn one_letter(value: &Value) -> Option<char> {
    let mut letters = value.as_str()?.trim().chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    letters.next().is_none().then_some(letter)
}

/// Options from an object whose keys are the letters A, B, C and so on.
fn option_texts(
    reader: &mut Reader<'_>,
    index: usize,
    remarks: &mut Remarks,
) -> Result<Vec<String>, LoadError> {
    let value = reader.needed(&["options"])?;
    let expected = "an object with the keys A, B, C and so on";
    let Value::Object(fields) = value else {
        return Err(reader.bad("options", value, expected));
    };
    let mut options = Vec::with_capacity(fields.len());
    for letter in ('A'..='Z').take(fields.len()) {
        let text = crate::extract::field(fields, &letter.to_string())
            .and_then(Value::as_str)
            .ok_or_else(|| reader.bad("options", value, expected))?;
        options.push(text.to_owned());
    }
    if options.len() != 4 {
        remarks.note(RemarkKind::UnusualOptions, index);
    }
    Ok(options)
}
