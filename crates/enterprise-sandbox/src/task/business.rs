//! Templates of business operations: clients and vendors. The published templates of this domain
//! are about mails and messages alone; these use the two files that no published tool reads.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::{Value, json};

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;

/// Whether the persona may change a client or vendor.
fn may(c: &Ctx<'_>, source: TableId, row: u32) -> bool {
    let none = RequestContext::default();
    let resource = Resource::of(&c.view, source, row);
    let request = AccessRequest {
        principal: c.me,
        act: Act::Update,
        resource,
        context: &none,
    };
    c.access().decide(&c.view, &request).allow
}

/// Clients or vendors whose representative is the persona.
fn represented(c: &Ctx<'_>, source: TableId, field: &str) -> Vec<u32> {
    let me = c.my_id();
    c.linked(source, field, c.me.0)
        .into_iter()
        .filter(|r| c.text(source, *r, field) == me)
        .collect()
}

/// A client with a unique name.
fn client(c: &mut Ctx<'_>) -> Option<(u32, String)> {
    let row = c.any(K)?;
    let name = c.text(K, row, "business_name");
    let same = (0..c.view.rows(K))
        .filter(|r| c.text(K, *r, "business_name") == name)
        .count();
    (same == 1).then_some((row, name))
}

/// The contact person of a client.
pub(super) fn contact(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, name) = client(c)?;
    let d = Draft::new(&[
        "Who is our contact person at the client {client}? I need name and telephone number.",
        "Give me the contact person and the phone number of {client}.",
        "I have to call {client}: whom, and under which number?",
    ])
    .slot("client", &name)
    .step(
        "find the client",
        "clients_read",
        json!({"business_name": name}),
    )
    .fact(
        "contact_person_name",
        Text,
        c.get(K, row, "contact_person_name"),
    )
    .fact("phone_number", Id, c.get(K, row, "phone_number"))
    .claim(K, &[("business_name", "is", name)], &[row])
    .row(K, row);
    Some(d)
}

/// The revenue of a client.
pub(super) fn revenue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(K)?;
    let id = c.text(K, row, "client_id");
    let d = Draft::new(&[
        "What are the monthly revenue and the industry of client {client}?",
        "Tell me the industry and the monthly revenue of client {client}.",
        "I am preparing a meeting: which industry and what monthly revenue does client {client} have?",
    ])
    .slot("client", &id)
    .step("read the client", "clients_read", json!({"client_id": id}))
    .fact("monthly_revenue", Number, c.get(K, row, "monthly_revenue"))
    .fact("industry", Text, c.get(K, row, "industry"))
    .claim(K, &[("client_id", "is", id)], &[row])
    .row(K, row);
    Some(d)
}

/// Clients of the persona by the state of their trial.
pub(super) fn trials(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "business_representative_employee";
    let own = represented(c, K, field);
    let status = *c.s.pick(&["ongoing", "accepted"])?;
    let rows: Vec<u32> = own
        .iter()
        .copied()
        .filter(|r| c.text(K, *r, "POC_status") == status)
        .collect();
    if rows.is_empty() || rows.len() == own.len() || rows.len() > 20 {
        return None;
    }
    let names: Vec<Value> = rows.iter().map(|r| c.get(K, *r, "client_id")).collect();
    let me = c.my_id();
    let d = Draft::new(&[
        "List the ids of the clients that I represent whose trial is {status}.",
        "Which of my clients have an {status} trial? I need their ids.",
        "Give me the ids of my clients with trial status {status}.",
    ])
    .slot("status", status)
    .step(
        "read my clients",
        "clients_read",
        json!({"representative_emp_id": me, "POC_status": status, "limit": 100}),
    )
    .fact("client_ids", List, Value::Array(names))
    .claim(
        K,
        &[(field, "is", me), ("POC_status", "is", status.to_owned())],
        &rows,
    );
    Some(rows.iter().fold(d, |d, r| d.row(K, *r)))
}

/// Start and kind of a vendor's relationship.
pub(super) fn vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(V)?;
    let id = c.text(V, row, "vendor_id");
    let d = Draft::new(&[
        "Since when has vendor {vendor} worked for us, and what type of business is it?",
        "I need the onboarding date and the business type of vendor {vendor}.",
        "Tell me the type of business and the onboarding date of vendor {vendor}.",
    ])
    .slot("vendor", &id)
    .step("read the vendor", "vendors_read", json!({"vendor_id": id}))
    .fact("onboarding_date", Date, c.get(V, row, "onboarding_date"))
    .fact("business_type", Text, c.get(V, row, "business_type"))
    .claim(V, &[("vendor_id", "is", id)], &[row])
    .row(V, row);
    Some(d)
}

