//! Templates of business operations whose later steps need what earlier ones found: who looks after
//! a client or vendor, whose clients bring more, who should take over.

use super::FactKind::{Date, Id, Number, Text};
use super::business::{may, represented};
use super::draft::{Ctx, Draft};
use super::naming::{Span, Thing};
use super::reach::boss_steps;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::Cents;
use serde_json::json;

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;
const REP: &str = "business_representative_employee";
const CARE: &str = "management_representative_employee";

fn field_of(source: TableId) -> &'static str {
    if source == K { REP } else { CARE }
}

/// Clients or vendors of a person, as far as the persona may read them.
fn looked_after(c: &Ctx<'_>, source: TableId, id: &str, row: u32) -> Vec<u32> {
    let field = field_of(source);
    c.linked(source, field, row)
        .into_iter()
        .filter(|r| c.text(source, *r, field) == id)
        .collect()
}

/// The representative of a readable row, by name.
fn rep(c: &mut Ctx<'_>, source: TableId) -> Option<(Thing, Vec<u32>)> {
    let row = c.any(source)?;
    let person = c.view.employee(&c.text(source, row, field_of(source)))?;
    (person != c.me && c.is_active(person)).then_some(())?;
    let who = c.who(person)?;
    let rows = looked_after(c, source, &who.id, who.row);
    Some((who, rows))
}

/// The step that lists the clients or vendors of a person.
fn list_of(d: Draft, source: TableId, who: &Thing, rows: &[u32], step: usize) -> Draft {
    let tool = if source == K {
        "clients_read"
    } else {
        "vendors_read"
    };
    d.step(
        format!("list the {}s of {}", source.noun(), who.said),
        tool,
        json!({"representative_emp_id": who.id, "limit": 200}),
    )
    .after(&[step])
    .claim(source, &[(field_of(source), "is", who.id.clone())], rows)
}

/// The manager of the person who looks after a vendor.
pub(super) fn boss_of_vendor_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let vendor = c.some(V)?;
    let person = c.view.employee(&c.text(V, vendor.row, CARE))?;
    let d = Draft::new(&[
        "Who is the manager of the colleague looking after {vendor}? I need name and mail address.",
        "{vendor} threatens to leave us. Find the person who looks after this vendor here, and give me their manager's name and address.",
    ]);
    boss_steps(c, d.find("vendor", &vendor), person)
}

/// The manager of the person who represents us at a client.
pub(super) fn boss_of_client_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let person = c.view.employee(&c.text(K, client.row, REP))?;
    let d = Draft::new(&[
        "Who does our representative at {client} report to? Name and mail address of the manager, please.",
        "{client} wants to speak to somebody more senior. Who is the manager of our representative there, and at which address do I reach them?",
    ]);
    boss_steps(c, d.find("client", &client), person)
}

/// The client that brings a person most.
pub(super) fn biggest_client(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, K)?;
    let mut worth: Vec<(i64, u32)> = rows
        .iter()
        .filter_map(|r| Some((c.cents(K, *r, "monthly_revenue")?, *r)))
        .collect();
    worth.sort_unstable();
    let (best, second) = (*worth.last()?, *worth.get(worth.len().checked_sub(2)?)?);
    (best.0 != second.0).then_some(())?;
    let d = Draft::new(&[
        "Which of {name}'s clients has the largest monthly revenue, and who is the contact person there?",
        "I am covering for {name}. Tell me the client of theirs with the highest monthly revenue, and the contact person's name.",
    ])
    .find("name", &who);
    Some(
        list_of(d, K, &who, &rows, 0)
            .fact("business_name", Text, c.get(K, best.1, "business_name"))
            .fact(
                "contact_person_name",
                Text,
                c.get(K, best.1, "contact_person_name"),
            )
            .row(K, best.1),
    )
}

/// Whose clients bring more in total.
pub(super) fn stronger_book(c: &mut Ctx<'_>) -> Option<Draft> {
    let ((one, a), (two, b)) = (rep(c, K)?, rep(c, K)?);
    let total = |c: &Ctx<'_>, rows: &[u32]| -> Option<i64> {
        rows.iter().map(|r| c.cents(K, *r, "monthly_revenue")).sum()
    };
    let (x, y) = (total(c, &a)?, total(c, &b)?);
    (x != y && one.row != two.row).then_some(())?;
    let more = if x > y {
        one.said.clone()
    } else {
        two.said.clone()
    };
    let d = Draft::new(&[
        "Whose clients have the higher monthly revenue in total, those of {one} or those of {two}, and what is the difference?",
        "Add up the monthly revenue of the clients of {one} and of {two}. Who is ahead, and by how much?",
    ])
    .find("one", &one)
    .find("two", &two);
    let d = list_of(list_of(d, K, &one, &a, 0), K, &two, &b, 1);
    Some(d.worked_out("name", Text, json!(more)).worked_out(
        "difference",
        Number,
        Cents((x - y).abs()).value(),
    ))
}

