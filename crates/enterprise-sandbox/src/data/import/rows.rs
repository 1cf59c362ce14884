//! Rows of native files: typed access to their fields, tables whose files have the form of the declaration, and
//! files that have forms of their own.

use super::{
    ImportError, Log, Lookup, MOST_PEOPLE, MOST_ROWS, NativeTree, RowNote, listed, lookup, meant,
    records,
};
use crate::data::company::Company;
use crate::data::company::ids::{Form, Ids, Scheme};
use crate::data::company::rows::{Cell, Rows};
use crate::data::export::CARD;
use crate::data::org::{Department, parse_level_code};
use crate::data::row::{
    EmployeeNo, LEAVES, ORDER_KINDS, PolicyRow, ReaderLabel, SectionRow, Text, Topic,
};
use crate::data::tables::{FieldType, SourceField, TableId};
use crate::data::value::{Cents, Day, Moment, row_no, scalar_text, whole_number};
use petgraph::unionfind::UnionFind;
use serde::Deserialize;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sim_core::strict::{MOST_STORED_VALUES, Strict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

// ---------------------------------------------------------------- reader
//
// Reads one row: typed access to its fields; every deviation is recorded.
//
// A [`Row`] gives each field at most once, by removing it. What is left when a row is complete has
// no typed field; it is kept and exported again, so a tree survives import and export without
// loss. Every accessor records what it had to convert, and fails with the rule under which the row
// is quarantined.

/// A row that cannot be used, and the reason.
pub(super) struct Unusable {
    rule: &'static str,
    field: String,
    before: String,
}

/// One row of a native file.
pub(super) struct Row<'a> {
    fields: Map<String, Value>,
    log: &'a mut Log,
    source: TableId,
    position: u32,
    pub(super) id: String,
}

pub(super) type Read<T> = Result<T, Unusable>;

/// Calls `each` for every object of a JSON array, with one object in memory at a time.
pub(super) fn for_each_row(
    log: &mut Log,
    source: TableId,
    path: &str,
    text: &str,
    mut each: impl FnMut(&mut Row<'_>) -> Read<()>,
) -> Done {
    log.opened(source, path);
    let most = match source {
        TableId::Employees => MOST_PEOPLE,
        _ => MOST_ROWS,
    };
    let (mut rows, mut full) = (0, false);
    let mut handle = |fields: Map<String, Value>| {
        full = rows >= most;
        if !full {
            rows += 1;
            take_row(log, source, fields, &mut each);
        }
        !full
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Objects(&mut handle)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    let path = path.to_owned();
    match read {
        _ if full => Err(ImportError::TooManyRows { path, most }),
        Ok(()) => Ok(()),
        Err(e) => Err(ImportError::NotRows {
            path,
            message: e.to_string(),
        }),
    }
}

/// Handles one row that is already parsed.
pub(super) fn take_row(
    log: &mut Log,
    source: TableId,
    fields: Map<String, Value>,
    each: &mut impl FnMut(&mut Row<'_>) -> Read<()>,
) {
    let position = *log.rows.entry(source).and_modify(|n| *n += 1).or_insert(1) - 1;
    let mut row = Row {
        fields,
        log,
        source,
        position,
        id: String::new(),
    };
    if let Err(problem) = each(&mut row) {
        let note = RowNote {
            source,
            position,
            id: std::mem::take(&mut row.id),
            rule: problem.rule,
            field: problem.field,
            before: problem.before,
            after: String::new(),
        };
        log.quarantined.push(note);
    }
}

/// Passes on every object until the receiver reports that there are too many.
struct Objects<'a>(&'a mut dyn FnMut(Map<String, Value>) -> bool);

impl<'de> DeserializeSeed<'de> for Objects<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Objects<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        loop {
            let mut left = MOST_STORED_VALUES;
            let Some(row) = seq.next_element_seed(Strict::new(&mut left))? else {
                break;
            };
            let Value::Object(fields) = row else {
                let message = format!("a row is an object, not {}", short(&row));
                return Err(serde::de::Error::custom(message));
            };
            if !(self.0)(fields) {
                return Err(serde::de::Error::custom("too many rows"));
            }
        }
        Ok(())
    }
}

fn short(value: &Value) -> String {
    let text = scalar_text(value).unwrap_or_else(|| value.to_string());
    text.chars().take(200).collect()
}

