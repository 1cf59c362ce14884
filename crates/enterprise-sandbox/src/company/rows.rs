//! Rows that are stored by the fields of their table, in columns.
//!
//! Links are row numbers, days, amounts and words of a list are numbers. Texts of a generated company
//! are not stored at all: a column of them is empty and its texts are made when they are read.

use crate::row::{EmployeeNo, Text};
use crate::source::{FieldType, SourceField, TableId};
use crate::value::Day;

/// A value that a column stores.
pub(crate) enum Cell {
    /// A text, `None` for null.
    Text(Option<Text>),
    /// Anything else, `None` for null.
    Number(Option<i64>),
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
    /// Texts.
    Texts(Vec<Option<Text>>),
    /// Numbers; [`NULL`] for null.
    Numbers(Vec<i64>),
}

/// The number that stands for null.
const NULL: i64 = i64::MIN;

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
}

/// Whether values of a type are stored as texts.
fn is_text(kind: FieldType) -> bool {
    use FieldType::{Id, Level, Text, Words};
    matches!(kind, Id | Text(_) | Words | Level)
}

impl Rows {
    /// No rows, for texts that are stored.
    pub(crate) fn new(source: TableId) -> Self {
        let column = |field: &SourceField| match is_text(field.kind) {
            true => Column::Texts(Vec::new()),
            false => Column::Numbers(Vec::new()),
        };
        let table = source.table();
        let place = |name: &str| table.fields.iter().position(|f| f.name == name);
        let person = |n: usize| place(table.people.get(n)?.1);
        Self {
            source,
            count: 0,
            columns: table.fields.iter().map(column).collect(),
            people: [person(0), person(1)],
            dated: table.dated.and_then(place),
        }
    }

    /// Rows of a generated company.
    pub(crate) fn generated(source: TableId, made: &[Vec<(&'static str, i64)>]) -> Self {
        let mut out = Self::new(source);
        out.count = crate::value::row_no(made.len());
        for (column, field) in out.columns.iter_mut().zip(source.fields()) {
            *column = match is_text(field.kind) {
                true => Column::Made,
                false => Column::Numbers(
                    made.iter()
                        .map(|row| row.iter().find(|(name, _)| *name == field.name))
                        .map(|cell| cell.map_or(NULL, |(_, n)| *n))
                        .collect(),
                ),
            };
        }
        out
    }

    /// Adds a row of cells for all fields but the key.
    pub(crate) fn push(&mut self, cells: Vec<Cell>) {
        self.count += 1;
        for (column, cell) in self.columns.iter_mut().skip(1).zip(cells) {
            match (column, cell) {
                (Column::Texts(texts), Cell::Text(text)) => texts.push(text),
                (Column::Numbers(numbers), Cell::Number(n)) => numbers.push(n.unwrap_or(NULL)),
                _ => {}
            }
        }
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

    fn number(&self, row: u32, column: usize) -> Option<i64> {
        match self.columns.get(column)? {
            Column::Numbers(numbers) => numbers.get(row as usize).copied().filter(|n| *n != NULL),
            _ => None,
        }
    }

    /// The row that a field links to.
    pub(crate) fn link(&self, row: u32, field: &str) -> Option<u32> {
        u32::try_from(self.number(row, self.place(field)?)?).ok()
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
            Column::Numbers(_) => Stored::Number(self.number(row, place)?),
        })
    }
}
