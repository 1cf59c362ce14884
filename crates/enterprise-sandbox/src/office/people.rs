//! Finds people and rows by address or name.
//!
//! Written people are searched in addition to the company's index, because a name or an address may
//! have changed in this episode. Fingerprints in the index may collide, so every hit is compared
//! with the actual text.

use super::read;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::view::CompanyView;

impl CompanyView<'_> {
    /// People with an address, in row order.
    pub(crate) fn people_at(&self, email: &str) -> Vec<EmployeeNo> {
        let rows = read::named(self, TableId::Employees, "email", email);
        rows.into_iter().map(EmployeeNo).collect()
    }
}

/// People with a name, in any case, in row order.
pub(crate) fn named_people(view: &CompanyView<'_>, name: &str) -> Vec<EmployeeNo> {
    read::named(view, TableId::Employees, "Name", name)
        .into_iter()
        .map(EmployeeNo)
        .collect()
}

/// Rows of a source whose name field has this value, in any case.
pub(crate) fn named_rows(
    view: &CompanyView<'_>,
    source: TableId,
    field: &str,
    name: &str,
) -> Vec<u32> {
    read::named(view, source, field, name)
}