impl Row<'_> {
    pub(super) fn coerced(&mut self, rule: &'static str) {
        self.log.coerced(rule);
    }

    pub(super) fn found(&mut self, what: &'static str) {
        self.log.found(what, 1);
    }

    pub(super) fn position(&self) -> u32 {
        self.position
    }

    /// Records a repair of this row.
    pub(super) fn repaired(
        &mut self,
        rule: &'static str,
        field: &str,
        before: &Value,
        after: &str,
    ) {
        self.log.repairs.push(RowNote {
            source: self.source,
            position: self.position,
            id: self.id.clone(),
            rule,
            field: field.to_owned(),
            before: short(before),
            after: after.to_owned(),
        });
    }

    /// Quarantines a record inside this row.
    pub(super) fn set_aside(
        &mut self,
        source: TableId,
        id: String,
        rule: &'static str,
        field: &str,
    ) {
        self.log.quarantined.push(RowNote {
            source,
            position: self.position,
            id,
            rule,
            field: field.to_owned(),
            before: String::new(),
            after: String::new(),
        });
    }

    /// The reason for which this row is quarantined.
    pub(super) fn unusable(rule: &'static str, field: &str, before: &Value) -> Unusable {
        Unusable {
            rule,
            field: field.to_owned(),
            before: short(before),
        }
    }

    /// Removes a field from the row.
    pub(super) fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.remove(field)
    }

    /// Removes the first of several spellings that exists and is not null.
    pub(super) fn take_any(&mut self, fields: &[&str]) -> Option<Value> {
        fields
            .iter()
            .find_map(|f| self.fields.remove(*f).filter(|v| !v.is_null()))
    }

    /// Whether none of several spellings has a value.
    pub(super) fn is_null(&self, fields: &[&str]) -> bool {
        let values = fields.iter().filter_map(|f| self.fields.get(*f));
        values.into_iter().all(Value::is_null)
    }

    /// Moves the entries of a nested object (in older files) to the row itself.
    pub(super) fn flatten(&mut self, field: &str, prefix: &str) -> bool {
        match self.fields.get(field) {
            Some(Value::Object(_)) => {}
            _ => return false,
        }
        if let Some(Value::Object(inner)) = self.fields.remove(field) {
            for (key, value) in inner {
                self.fields.entry(format!("{prefix}{key}")).or_insert(value);
            }
        }
        true
    }

    /// A required text; numbers become their digits.
    pub(super) fn text(&mut self, fields: &[&str]) -> Read<Box<str>> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        match scalar_text(&value) {
            Some(text) => Ok(text.into()),
            None => Err(Self::unusable("missing_field", name, &value)),
        }
    }

    /// A text that may be absent.
    pub(super) fn stated(&mut self, fields: &[&str]) -> Option<Box<str>> {
        let value = self.take_any(fields)?;
        scalar_text(&value).map(Into::into)
    }

    /// A text, empty if absent.
    pub(super) fn blank(&mut self, fields: &[&str]) -> Box<str> {
        self.stated(fields).unwrap_or_default()
    }

    /// A text that may be absent, as a row stores it.
    pub(super) fn optional(&mut self, fields: &[&str]) -> Option<Text> {
        self.stated(fields).map(Text::Own)
    }

    /// An optional text, empty if absent.
    pub(super) fn own(&mut self, fields: &[&str]) -> Text {
        Text::Own(self.blank(fields))
    }

    /// A whole number, also from digits in a string.
    pub(super) fn whole(&mut self, fields: &[&str]) -> Read<i64> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        if value.is_string() {
            self.coerced("number_in_string");
        }
        whole_number(&value).ok_or_else(|| Self::unusable("number_unreadable", name, &value))
    }

    /// A whole number of a small type.
    pub(super) fn small<T: TryFrom<i64>>(&mut self, field: &str) -> Read<T> {
        let n = self.whole(&[field])?;
        T::try_from(n).map_err(|_| Self::unusable("number_out_of_range", field, &Value::from(n)))
    }

    /// A day in one of the three forms.
    pub(super) fn day(&mut self, fields: &[&str]) -> Read<Day> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        let text = value.as_str().unwrap_or_default();
        let Some(day) = Day::parse(text).or_else(|| Moment::parse(text).map(|(m, _)| m.day()))
        else {
            return Err(Self::unusable("date_unreadable", name, &value));
        };
        if text.find('-') == Some(2) {
            self.coerced("day_first_date");
        }
        Ok(day)
    }

    /// A moment; returns whether a time zone was named.
    pub(super) fn moment(&mut self, fields: &[&str]) -> Read<(Moment, bool)> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        value
            .as_str()
            .and_then(Moment::parse)
            .ok_or_else(|| Self::unusable("date_unreadable", name, &value))
    }

    /// An amount of money.
    pub(super) fn money(&mut self, field: &str) -> Read<Cents> {
        let value = self.take(field).unwrap_or(Value::Null);
        if value.is_string() {
            self.coerced("currency_in_string");
        }
        Cents::from_value(&value).ok_or_else(|| Self::unusable("amount_unreadable", field, &value))
    }

    /// `64%` or 64.
    pub(super) fn percent(&mut self, field: &str) -> Read<u8> {
        let value = self.take(field).unwrap_or(Value::Null);
        let digits = value.as_str().map(|t| Value::from(t.trim_end_matches('%')));
        if digits.is_some() {
            self.coerced("percent_sign");
        }
        whole_number(&digits.unwrap_or_else(|| value.clone()))
            .and_then(|n| u8::try_from(n).ok())
            .filter(|n| *n <= 100)
            .ok_or_else(|| Self::unusable("number_unreadable", field, &value))
    }

    /// A required key; the row is quarantined if its target does not exist.
    pub(super) fn key(
        &mut self,
        fields: &[&str],
        table: &crate::data::import::Lookup,
    ) -> Read<u32> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        scalar_text(&value)
            .and_then(|id| table.find(id.trim()))
            .ok_or_else(|| Self::unusable("dangling_key", name, &value))
    }

    /// Stores the remaining fields of the row for export.
    pub(super) fn keep_rest(&mut self, row: u32) {
        self.fields.retain(|_, v| !v.is_null());
        if !self.fields.is_empty() {
            let rest = Value::Object(std::mem::take(&mut self.fields));
            self.log
                .extras
                .insert((self.source, row), rest.to_string().into());
        }
    }

    /// Whether the identifier is new; a row with a used one is quarantined.
    pub(super) fn fresh(
        &self,
        seen: &mut std::collections::BTreeSet<Box<str>>,
        field: &str,
    ) -> Read<()> {
        if seen.insert(self.id.as_str().into()) {
            Ok(())
        } else {
            Err(Self::unusable(
                "duplicate_id",
                field,
                &Value::from(self.id.as_str()),
            ))
        }
    }
}

