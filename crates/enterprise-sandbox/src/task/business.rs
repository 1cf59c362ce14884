//! Templates of business operations: clients and vendors. The published templates of this domain
//! are about mails and messages alone; these use the two files that no published tool reads.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft, Is, is};
use super::naming::Thing;
use super::own::{Question, about};
use crate::access::Act;
use crate::source::TableId;
use serde_json::json;

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;

/// The field of a client or vendor that says who looks after it here.
pub(super) fn representative(source: TableId) -> &'static str {
    match source {
        K => "business_representative_employee",
        _ => "management_representative_employee",
    }
}

/// The contact person of a client.
pub(super) const CONTACT: Question = about(
    K,
    "client",
    &[
        "Who is our contact person at the client {client}, and under which phone number do I reach them?",
        "I have to call our client {client}: whom do I ask for, and under which number?",
    ],
    &[("contact_person_name", Text), ("phone_number", Id)],
);

/// The revenue of a client.
pub(super) const REVENUE: Question = about(
    K,
    "client",
    &[
        "How much revenue does our client {client} make a month in its own business, and in which industry is it?",
        "I am preparing a meeting with our client {client}. Which industry are they in, and what is the monthly revenue of their own business?",
    ],
    &[("monthly_revenue", Number), ("industry", Text)],
);

/// State and product of a client's trial.
pub(super) const CLIENT_STATE: Question = about(
    K,
    "client",
    &[
        "Is the trial at our client {client} ongoing or accepted, and which product is it about?",
        "What product is our client {client} trying out, and is the trial ongoing or accepted?",
    ],
    &[("POC_status", Id), ("current_POC_product", Text)],
);

/// Finds those of the persona's clients or vendors that satisfy a condition.
fn find_mine(
    c: &Ctx<'_>,
    d: Draft,
    goal: &str,
    source: TableId,
    condition: Is,
    rows: &[u32],
) -> Draft {
    let conditions = [is(representative(source), c.my_id()), condition];
    let d = d.seek(goal, source, &conditions, rows).with("limit", 100);
    let names = c.values(source, rows, "business_name");
    d.fact(&format!("{}s", source.noun()), List, names)
        .rows(source, rows)
}

/// Clients of the persona by the state of their trial.
pub(super) fn trials(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(K, representative(K));
    let status = c.pick(&["ongoing", "accepted"])?;
    let rows = c.having(K, &own, "POC_status", status);
    if rows.is_empty() || rows.len() == own.len() || rows.len() > 20 {
        return None;
    }
    let d = Draft::new(&[
        "Which of the clients that I represent have an {status} trial?",
        "For my report I need the names of my clients whose trial is {status}.",
    ])
    .slot("status", status);
    let condition = is("POC_status", status);
    Some(find_mine(c, d, "read my clients", K, condition, &rows))
}

/// Also asked about vendors that do not exist.
pub(super) const VENDOR: &[&str] = &[
    "Since when has {vendor} worked for us as a vendor, and what type of business is it?",
    "I need the onboarding date and the business type of our vendor {vendor}.",
    "I am writing a profile of the vendor {vendor}. Start of the relationship and type of business, please.",
    "When did {vendor} come on board as our vendor, and which type of business is it?",
    "Please look up our vendor {vendor}: onboarding date and type of business.",
];

/// Start and kind of a vendor's relationship.
pub(super) const VENDOR_TERMS: Question = about(
    V,
    "vendor",
    VENDOR,
    &[("onboarding_date", Date), ("business_type", Text)],
);

/// Vendors of the persona in an industry.
pub(super) fn vendors(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(V, representative(V));
    let first = c.pick(&own)?;
    let industry = c.text(V, first, "industry");
    let rows = c.having(V, &own, "industry", &industry);
    (rows.len() != own.len()).then_some(())?;
    let d = Draft::new(&[
        "Which vendors in {industry} do I look after?",
        "I need the names of the {industry} vendors that I represent.",
    ])
    .slot("industry", &industry);
    let condition = is("industry", industry);
    Some(find_mine(c, d, "read my vendors", V, condition, &rows))
}

/// A client or vendor that the persona may change, by name: one of their own, else any.
pub(super) fn changeable(c: &mut Ctx<'_>, source: TableId) -> Option<Thing> {
    let own = c.mine(source, representative(source));
    let row = c.one_of(&own, source)?;
    c.may(Act::Update, source, row).then_some(())?;
    c.named(source, row)
}

/// A changed telephone number.
pub(super) fn new_phone(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = changeable(c, K)?;
    let phone = format!("555-{:04}-{:03}", c.between(0, 9_999), c.between(0, 999));
    let d = Draft::new(&[
        "Our client {client} has a new phone number, {phone}. Please record it for me.",
        "Change the phone number of our client {client} to {phone}.",
    ])
    .slot("phone", &phone)
    .find("client", &client);
    Some(d.change(
        c,
        "change the number",
        K,
        client.row,
        json!({"phone_number": phone}),
    ))
}

/// Also asked by people who may not change the client.
pub(super) const ACCEPT: &[&str] = &[
    "Our client {client} has accepted the trial. Please set its status to accepted.",
    "I got the confirmation from our client {client}: the trial is accepted. Please record it.",
    "Mark the trial at our client {client} as accepted for me.",
    "Our client {client} accepted the trial today. Please enter that.",
    "Good news: our client {client} wants to keep the product they tried. Set the status of the trial to accepted, please.",
    "The trial at our client {client} went well: they accepted. Please change its status.",
];

/// A client whose trial is ongoing, and which the persona may change.
pub(super) fn on_trial(c: &mut Ctx<'_>) -> Option<Thing> {
    let client = changeable(c, K)?;
    (c.text(K, client.row, "POC_status") == "ongoing").then_some(client)
}

/// Finds a client and records that its trial was accepted.
pub(super) fn accept(c: &Ctx<'_>, d: Draft, client: &Thing) -> Draft {
    let changes = json!({"POC_status": "accepted"});
    d.find("client", client)
        .change(c, "set the status", K, client.row, changes)
}

/// An accepted trial.
pub(super) fn accept_trial(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = on_trial(c)?;
    Some(accept(c, Draft::new(ACCEPT), &client))
}

/// Also asked by people who may not change the vendor.
pub(super) const MOVE: &[&str] = &[
    "Our vendor {vendor} has moved to {address}. Please update the registered address for me.",
    "Change the registered address of the vendor {vendor} to {address}.",
    "Our vendor {vendor} is at {address} now. Please correct the registered address in our list of vendors.",
    "Letters to our vendor {vendor} come back. The new registered address is {address}; please enter it.",
    "Please note that our vendor {vendor} has a new registered address: {address}.",
    "Our vendor {vendor} told me the new registered address, {address}. Can you enter it?",
];

/// An address for somebody who moves.
pub(super) fn new_address(c: &mut Ctx<'_>) -> String {
    let number = c.between(1, 200);
    format!("{number} {}, {}", c.word("street"), c.word("city"))
}

/// A moved vendor.
pub(super) fn move_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let vendor = changeable(c, V)?;
    let address = new_address(c);
    let d = Draft::new(MOVE)
        .slot("address", &address)
        .find("vendor", &vendor);
    Some(d.change(
        c,
        "change the address",
        V,
        vendor.row,
        json!({"registered_address": address}),
    ))
}
