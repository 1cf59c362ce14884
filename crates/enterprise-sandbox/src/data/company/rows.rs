//! Rows that are stored by the fields of their table, in columns.
//!
//! Links are row numbers, days, amounts and words of a list are numbers. A column of numbers is as wide as
//! its largest number demands: a rating takes one byte, a day two, the number of a row four at most.
//! Texts of a generated company are not stored at all: they are made when they are read.

use crate::data::company::Company;
use crate::data::company::ids::Names;
use crate::data::org::Department;
use crate::data::row::{Employee, EmployeeNo, Text};
use crate::data::tables::{FieldType, SourceField, TableId, Write};
use crate::data::value::{Day, row_no};
use std::collections::BTreeMap;

/// A value that a column stores.
pub(crate) enum Cell {
    /// A text, `None` for null.
    Text(Option<Text>),
    /// Anything else, `None` for null.
    Number(Option<i64>),
}

impl Cell {
    /// A number.
    pub(crate) fn number(n: impl Into<i64>) -> Self {
        Self::Number(Some(n.into()))
    }

    /// A stored text.
    pub(crate) fn text(text: impl Into<Box<str>>) -> Self {
        Self::Text(Some(Text::own(text)))
    }
}

/// The stored form of a field of a row.
pub(crate) enum Stored<'a> {
    /// A text that is made when it is read.
    Made,
    /// A text.
    Text(&'a str),
    /// Anything else.
    Number(i64),
}

/// One field of all rows.
#[derive(Debug, Clone)]
enum Column {
    /// Texts that are made when they are read.
    Made,
    /// Texts; null beyond the last one.
    Texts(Vec<Option<Text>>),
    /// Numbers. In a field of texts every number stands for a text that is made when it is read.
    Numbers(Numbers),
}

/// The number that stands for null.
pub(crate) const NULL: i64 = i64::MIN;

/// The numbers of a column, in the narrowest type that holds all of them. The least number of the type
/// stands for null.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    Byte(Vec<i8>),
    Short(Vec<i16>),
    Word(Vec<i32>),
    Long(Vec<i64>),
}

/// Applies an expression to the numbers of a column, of whatever type they are.
macro_rules! each_width {
    ($numbers:expr, $list:ident => $value:expr) => {
        match $numbers {
            Numbers::Byte($list) => $value,
            Numbers::Short($list) => $value,
            Numbers::Word($list) => $value,
            Numbers::Long($list) => $value,
        }
    };
}

/// A number in a narrower type, if it fits.
fn narrow<T: TryFrom<i64> + PartialEq + Copy>(n: i64, null: T) -> Option<T> {
    match n {
        NULL => Some(null),
        _ => T::try_from(n).ok().filter(|n| *n != null),
    }
}

#[inline]
fn number<T: Into<i64> + PartialEq + Copy>(list: &[T], row: u32, null: T) -> Option<i64> {
    let n = *list.get(row as usize)?;
    (n != null).then(|| n.into())
}

impl Numbers {
    fn with_capacity(rows: u32) -> Self {
        Self::Byte(Vec::with_capacity(rows as usize))
    }

    /// The number of a row; `None` for null and beyond the last row.
    #[inline]
    pub(crate) fn get(&self, row: u32) -> Option<i64> {
        match self {
            Self::Byte(list) => number(list, row, i8::MIN),
            Self::Short(list) => number(list, row, i16::MIN),
            Self::Word(list) => number(list, row, i32::MIN),
            Self::Long(list) => number(list, row, NULL),
        }
    }

    fn len(&self) -> usize {
        each_width!(self, list => list.len())
    }

    /// Adds a number, or puts it in the place of another one.
    fn put(&mut self, row: usize, n: i64) {
        // Rows before it that have no number yet are null.
        while self.len() < row {
            self.put(self.len(), NULL);
        }
        let fits = match self {
            Self::Byte(list) => narrow(n, i8::MIN).map(|n| place(list, row, n)),
            Self::Short(list) => narrow(n, i16::MIN).map(|n| place(list, row, n)),
            Self::Word(list) => narrow(n, i32::MIN).map(|n| place(list, row, n)),
            Self::Long(list) => {
                place(list, row, n);
                Some(())
            }
        };
        if fits.is_none() {
            *self = self.wider();
            self.put(row, n);
        }
    }