// ---------------------------------------------------------------- declared
//
// Tables whose files have the form of the declaration: each field is read by its type.

/// The rows of a table from its files. `prepare` brings a row into the form of the declaration; `more` reads
/// what belongs to other tables or links to this one, given the number of the row and its values.
fn by_fields(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
    source: TableId,
    prepare: &dyn Fn(&mut Row<'_>),
    more: &mut dyn FnMut(&mut Row<'_>, u32, &[Cell]),
) -> Done {
    let name = source.file().and_then(|path| path.rsplit('/').next());
    let files = match source {
        // All files of the folder.
        TableId::Conversations => tree.under("collaboration_tools", ".json"),
        _ => name.and_then(|name| tree.find(name)).into_iter().collect(),
    };
    let Some((key, fields)) = source.fields().split_first().filter(|_| !files.is_empty()) else {
        return Ok(());
    };
    let targets: BTreeMap<TableId, Lookup> = fields
        .iter()
        .filter_map(|f| match f.kind {
            FieldType::Link(target) if target != source => Some((target, lookup(c, target))),
            _ => None,
        })
        .collect();
    let mut table = Table::new(source);
    for (path, text) in files {
        for_each_row(log, source, path, text, |row| {
            prepare(row);
            let id = row.text(spellings(key))?;
            if key.native_name() != key.name {
                row.coerced("vendor_key_renamed");
            }
            table.identify(row, id, key.native_name())?;
            let cells: Read<Vec<Cell>> = fields.iter().map(|f| cell(row, f, &targets)).collect();
            let cells = cells?;
            for field in fields {
                copy(c, row, (field, fields), &cells);
            }
            more(row, table.rows.count(), &cells);
            table.push(row, fields.iter().map(|f| f.name).zip(cells));
            Ok(())
        })?;
    }
    table.finish(c);
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

// ---------------------------------------------------------------- forms
//
// Files that have forms of their own: people and curricula, talk, code, customers, documents.

/// A table that is read row by row.
struct Table {
    rows: Rows,
    names: Vec<Box<str>>,
    seen: BTreeSet<Box<str>>,
}

impl Table {
    fn new(source: TableId) -> Self {
        Self {
            rows: Rows::new(source),
            names: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Gives a row its identifier, which must be new; `field` is the name that its file has for it.
    fn identify(&mut self, row: &mut Row<'_>, id: impl Into<String>, field: &str) -> Read<()> {
        row.id = id.into();
        row.fresh(&mut self.seen, field)
    }

    /// Adds a row, and keeps what is left of it.
    fn push<'f>(&mut self, row: &mut Row<'_>, cells: impl IntoIterator<Item = (&'f str, Cell)>) {
        row.keep_rest(self.rows.count());
        self.names.push(row.id.as_str().into());
        self.rows.push(cells);
    }

    /// Adds the table to the company.
    fn finish(self, c: &mut Company) {
        let source = self.rows.source();
        c.declare(self.rows);
        listed(c, source, self.names);
    }
}

/// The rows of a table that links to people, and to tables before it.
pub(super) fn rows(c: &mut Company, tree: &NativeTree, log: &mut Log, source: TableId) -> Done {
    match source {
        TableId::Resumes => resumes(c, tree, log),
        TableId::Emails => mails(c, tree, log),
        TableId::Conversations => conversations(c, tree, log),
        TableId::Posts => posts(c, tree, log),
        TableId::Overflow => overflow(c, tree, log),
        // With its files and issues.
        TableId::Repositories => repositories(c, tree, log),
        TableId::PolicyDocuments => policies(c, tree, log),
        TableId::Files | TableId::Issues => Ok(()),
        // Other tables need them, so they are there.
        TableId::Employees | TableId::Customers | TableId::OrderDocuments => Ok(()),
        _ => by_fields(c, tree, log, source, &|_| {}, &mut |_, _, _| {}),
    }
}

// ---------------------------------------------------------------- people
//
// Employees and curricula.
//
// Managers are set after all people are read, since a row may name a manager further down.
// `reportees` is derived from the managers and only compared with the file. The company's mail
// domain is the most frequent one among the addresses.

/// The employees with their managers; without this file there is no import.
pub(super) fn employees(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let (path, text) = tree
        .find("employees/employees.json")
        .ok_or(ImportError::NoEmployees)?;
    let mut managers: Vec<(u32, Value)> = Vec::new();
    let mut reportees: Vec<Value> = Vec::new();
    let mut people = Table::new(TableId::Employees);
    for_each_row(log, TableId::Employees, path, text, |row| {
        let id = row.text(&["emp_id"])?;
        people.identify(row, id, "emp_id")?;
        let (employee, taken) = employee(row)?;
        managers.push((
            row.position(),
            row.take("reports_to").unwrap_or(Value::Null),
        ));
        reportees.push(row.take("reportees").unwrap_or(Value::Null));
        // `Total Leaves Taken` is derived; a stated total that differs is repaired.
        if let Some(stated) = row.take("Total Leaves Taken")
            && crate::data::value::whole_number(&stated) != Some(taken)
        {
            let (field, after) = ("Total Leaves Taken", taken.to_string());
            row.repaired("leave_sum_recomputed", field, &stated, &after);
        }
        people.push(row, employee);
        Ok(())
    })?;
    people.finish(c);
    reporting(c, log, &managers, &reportees);
    c.domain = domain(c);
    Ok(())
}

/// One employee. Of the level code only the number counts if the department is stated; a department
/// that cannot be read is taken from the code. Also the days of leave that were taken.
fn employee(row: &mut Row<'_>) -> Read<(Vec<(&'static str, Cell)>, i64)> {
    let name = row.text(&["Name", "name"])?;
    let email = row.text(&["email"])?;
    let code = row.text(&["Level"])?;
    let category = row.text(&["category"])?;
    let Some((of_level, level)) = parse_level_code(&code) else {
        return Err(Row::unusable(
            "level_unreadable",
            "Level",
            &Value::from(&*code),
        ));
    };
    let department = match Department::parse(&category) {
        Some(d) => d,
        None => {
            row.repaired(
                "department_from_level",
                "category",
                &Value::from(&*category),
                of_level.name(),
            );
            of_level
        }
    };
    // Some rows have an outdated copy of the department; it stays with the native fields if it
    // differs.
    if row
        .take("Description")
        .is_some_and(|v| v.as_str() != Some(&*category))
    {
        row.found("stale_description");
    }
    let joined = row.day(&["DOJ"])?;
    let left = match row.take("DOL") {
        Some(Value::String(text)) if text == "Present" || text.is_empty() => None,
        Some(Value::String(text)) => match Day::parse(&text) {
            Some(day) => Some(day),
            None => return Err(Row::unusable("date_unreadable", "DOL", &Value::from(text))),
        },
        _ => None,
    };
    let mut cells = Vec::new();
    let mut taken = 0;
    for (kind, sign) in [("Total", 1), ("Remaining", -1)] {
        for name in LEAVES {
            let field = format!("{kind} {name} Leaves");
            let days: u8 = row.small(&field)?;
            taken += sign * i64::from(days);
            cells.extend(
                TableId::Employees
                    .field(&field)
                    .map(|f| (f.name, Cell::number(days))),
            );
        }
    }
    let valid = match row.take("is_valid") {
        Some(Value::Bool(b)) => b,
        Some(Value::String(word)) => {
            row.coerced("truth_word");
            word.eq_ignore_ascii_case("true")
        }
        _ => true,
    };
    let (salary, age): (u32, u8) = (row.small("Salary")?, row.small("Age")?);
    let rating: u8 = row.small("Performance Rating")?;
    let texts = [
        "skills",
        "description",
        "Experience",
        "Marital Status",
        "Gender",
    ];
    cells.extend(texts.map(|field| (field, Cell::text(row.blank(&[field])))));
    cells.extend([
        ("Name", Cell::text(name)),
        ("email", Cell::text(email)),
        ("category", Cell::number(department as u32)),
        ("Level", Cell::number(level)),
        ("DOJ", Cell::number(joined.0)),
        ("is_valid", Cell::number(valid)),
        ("DOL", Cell::Number(left.map(|day| day.0.into()))),
        ("Salary", Cell::number(salary)),
        ("Age", Cell::number(age)),
        ("Performance Rating", Cell::number(rating)),
    ]);
    Ok((cells, taken))
}

/// Sets managers, removes dangling and circular edges, and compares them with the stated reports.
fn reporting(c: &mut Company, log: &mut Log, managers: &[(u32, Value)], reportees: &[Value]) {
    let table = lookup(c, TableId::Employees);
    let ids: Vec<String> = (0..c.rows(TableId::Employees))
        .map(|r| c.id(TableId::Employees, r))
        .collect();
    // The trees of the managers set so far. `row` has no manager yet, so it is the root of its tree, and
    // an edge to a manager in the same tree would close a cycle.
    let mut trees = UnionFind::<u32>::new(ids.len());
    let mut stated: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (row, (position, manager)) in (0u32..).zip(managers) {
        let Some(id) = manager.as_str().filter(|id| !id.is_empty()) else {
            continue;
        };
        let known = table.find(id);
        match known.filter(|m| trees.union(row, *m)) {
            Some(m) => {
                if let Some(people) = c.declared_mut(TableId::Employees) {
                    people.set_number(row, "reports_to", Some(m.into()));
                }
                let own = ids.get(row as usize).cloned().unwrap_or_default();
                stated.entry(m).or_default().insert(own);
            }
            None => {
                let rule = if known.is_some() {
                    "reporting_cycle"
                } else {
                    "dangling_manager"
                };
                log.repairs.push(crate::data::import::RowNote {
                    source: TableId::Employees,
                    position: *position,
                    id: ids.get(row as usize).cloned().unwrap_or_default(),
                    rule,
                    field: "reports_to".to_owned(),
                    before: id.to_owned(),
                    after: "null".to_owned(),
                });
            }
        }
    }
    for (row, (value, (position, _))) in (0u32..).zip(reportees.iter().zip(managers)) {
        let native: BTreeSet<String> = value
            .as_array()
            .map(|a| {
                a.iter()
                    .filter_map(|v| v.as_str().map(str::to_owned))
                    .collect()
            })
            .unwrap_or_default();
        let derived = stated.remove(&row).unwrap_or_default();
        if native != derived {
            log.repairs.push(crate::data::import::RowNote {
                source: TableId::Employees,
                position: *position,
                id: ids.get(row as usize).cloned().unwrap_or_default(),
                rule: "reportees_recomputed",
                field: "reportees".to_owned(),
                before: format!("{} stated", native.len()),
                after: format!("{} derived", derived.len()),
            });
        }
    }
}

/// The most frequent mail domain.
fn domain(c: &Company) -> Box<str> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for row in 0..c.rows(TableId::Employees) {
        let email = c.shown(TableId::Employees, row, "email");
        if let Some((_, domain)) = email.rsplit_once('@') {
            *counts.entry(domain.to_owned()).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, n)| *n);
    most.map(|(domain, _)| domain).unwrap_or_default().into()
}

/// The CSV file of resumes; a row of an unknown person is quarantined.
fn resumes(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("resume/resume_information.csv") else {
        return Ok(());
    };
    log.opened(TableId::Resumes, path);
    let records = records(text, MOST_STORED_VALUES).ok_or_else(|| ImportError::TooManyCells {
        path: path.to_owned(),
        most: MOST_STORED_VALUES,
    })?;
    if records.len() > MOST_ROWS as usize {
        return Err(ImportError::TooManyRows {
            path: path.to_owned(),
            most: MOST_ROWS,
        });
    }
    let mut records = records.into_iter();
    let header = records.next().unwrap_or_default();
    let people = lookup(c, TableId::Employees);
    let mut table = Table::new(TableId::Resumes);
    let mut each = |row: &mut Row<'_>| {
        let id = row.text(&["resume_id"])?;
        table.identify(row, id, "resume_id")?;
        let blank = |text: Option<Text>| text.filter(|t| *t != Text::own(""));
        let subject = row.key(&["emp_id"], &people)?;
        let name = blank(row.optional(&["name"]));
        let nameless = name.is_none();
        let cells = [
            ("emp_id", Cell::number(subject)),
            ("name", Cell::Text(name)),
            ("email", Cell::Text(blank(row.optional(&["email"])))),
            ("category", Cell::text(row.blank(&["category"]))),
            ("created_date", Cell::number(row.day(&["created_date"])?.0)),
            ("content", Cell::text(row.blank(&["content"]))),
            ("file_path", Cell::text(row.blank(&["file_path"]))),
        ];
        if nameless {
            row.found("resume_without_name");
        }
        table.push(row, cells);
        Ok(())
    };
    for record in records {
        let fields: Map<String, Value> = header
            .iter()
            .cloned()
            .zip(record.into_iter().map(|cell| Value::from(meant(cell))))
            .collect();
        take_row(log, TableId::Resumes, fields, &mut each);
    }
    table.finish(c);
    Ok(())
}

// ---------------------------------------------------------------- talk
//
// Mails, conversations, posts and overflow posts, in their older and newer forms.

type Done = Result<(), ImportError>;
/// A participant: by id, else by an address that belongs to one person only.
fn participant(
    row: &mut Row<'_>,
    side: &str,
    people: &Lookup,
    emails: &BTreeMap<String, Option<u32>>,
) -> Result<EmployeeNo, Unusable> {
    let field = format!("{side}_emp_id");
    let id = row.take(&field).unwrap_or(Value::Null);
    row.take(&format!("{side}_name"));
    let address = row.take(&format!("{side}_email")).unwrap_or(Value::Null);
    if let Some(found) = scalar_text(&id).and_then(|id| people.find(&id)) {
        return Ok(EmployeeNo(found));
    }
    let by_address = address
        .as_str()
        .and_then(|a| emails.get(&a.to_lowercase()).copied().flatten());
    match by_address {
        Some(found) => {
            row.repaired(
                "person_from_address",
                &field,
                &id,
                address.as_str().unwrap_or_default(),
            );
            Ok(EmployeeNo(found))
        }
        None => Err(Row::unusable("dangling_key", &field, &id)),
    }
}

/// People by address; an address of several people identifies none of them.
fn addresses(c: &Company) -> BTreeMap<String, Option<u32>> {
    let mut out: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for row in 0..c.rows(TableId::Employees) {
        let email = c.shown(TableId::Employees, row, "email");
        out.entry(email.to_lowercase())
            .and_modify(|r| *r = None)
            .or_insert(Some(row));
    }
    out
}

/// One of a few words; a malformed one is trimmed, an unknown one replaced.
fn word(row: &mut Row<'_>, field: &str, default: &str) -> Cell {
    let known = match TableId::Emails.field(field).map(|f| f.kind) {
        Some(FieldType::Choice(words)) => words,
        _ => &[],
    };
    let value = row.take(field).unwrap_or(Value::Null);
    let text = value.as_str().unwrap_or_default();
    let place = |t: &str| known.iter().position(|k| k.eq_ignore_ascii_case(t));
    if let Some(n) = place(text) {
        return Cell::number(row_no(n));
    }
    let trimmed = text
        .split(['\n', '\r'])
        .map(str::trim)
        .find(|t| !t.is_empty())
        .unwrap_or("");
    let (rule, n) = match place(trimmed) {
        Some(n) => ("word_trimmed", n),
        None => ("word_unknown", place(default).unwrap_or(0)),
    };
    let after = known.get(n).copied().unwrap_or_default();
    row.repaired(rule, field, &value, after);
    Cell::number(row_no(n))
}

/// Mails and their threads, in the order of the file; a thread is an id that occurs.
fn mails(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("emails.json") else {
        return Ok(());
    };
    let (people, emails) = (lookup(c, TableId::Employees), addresses(c));
    let (mut threads, mut thread_names) = (BTreeMap::new(), Vec::new());
    let mut table = Table::new(TableId::Emails);
    for_each_row(log, TableId::Emails, path, text, |row| {
        let id = row.text(&["email_id"])?;
        table.identify(row, id, "email_id")?;
        if row.flatten("sender", "sender_") | row.flatten("recipient", "recipient_") {
            row.coerced("nested_participants");
        }
        let sender = participant(row, "sender", &people, &emails)?;
        let recipient = participant(row, "recipient", &people, &emails)?;
        let (at, zoned) = row.moment(&["date"])?;
        if !zoned {
            row.coerced("zone_assumed");
        }
        let thread: Box<str> = row.text(&["thread_id"])?;
        let importance = word(row, "importance", "Normal");
        let category = word(row, "category", "GENERAL");
        let next = row_no(thread_names.len());
        let thread = *threads.entry(thread.clone()).or_insert_with(|| {
            thread_names.push(thread);
            next
        });
        let cells = [
            ("thread_id", Cell::number(thread)),
            ("date", Cell::number(at.0)),
            ("sender_emp_id", Cell::number(sender.0)),
            ("recipient_emp_id", Cell::number(recipient.0)),
            ("subject", Cell::text(row.blank(&["subject"]))),
            ("body", Cell::text(row.blank(&["body"]))),
            ("importance", importance),
            ("category", category),
            ("signature", Cell::text(row.blank(&["signature"]))),
            (
                "confidentiality_notice",
                Cell::Text(row.optional(&["confidentiality_notice"])),
            ),
        ];
        table.push(row, cells);
        Ok(())
    })?;
    table.finish(c);
    c.threads = vec![Topic::default(); thread_names.len()];
    c.thread_ids = Ids::listed(thread_names);
    Ok(())
}

/// Conversations from all files of the folder; older files have other names for the two people.
fn conversations(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let flat = |row: &mut Row<'_>| {
        if row.flatten("metadata", "") {
            row.coerced("nested_metadata");
        }
    };
    let mut alone = |row: &mut Row<'_>, _: u32, cells: &[Cell]| {
        if let [Cell::Number(sender), Cell::Number(recipient), ..] = cells
            && sender == recipient
        {
            row.found("conversations_with_oneself");
        }
    };
    by_fields(c, tree, log, TableId::Conversations, &flat, &mut alone)
}