/// Which of two clients has the higher revenue.
pub(super) fn client_gap(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (c.some(K)?, c.some(K)?);
    let (x, y) = (
        c.cents(K, one.row, "monthly_revenue")?,
        c.cents(K, two.row, "monthly_revenue")?,
    );
    (x != y).then_some(())?;
    let more = if x > y {
        one.said.clone()
    } else {
        two.said.clone()
    };
    let d = Draft::new(&[
        "Which is the larger client by monthly revenue, {one} or {two}, and how far apart are they?",
        "I can visit only one of {one} and {two}. Which of them has more monthly revenue, and how much more?",
    ])
    .find("one", &one)
    .find("two", &two);
    Some(d.worked_out("business_name", Text, json!(more)).worked_out(
        "difference",
        Number,
        Cents((x - y).abs()).value(),
    ))
}

/// The vendor that the persona or a colleague has looked after longest.
pub(super) fn oldest_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, V)?;
    let mut dated: Vec<_> = rows
        .iter()
        .filter_map(|r| Some((c.day(V, *r, "onboarding_date")?, *r)))
        .collect();
    dated.sort();
    let (first, second) = (*dated.first()?, *dated.get(1)?);
    (first.0 != second.0).then_some(())?;
    let d = Draft::new(&[
        "Of the vendors that {name} looks after, which has worked with us longest, and since when?",
        "Which vendor in the care of {name} came to us first, and on which day was it taken on? I am preparing an anniversary.",
    ])
    .find("name", &who);
    Some(
        list_of(d, V, &who, &rows, 0)
            .fact("business_name", Text, c.get(V, first.1, "business_name"))
            .fact("onboarding_date", Date, json!(first.0.to_string()))
            .row(V, first.1),
    )
}

/// How a product sold in a year.
pub(super) fn product_year(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let all = c.linked(S, "product_id", product.row);
    let row = c.pick(&all)?;
    let year = Span::year(c.day(S, row, "date_of_purchase")?.date().0)?;
    let inside = |r: &u32| {
        c.day(S, *r, "date_of_purchase")
            .is_some_and(|d| year.holds(d))
    };
    let rows: Vec<u32> = all.iter().copied().filter(inside).collect();
    let (first, last) = (year.first.to_string(), year.last.to_string());
    let total: Option<i64> = rows
        .iter()
        .map(|r| c.cents(S, *r, "discounted_price"))
        .sum();
    let d = Draft::new(&[
        "How often did we sell the {product} in {year}, and what did it earn us?",
        "I need the number of sales and the takings of the {product} for {year}.",
    ])
    .slot("year", &year.said)
    .find("product", &product)
    .then(
        "list the sales of that year",
        "sales_read",
        json!({"product_id": product.id, "start_date": first, "end_date": last, "limit": 200}),
    )
    .claim(
        S,
        &[
            ("product_id", "is", product.id.clone()),
            ("date_of_purchase", "from", first),
            ("date_of_purchase", "to", last),
        ],
        &rows,
    )
    .worked_out("sales", Number, json!(rows.len()))
    .worked_out("earned", Number, Cents(total?).value());
    Some(d)
}

/// A client that the persona may change, by name.
fn client_to_change(c: &mut Ctx<'_>) -> Option<Thing> {
    let own = represented(c, K, REP);
    let row = match c.pick(&own) {
        Some(row) => row,
        None => c.any(K)?,
    };
    may(c, K, row).then_some(())?;
    c.client_named(row)
}

/// A colleague of Business Development or Management, by name.
fn taker(c: &mut Ctx<'_>, source: TableId) -> Option<Thing> {
    let department = match source {
        K => crate::org::Department::BusinessDevelopment,
        _ => crate::org::Department::Management,
    };
    let staff = c.company().index.staff.of(department as u32).to_vec();
    let person = EmployeeNo(c.pick(&staff)?);
    (person != c.me && c.is_active(person)).then_some(())?;
    c.who(person)
}

/// Gives a client to a colleague and mails them the contact.
pub(super) fn hand_over_client(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = client_to_change(c)?;
    let to = taker(c, K)?;
    (c.text(K, client.row, REP) != to.id).then_some(())?;
    let contact = c.text(K, client.row, "contact_person_name");
    let phone = c.text(K, client.row, "phone_number");
    let d = Draft::new(&[
        "{name} takes over {client}. Make them the representative and mail them the contact person's name and phone number.",
        "I am handing {client} to {name}. Change the representative, and send {name} a mail with the contact person there and the phone number.",
    ])
    .find("client", &client)
    .find("name", &to)
    .last(
        "change the representative",
        "clients_update",
        json!({"client_id": client.id, "changes": {REP: to.id}}),
    );
    Some(d.mail(c, to.person(), "your new client", &[contact, phone]))
}