/// Vendors of the persona in an industry.
pub(super) fn vendors(c: &mut Ctx<'_>) -> Option<Draft> {
    let field = "management_representative_employee";
    let own = represented(c, V, field);
    let first = c.pick(&own)?;
    let industry = c.text(V, first, "industry");
    let rows: Vec<u32> = own
        .iter()
        .copied()
        .filter(|r| c.text(V, *r, "industry") == industry)
        .collect();
    if rows.len() == own.len() {
        return None;
    }
    let ids: Vec<Value> = rows.iter().map(|r| c.get(V, *r, "vendor_id")).collect();
    let me = c.my_id();
    let d = Draft::new(&[
        "Which vendors in the industry {industry} do I look after? List their ids.",
        "Give me the ids of my vendors in {industry}.",
        "I need the ids of the {industry} vendors that I represent.",
    ])
    .slot("industry", &industry)
    .step(
        "read my vendors",
        "vendors_read",
        json!({"representative_emp_id": me, "industry": industry, "limit": 100}),
    )
    .fact("vendor_ids", List, Value::Array(ids))
    .claim(V, &[(field, "is", me), ("industry", "is", industry)], &rows);
    Some(rows.iter().fold(d, |d, r| d.row(V, *r)))
}

/// The order documents of a customer.
pub(super) fn order_total(c: &mut Ctx<'_>) -> Option<Draft> {
    let source = TableId::OrderDocuments;
    let row = c.any(source)?;
    let text = c.text(source, row, "text");
    let total: f64 = text.rsplit_once("total ")?.1.trim().parse().ok()?;
    let lines: i64 = text
        .rsplit_once("lines ")?
        .1
        .split(',')
        .next()?
        .parse()
        .ok()?;
    let id = c.text(source, row, "document_id");
    let d = Draft::new(&[
        "How many lines does the order document {document} have, and what is its total?",
        "I need the total and the number of lines of document {document}.",
        "Read {document} for me: number of lines and total, please.",
    ])
    .slot("document", &id)
    .step(
        "read the document",
        "order_document_read",
        json!({"document_id": id}),
    )
    .worked_out("total", Number, json!(total))
    .worked_out("lines", Number, json!(lines))
    .claim(source, &[("document_id", "is", id)], &[row])
    .row(source, row);
    Some(d)
}

/// A changed telephone number.
pub(super) fn new_phone(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = represented(c, K, "business_representative_employee");
    let row = if own.is_empty() {
        c.any(K)?
    } else {
        c.pick(&own)?
    };
    if !may(c, K, row) {
        return None;
    }
    let id = c.text(K, row, "client_id");
    let phone = format!("555-{:04}-{:03}", c.between(0, 9_999), c.between(0, 999));
    let d = Draft::new(&[
        "Client {client} has a new telephone number, {phone}. Please record it for me.",
        "Change the phone number of client {client} to {phone}.",
        "I was given a new number for client {client}: {phone}. Update it.",
    ])
    .slot("client", &id)
    .slot("phone", &phone)
    .step("read the client", "clients_read", json!({"client_id": id}))
    .then(
        "change the number",
        "clients_update",
        json!({"client_id": id, "changes": {"phone_number": phone}}),
    )
    .row(K, row);
    (c.text(K, row, "phone_number") != phone).then_some(d)
}

/// An accepted trial.
pub(super) fn accept_trial(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = represented(c, K, "business_representative_employee");
    let row = if own.is_empty() {
        c.any(K)?
    } else {
        c.pick(&own)?
    };
    if !may(c, K, row) || c.text(K, row, "POC_status") != "ongoing" {
        return None;
    }
    let id = c.text(K, row, "client_id");
    let d = Draft::new(&[
        "Client {client} has accepted the trial. Set its trial status to accepted.",
        "I got the confirmation: the trial of client {client} is accepted. Please record it.",
        "Please mark the trial of client {client} as accepted for me.",
    ])
    .slot("client", &id)
    .step(
        "set the status",
        "clients_update",
        json!({"client_id": id, "changes": {"POC_status": "accepted"}}),
    )
    .row(K, row);
    Some(d)
}

/// A moved vendor.
pub(super) fn move_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = represented(c, V, "management_representative_employee");
    let row = if own.is_empty() {
        c.any(V)?
    } else {
        c.pick(&own)?
    };
    if !may(c, V, row) {
        return None;
    }
    let id = c.text(V, row, "vendor_id");
    let address = format!(
        "{} {}, {}",
        c.between(1, 200),
        c.word("street"),
        c.word("city")
    );
    let d = Draft::new(&[
        "Vendor {vendor} has moved to {address}. Please update the registered address for me.",
        "Change the registered address of vendor {vendor} to {address}.",
        "I need the address of vendor {vendor} corrected to {address}.",
    ])
    .slot("vendor", &id)
    .slot("address", &address)
    .step(
        "change the address",
        "vendors_update",
        json!({"vendor_id": id, "changes": {"registered_address": address}}),
    )
    .row(V, row);
    Some(d)
}

/// The representative of a client, for another plan.
pub(super) fn representative(c: &mut Ctx<'_>) -> Option<(Draft, EmployeeNo, String)> {
    let (row, name) = client(c)?;
    let person = c
        .view
        .employee(&c.text(K, row, "business_representative_employee"))?;
    let d = Draft::default()
        .step(
            "find the client",
            "clients_read",
            json!({"business_name": name}),
        )
        .claim(K, &[("business_name", "is", name.clone())], &[row])
        .row(K, row)
        .slot("thing", &name);
    Some((
        d,
        person,
        format!("our representative at the client {name}"),
    ))
}