/// Posts; without an id they are numbered by position. A stated author who is not the person with
/// the id is corrected.
fn posts(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let numbered = |row: &mut Row<'_>| {
        if row.is_null(&["post_id"]) {
            row.coerced("post_id_made");
            let id = format!("post_{}", row.position());
            row.fields.insert("post_id".to_owned(), id.into());
        }
    };
    let mut parents: Vec<Option<String>> = Vec::new();
    let mut parent = |row: &mut Row<'_>, _: u32, _: &[Cell]| {
        parents.push(row.take_any(&["parent_id"]).and_then(|v| scalar_text(&v)));
    };
    by_fields(c, tree, log, TableId::Posts, &numbered, &mut parent)?;
    let table = lookup(c, TableId::Posts);
    for (post, parent) in (0u32..).zip(parents) {
        let parent = parent.and_then(|p| table.find(&p));
        if let Some(rows) = c.declared_mut(TableId::Posts) {
            rows.set_number(post, "parent_id", parent.map(i64::from));
        }
    }
    Ok(())
}

/// Questions and answers. Links are resolved last, because an answer may come before its question.
fn overflow(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("overflow.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let mut links: Vec<(Option<String>, Option<String>, u32)> = Vec::new();
    let mut table = Table::new(TableId::Overflow);
    for_each_row(log, TableId::Overflow, path, text, |row| {
        let id = row.whole(&["Id"])?.to_string();
        table.identify(row, id, "Id")?;
        let question = row.whole(&["PostTypeId"])? == 1;
        let number = |row: &mut Row<'_>, field: &str| {
            row.take_any(&[field])
                .and_then(|v| whole_number(&v))
                .map(|n| n.to_string())
        };
        let (parent, accepted) = (number(row, "ParentId"), number(row, "AcceptedAnswerId"));
        let author = row.key(&["employee_id", "emp_id"], &people)?;
        row.take("employee_Name");
        let tags = match row.take("Tags") {
            Some(Value::Array(list)) => list
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", "),
            // `<python><sql>`, `python|sql` or `python, sql`.
            Some(Value::String(text)) => text
                .split(['<', '>', '|', ','])
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
            _ => String::new(),
        };
        let score: i32 = row.small("Score").unwrap_or(0);
        let views = row
            .take_any(&["ViewCount"])
            .and_then(|v| u32::try_from(whole_number(&v)?).ok());
        let title = row.optional(&["Title"]);
        let body = row.text(&["Body"])?;
        let created = row.moment(&["CreationDate"])?.0;
        links.push((parent, accepted, row.position()));
        let cells = [
            ("post_type", Cell::number(!question)),
            ("Title", Cell::Text(title)),
            ("Body", Cell::text(body)),
            ("Tags", Cell::text(tags)),
            ("Score", Cell::number(score)),
            ("ViewCount", Cell::Number(views.map(i64::from))),
            ("CreationDate", Cell::number(created.0)),
            ("employee_id", Cell::number(author)),
        ];
        table.push(row, cells);
        Ok(())
    })?;
    let all = Lookup(Ids::listed(table.names.clone()));
    for ((post, (parent, accepted, position)), id) in (0u32..).zip(links).zip(&table.names) {
        for (field, target) in [("ParentId", parent), ("AcceptedAnswerId", accepted)] {
            let Some(target) = target else { continue };
            match all.find(&target) {
                Some(found) => table.rows.set_number(post, field, Some(found.into())),
                None => log.repairs.push(crate::data::import::RowNote {
                    source: TableId::Overflow,
                    position,
                    id: id.to_string(),
                    rule: "dangling_post",
                    field: field.to_owned(),
                    before: target,
                    after: "null".to_owned(),
                }),
            }
        }
    }
    table.finish(c);
    Ok(())
}

