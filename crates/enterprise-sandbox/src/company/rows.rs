//! Rows that are stored by the fields of their table, in columns.
//!
//! Links are row numbers, days, amounts and words of a list are numbers. A column of numbers is as wide as
//! its largest number demands: a rating takes one byte, a day two, the number of a row four at most.
//! Texts of a generated company are not stored at all: they are made when they are read.

use crate::row::{EmployeeNo, Text};
use crate::source::{FieldType, SourceField, TableId, Write};
use crate::value::Day;

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

impl Numbers {
    fn with_capacity(rows: u32) -> Self {
        Self::Byte(Vec::with_capacity(rows as usize))
    }

    /// The number of a row; `None` for null and beyond the last row.
    #[inline]
    pub(crate) fn get(&self, row: u32) -> Option<i64> {
        let row = row as usize;
        match self {
            Self::Byte(list) => list
                .get(row)
                .filter(|n| **n != i8::MIN)
                .map(|n| (*n).into()),
            Self::Short(list) => list
                .get(row)
                .filter(|n| **n != i16::MIN)
                .map(|n| (*n).into()),
            Self::Word(list) => list
                .get(row)
                .filter(|n| **n != i32::MIN)
                .map(|n| (*n).into()),
            Self::Long(list) => list.get(row).filter(|n| **n != NULL).copied(),
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
            let rows = 0..crate::value::row_no(from.len());
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
        let through = match person(0)
            .and_then(|at| table.fields.get(at))
            .map(|f| f.kind)
        {
            Some(FieldType::Link(target)) if target != TableId::Employees => Some(target),
            _ => None,
        };
        Self {
            source,
            count: 0,
            columns: table.fields.iter().map(column).collect(),
            people: [person(0), person(1)],
            dated: table.dated.and_then(place),
            through,
        }
    }

    /// Adds rows of a generated company: the numbers of these fields, [`NULL`] for null.
    pub(crate) fn extend<R: AsRef<[i64]>>(&mut self, fields: &[&str], rows: &[R]) {
        for (n, field) in fields.iter().enumerate() {
            let place = self.place(field);
            if let Some(Column::Numbers(numbers)) = place.and_then(|p| self.columns.get_mut(p)) {
                for row in rows {
                    numbers.put(numbers.len(), row.as_ref().get(n).copied().unwrap_or(NULL));
                }
            }
        }
        self.count += crate::value::row_no(rows.len());
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
