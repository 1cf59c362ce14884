//! Business clients: firms that try or use a product. Published: 400 rows; the representatives are 63
//! people of Business Development. `POC` is a trial of a product ("proof of concept").

use super::rows::DeclaredRows;
use super::{Table, TableId};
use crate::company::Company;
use crate::company::ids::Form;
use crate::org::Department;
use crate::source::{FieldType, SourceField, day, id, line, link, page};
use crate::synth::staff::{Staff, day_between};
use crate::synth::write;

const REP: &str = "business_representative_employee";

pub(super) const TABLE: Table = Table {
    people: &[("rep", REP)],
    file: Some("Business_and_Management/clients.json"),
    rows: Some(DeclaredRows {
        published: 400,
        ids: Form::Uuid,
        make,
        text: write::client,
    }),
    ..Table::new("clients", "client", "Client", FIELDS)
};

const FIELDS: &[SourceField] = &[
    id("client_id"),
    line("business_name").change().required().searched(),
    line("industry").change().searched(),
    line("business_type").change().searched(),
    line("contact_person_id").change().nullable(),
    line("contact_person_name").change().searched(),
    line("contact_email").change(),
    line("phone_number")
        .change()
        .bare_number("phone_was_a_number"),
    line("registered_address").change().searched(),
    line("tax_id").change(),
    SourceField::new("monthly_revenue", FieldType::Money)
        .change()
        .sign("$"),
    day("onboarding_date").change(),
    line("current_POC_product").change().searched(),
    SourceField::new(
        "POC_status",
        FieldType::Choice(&["ongoing", "accepted", "rejected"]),
    )
    .change(),
    page("engagement_description").change().searched(),
    link(REP, TableId::Employees)
        .change()
        .member(Department::BusinessDevelopment),
];

/// The relationship begins while the representative is employed.
fn make(c: &Company, staff: &Staff, row: u32) -> Vec<(&'static str, i64)> {
    let mut s = c.seed.stream("client", u64::from(row));
    let desk = staff.of(Department::BusinessDevelopment);
    let representative = s.pick(desk).copied().unwrap_or(0);
    let (from, to) = staff.span(representative);
    vec![
        (REP, i64::from(representative)),
        (
            "monthly_revenue",
            s.between(20, 5_000) * 1_000 * 100 + s.between(0, 999) * 100,
        ),
        (
            "onboarding_date",
            i64::from(day_between(&mut s, from, to).0),
        ),
        ("POC_status", i64::from(s.chance(0.5))),
    ]
}