    /// The same numbers in the next wider type, with room for as many rows.
    fn wider(&self) -> Self {
        fn all<T: TryFrom<i64> + PartialEq + Copy>(from: &Numbers, null: T) -> Vec<T> {
            let mut out = Vec::with_capacity(each_width!(from, list => list.capacity()));
            let rows = 0..row_no(from.len());
            out.extend(rows.map(|row| from.get(row).and_then(|n| narrow(n, null)).unwrap_or(null)));
            out
        }
        match self {
            Self::Byte(_) => Self::Short(all(self, i16::MIN)),
            Self::Short(_) => Self::Word(all(self, i32::MIN)),
            Self::Word(_) | Self::Long(_) => Self::Long(all(self, NULL)),
        }
    }
}

fn place<T>(list: &mut Vec<T>, row: usize, n: T) {
    match list.get_mut(row) {
        Some(slot) => *slot = n,
        None => list.push(n),
    }
}

/// The rows of a table.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    source: TableId,
    count: u32,
    /// In the order of the fields; that of the key stays empty.
    columns: Vec<Column>,
    /// Columns of the first and second person and of the date, which lists ask for often.
    people: [Option<usize>; 2],
    dated: Option<usize>,
    /// The other table that the first person's field links to: the person is the first one of its row.
    through: Option<TableId>,
}

impl Rows {
    /// No rows, for texts that are stored.
    pub(crate) fn new(source: TableId) -> Self {
        Self::of(source, |field| match field.is_stored_text() {
            true if field.copy.is_some() => Column::Made,
            true => Column::Texts(Vec::new()),
            false => Column::Numbers(Numbers::with_capacity(0)),
        })
    }

    /// No rows, for `count` rows of a generated company that have numbers in these fields. Other fields
    /// have generated texts, except those that no tool writes and that may be null; numbers without a value are null.
    pub(crate) fn generated(source: TableId, fields: &[&str], count: u32) -> Self {
        Self::of(source, |field| match field.is_stored_text() {
            _ if fields.contains(&field.name) => Column::Numbers(Numbers::with_capacity(count)),
            true if field.write == Write::Derived && field.nullable => Column::Texts(Vec::new()),
            true => Column::Made,
            false => Column::Numbers(Numbers::with_capacity(0)),
        })
    }

    /// Rows of which all is text that is made when it is read.
    pub(crate) fn made(source: TableId, count: u32) -> Self {
        let none = Self::generated(source, &[], count);
        Self { count, ..none }
    }

    fn of(source: TableId, column: impl Fn(&SourceField) -> Column) -> Self {
        let table = source.table();
        let place = |name: &str| table.fields.iter().position(|f| f.name == name);
        let person = |n: usize| place(table.people.get(n)?.1);
        let first = person(0).and_then(|at| table.fields.get(at));
        let through = first.and_then(SourceField::target);
        Self {
            source,
            count: 0,
            columns: table.fields.iter().map(column).collect(),
            people: [person(0), person(1)],
            dated: table.dated.and_then(place),
            through: through.filter(|target| *target != TableId::Employees),
        }
    }

    /// Adds rows of a generated company: the numbers of these fields, [`NULL`] for null.
    pub(crate) fn extend<R: AsRef<[i64]>>(
        &mut self,
        fields: &[&str],
        rows: impl Iterator<Item = R>,
    ) {
        let places: Vec<_> = fields.iter().map(|f| self.place(f)).collect();
        for row in rows {
            for (place, n) in places.iter().zip(row.as_ref()) {
                let column = place.and_then(|place| self.columns.get_mut(place));
                if let Some(Column::Numbers(numbers)) = column {
                    numbers.put(numbers.len(), *n);
                }
            }
            self.count += 1;
        }
    }