// ---------------------------------------------------------------- code
//
// The repository file, which has one row per file with its issue inside.
//
// The published file repeats the metadata of a repository in each of its files. The first row of a
// repository decides; its other files add only themselves.

/// The issue of a file row: an object, a list of objects (older), or null.
fn issues(row: &mut Row<'_>) -> Vec<Map<String, Value>> {
    let found: Vec<Map<String, Value>> = match row.take("issues") {
        Some(Value::Object(one)) => vec![one],
        Some(Value::Array(list)) => {
            row.coerced("issue_list");
            list.into_iter()
                .filter_map(|v| match v {
                    Value::Object(o) => Some(o),
                    _ => None,
                })
                .collect()
        }
        _ => Vec::new(),
    };
    if found.is_empty() {
        row.found("files_without_issue");
    }
    found
}

fn text_of(fields: &Map<String, Value>, name: &str) -> Option<Text> {
    fields.get(name).and_then(scalar_text).map(Text::own)
}

/// A text, empty if it is missing.
fn own_of(fields: &Map<String, Value>, name: &str) -> Cell {
    Cell::text(fields.get(name).and_then(scalar_text).unwrap_or_default())
}

/// Splits each row into repository, file and issue. An issue without a readable date or with a used
/// id is quarantined, and its file stays.
fn repositories(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("github.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let mut numbers: BTreeMap<Box<str>, u32> = BTreeMap::new();
    let mut names: Vec<Box<str>> = Vec::new();
    let (mut paths, mut issue_names) = (BTreeSet::new(), Vec::<Box<str>>::new());
    let (mut issue_seen, mut issue_rows) = (BTreeSet::new(), 0u32);
    let [mut repositories, mut files, mut all_issues] =
        [TableId::Repositories, TableId::Files, TableId::Issues].map(Rows::new);
    for_each_row(log, TableId::Files, path, text, |row| {
        let name: Box<str> = row.text(&["repo_name"])?;
        let file_path = row.text(&["path", "file_path"])?;
        row.id = format!("{name}:{file_path}");
        row.fresh(&mut paths, "path")?;
        let owner = row.key(&["emp_id", "employee_id"], &people)?;
        let created = row.day(&["creation_date"])?;
        let repository = *numbers.entry(name.clone()).or_insert_with(|| {
            repositories.push([
                ("emp_id", Cell::number(owner)),
                ("license", Cell::Text(row.optional(&["license"]))),
                ("creation_date", Cell::number(created.0)),
                ("language", Cell::Text(row.optional(&["language"]))),
            ]);
            names.push(name);
            repositories.count() - 1
        });
        let number = |row: &mut Row<'_>, field: &str| {
            row.take_any(&[field])
                .and_then(|v| u32::try_from(whole_number(&v)?).ok())
        };
        let found = issues(row);
        let file = files.count();
        files.push([
            ("repo_name", Cell::number(repository)),
            ("path", Cell::text(file_path)),
            ("content", Cell::text(row.blank(&["code", "content"]))),
            ("size", Cell::Number(number(row, "size").map(i64::from))),
            ("hash", Cell::text(row.blank(&["hash"]))),
            ("copies", Cell::number(number(row, "copies").unwrap_or(0))),
        ]);
        for fields in found {
            issue_rows += 1;
            let id = fields.get("id").and_then(scalar_text).unwrap_or_default();
            let moment = fields
                .get("created_at")
                .and_then(Value::as_str)
                .and_then(Moment::parse);
            let (Some((at, _)), true) = (moment, issue_seen.insert(id.clone())) else {
                let id = fields.get("id").and_then(scalar_text).unwrap_or_default();
                row.set_aside(TableId::Issues, id, "date_or_id_unusable", "created_at");
                continue;
            };
            issue_names.push(id.into());
            all_issues.push([
                ("repo_name", Cell::number(repository)),
                ("path", Cell::number(file)),
                ("title", own_of(&fields, "title")),
                ("description", own_of(&fields, "description")),
                (
                    "status",
                    Cell::number(fields.get("status").and_then(Value::as_str) == Some("closed")),
                ),
                ("created_at", Cell::number(at.0)),
                ("patch", Cell::Text(text_of(&fields, "patch"))),
            ]);
        }
        row.keep_rest(file);
        Ok(())
    })?;
    for source in [TableId::Repositories, TableId::Issues] {
        log.opened(source, path);
    }
    for rows in [repositories, files, all_issues] {
        c.declare(rows);
    }
    log.rows.insert(TableId::Issues, issue_rows);
    log.rows.insert(TableId::Repositories, row_no(names.len()));
    listed(c, TableId::Repositories, names);
    if issue_names.iter().all(|n| n.is_empty()) {
        let scheme = Scheme::new(c.seed.child("id.issues", 0), Form::Uuid);
        c.ids.insert(TableId::Issues, Ids::Made(scheme));
    } else {
        listed(c, TableId::Issues, issue_names);
    }
    Ok(())
}

