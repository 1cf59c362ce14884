//! Templates of business operations: clients and vendors. The published templates of this domain
//! are about mails and messages alone; these use the two files that no published tool reads.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::source::TableId;
use serde_json::{Value, json};

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;

/// Whether the persona may change a client or vendor.
pub(super) fn may(c: &Ctx<'_>, source: TableId, row: u32) -> bool {
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
pub(super) fn represented(c: &Ctx<'_>, source: TableId, field: &str) -> Vec<u32> {
    let me = c.my_id();
    c.linked(source, field, c.me.0)
        .into_iter()
        .filter(|r| c.text(source, *r, field) == me)
        .collect()
}

/// The contact person of a client.
pub(super) fn contact(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let get = |field: &str| c.get(K, client.row, field);
    let (name, phone) = (get("contact_person_name"), get("phone_number"));
    let d = Draft::new(&[
        "Who is our contact person at {client}, and under which phone number do I reach them?",
        "I have to call {client}: whom, and under which number?",
    ]);
    Some(
        d.find("client", &client)
            .fact("contact_person_name", Text, name)
            .fact("phone_number", Id, phone),
    )
}

/// The revenue of a client.
pub(super) fn revenue(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let get = |field: &str| c.get(K, client.row, field);
    let (revenue, industry) = (get("monthly_revenue"), get("industry"));
    let d = Draft::new(&[
        "How much revenue does {client} make a month, and in which industry?",
        "I am preparing a meeting with {client}. Their industry and monthly revenue, please.",
    ]);
    Some(
        d.find("client", &client)
            .fact("monthly_revenue", Number, revenue)
            .fact("industry", Text, industry),
    )
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
    let names: Vec<Value> = rows.iter().map(|r| c.get(K, *r, "business_name")).collect();
    let me = c.my_id();
    let d = Draft::new(&[
        "Which of the clients that I represent have an {status} trial?",
        "For my report I need the names of my clients whose trial is {status}.",
    ])
    .slot("status", status)
    .step(
        "read my clients",
        "clients_read",
        json!({"representative_emp_id": me, "POC_status": status, "limit": 100}),
    )
    .fact("clients", List, Value::Array(names))
    .claim(
        K,
        &[(field, "is", me), ("POC_status", "is", status.to_owned())],
        &rows,
    );
    Some(rows.iter().fold(d, |d, r| d.row(K, *r)))
}

/// Also asked about vendors that do not exist.
pub(super) const VENDOR: &[&str] = &[
    "Since when has {vendor} worked for us as a vendor, and what type of business is it?",
    "I need the onboarding date and the business type of our vendor {vendor}.",
    "I am writing a profile of the vendor {vendor}. Start of the relationship and type of business, please.",
    "When did {vendor} come on board as our vendor, and which type of business is it?",
];

/// Start and kind of a vendor's relationship.
pub(super) fn vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let vendor = c.some(V)?;
    let get = |field: &str| c.get(V, vendor.row, field);
    let (day, kind) = (get("onboarding_date"), get("business_type"));
    let d = Draft::new(VENDOR).find("vendor", &vendor);
    Some(
        d.fact("onboarding_date", Date, day)
            .fact("business_type", Text, kind),
    )
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
    let ids: Vec<Value> = rows.iter().map(|r| c.get(V, *r, "business_name")).collect();
    let me = c.my_id();
    let d = Draft::new(&[
        "Which vendors in {industry} do I look after?",
        "I need the names of the {industry} vendors that I represent.",
    ])
    .slot("industry", &industry)
    .step(
        "read my vendors",
        "vendors_read",
        json!({"representative_emp_id": me, "industry": industry, "limit": 100}),
    )
    .fact("vendors", List, Value::Array(ids))
    .claim(V, &[(field, "is", me), ("industry", "is", industry)], &rows);
    Some(rows.iter().fold(d, |d, r| d.row(V, *r)))
}

/// A row that the persona may change: one of their own, else any.
fn changeable(c: &mut Ctx<'_>, source: TableId, field: &str) -> Option<u32> {
    let own = represented(c, source, field);
    let row = match c.pick(&own) {
        Some(row) => row,
        None => c.any(source)?,
    };
    may(c, source, row).then_some(row)
}

/// A changed telephone number.
pub(super) fn new_phone(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = changeable(c, K, "business_representative_employee")?;
    let client = c.client_named(row)?;
    let phone = format!("555-{:04}-{:03}", c.between(0, 9_999), c.between(0, 999));
    let d = Draft::new(&[
        "{client} has a new phone number, {phone}. Please record it for me.",
        "Change the phone number of our client {client} to {phone}.",
    ])
    .slot("phone", &phone)
    .find("client", &client);
    Some(d.then(
        "change the number",
        "clients_update",
        json!({"client_id": client.id, "changes": {"phone_number": phone}}),
    ))
}

/// Also asked by people who may not change the client.
pub(super) const ACCEPT: &[&str] = &[
    "{client} has accepted the trial. Please set its status to accepted.",
    "I got the confirmation from {client}: the trial is accepted. Please record it.",
    "Mark the trial at {client} as accepted for me.",
    "{client} said yes to the trial today. Please enter that as accepted.",
    "Good news: {client} takes what they tried. Set the status of the trial to accepted, please.",
];

/// An accepted trial.
pub(super) fn accept_trial(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = changeable(c, K, "business_representative_employee")?;
    (c.text(K, row, "POC_status") == "ongoing").then_some(())?;
    let client = c.client_named(row)?;
    Some(Draft::new(ACCEPT).find("client", &client).then(
        "set the status",
        "clients_update",
        json!({"client_id": client.id, "changes": {"POC_status": "accepted"}}),
    ))
}

/// Also asked by people who may not change the vendor.
pub(super) const MOVE: &[&str] = &[
    "Our vendor {vendor} has moved to {address}. Please update the registered address for me.",
    "Change the registered address of the vendor {vendor} to {address}.",
    "{vendor} sits at {address} now. Please correct the address in our list of vendors.",
    "Letters to our vendor {vendor} come back. The new registered address is {address}; please enter it.",
];

/// An address for somebody who moves.
pub(super) fn new_address(c: &mut Ctx<'_>) -> String {
    let number = c.between(1, 200);
    format!("{number} {}, {}", c.word("street"), c.word("city"))
}

/// A moved vendor.
pub(super) fn move_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = changeable(c, V, "management_representative_employee")?;
    let vendor = c.vendor_named(row)?;
    let address = new_address(c);
    let d = Draft::new(MOVE)
        .slot("address", &address)
        .find("vendor", &vendor);
    Some(d.then(
        "change the address",
        "vendors_update",
        json!({"vendor_id": vendor.id, "changes": {"registered_address": address}}),
    ))
}