    /// Adds a row with these values by field; other fields are null or made.
    pub(crate) fn push<'f>(&mut self, cells: impl IntoIterator<Item = (&'f str, Cell)>) {
        let row = self.count as usize;
        self.count += 1;
        for (field, cell) in cells {
            let place = self.place(field);
            match (place.and_then(|p| self.columns.get_mut(p)), cell) {
                (Some(Column::Texts(texts)), Cell::Text(text)) => {
                    texts.resize(row, None);
                    texts.push(text);
                }
                (Some(Column::Numbers(numbers)), Cell::Number(n)) => {
                    numbers.put(row, n.unwrap_or(NULL));
                }
                _ => {}
            }
        }
    }

    /// Its table.
    pub(crate) fn source(&self) -> TableId {
        self.source
    }

    /// Number of rows.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Replaces a text.
    pub(crate) fn set_text(&mut self, row: u32, field: &str, text: String) {
        let Some(place) = self.place(field) else {
            return;
        };
        let count = self.count as usize;
        if let Some(column) = self.columns.get_mut(place) {
            if matches!(column, Column::Made) {
                *column = Column::Texts(vec![Some(Text::Made); count]);
            }
            if let Column::Texts(texts) = column
                && let Some(slot) = texts.get_mut(row as usize)
            {
                *slot = Some(Text::own(text));
            }
        }
    }

    fn place(&self, field: &str) -> Option<usize> {
        self.source.fields().iter().position(|f| f.name == field)
    }

    /// The numbers of a field that is not a text.
    pub(crate) fn numbers(&self, field: &str) -> Option<&Numbers> {
        match self.columns.get(self.place(field)?)? {
            Column::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// Replaces a number of a row.
    pub(crate) fn set_number(&mut self, row: u32, field: &str, n: Option<i64>) {
        let place = self.place(field);
        if let Some(Column::Numbers(numbers)) = place.and_then(|p| self.columns.get_mut(p))
            && row < self.count
        {
            numbers.put(row as usize, n.unwrap_or(NULL));
        }
    }

    fn number(&self, row: u32, column: usize) -> Option<i64> {
        match self.columns.get(column)? {
            Column::Numbers(numbers) => numbers.get(row),
            _ => None,
        }
    }

    /// The row that a field links to.
    pub(crate) fn link(&self, row: u32, field: &str) -> Option<u32> {
        u32::try_from(self.number(row, self.place(field)?)?).ok()
    }

    /// The other table that the first person's field links to.
    pub(crate) fn through(&self) -> Option<TableId> {
        self.through
    }

    /// The row that the first or second person's field links to.
    pub(crate) fn person(&self, row: u32, which: usize) -> Option<EmployeeNo> {
        let column = self.people.get(which).copied().flatten()?;
        u32::try_from(self.number(row, column)?)
            .ok()
            .map(EmployeeNo)
    }

    /// Seconds of the date by which lists are ordered.
    pub(crate) fn stamp(&self, row: u32) -> Option<i64> {
        let column = self.dated?;
        let n = self.number(row, column)?;
        match self.source.fields().get(column)?.kind {
            FieldType::Day => Some(Day(i32::try_from(n).ok()?).start().0),
            _ => Some(n),
        }
    }

    /// The stored form of a field.
    pub(crate) fn stored(&self, row: u32, field: &str) -> Option<Stored<'_>> {
        let place = self.place(field)?;
        Some(match self.columns.get(place)? {
            Column::Made => Stored::Made,
            Column::Texts(texts) => match texts.get(row as usize)?.as_ref()? {
                Text::Made => Stored::Made,
                Text::Own(own) => Stored::Text(own),
            },
            Column::Numbers(numbers) => {
                match (numbers.get(row)?, self.source.fields().get(place)) {
                    (_, Some(field)) if field.kind.is_text() => Stored::Made,
                    (n, _) => Stored::Number(n),
                }
            }
        })
    }
}

// ---------------------------------------------------------------- index
//
// Lookup tables of a complete company: rows by key, rows by name.
//
// The index is built once from complete tables. It knows nothing of the writes of an episode:
// [`CompanyView::candidates`](crate::data::view::CompanyView::candidates) adds every written row of the
// source and leaves the comparison of the actual value to the caller, so an index entry may be out
// of date but no row is missing.

/// Rows grouped by a key that is itself a row number, in two arrays (compressed sparse rows): 4 bytes
/// for each row and each key. A map of lists would need several times that for millions of rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// Where the rows of each key begin in `rows`, and one more entry for the end.
    offsets: Vec<u32>,
    /// The rows, key by key.
    rows: Vec<u32>,
}

