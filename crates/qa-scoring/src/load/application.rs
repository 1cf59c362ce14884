//! BizCompass application files: one form with many spellings.

use super::Loaded;
use super::options::{split_glued_options, split_options};
use super::record::{Reader, records};
use super::remark::RemarkKind;
use crate::error::LoadError;
use crate::extract::plain_label;
use crate::item::{Gold, Item};
use crate::letters::{LetterSet, right_letter};
use crate::task::{Application, Metric};
use serde_json::Value;
use sim_core::error::clip;

/// Known fields that the scorer does not need: FNXL repeats its tags as a printed array, FRM
/// explains its answers, algorithmic trading names the kind of problem.
const SILENT: [&str; 3] = ["label", "explanation", "problem_type"];

pub(super) fn items(task: Application, bytes: &[u8]) -> Result<Loaded<Item>, LoadError> {
    records(
        bytes,
        |item: &Item| &item.id,
        |reader| {
            let item = item(task, reader)?;
            reader.finish(&SILENT);
            Ok(item)
        },
    )
}

/// One record. Names of fields differ from file to file, so each field has a list of accepted names.
fn item(task: Application, reader: &mut Reader<'_>) -> Result<Item, LoadError> {
    let id = reader.id(&["id"])?;
    let instruction = reader.optional_text(&["specific instruction", "specific_instruction"])?;
    // The field decides and not its content: an empty question is a fault in the file, not another
    // form of record.
    let has_question = reader.value(&["question"]).is_some();
    let has_context = reader.value(&["text", "context", "sentence"]).is_some();
    let question = if has_question {
        reader.text(&["question"])?
    } else {
        None
    };
    let context = if has_context || !has_question {
        reader.text(&["text", "context", "sentence"])?
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
        match written_options(reader)? {
            Written::Options(list) => options = list,
            Written::Text(text) => question = format!("{question}\n{text}"),
            Written::None => {}
        }
        letter_gold(reader)?
    } else {
        // Read also where the label is a word, because some files give the letter of it.
        options = lettered(reader);
        let gold = reader.text(&["answer", "label"])?;
        let gold = gold.map(|text| label_of(task, text, &options));
        if let (Metric::Label(labels), Some(found)) = (task.metric(), &gold)
            && !labels.contains(&plain_label(found).as_str())
        {
            return Err(LoadError::UnknownLabel {
                index: reader.place(),
                found: clip(found),
                labels,
            });
        }
        gold.map_or(Gold::Absent, Gold::Text)
    };
    if task.metric() == Metric::Rouge
        && let Gold::Text(text) = &gold
        && !text.contains(|c: char| c.is_ascii_alphanumeric())
    {
        reader.note(RemarkKind::NoRougeWord);
    }
    if let Gold::Letters(set) = gold
        // Four where the options are a part of the question, as `Item::option_count` has it.
        && !set.within(if options.is_empty() { 4 } else { options.len() })
    {
        reader.note(RemarkKind::GoldBeyondOptions);
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
    // A single field of this kind is a name by chance.
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
fn written_options(reader: &mut Reader<'_>) -> Result<Written, LoadError> {
    let list = match reader.value(&["options"]) {
        None | Some(Value::Null) => {
            let list = lettered(reader);
            if list.is_empty() {
                reader.note(RemarkKind::NoOptions);
                return Ok(Written::None);
            }
            list
        }
        Some(Value::String(text)) => match split_options(text) {
            Some(list) => list,
            None => {
                return Ok(if let Some(list) = split_glued_options(text) {
                    reader.note(RemarkKind::GluedOptions);
                    Written::Options(list)
                } else {
                    reader.note(RemarkKind::UnsplitOptions);
                    Written::Text(text.clone())
                });
            }
        },
        Some(other) => {
            return Err(reader.bad("options", other, "a text with the options A. to D."));
        }
    };
    if list.len() != 4 {
        reader.note(RemarkKind::UnusualOptions);
    }
    Ok(Written::Options(list))
}

/// The right letter.
fn letter_gold(reader: &mut Reader<'_>) -> Result<Gold, LoadError> {
    // Needed here and optional elsewhere: without its letter an examination question cannot be
    // scored at all.
    let value = reader.needed(&["answer", "label"])?;
    value
        .as_str()
        .and_then(right_letter)
        .map(|letter| Gold::Letters(LetterSet::of_letter(letter)))
        .ok_or_else(|| reader.bad("answer", value, "one letter, such as `B`"))
}