// ---------------------------------------------------------------- trade
//
// Customers.

/// Customers with the paths of their documents.
pub(super) fn customers(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let mut papers = Rows::new(TableId::OrderDocuments);
    let mut documents = |row: &mut Row<'_>, customer: u32, _: &[Cell]| {
        for (kind, _) in ORDER_KINDS {
            let mut path = Text::Made;
            if let Some(Value::String(stated)) = row.take(&format!("{kind}_paths")) {
                // The files name a folder that does not exist; the documents are in the customers' folder.
                path = Text::own(match stated.strip_prefix("Financial System/") {
                    Some(rest) => {
                        row.coerced("order_path_mapped");
                        format!("Customer_Relation_Management/{rest}")
                    }
                    None => stated,
                });
            }
            let made = || Cell::Text(Some(Text::Made));
            papers.push([
                ("kind", made()),
                ("customer_id", Cell::number(customer)),
                ("path", Cell::Text(Some(path))),
                ("text", made()),
            ]);
        }
    };
    by_fields(c, tree, log, TableId::Customers, &|_| {}, &mut documents)?;
    c.declare(papers);
    Ok(())
}

// ---------------------------------------------------------------- docs
//
// `office.json`, and policy documents as text. The published ones are PDF exports; a user who has
// their text passes it as `.txt`: the title, an optional `label:` line, `1. Heading`, `1.1 rule`.
//
// A label names a department or `level>=12`; without one, all active staff may read the document.