impl Groups {
    /// Groups `(key, row)` pairs; keys are in `0..keys`. Rows keep their order within a group.
    pub(crate) fn new(keys: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            if let Some(n) = offsets.get_mut(key as usize + 1) {
                *n += 1;
            }
        }
        // A counting sort: counts become the places where each group begins, then each row goes to the
        // next free place of its group. It is stable, so rows ascend within a group.
        let mut sum = 0;
        for n in &mut offsets {
            sum += *n;
            *n = sum;
        }
        let mut next = offsets.clone();
        let mut rows = vec![0u32; sum as usize];
        for (key, row) in pairs {
            if let Some(at) = next.get_mut(key as usize)
                && let Some(slot) = rows.get_mut(*at as usize)
            {
                *slot = row;
                *at += 1;
            }
        }
        Self { offsets, rows }
    }

    /// The rows of `key`, ascending.
    pub(crate) fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        match (self.offsets.get(key), self.offsets.get(key + 1)) {
            (Some(from), Some(to)) => self
                .rows
                .get(*from as usize..*to as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

/// All lookup tables of a company: `x_of_y` gives the rows of `x` that link to a row of `y`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// The people: decisions about access read them more often than a column could be looked up.
    pub(crate) people: Vec<Employee>,
    /// The links of tables, and their fields with numbers that are looked up.
    declared: BTreeMap<(TableId, &'static str), Groups>,
    /// Their fields whose texts are looked up, in lower case.
    names: BTreeMap<(TableId, &'static str), Names>,
}

/// The links of tables, and their fields with numbers that are looked up. A private record is
/// found under both people, once if they are the same person.
fn declared(c: &Company) -> BTreeMap<(TableId, &'static str), Groups> {
    let mut out = BTreeMap::new();
    for source in TableId::ALL {
        let Some(rows) = c.declared(source) else {
            continue;
        };
        let all = 0..rows.count();
        for field in source.fields() {
            let Some(name) = name(source, field.name) else {
                continue;
            };
            let numbers = rows.numbers(field.name);
            let keys = match field.kind {
                FieldType::Link(target) => c.rows(target) as usize,
                _ if field.indexed => {
                    let all = all.clone().filter_map(|row| numbers?.get(row)).max();
                    all.and_then(|n| usize::try_from(n + 1).ok()).unwrap_or(0)
                }
                _ => continue,
            };
            let key = (source, name);
            if key.1 == PARTICIPANT {
                let pair = |row| {
                    let (one, other) = (rows.person(row, 0), rows.person(row, 1));
                    let other = other.filter(|_| one != other);
                    one.into_iter().chain(other).map(move |p| (p.0, row))
                };
                out.entry(key)
                    .or_insert_with(|| Groups::new(keys, all.clone().flat_map(pair)));
            } else if let Some(numbers) = numbers {
                let link = |row| Some((u32::try_from(numbers.get(row)?).ok()?, row));
                out.insert(key, Groups::new(keys, all.clone().filter_map(link)));
            }
        }
    }
    out
}

/// The texts that are looked up.
fn names(c: &Company) -> BTreeMap<(TableId, &'static str), Names> {
    let fields = TableId::ALL.into_iter();
    let fields = fields.flat_map(|s| s.fields().iter().map(move |f| (s, f)));
    let texts = fields.filter(|(_, field)| field.is_looked_up());
    let names = texts.map(|(source, field)| {
        let rows = 0..c.rows(source);
        let lower = rows.map(|row| c.shown(source, row, field.name).to_lowercase());
        let names = Names::new(lower);
        ((source, field.name), names)
    });
    names.collect()
}

/// Both people of a private record.
const PARTICIPANT: &str = "participant";

/// The name of the lookup table for a field: one for both people of a private record.
fn name(source: TableId, field: &str) -> Option<&'static str> {
    let table = source.table();
    let person = |name| name == PARTICIPANT || table.people.iter().any(|(_, p)| *p == name);
    match table.private && person(field) {
        true => Some(PARTICIPANT),
        false => Some(source.field(field)?.name),
    }
}

impl Index {
    pub(crate) fn new(c: &Company) -> Self {
        Self {
            people: c.read_employees(),
            declared: declared(c),
            names: names(c),
        }
    }

    /// Rows of `source` whose `field` links to row `key` of the target, if there is a table for it;
    /// `None` means that all rows have to be searched.
    pub(crate) fn linked(&self, source: TableId, field: &str, key: u32) -> Option<&[u32]> {
        let groups = self.declared.get(&(source, name(source, field)?))?;
        Some(groups.of(key))
    }

    /// Rows of a table whose `field` may have this text, in any case, if there is a table for the field.
    pub(crate) fn named(
        &self,
        source: TableId,
        field: &str,
        name: &str,
    ) -> Option<impl Iterator<Item = u32> + '_> {
        let names = self.names.get(&(source, source.field(field)?.name))?;
        Some(names.of(&name.to_lowercase()))
    }

    /// The people of a department, leavers included.
    pub(crate) fn staff(&self, department: Department) -> &[u32] {
        self.of(TableId::Employees, "category", department as u32)
    }

    /// Rows of a table whose `field` links to row `key` of the target.
    pub(crate) fn of(&self, source: TableId, field: &str, key: u32) -> &[u32] {
        self.linked(source, field, key).unwrap_or_default()
    }
}
