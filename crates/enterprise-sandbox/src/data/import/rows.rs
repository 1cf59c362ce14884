//! Rows of native files: typed access to their fields, the tables that a declaration describes, and files that are
//! brought into the form of a declaration first.

use super::{
    Done, ImportError, Log, MOST_PEOPLE, MOST_ROWS, NativeTree, RowNote, listed, named_records,
};
use crate::data::company::Company;
use crate::data::company::ids::{Form, Ids, Scheme};
use crate::data::company::rows::{Cell, Rows};
use crate::data::export::CARD;
use crate::data::org::{Department, parse_level_code};
use crate::data::row::{ORDER_KINDS, PolicyRow, Text, Topic, leaves_taken};
use crate::data::tables::{Compare, FieldDefault, FieldType, SourceField, TableId, Write};
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
struct Unusable {
    rule: &'static str,
    field: String,
    before: String,
}

fn unusable(rule: &'static str, field: &str, before: &Value) -> Unusable {
    Unusable {
        rule,
        field: field.to_owned(),
        before: short(before),
    }
}

/// One row of a native file.
struct Row<'a> {
    fields: Map<String, Value>,
    log: &'a mut Log,
    source: TableId,
    position: u32,
    id: String,
}

type Read<T> = Result<T, Unusable>;

/// Calls `each` for every object of a JSON array, with one object in memory at a time, or for every line of a CSV
/// table.
fn for_each_row(
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
    let owned = || path.to_owned();
    let read = if source.is_csv() {
        let records = named_records(text, MOST_STORED_VALUES);
        let mut records = records.ok_or_else(|| ImportError::TooManyCells {
            path: owned(),
            most: MOST_STORED_VALUES,
        })?;
        let _ = records.all(&mut handle);
        Ok(())
    } else {
        let mut json = serde_json::Deserializer::from_str(text);
        let read = Objects(&mut handle).deserialize(&mut json);
        read.and_then(|()| json.end())
    };
    match read {
        _ if full => Err(ImportError::TooManyRows {
            path: owned(),
            most,
        }),
        Ok(()) => Ok(()),
        Err(e) => Err(ImportError::NotRows {
            path: owned(),
            message: e.to_string(),
        }),
    }
}

