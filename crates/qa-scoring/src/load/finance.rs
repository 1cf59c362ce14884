//! Finance sets in the two published layouts.
//!
//! BizBench: `{question, answer, task, context, context_type, options, program}`, the answer always
//! a text. ACE (finer, formula): `{context, target}`, where the context is the whole prompt.
//! Neither has identifiers, so an item's identifier is its line, counted from 0.

use super::Loaded;
use super::record::{Reader, records};
use super::remark::RemarkKind;
use crate::error::LoadError;
use crate::item::{Gold, Item};
use crate::letters::LetterSet;
use crate::task::Finance;
use serde_json::Value;

pub(super) fn items(task: Finance, bytes: &[u8]) -> Result<Loaded<Item>, LoadError> {
    records(
        bytes,
        |item: &Item| &item.id,
        |reader| {
            let mut item = match task {
                Finance::Finer | Finance::Formula => prompt_item(reader)?,
                _ => bizbench_item(task, reader)?,
            };
            item.id = reader.id_or_place(&["id", "uid"])?;
            reader.finish(&["context_type", "split"]);
            Ok(item)
        },
    )
}

/// A record whose context is the whole prompt.
fn prompt_item(reader: &mut Reader<'_>) -> Result<Item, LoadError> {
    let question = reader.text(&["context"])?.unwrap_or_default();
    let gold = reader
        .text(&["target", "answer"])?
        .map_or(Gold::Absent, Gold::Text);
    // Not part of this layout, but harmless.
    reader.value(&["task"]);
    Ok(Item::new("", question, gold))
}

/// A record of the BizBench layout. The answer of FinKnow is the place of an option, counted from 0.
fn bizbench_item(task: Finance, reader: &mut Reader<'_>) -> Result<Item, LoadError> {
    if let Some(name) = reader.optional_text(&["task"])?
        && name != <&str>::from(task)
    {
        reader.note(RemarkKind::OtherTask(name));
    }
    let question = reader.text(&["question"])?.unwrap_or_default();
    let context = reader.optional_text(&["context"])?;
    let answer = reader.text(&["answer"])?;
    let options = options(reader)?;
    let program = reader.optional_text(&["program"])?;
    let table = match (task, &context) {
        (Finance::CodeTatQa, Some(text)) => {
            let table = serde_json::from_str(text).ok().filter(Value::is_object);
            if table.is_none() {
                reader.note(RemarkKind::NotATable);
            }
            table
        }
        _ => None,
    };
    let gold = match (task, answer) {
        (_, None) => Gold::Absent,
        (Finance::FinKnow, Some(text)) => {
            let place = text
                .trim()
                .parse()
                .ok()
                .filter(|&place| place < options.len());
            // An error, since a place behind the last option shows a file that is counted from 1,
            // in which all other answers would be wrong without a sign of it.
            let Some(place) = place else {
                return Err(reader.bad(
                    "answer",
                    &Value::String(text),
                    "the place of an option, counted from 0, as a text",
                ));
            };
            Gold::Letters(LetterSet::of_index(place))
        }
        (_, Some(text)) => Gold::Text(text),
    };
    Ok(Item {
        context,
        table,
        options,
        program,
        ..Item::new("", question, gold)
    })
}

/// The options: a list of texts, or none.
fn options(reader: &mut Reader<'_>) -> Result<Vec<String>, LoadError> {
    match reader.value(&["options"]) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value @ Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .ok_or_else(|| reader.bad("options", value, "a list of texts")),
        Some(other) => Err(reader.bad("options", other, "a list of texts or null")),
    }
}