/// Data without a place in the published tree.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Card {
    pub(super) clock: Option<Day>,
}

/// The date of the office clock, if the tree was exported by this crate.
pub(super) fn card(tree: &NativeTree) -> Result<Card, ImportError> {
    let Some((path, text)) = tree.find(CARD) else {
        return Ok(Card::default());
    };
    serde_json::from_str(text).map_err(|e| ImportError::NotACard {
        path: path.to_owned(),
        message: e.to_string(),
    })
}

/// Longest policy document \[bytes\]. A line takes several times the memory of its text.
const LONGEST_POLICY: usize = 1 << 24;

/// Every text file in the folder of policy documents; the file name is the id.
fn policies(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let mut ids: Vec<Box<str>> = Vec::new();
    for (path, text) in tree.under("policy_documents", ".txt") {
        if text.len() > LONGEST_POLICY {
            return Err(ImportError::TooLong {
                path: path.to_owned(),
                most: LONGEST_POLICY,
            });
        }
        log.opened(TableId::PolicyDocuments, path);
        *log.rows.entry(TableId::PolicyDocuments).or_default() += 1;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        ids.push(file.trim_end_matches(".txt").into());
        c.policies.push(policy(text));
    }
    c.declare(Rows::made(TableId::PolicyDocuments, row_no(ids.len())));
    listed(c, TableId::PolicyDocuments, ids);
    Ok(())
}

