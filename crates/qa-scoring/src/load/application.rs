//! BizCompass application files: one form with many spellings.

use super::Loaded;
use super::options::{split_glued_options, split_options};
use super::record::{Reader, note_repeats, read_objects};
use super::remark::{RemarkKind, Remarks};
use crate::error::LoadError;
use crate::item::{Gold, Item};
use crate::letters::LetterSet;
use crate::task::{Application, Metric};
use serde_json::Value;

/// Known fields that the scorer does not need: FNXL repeats its tags as a printed array, FRM
/// explains its answers, algorithmic trading names the kind of problem.
const SILENT: [&str; 3] = ["label", "explanation", "problem_type"];

pub(super) fn items(task: Application, bytes: &[u8]) -> Result<Loaded<Item>, LoadError> {
    let mut remarks = Remarks::default();
    let mut records = Vec::new();
    for (index, fields) in read_objects(bytes, &mut remarks)?.iter().enumerate() {
        let mut reader = Reader::new(fields, index);
        records.push(item(task, &mut reader, index, &mut remarks)?);
        reader.finish(&SILENT, &mut remarks);
    }
    note_repeats(records.iter().map(|item| item.id.as_str()), &mut remarks);
    Ok(Loaded {
        records,
        remarks: remarks.into_vec(),
    })
}

/// One record. Names of fields differ from file to file, so each field has a list of accepted names.
fn item(
    task: Application,
    reader: &mut Reader<'_>,
    index: usize,
    remarks: &mut Remarks,
) -> Result<Item, LoadError> {
    let id = reader.id()?;
    let instruction = reader.optional_text(&["specific instruction", "specific_instruction"])?;
    let has_question = reader.value(&["question"]).is_some();
    let has_context = reader.value(&["text", "context", "sentence"]).is_some();
    let question = if has_question {
        reader.text(&["question"], remarks)?
    } else {
        None
    };
    let context = if has_context || !has_question {
        reader.text(&["text", "context", "sentence"], remarks)?
    } else {
        None
    };
    // In a record with nothing but a text, the text is the question.
    let (mut question, context) = match (question, context) {
        (None, Some(text)) if !has_question => (text, None),
        (question, context) => (question.unwrap_or_default(), context),
    };
    let mut options = Vec::new();
    let gold = if task.metric() == Metric::Letter {
        match written_options(reader, index, remarks)? {
            Written::Options(list) => options = list,
            Written::Text(text) => question = format!("{question}\n{text}"),
            Written::None => {}
        }
        letter_gold(reader)?
    } else {
        options = lettered(reader);
        let gold = reader.text(&["answer", "label"], remarks)?;
        gold.map_or(Gold::Absent, |text| {
            Gold::Text(label_of(task, text, &options))
        })
    };
    if let Gold::Letters(set) = gold
        && !set.within(if options.is_empty() { 4 } else { options.len() })
    {
        remarks.note(RemarkKind::GoldBeyondOptions, index);
    }
    Ok(Item {
        context,
        instruction,
        options,
        ..Item::new(id, question, gold)
    })
}

/// Options as they are written in a record.
enum Written {
    Options(Vec<String>),
    Text(String),
    None,
}

/// Options in fields of their own, `A`, `B` and so on; empty for fewer than two.
fn lettered(reader: &mut Reader<'_>) -> Vec<String> {
    let texts = ('A'..='Z').map_while(|letter| {
        let text = reader.value(&[letter.to_string().as_str()])?.as_str()?;
        Some(text.to_owned())
    });
    let texts: Vec<String> = texts.collect();
    if texts.len() < 2 { Vec::new() } else { texts }
}

/// The label that is right: where the record gives the letter of an option that is a label, the option.
fn label_of(task: Application, gold: String, options: &[String]) -> String {
    let Metric::Label(labels) = task.metric() else {
        return gold;
    };
    let mut named = ('A'..='Z').zip(options);
    let option = named.find(|(letter, _)| gold.trim().eq_ignore_ascii_case(&letter.to_string()));
    let label = option.map(|(_, text)| text.trim().to_lowercase());
    label
        .filter(|label| labels.contains(&label.as_str()))
        .unwrap_or(gold)
}

/// Options of an examination question: one text with letters, fields with a letter each, or none.
fn written_options(
    reader: &mut Reader<'_>,
    index: usize,
    remarks: &mut Remarks,
) -> Result<Written, LoadError> {
    match reader.value(&["options"]) {
        None | Some(Value::Null) => {
            let list = lettered(reader);
            if list.is_empty() {
                remarks.note(RemarkKind::NoOptions, index);
                return Ok(Written::None);
            }
            if list.len() != 4 {
                remarks.note(RemarkKind::UnusualOptions, index);
            }
            Ok(Written::Options(list))
        }
        Some(Value::String(text)) => Ok(if let Some(list) = split_options(text) {
            if list.len() != 4 {
                remarks.note(RemarkKind::UnusualOptions, index);
            }
            Written::Options(list)
        } else if let Some(list) = split_glued_options(text) {
            remarks.note(RemarkKind::GluedOptions, index);
            Written::Options(list)
        } else {
            remarks.note(RemarkKind::UnsplitOptions, index);
            Written::Text(text.clone())
        }),
        Some(other) => Err(reader.bad("options", other, "a text with the options A. to D.")),
    }
}

/// The right letter: exactly one capital.
fn letter_gold(reader: &mut Reader<'_>) -> Result<Gold, LoadError> {
    let value = reader.needed(&["answer", "label"])?;
    value
        .as_str()
        .and_then(|text| {
            let mut letters = text.trim().chars();
            let letter = letters.next().filter(char::is_ascii_uppercase)?;
            letters
                .next()
                .is_none()
                .then(|| Gold::Letters(LetterSet::of_letter(letter)))
        })
        .ok_or_else(|| reader.bad("answer", value, "one letter"))
}
