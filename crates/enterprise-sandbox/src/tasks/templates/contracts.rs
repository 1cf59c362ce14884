//! Templates about contracts with vendors.

use super::{BUSINESS, Template, crud, none, search};
use crate::access::Act;
use crate::data::tables::{FieldType, TableId};
use crate::tasks::FactKind::{Date, Number, Text};
use crate::tasks::draft::Thing;
use crate::tasks::draft::{Ctx, Draft, is};
use serde_json::json;

const T: TableId = TableId::Contracts;
const CARE: &str = "managed_by_employee";

pub(super) const TEMPLATES: &[Template] = &[
    search("contract_end", 3, BUSINESS, contract_end, &[]),
    search("contract_notice", 8, BUSINESS, contract_notice, &[]),
    crud("extend_contract", 8, BUSINESS, extend, &[]),
    none("denied_contract", 4, BUSINESS, extend_barred),
    none("missing_contract", 4, BUSINESS, no_such_contract),
];

/// A contract that the persona may read, and its vendor.
fn some(c: &mut Ctx<'_>) -> Option<(u32, Thing)> {
    let row = c.any(T)?;
    let vendor = c.linked_to(T, row, "vendor_id")?;
    c.reads(vendor.source, vendor.row).then_some((row, vendor))
}

/// The steps that find a contract by its vendor and its type.
fn find(d: Draft, vendor: &Thing, kind: &str, rows: &[u32]) -> Draft {
    let conditions = [is("vendor_id", &vendor.id), is("contract_type", kind)];
    d.slot("type", kind)
        .find("vendor", vendor)
        .seek("find the contract", T, &conditions, rows)
        .rows(T, rows)
}

/// When a contract ends, and its notice.
fn contract_end(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, vendor) = some(c)?;
    let kind = c.text(T, row, "contract_type");
    let d = find(Draft::new("contracts.end"), &vendor, &kind, &[row]);
    Some(d.tell(c, &[("end_date", Date), ("notice_days", Number)]))
}

/// The last day on which notice can be given, and who has to give it.
fn contract_notice(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, vendor) = some(c)?;
    let kind = c.text(T, row, "contract_type");
    let days: i64 = c.text(T, row, "notice_days").parse().ok()?;
    let last = c.day(T, row, "end_date")?.plus(-days);
    let care = c.person(T, row, CARE)?;
    (last > c.company().clock()).then_some(())?;
    let d = Draft::new("contracts.contract_notice");
    let d = find(d, &vendor, &kind, &[row]).worked_out("last_day", Date, last.to_string());
    Some(
        d.read(c, "read that person's record", TableId::Employees, care.0)
            .fact("name", Text, c.name(care)),
    )
}

/// The plan of an extension by a year.
fn extension(c: &Ctx<'_>, row: u32, vendor: &Thing) -> Option<Draft> {
    let kind = c.text(T, row, "contract_type");
    let end = c.day(T, row, "end_date")?.plus_years(1);
    let d = find(Draft::new("contracts.extend"), vendor, &kind, &[row]);
    let changes = json!({"end_date": end.to_string()});
    Some(d.change(c, "move the end", T, row, changes))
}

/// A contract is extended.
fn extend(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, vendor) = some(c)?;
    c.may(Act::Update, T, row).then_some(())?;
    extension(c, row, &vendor)
}

/// Somebody extends a contract that they may look at and not change.
fn extend_barred(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, vendor) = some(c)?;
    (!c.may(Act::Update, T, row)).then_some(())?;
    Some(extension(c, row, &vendor)?.denied(Act::Update, T, &[]))
}

/// A type of contract that a vendor does not have; asked by people who may change all.
fn no_such_contract(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, vendor) = some(c)?;
    let FieldType::Choice(types) = T.field("contract_type")?.kind else {
        return None;
    };
    let kind = c.pick(types)?;
    let all = c.linked(T, "vendor_id", vendor.row);
    let absent = c.having(T, &all, "contract_type", kind).is_empty();
    // A person who may change this one without looking after it may change all of them.
    let any = c.may(Act::Update, T, row) && c.text(T, row, CARE) != c.my_id();
    (absent && any).then_some(())?;
    let d = find(Draft::new("contracts.extend"), &vendor, kind, &[]);
    Some(d.missing(&[]))
}
