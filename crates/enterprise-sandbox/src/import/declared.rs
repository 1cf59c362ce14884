//! Tables whose files have the form of the declaration: each field is read by its type.

use super::reader::{Read, Row, for_each_row};
use super::report::Log;
use super::{ImportError, Lookup, NativeTree, listed, lookup};
use crate::company::Company;
use crate::company::rows::{Cell, Rows};
use crate::row::Text;
use crate::source::{FieldType, SourceField, TableId};
use crate::value::scalar_text;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The rows of a table from its file. `more` reads what belongs to other tables, given the number of the row.
pub(super) fn rows(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
    source: TableId,
    more: &mut dyn FnMut(&mut Row<'_>, u32),
) -> Result<(), ImportError> {
    let file = source.file().and_then(|path| path.rsplit('/').next());
    let Some((path, text)) = file.and_then(|name| tree.find(name)) else {
        return Ok(());
    };
    let Some((key, fields)) = source.fields().split_first() else {
        return Ok(());
    };
    let targets: BTreeMap<TableId, Lookup> = fields
        .iter()
        .filter_map(|f| match f.kind {
            FieldType::Link(target) => Some((target, lookup(c, target))),
            _ => None,
        })
        .collect();
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rows = Rows::new(source);
    for_each_row(log, source, path, text, |row| {
        row.id = row.text(spellings(key))?.into();
        if key.native_name() != key.name {
            row.coerced("vendor_key_renamed");
        }
        row.fresh(&mut seen, key.native_name())?;
        let cells: Read<Vec<Cell>> = fields.iter().map(|f| cell(row, f, &targets)).collect();
        let cells = cells?;
        for field in fields {
            copy(c, row, (field, fields), &cells);
        }
        more(row, rows.count());
        row.keep_rest(rows.count());
        names.push(row.id.as_str().into());
        rows.push(fields.iter().map(|f| f.name).zip(cells));
        Ok(())
    })?;
    c.declare(rows);
    listed(c, source, names);
    Ok(())
}

fn spellings(field: &SourceField) -> &[&'static str] {
    match field.native {
        [] => std::slice::from_ref(&field.name),
        names => names,
    }
}

/// The place of a word in the list of a choice.
fn place_of(words: &[&str], stated: &str) -> Option<i64> {
    let place = words
        .iter()
        .position(|w| w.eq_ignore_ascii_case(stated.trim()))?;
    i64::try_from(place).ok()
}

/// One field of a row.
fn cell(row: &mut Row<'_>, field: &SourceField, targets: &BTreeMap<TableId, Lookup>) -> Read<Cell> {
    let names = spellings(field);
    if field.copy.is_some() {
        return Ok(Cell::Text(Some(Text::Made)));
    }
    if field.nullable && row.is_null(names) {
        return Ok(match field.kind {
            FieldType::Text(_) => Cell::Text(None),
            _ => Cell::Number(None),
        });
    }
    let number = match field.kind {
        FieldType::Link(target) => match targets.get(&target) {
            Some(table) => i64::from(row.key(names, table)?),
            None => return Ok(Cell::Number(None)),
        },
        FieldType::Day => i64::from(row.day(names)?.0),
        FieldType::Moment => row.moment(names)?.0.0,
        FieldType::Money => row.money(field.native_name())?.0,
        FieldType::Choice(words) if field.nullable => {
            let stated = row.take_any(names).unwrap_or(Value::Null);
            let known = place_of(words, stated.as_str().unwrap_or_default());
            if known.is_none() {
                row.repaired("word_unknown", field.name, &stated, "null");
            }
            return Ok(Cell::Number(known));
        }
        FieldType::Choice(words) => {
            let stated = row.text(names)?;
            let unknown = || Row::unusable("word_unknown", field.name, &Value::from(&*stated));
            place_of(words, &stated).ok_or_else(unknown)?
        }
        FieldType::Whole(..) if field.sign.is_some() => {
            i64::from(row.percent(field.native_name())?)
        }
        FieldType::Whole(..) => row.whole(names)?,
        FieldType::Flag => i64::from(row.take_any(names) == Some(Value::Bool(true))),
        FieldType::Rating if field.nullable => {
            let stated = row.take_any(names).unwrap_or(Value::Null);
            let tenths = rating(&stated);
            if tenths.is_none() {
                row.repaired("rating_unreadable", field.name, &stated, "null");
            }
            return Ok(Cell::Number(tenths));
        }
        FieldType::Rating => row.money(field.native_name())?.0 / 10,
        FieldType::Id | FieldType::Text(_) | FieldType::Words | FieldType::Level => {
            return text(row, field, names);
        }
    };
    Ok(Cell::Number(Some(number)))
}

/// Removes a copy of a field of another record, and repairs it if it is compared and differs.
fn copy(
    c: &Company,
    row: &mut Row<'_>,
    (field, fields): (&SourceField, &[SourceField]),
    cells: &[Cell],
) {
    let Some((link, of)) = field.copy else {
        return;
    };
    let (Some(stated), Some(repair)) = (row.take(field.name), field.compared) else {
        return;
    };
    let place = fields.iter().position(|f| f.name == link);
    let target = match place.and_then(|n| Some((fields.get(n)?.kind, cells.get(n)?))) {
        Some((FieldType::Link(target), Cell::Number(Some(n)))) => (target, u32::try_from(*n).ok()),
        _ => return,
    };
    let master = target.1.map_or(Value::Null, |n| c.cell(target.0, n, of));
    if stated != master {
        row.repaired(
            repair,
            field.name,
            &stated,
            master.as_str().unwrap_or_default(),
        );
    }
}

/// `4`, `4.1` or 4.1, in tenths.
fn rating(value: &Value) -> Option<i64> {
    let text = scalar_text(value)?;
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let digit = |t: &str| (t.len() == 1).then(|| t.parse::<u8>().ok()).flatten();
    let tenths = digit(whole)? * 10 + digit(part)?;
    (tenths <= 50).then_some(tenths.into())
}

/// A text; empty if it may be missing and is, null if the field has no value then.
fn text(row: &mut Row<'_>, field: &SourceField, names: &[&str]) -> Read<Cell> {
    let text = match field.bare_number {
        Some(repair) => {
            let stated = row.take_any(names).unwrap_or(Value::Null);
            let digits = scalar_text(&stated).unwrap_or_default();
            if stated.is_number() {
                row.repaired(repair, field.name, &stated, &digits);
            }
            Text::own(digits)
        }
        None if field.nullable => {
            let stated = row.optional(names).filter(|t| *t != Text::own(""));
            return Ok(Cell::Text(stated));
        }
        None if field.required && !field.blank => Text::Own(row.text(names)?),
        None => row.own(names),
    };
    Ok(Cell::Text(Some(text)))
}