/// Gives a vendor or client to the one of two colleagues who has fewer.
pub(super) fn hand_to_less_busy(c: &mut Ctx<'_>) -> Option<Draft> {
    let source = if c.coin { K } else { V };
    let own = represented(c, source, field_of(source));
    let row = match c.pick(&own) {
        Some(row) => row,
        None => c.any(source)?,
    };
    may(c, source, row).then_some(())?;
    let thing = match source {
        K => c.client_named(row)?,
        _ => c.vendor_named(row)?,
    };
    let (one, two) = (taker(c, source)?, taker(c, source)?);
    let a = looked_after(c, source, &one.id, one.row);
    let b = looked_after(c, source, &two.id, two.row);
    let less = if a.len() < b.len() { &one } else { &two };
    let now = c.text(source, row, field_of(source));
    if a.is_empty() || b.is_empty() || a.len() == b.len() || now == one.id || now == two.id {
        return None;
    }
    let d = Draft::new(match source {
        K => &[
            "{thing} needs a new representative. Give this client to {one} or {two}: the one who has fewer clients.",
            "Look at how many clients {one} and {two} have, and make the one with fewer the representative of our client {thing}.",
        ],
        _ => &[
            "Our vendor {thing} needs somebody new to look after it. Take the one of {one} and {two} who has fewer vendors, and change the record.",
            "Look at how many vendors {one} and {two} look after, and hand our vendor {thing} to the one with fewer.",
        ],
    })
    .find("thing", &thing)
    .find("one", &one)
    .find("two", &two);
    let d = list_of(list_of(d, source, &one, &a, 1), source, &two, &b, 2);
    let (tool, key) = match source {
        K => ("clients_update", "client_id"),
        _ => ("vendors_update", "vendor_id"),
    };
    Some(d.last(
        "change the representative",
        tool,
        json!({key: thing.id, "changes": {field_of(source): less.id}}),
    ))
}

/// Records that a trial was accepted and tells the representative.
pub(super) fn accept_and_tell(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = client_to_change(c)?;
    let person = c.view.employee(&c.text(K, client.row, REP))?;
    let to = match person == c.me {
        true => c.view.manager(c.me)?,
        false => person,
    };
    if c.text(K, client.row, "POC_status") != "ongoing" || !c.is_active(to) {
        return None;
    }
    let trial = c.text(K, client.row, "current_POC_product");
    let own = person == c.me;
    let d = Draft::new(if own {
        &[
            "{client} said yes. Set their trial to accepted and mail my manager which product it was about.",
            "The trial at {client} is accepted. Record it, and let my manager know by mail, with the name of the product they tried.",
        ]
    } else {
        &[
            "{client} said yes. Set their trial to accepted and mail our representative there, naming the product they tried.",
            "The trial at {client} is accepted. Record that for me, and tell our representative for them by mail, with the name of the product.",
        ]
    })
    .find("client", &client)
    .then(
        "set the status",
        "clients_update",
        json!({"client_id": client.id, "changes": {"POC_status": "accepted"}}),
    );
    let d = match own {
        true => d.step(
            "find my manager",
            "employee_data_read",
            json!({"emp_id": c.my_id(), "fields": ["reports_to"]}),
        ),
        false => d,
    };
    Some(d.mail(c, to, "accepted trial", &[trial]))
}

/// The invoice of a customer: how many lines, and the total.
pub(super) fn invoice(c: &mut Ctx<'_>) -> Option<Draft> {
    let source = TableId::OrderDocuments;
    let customer = c.some(TableId::Customers)?;
    let kind = *c.s.pick(&["invoice", "purchase_order", "shipping_order"])?;
    let rows: Vec<u32> = (0..3)
        .map(|n| customer.row * 3 + n)
        .filter(|r| c.text(source, *r, "customer_id") == customer.id)
        .collect();
    let row = *rows.iter().find(|r| c.text(source, **r, "kind") == kind)?;
    let text = c.text(source, row, "text");
    let total: f64 = text.rsplit_once("total ")?.1.trim().parse().ok()?;
    let lines: i64 = text
        .rsplit_once("lines ")?
        .1
        .split(',')
        .next()?
        .parse()
        .ok()?;
    let d = Draft::new(&[
        "How many lines does the {kind} of {customer} have, and what is its total?",
        "I am checking the {kind} for {customer}: total and number of lines, please.",
    ])
    .slot("kind", kind.replace('_', " "))
    .find("customer", &customer)
    .then(
        "read the document",
        "order_document_read",
        json!({"customer_id": customer.id, "kind": kind}),
    )
    .worked_out("total", Number, json!(total))
    .worked_out("lines", Number, json!(lines))
    .claim(
        source,
        &[
            ("customer_id", "is", customer.id.clone()),
            ("kind", "is", kind.to_owned()),
        ],
        &[row],
    )
    .row(source, row);
    Some(d)
}

/// A client's state and industry.
pub(super) const CLIENT_STATE: &[&str] = &[
    "Is the trial at {client} ongoing or accepted, and which product is it about?",
    "What product is {client} trying out, and how does the trial stand?",
];

/// State and product of a client's trial.
pub(super) fn client_state(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let d = Draft::new(CLIENT_STATE).find("client", &client);
    Some(
        d.fact("POC_status", Id, c.get(K, client.row, "POC_status"))
            .fact(
                "current_POC_product",
                Text,
                c.get(K, client.row, "current_POC_product"),
            ),
    )
}