/// One document. Lines that are not numbered are rules of the section above them.
fn policy(text: &str) -> PolicyRow {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let mut policy = PolicyRow {
        title: lines.next().unwrap_or_default().into(),
        label: ReaderLabel::All,
        sections: Vec::new(),
    };
    for line in lines {
        if let Some(label) = line.strip_prefix("label:") {
            policy.label = read_label(label.trim());
            continue;
        }
        let (number, rest) = line.split_once(' ').unwrap_or(("", line));
        let numbered = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        let rule = number
            .split_once('.')
            .is_some_and(|(a, b)| numbered(a) && numbered(b));
        if !rule && number.strip_suffix('.').is_some_and(numbered) {
            policy.sections.push(SectionRow {
                heading: rest.into(),
                rules: Vec::new(),
            });
            continue;
        }
        let said = if rule { rest } else { line };
        if policy.sections.is_empty() {
            policy.sections.push(SectionRow {
                heading: "Text".into(),
                rules: Vec::new(),
            });
        }
        if let Some(section) = policy.sections.last_mut() {
            section.rules.push(said.into());
        }
    }
    policy
}

fn read_label(text: &str) -> ReaderLabel {
    match text.strip_prefix("level>=").and_then(|l| l.parse().ok()) {
        Some(level) => ReaderLabel::Level(level),
        None => Department::parse(text).map_or(ReaderLabel::All, ReaderLabel::Department),
    }
}