/// Handles one row that is already parsed.
fn take_row(
    log: &mut Log,
    source: TableId,
    fields: Map<String, Value>,
    each: &mut impl FnMut(&mut Row<'_>) -> Read<()>,
) {
    let rows = &mut log.report.sources.entry(source).or_default().rows;
    let position = *rows;
    *rows += 1;
    let repairs = log.report.repairs.len();
    let mut row = Row {
        fields,
        log,
        source,
        position,
        id: String::new(),
    };
    if let Err(problem) = each(&mut row) {
        // If a renamed column is why no row of a file can be used, its names are all that tells the cause. What was
        // not reached before the fault is no such column.
        row.note_unread(|name| is_known(source, name));
        let note = row.note(problem.rule, &problem.field, problem.before, "");
        // A repair of a row that is not used has changed nothing.
        log.report.repairs.truncate(repairs);
        log.report.quarantined.push(note);
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
    fn coerced(&mut self, rule: &'static str) {
        self.log.coerced(rule);
    }

    fn found(&mut self, what: &'static str) {
        self.log.found(what, 1);
    }

    /// A note on this row.
    fn note(&self, rule: &'static str, field: &str, before: String, after: &str) -> RowNote {
        RowNote {
            source: self.source,
            position: self.position,
            id: self.id.clone(),
            rule,
            field: field.to_owned(),
            before,
            after: after.to_owned(),
        }
    }

    /// Records a repair of this row.
    fn repaired(&mut self, rule: &'static str, field: &str, before: &Value, after: &str) {
        let note = self.note(rule, field, short(before), after);
        self.log.report.repairs.push(note);
    }

    /// Removes a field from the row.
    fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.remove(field)
    }

    /// Puts a value in the place of a field.
    fn put(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }

    /// Removes the first of several spellings that exists and is not null; null if there is none.
    fn value(&mut self, fields: &[&str]) -> Value {
        let found = fields
            .iter()
            .find_map(|f| self.fields.remove(*f).filter(|v| !v.is_null()));
        found.unwrap_or_default()
    }

    /// The text of the first of several spellings that has one, which stays in the row.
    fn said(&self, fields: &[&str]) -> Option<String> {
        let mut values = fields.iter().filter_map(|f| self.fields.get(*f));
        values.find_map(scalar_text)
    }

    /// Whether none of several spellings has a value.
    fn is_null(&self, fields: &[&str]) -> bool {
        let values = fields.iter().filter_map(|f| self.fields.get(*f));
        values.into_iter().all(Value::is_null)
    }

    /// Moves the entries of a nested object (in older files) to the row itself.
    fn flatten(&mut self, field: &str, prefix: &str) -> bool {
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
    fn text(&mut self, fields: &[&str]) -> Read<String> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.value(fields);
        scalar_text(&value).ok_or_else(|| unusable("missing_field", name, &value))
    }

    /// Notes the expected columns of a table that no row had so far.
    fn note_absent(&mut self, of: TableId, fields: &'static [SourceField]) {
        // The list is empty after the first rows.
        let absent = self.log.absent.entry(of).or_insert_with(|| {
            let fields = fields.iter().filter(|f| is_expected(of, f));
            fields.collect()
        });
        absent.retain(|f| {
            !spellings(f)
                .iter()
                .any(|name| self.fields.contains_key(*name))
        });
    }

    /// Notes the names of the remaining fields, but for those that are `known`.
    fn note_unread(&mut self, known: impl Fn(&str) -> bool) {
        self.fields.retain(|_, v| !v.is_null());
        for name in self.fields.keys() {
            // A column without a name is not a field that was renamed: pandas writes row numbers in one, and
            // spreadsheets leave empty ones behind the last field.
            let unread = name.is_empty()
                || self.source == TableId::Employees && UNREAD.contains(&name.as_str());
            let unknown = &mut self.log.report.unknown_columns;
            let noted = unknown.get(&self.source).is_some_and(|u| u.contains(name));
            if !unread && !noted && !known(name) {
                unknown.entry(self.source).or_default().insert(name.clone());
            }
        }
    }

    /// Stores the remaining fields of the row for export, and notes their names.
    fn keep_rest(&mut self, row: u32) {
        self.note_unread(|_| false);
        if !self.fields.is_empty() {
            let rest = Value::Object(std::mem::take(&mut self.fields));
            self.log
                .extras
                .insert((self.source, row), rest.to_string().into());
        }
    }
}

// ---------------------------------------------------------------- cells
//
// Fields of the declaration, each read by its type.

/// The identifiers of the tables that were read before.
type Targets<'c> = BTreeMap<TableId, &'c Ids>;

/// Columns of the published employees that no field reads.
const UNREAD: [&str; 2] = ["index", "Description"];

fn spellings(field: &SourceField) -> &[&'static str] {
    match field.native {
        [] => std::slice::from_ref(&field.name),
        names => names,
    }
}

/// The place of a word in the list of a choice.
fn place_of(words: &[&str], stated: &str) -> Option<i64> {
    let mut places = (0_i64..).zip(words);
    places
        .find(|(_, word)| word.eq_ignore_ascii_case(stated))
        .map(|(place, _)| place)
}

/// What a row has in a field of numbers that states none, if it can do without: null, the usual value of a field that
/// only informs (`Score`), or the word for unknown ones.
fn without(field: &SourceField) -> Option<Option<i64>> {
    match (field.kind, field.default) {
        _ if field.nullable => Some(None),
        (FieldType::Choice(words), _) => Some(place_of(words, field.unknown?)),
        (FieldType::Flag, FieldDefault::Yes) => Some(Some(1)),
        // As in a record that a tool creates.
        (FieldType::Whole(..), FieldDefault::Null) => Some(None),
        (FieldType::Whole(..), default)
            if field.write == Write::Derived && field.compare == Compare::Ignore =>
        {
            Some(match default {
                FieldDefault::Number(n) => Some(n),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Whether a file should have the column: nothing is lost with a copy or a value that follows from others, and some
/// files leave out what is null.
fn is_expected(source: TableId, field: &SourceField) -> bool {
    let follows = field.copy.is_some() || field.coded && field.write == Write::Derived;
    let may_lack = source.table().sparse && field.nullable;
    !follows && !may_lack
}

/// Whether the rows of a table have something under this name: a field, or what is split off for other tables.
fn is_known(source: TableId, name: &str) -> bool {
    let (beside, part) = match source {
        // Their file has all three tables in one row.
        TableId::Files => (TableId::Repositories.fields(), name == "issues"),
        TableId::Customers => (
            &[][..],
            ORDER_KINDS.iter().any(|(kind, _)| *name == paths(kind)),
        ),
        _ => (&[][..], false),
    };
    let mut fields = source.fields().iter().chain(beside);
    part || fields.any(|f| spellings(f).contains(&name))
}

/// The column of the customers with the paths of such documents.
fn paths(kind: &str) -> String {
    format!("{kind}_paths")
}

/// `4`, `4.1` or 4.1, in tenths.
fn rating(value: &Value) -> Option<i64> {
    let text = scalar_text(value)?;
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let digit = |t: &str| (t.len() == 1).then(|| t.parse::<u8>().ok()).flatten();
    let tenths = digit(whole)? * 10 + digit(part)?;
    (tenths <= 50).then_some(tenths.into())
}

/// `TRUE`, `no`, `y` or 1. A word that says neither is not a no: a person whose flag is no may do nothing.
fn flag(value: &Value) -> Option<i64> {
    match scalar_text(value)?.trim().to_lowercase().as_str() {
        "true" | "yes" | "t" | "y" | "1" | "1.0" => Some(1),
        "false" | "no" | "f" | "n" | "0" | "0.0" => Some(0),
        _ => None,
    }
}

/// An amount whose last comma stands before three digits: in `98,5` it would be a decimal sign, which the files do
/// not have.
fn amount(value: &Value) -> Option<Cents> {
    let text = value.as_str().unwrap_or_default();
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let last = whole
        .trim_end()
        .rsplit_once(',')
        .map_or(3, |(_, end)| end.len());
    Cents::from_value(value).filter(|_| last == 3)
}

/// A whole number, which may be written as an amount of money (`$98,500`).
fn whole_or_amount(value: &Value) -> Option<i64> {
    let amount = || amount(value).filter(|a| value.is_string() && a.0 % 100 == 0);
    whole_number(value).or_else(|| Some(amount()?.0 / 100))
}

impl Row<'_> {
    fn cells(&mut self, fields: &[SourceField], targets: &Targets<'_>) -> Read<Vec<Cell>> {
        fields.iter().map(|f| self.cell(f, targets)).collect()
    }

    /// One field. Copies are not read, nor are values that follow from others, and links inside the table are
    /// resolved when all its rows are there.
    fn cell(&mut self, field: &SourceField, targets: &Targets<'_>) -> Read<Cell> {
        if field.copy.is_some() {
            return Ok(Cell::Text(Some(Text::Made)));
        }
        let follows = field.coded && field.write == Write::Derived;
        if follows || field.kind == FieldType::Link(self.source) {
            return Ok(Cell::Number(None));
        }
        if field.kind.is_text() && field.kind != FieldType::Level {
            return self.text_cell(field);
        }
        let without = without(field);
        // An empty text of a flag says nothing, like a missing one; any other that cannot be read sets the row aside.
        let blank = field.kind == FieldType::Flag
            && self
                .said(spellings(field))
                .is_some_and(|text| text.trim().is_empty());
        let stated = !blank && !self.is_null(spellings(field)) || field.unknown.is_some();
        if let (false, Some(n)) = (stated, without) {
            return Ok(Cell::Number(n));
        }
        // A row without its day or its person says nothing; one without its rating does.
        let optional = match field.kind {
            FieldType::Choice(_) | FieldType::Rating | FieldType::Whole(..) => without,
            _ => None,
        };
        match (self.number(field, targets), optional) {
            (Ok(n), _) => Ok(Cell::number(n)),
            (Err(problem), None) => Err(problem),
            (Err(problem), Some(n)) => {
                let after = match (field.kind, n) {
                    (_, None) => "null".to_owned(),
                    (FieldType::Choice(_), _) => field.unknown.unwrap_or_default().to_owned(),
                    (_, Some(n)) => n.to_string(),
                };
                let note = self.note(problem.rule, field.name, problem.before, &after);
                self.log.report.repairs.push(note);
                Ok(Cell::Number(n))
            }
        }
    }

    /// A value that is stored as a number.
    fn number(&mut self, field: &SourceField, targets: &Targets<'_>) -> Read<i64> {
        let stated = self.value(spellings(field));
        let text = stated.as_str().unwrap_or_default();
        let mut rule = "number_unreadable";
        let mut spelling = None;
        let read = match field.kind {
            FieldType::Link(target) => {
                rule = "dangling_key";
                let ids = targets.get(&target);
                let id = scalar_text(&stated);
                id.and_then(|id| Some(ids?.find(id.trim(), u32::MAX)?.into()))
            }
            FieldType::Day => {
                rule = "date_unreadable";
                spelling = (text.find('-') == Some(2)).then_some("day_first_date");
                let day = Day::of(text);
                self.compare_with_clock(field, day);
                day.map(|day| day.0.into())
            }
            FieldType::Moment => {
                rule = "date_unreadable";
                let read = Moment::parse(text);
                // The files name the zone where tools do.
                let local = read.is_some_and(|(_, zoned)| !zoned) && field.write != Write::Derived;
                spelling = local.then_some("zone_assumed");
                self.compare_with_clock(field, read.map(|(moment, _)| moment.day()));
                read.map(|(moment, _)| moment.0)
            }
            FieldType::Money => {
                rule = "amount_unreadable";
                spelling = stated.is_string().then_some("currency_in_string");
                amount(&stated).map(|amount| amount.0)
            }
            FieldType::Rating => {
                rule = "rating_unreadable";
                rating(&stated)
            }
            FieldType::Level => {
                rule = "level_unreadable";
                parse_level_code(text).map(|(_, level)| level.into())
            }
            FieldType::Flag => {
                rule = "word_unknown";
                spelling = (!stated.is_boolean()).then_some("truth_word");
                flag(&stated)
            }
            FieldType::Choice(words) => {
                let missing = stated.is_null() && field.unknown.is_none();
                rule = if missing {
                    "missing_field"
                } else {
                    "word_unknown"
                };
                place_of(words, text.trim_matches(' ')).or_else(|| {
                    // Some have line breaks inside the word.
                    let line = text.lines().map(str::trim).find(|l| !l.is_empty())?;
                    let known = place_of(words, line)?;
                    let word = words.get(usize::try_from(known).ok()?)?;
                    self.repaired("word_trimmed", field.name, &stated, word);
                    Some(known)
                })
            }
            FieldType::Whole(..) if field.sign.is_some() => {
                spelling = stated.is_string().then_some("percent_sign");
                let digits = match stated.is_string() {
                    true => whole_number(&text.trim_end_matches('%').into()),
                    false => whole_number(&stated),
                };
                digits.filter(|n| (0..=100).contains(n))
            }
            FieldType::Whole(low, high) => {
                let n = whole_or_amount(&stated);
                spelling = stated.is_string().then(|| match whole_number(&stated) {
                    Some(_) => "number_in_string",
                    None => "currency_in_string",
                });
                // Records may go a little beyond what a form accepts (a person of 71), and a count far beyond it; a mark
                // off its scale and an age of 230 are slips.
                let (low, high) = match low {
                    0 => (0, high.max(255)),
                    1.. => (low - low / 4, high + high / 4),
                    _ => (low, high),
                };
                let fits = |n: &i64| (low..=high).contains(n);
                if n.is_some_and(|n| !fits(&n)) {
                    rule = "number_out_of_range";
                }
                n.filter(fits)
            }
            FieldType::Id | FieldType::Text(_) | FieldType::Words => None,
        };
        if let (Some(_), Some(spelling)) = (read, spelling) {
            self.coerced(spelling);
        }
        read.ok_or_else(|| unusable(rule, field.native_name(), &stated))
    }

    /// Counts a day on which something happened that is after today.
    fn compare_with_clock(&mut self, field: &SourceField, day: Option<Day>) {
        let happened = matches!(field.default, FieldDefault::Today | FieldDefault::Now);
        if happened && day > self.log.clock {
            self.found("events_after_clock");
        }
    }

    /// A text; empty if it may be missing and is, null if the field has no value then.
    fn text_cell(&mut self, field: &SourceField) -> Read<Cell> {
        let stated = self.value(spellings(field));
        let text = match &stated {
            Value::Array(list) if field.kind == FieldType::Words => {
                let words: Vec<String> = list.iter().filter_map(scalar_text).collect();
                Some(words.join(", "))
            }
            other => scalar_text(other),
        };
        if text.is_none() && field.required && !field.blank {
            return Err(unusable("missing_field", field.native_name(), &stated));
        }
        if text.is_none() && !stated.is_null() {
            self.repaired("text_unreadable", field.name, &stated, "");
        }
        let text = text.unwrap_or_default();
        if let Some(repair) = field.bare_number.filter(|_| stated.is_number()) {
            self.repaired(repair, field.name, &stated, &text);
        }
        Ok(match field.nullable && text.is_empty() {
            true => Cell::Text(None),
            false => Cell::text(text),
        })
    }

    /// Removes a copy of a field of another record, and repairs it if it is compared and differs.
    fn copy(
        &mut self,
        c: &Company,
        (field, fields): (&SourceField, &[SourceField]),
        cells: &[Cell],
    ) {
        let Some((link, of)) = field.copy else {
            return;
        };
        let (Some(stated), Some(repair)) = (self.take(field.name), field.compared) else {
            return;
        };
        let place = fields.iter().position(|f| f.name == link);
        let cell = place.and_then(|n| cells.get(n));
        let (Some(target), Some(Cell::Number(Some(n)))) = (self.source.target(link), cell) else {
            return;
        };
        let row = u32::try_from(*n).ok();
        let master = row.map_or(Value::Null, |row| c.cell(target, row, of));
        if stated != master {
            let after = master.as_str().unwrap_or_default();
            self.repaired(repair, field.name, &stated, after);
        }
    }
}

// ---------------------------------------------------------------- tables

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
    fn identify(&mut self, row: &mut Row<'_>, id: String, field: &str) -> Read<()> {
        row.id = id;
        match self.seen.insert(row.id.as_str().into()) {
            true => Ok(()),
            false => Err(unusable("duplicate_id", field, &row.id.as_str().into())),
        }
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

fn targets(c: &Company) -> Targets<'_> {
    c.ids.iter().map(|(source, ids)| (*source, ids)).collect()
}

fn named(fields: &[SourceField], cells: Vec<Cell>) -> impl Iterator<Item = (&str, Cell)> {
    fields.iter().map(|f| f.name).zip(cells)
}

/// Reads what belongs to other tables or follows from a row, given its number and its values.
type More<'m> = dyn FnMut(&mut Row<'_>, u32, &[Cell]) -> Read<()> + 'm;

/// The rows of a table from its files. `prepare` brings a row into the form of the declaration.
fn by_fields(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
    source: TableId,
    prepare: &dyn Fn(&mut Row<'_>, &Targets<'_>),
    more: &mut More<'_>,
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
    let mut table = Table::new(source);
    let mut inside: Vec<(u32, RowNote)> = Vec::new();
    let targets = targets(c);
    for (path, text) in files {
        for_each_row(log, source, path, text, |row| {
            // For notes on the row until it is checked.
            row.id = row.said(spellings(key)).unwrap_or_default();
            prepare(row, &targets);
            row.note_absent(source, source.fields());
            let mut id = row.text(spellings(key))?;
            // `+5` and `05` would be shown as 5, and not be found by it.
            if let (true, Some(n)) = (source.numbered(), whole_number(&id.as_str().into())) {
                id = n.to_string();
            }
            if key.native_name() != key.name {
                row.coerced("vendor_key_renamed");
            }
            table.identify(row, id, key.native_name())?;
            let cells = row.cells(fields, &targets)?;
            for field in fields {
                row.copy(c, (field, fields), &cells);
            }
            let number = table.rows.count();
            more(row, number, &cells)?;
            for field in fields.iter().filter(|f| f.kind == FieldType::Link(source)) {
                let stated = row.value(spellings(field));
                let whole = whole_number(&stated).filter(|_| source.numbered());
                let id = whole
                    .map(|n| n.to_string())
                    .or_else(|| scalar_text(&stated));
                let note = |id| (number, row.note("dangling_post", field.name, id, "null"));
                inside.extend(id.filter(|id| !id.is_empty()).map(note));
            }
            table.push(row, named(fields, cells));
            Ok(())
        })?;
    }
    table.finish(c);
    // Last, because a row may link to one behind it, as an answer to its question.
    for (row, note) in inside {
        let target = c.ids.get(&source);
        let target = target.and_then(|ids| ids.find(&note.before, u32::MAX));
        match (target, c.declared_mut(source)) {
            (Some(target), Some(rows)) => rows.set_number(row, &note.field, Some(target.into())),
            _ => log.report.repairs.push(note),
        }
    }
    Ok(())
}

/// The rows of a table that links to people, and to tables before it.
pub(super) fn rows(c: &mut Company, tree: &NativeTree, log: &mut Log, source: TableId) -> Done {
    let as_is = |_: &mut Row<'_>, _: &Targets<'_>| {};
    let alone = &mut |_: &mut Row<'_>, _: u32, _: &[Cell]| Ok(());
    match source {
        TableId::Resumes => by_fields(c, tree, log, source, &as_is, &mut resume),
        TableId::Emails => mails(c, tree, log),
        TableId::Conversations => by_fields(c, tree, log, source, &flat, &mut with_whom),
        TableId::Posts => by_fields(c, tree, log, source, &|row, _| post(row), alone),
        TableId::Overflow => by_fields(c, tree, log, source, &|row, _| overflow(row), alone),
        // With its files and issues.
        TableId::Repositories => repositories(c, tree, log),
        TableId::PolicyDocuments => policies(c, tree, log),
        TableId::Files | TableId::Issues => Ok(()),
        // Other tables need them, so they are there.
        TableId::Employees | TableId::Customers | TableId::OrderDocuments => Ok(()),
        _ => by_fields(c, tree, log, source, &as_is, alone),
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
    let source = TableId::Employees;
    if tree.find("employees.json").is_none() {
        return Err(ImportError::NoEmployees);
    }
    let (mut managers, mut reportees) = (Vec::new(), Vec::new());
    let mut more = |row: &mut Row<'_>, _: u32, cells: &[Cell]| {
        let fields = source.fields().iter().skip(1).map(|f| f.name);
        let cells: BTreeMap<&str, &Cell> = fields.zip(cells).collect();
        if let Some(Cell::Text(Some(Text::Own(email)))) = cells.get("email")
            && email.is_empty()
        {
            return Err(unusable("missing_field", "email", &Value::Null));
        }
        let manager = row.take("reports_to").and_then(|v| scalar_text(&v));
        let manager = manager.unwrap_or_default();
        managers.push(row.note("dangling_manager", "reports_to", manager, "null"));
        reportees.push(row.take("reportees").unwrap_or_default());
        // `Total Leaves Taken` is derived; a stated total that differs is repaired.
        let (field, taken) = (
            "Total Leaves Taken",
            leaves_taken(|name| match cells.get(name) {
                Some(Cell::Number(days)) => *days,
                _ => None,
            }),
        );
        if let Some(stated) = row.take(field)
            && whole_number(&stated) != Some(taken)
        {
            row.repaired("leave_sum_recomputed", field, &stated, &taken.to_string());
        }
        Ok(())
    };
    by_fields(c, tree, log, source, &|row, _| employee(row), &mut more)?;
    reporting(c, log, &managers, &reportees);
    c.domain = domain(c);
    Ok(())
}

/// Brings a person into the form of the declaration. Of the level code only the number counts if the department is
/// stated; a department that cannot be read is taken from the code.
fn employee(row: &mut Row<'_>) {
    if let Some(Value::String(stated)) = row.fields.get("category").cloned() {
        // Some rows have an outdated copy of the department; it stays with the native fields if it
        // differs.
        match row.take("Description") {
            None => {}
            Some(copy) if copy == *stated => {}
            Some(copy) => {
                row.found("stale_description");
                row.put("Description", copy);
            }
        }
        let code = row.said(&["Level"]).unwrap_or_default();
        let of_level = parse_level_code(&code).map(|(department, _)| department);
        let stated_one = Department::parse(&stated);
        if let Some(department) = stated_one.or(of_level) {
            if stated_one.is_none() {
                let after = department.name();
                row.repaired("department_from_level", "category", &stated.into(), after);
            }
            row.put("category", department.name());
        }
    }
    if let Some(Value::String(left)) = row.fields.get("DOL") {
        match Day::parse(left) {
            Some(day) => row.put("DOL", day.to_string()),
            None if left.is_empty() || left == "Present" => row.put("DOL", Value::Null),
            None => {}
        }
    }
}

/// Sets managers, removes dangling and circular edges, and compares them with the stated reports. A note has the
/// stated manager of each person.
fn reporting(c: &mut Company, log: &mut Log, managers: &[RowNote], reportees: &[Value]) {
    let source = TableId::Employees;
    let ids = c.ids.get(&source);
    let known = |note: &RowNote| ids?.find(&note.before, u32::MAX);
    let known: Vec<Option<u32>> = managers.iter().map(known).collect();
    // The trees of the managers set so far. `row` has no manager yet, so it is the root of its tree, and
    // an edge to a manager in the same tree would close a cycle.
    // The union of trees takes nearly constant time; walking up the chain for each edge could take the depth of the
    // tree, which outside data choose.
    let mut trees = UnionFind::<u32>::new(managers.len());
    let mut reports: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (row, (note, known)) in (0u32..).zip(managers.iter().zip(known)) {
        match known.filter(|m| trees.union(row, *m)) {
            Some(m) => {
                if let Some(people) = c.declared_mut(source) {
                    people.set_number(row, "reports_to", Some(m.into()));
                }
                reports.entry(m).or_default().insert(&note.id);
            }
            None if note.before.is_empty() => {}
            None => log.report.repairs.push(RowNote {
                rule: match known {
                    Some(_) => "reporting_cycle",
                    None => note.rule,
                },
                ..note.clone()
            }),
        }
    }
    for (row, (value, note)) in (0u32..).zip(reportees.iter().zip(managers)) {
        let stated = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let stated: BTreeSet<&str> = stated.iter().filter_map(Value::as_str).collect();
        let derived = reports.remove(&row).unwrap_or_default();
        if stated != derived {
            log.report.repairs.push(RowNote {
                rule: "reportees_recomputed",
                field: "reportees".to_owned(),
                before: format!("{} stated", stated.len()),
                after: format!("{} derived", derived.len()),
                ..note.clone()
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
    // Of two equally frequent ones the last in alphabetical order, so that the order of rows does not matter.
    let most = counts.into_iter().max_by_key(|(_, n)| *n);
    most.map(|(domain, _)| domain).unwrap_or_default().into()
}

/// Notes a curriculum without a name.
fn resume(row: &mut Row<'_>, _: u32, cells: &[Cell]) -> Read<()> {
    if let [_, Cell::Text(None), ..] = cells {
        row.found("resume_without_name");
    }
    Ok(())
}

// ---------------------------------------------------------------- talk
//
// Mails, conversations, posts and overflow posts, in their older and newer forms.

/// Gives a participant of a mail whose id nobody has the id of the person with the stated address.
fn participant(
    row: &mut Row<'_>,
    side: &str,
    targets: &Targets<'_>,
    addresses: &BTreeMap<String, Option<String>>,
) {
    let field = format!("{side}_emp_id");
    let id = row.said(&[&field]);
    let people = targets.get(&TableId::Employees);
    if id.is_some_and(|id| people.is_some_and(|p| p.find(&id, u32::MAX).is_some())) {
        return;
    }
    let address = row.said(&[&format!("{side}_email")]).unwrap_or_default();
    if let Some(Some(person)) = addresses.get(&address.to_lowercase()) {
        let before = row.take(&field).unwrap_or_default();
        row.repaired("person_from_address", &field, &before, &address);
        row.put(&field, person.as_str());
    }
}

/// Ids of people by address; an address of several people identifies none of them.
fn addresses(c: &Company) -> BTreeMap<String, Option<String>> {
    let mut out: BTreeMap<String, Option<String>> = BTreeMap::new();
    for row in 0..c.rows(TableId::Employees) {
        let email = c.shown(TableId::Employees, row, "email");
        out.entry(email.to_lowercase())
            .and_modify(|id| *id = None)
            .or_insert_with(|| Some(c.id(TableId::Employees, row)));
    }
    out
}

/// Mails and their threads, in the order of the file; a thread is an id that occurs.
fn mails(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let addresses = addresses(c);
    let people = |row: &mut Row<'_>, targets: &Targets<'_>| {
        if row.flatten("sender", "sender_") | row.flatten("recipient", "recipient_") {
            row.coerced("nested_participants");
        }
        for side in ["sender", "recipient"] {
            participant(row, side, targets, &addresses);
        }
    };
    let (mut names, mut of_mails) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<Box<str>, u32> = BTreeMap::new();
    let mut thread = |_: &mut Row<'_>, _: u32, cells: &[Cell]| {
        let id = match cells {
            [Cell::Text(Some(Text::Own(id))), ..] if !id.is_empty() => id.clone(),
            _ => return Err(unusable("missing_field", "thread_id", &Value::Null)),
        };
        of_mails.push(*numbers.entry(id.clone()).or_insert_with(|| {
            names.push(id);
            row_no(names.len()) - 1
        }));
        Ok(())
    };
    by_fields(c, tree, log, TableId::Emails, &people, &mut thread)?;
    for (mail, thread) in (0u32..).zip(of_mails) {
        if let Some(mails) = c.declared_mut(TableId::Emails) {
            mails.set_number(mail, "thread_id", Some(thread.into()));
        }
    }
    c.threads = vec![Topic::default(); names.len()];
    c.thread_ids = Ids::listed(names);
    Ok(())
}

/// Brings a conversation into the form of the declaration: older files have a part of the fields inside.
fn flat(row: &mut Row<'_>, _: &Targets<'_>) {
    if row.flatten("metadata", "") {
        row.coerced("nested_metadata");
    }
}

/// Notes a conversation of a person with themself.
fn with_whom(row: &mut Row<'_>, _: u32, cells: &[Cell]) -> Read<()> {
    if let [Cell::Number(sender), Cell::Number(recipient), ..] = cells
        && sender == recipient
    {
        row.found("conversations_with_oneself");
    }
    Ok(())
}

/// Numbers a post without an id by its position.
fn post(row: &mut Row<'_>) {
    if row.is_null(&["post_id"]) {
        row.coerced("post_id_made");
        row.put("post_id", format!("post_{}", row.position));
    }
}

/// Brings a question or an answer into the form of the declaration.
fn overflow(row: &mut Row<'_>) {
    if let Some(number) = row.take("PostTypeId") {
        let kind = match whole_number(&number) {
            Some(1) => "question".into(),
            Some(2) => "answer".into(),
            // Other numbers, as that of a wiki page, are no known word.
            _ => number,
        };
        row.put("post_type", kind);
    }
    // `<python><sql>`, `python|sql` or `python, sql`.
    if let Some(Value::String(tags)) = row.fields.get_mut("Tags") {
        let words = tags.split(['<', '>', '|', ',']).map(str::trim);
        let words: Vec<&str> = words.filter(|t| !t.is_empty()).collect();
        *tags = words.join(", ");
    }
}

// ---------------------------------------------------------------- code
//
// The repository file, which has one row per file with its issue inside.
//
// The published file repeats the metadata of a repository in each of its files. The first row of a
// repository decides; its other files add only themselves.

/// The issues of a file row: an object, a list of objects (older), or null.
fn issues(row: &mut Row<'_>) -> Vec<Map<String, Value>> {
    let list = match row.take("issues") {
        Some(Value::Array(list)) => {
            row.coerced("issue_list");
            list
        }
        other => other.into_iter().collect(),
    };
    let mut found = Vec::new();
    for issue in list {
        match issue {
            Value::Object(issue) => found.push(issue),
            Value::Null => {}
            other => row.repaired("text_unreadable", "issues", &other, "null"),
        }
    }
    if found.is_empty() {
        row.found("files_without_issue");
    }
    found
}

/// Splits each row into repository, file and issues. An issue without a readable date or with a used
/// id is quarantined, and its file stays.
fn repositories(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("github.json") else {
        return Ok(());
    };
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let [mut repositories, mut files, mut all_issues] =
        [TableId::Repositories, TableId::Files, TableId::Issues].map(Table::new);
    // Without the keys, and without what says where a file or an issue is.
    let fields = |source: TableId, from: usize| source.fields().get(from..).unwrap_or_default();
    let of_repository = fields(TableId::Repositories, 1);
    let (of_file, of_issue) = (fields(TableId::Files, 2), fields(TableId::Issues, 3));
    let targets = targets(c);
    for_each_row(log, TableId::Files, path, text, |row| {
        row.note_absent(TableId::Repositories, fields(TableId::Repositories, 0));
        row.note_absent(TableId::Files, of_file);
        // The file first: a row without a readable file adds no repository either.
        let name = row.text(&["repo_name"])?;
        let cells = row.cells(of_file, &targets)?;
        let [Cell::Text(Some(Text::Own(file_path))), ..] = cells.as_slice() else {
            return Err(unusable("missing_field", "path", &Value::Null));
        };
        files.identify(row, format!("{name}:{file_path}"), "path")?;
        let about = row.cells(of_repository, &targets)?;
        let repository = *numbers.entry(name).or_insert_with_key(|name| {
            repositories.names.push(name.as_str().into());
            repositories.rows.push(named(of_repository, about));
            repositories.rows.count() - 1
        });
        let repository = || ("repo_name", Cell::number(repository));
        let file = files.rows.count();
        for issue in issues(row) {
            take_row(row.log, TableId::Issues, issue, &mut |issue| {
                let unusable = |problem| Unusable {
                    rule: "date_or_id_unusable",
                    ..problem
                };
                issue.note_absent(TableId::Issues, of_issue);
                let id = issue.value(&["id"]);
                let id = scalar_text(&id).unwrap_or_default();
                all_issues.identify(issue, id, "id").map_err(unusable)?;
                let cells = issue.cells(of_issue, &targets).map_err(unusable)?;
                let place = [repository(), ("path", Cell::number(file))];
                all_issues.push(issue, place.into_iter().chain(named(of_issue, cells)));
                Ok(())
            });
        }
        files.push(
            row,
            std::iter::once(repository()).chain(named(of_file, cells)),
        );
        Ok(())
    })?;
    for source in [TableId::Repositories, TableId::Issues] {
        log.opened(source, path);
    }
    let of_repositories = log.report.sources.entry(TableId::Repositories);
    of_repositories.or_default().rows = repositories.rows.count();
    let nameless = all_issues.names.iter().all(|n| n.is_empty());
    for table in [repositories, files, all_issues] {
        table.finish(c);
    }
    if nameless {
        let scheme = Scheme::new(c.seed.child("id.issues", 0), Form::Uuid);
        c.ids.insert(TableId::Issues, Ids::Made(scheme));
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
            let field = paths(kind);
            let path = match row.take(&field) {
                None | Some(Value::Null) => Text::Made,
                // The files name a folder that does not exist; the documents are in the customers' folder.
                Some(Value::String(stated)) => match stated.strip_prefix("Financial System/") {
                    Some(rest) => {
                        row.coerced("order_path_mapped");
                        Text::own(format!("Customer_Relation_Management/{rest}"))
                    }
                    None => Text::own(stated),
                },
                Some(other) => {
                    row.repaired("text_unreadable", &field, &other, "");
                    Text::Made
                }
            };
            let made = || Cell::Text(Some(Text::Made));
            papers.push([
                ("kind", made()),
                ("customer_id", Cell::number(customer)),
                ("path", Cell::Text(Some(path))),
                ("text", made()),
            ]);
        }
        Ok(())
    };
    by_fields(c, tree, log, TableId::Customers, &|_, _| {}, &mut documents)?;
    let sources = &mut log.report.sources;
    let path = sources
        .get(&TableId::Customers)
        .and_then(|s| s.path.clone());
    let of_papers = sources.entry(TableId::OrderDocuments).or_default();
    (of_papers.path, of_papers.rows) = (path, papers.count());
    c.declare(papers);
    Ok(())
}

// ---------------------------------------------------------------- docs
//
// `office.json`, and policy documents as text. The published ones are PDF exports; a user who has
// their text passes it as `.txt` ([`PolicyRow::parse`]).

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
    let (mut ids, mut seen): (Vec<Box<str>>, _) = (Vec::new(), BTreeSet::new());
    for (path, text) in tree.under("policy_documents", ".txt") {
        if text.len() > LONGEST_POLICY {
            return Err(ImportError::TooLong {
                path: path.to_owned(),
                most: LONGEST_POLICY,
            });
        }
        log.opened(TableId::PolicyDocuments, path);
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let id = file.trim_end_matches(".txt");
        // A document with a wrong label must not be open to all, so it is set aside like any row.
        take_row(log, TableId::PolicyDocuments, Map::new(), &mut |row| {
            row.id = id.to_owned();
            if !seen.insert(id) {
                return Err(unusable("duplicate_id", "document_id", &id.into()));
            }
            let read = PolicyRow::parse(text);
            c.policies
                .push(read.map_err(|label| unusable("label_unreadable", "label", &label.into()))?);
            ids.push(id.into());
            Ok(())
        });
    }
    c.declare(Rows::made(TableId::PolicyDocuments, row_no(ids.len())));
    listed(c, TableId::PolicyDocuments, ids);
    Ok(())
}
