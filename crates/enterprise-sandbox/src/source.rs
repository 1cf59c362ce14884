//! The data sources and the fields of their records: one table for checking writes, withholding
//! fields, comparing outcomes and searching.
//!
//! [`TableId`] names a table and [`TableId::fields`] describes its records. Other modules take the
//! fields from here: tools derive their arguments from this table, the office checks types and
//! required fields with it, search takes its texts from the marked fields, and evaluation compares
//! written records field by field as [`Compare`] says.
//!
//! | use | reads |
//! |---|---|
//! | argument of a tool | [`name`](SourceField::name), [`kind`](SourceField::kind) |
//! | create, update | [`write`](SourceField::write), [`required`](field@SourceField::required), [`nullable`](field@SourceField::nullable), [`kind`](SourceField::kind) |
//! | reading a record | [`restricted`](field@SourceField::restricted) |
//! | search | [`searched`](field@SourceField::searched) |
//! | comparison with the expected outcome | [`compare`](SourceField::compare) |
//!
//! ```
//! use enterprise_sandbox::source::{FieldType, TableId, Write};
//!
//! let priority = TableId::Tickets.field("priority").ok_or("no such field")?;
//! assert_eq!(priority.kind, FieldType::Choice(&["low", "medium", "high"]));
//! assert!(priority.required && priority.write == Write::Change);
//! assert!(TableId::Employees.field("Salary").is_some_and(|f| f.restricted));
//! assert_eq!(TableId::Sales.key(), "sales_record_id");
//! # Ok::<(), &str>(())
//! ```

mod field;
mod tables;

pub use field::{Compare, FieldType, SourceField, Write};
pub(crate) use field::{FieldDefault, Make};
pub use tables::TableId;
pub(crate) use tables::{POLARITIES, Verb, VerbRule, Who};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_a_key_and_no_name_twice() {
        for s in TableId::ALL {
            assert_eq!(s.fields()[0].kind, FieldType::Id, "{s}");
            let mut names: Vec<_> = s.fields().iter().map(|f| f.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), s.fields().len(), "{s}");
            assert_eq!(serde_json::to_value(s).unwrap(), s.name());
        }
    }
}
