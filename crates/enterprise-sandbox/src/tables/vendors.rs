//! Vendors: as clients, without contact person and trial. Published: 400 rows; the representatives are
//! 45 people of Management. The published file calls the key `client_id`.

use super::rows::DeclaredRows;
use super::{Table, TableId};
use crate::company::Company;
use crate::company::ids::Form;
use crate::org::Department;
use crate::source::{SourceField, day, id, line, link, page};
use crate::synth::staff::{Staff, day_between};
use crate::synth::write;

const REP: &str = "management_representative_employee";

pub(super) const TABLE: Table = Table {
    people: &[("rep", REP)],
    file: Some("Business_and_Management/vendors.json"),
    rows: Some(DeclaredRows {
        published: 400,
        ids: Form::Serial("CLNT-"),
        make,
        text: write::vendor,
    }),
    ..Table::new("vendors", "vendor", "Vendor", FIELDS)
};

const FIELDS: &[SourceField] = &[
    id("vendor_id").native(&["client_id", "vendor_id"]),
    line("business_name").change().required().searched(),
    line("industry").change().searched(),
    line("business_type").change().searched(),
    line("registered_address").change().searched(),
    line("tax_id").change(),
    day("onboarding_date").change(),
    page("relationship_description").change().searched(),
    link(REP, TableId::Employees)
        .change()
        .member(Department::Management),
];

/// The relationship begins while the representative is employed.
fn make(c: &Company, staff: &Staff, row: u32) -> Vec<(&'static str, i64)> {
    let mut s = c.seed.stream("vendor", u64::from(row));
    let desk = staff.of(Department::Management);
    let representative = s.pick(desk).copied().unwrap_or(0);
    let (from, to) = staff.span(representative);
    vec![
        (REP, i64::from(representative)),
        (
            "onboarding_date",
            i64::from(day_between(&mut s, from, to).0),
        ),
    ]
}
