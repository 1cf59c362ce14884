//! Templates of business operations whose later steps need what earlier ones found: who looks after
//! a client or vendor, whose clients bring more, who should take over.

use super::FactKind::{Date, Number, Text};
use super::business::{accept, changeable, on_trial, representative};
use super::draft::{Ctx, Draft, ahead, is, least, most};
use super::naming::{Span, Thing};
use super::reach::boss_steps;
use crate::org::Department;
use crate::source::TableId;
use crate::value::Cents;
use serde_json::json;
use std::cmp::Reverse;

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;

/// Clients or vendors of a person, as far as the persona may read them.
fn looked_after(c: &Ctx<'_>, source: TableId, who: &Thing) -> Vec<u32> {
    c.linked(source, representative(source), who.row)
}

/// The representative of a readable row, by name.
fn rep(c: &mut Ctx<'_>, source: TableId) -> Option<(Thing, Vec<u32>)> {
    let row = c.any(source)?;
    let person = c.colleague_in(source, row, representative(source))?;
    let who = c.who(person)?;
    let rows = looked_after(c, source, &who);
    Some((who, rows))
}

/// The step that lists the clients or vendors of a person.
fn list_of(d: Draft, source: TableId, who: &Thing, rows: &[u32]) -> Draft {
    let goal = format!("list the {}s of {}", source.noun(), who.said);
    d.list(goal, source, &[is(representative(source), &who.id)], rows)
}

/// The manager of the person who looks after a vendor.
pub(super) fn boss_of_vendor_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let vendor = c.some(V)?;
    let person = c.person(V, vendor.row, representative(V))?;
    let d = Draft::new(&[
        "Who is the manager of the colleague looking after our vendor {vendor}? I need name and mail address.",
        "Our vendor {vendor} threatens to leave us. Find the colleague who looks after this vendor, and give me the name and address of that colleague's manager.",
        "I have to talk to the manager of the colleague who looks after our vendor {vendor}. Name and mail address, please.",
    ]);
    boss_steps(c, d.find("vendor", &vendor), person)
}

/// The manager of the person who represents us at a client.
pub(super) fn boss_of_client_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let person = c.person(K, client.row, representative(K))?;
    let d = Draft::new(&[
        "Who does our representative at the client {client} report to? Name and mail address of the manager, please.",
        "Our client {client} wants to speak to somebody more senior. Who is the manager of our representative there, and at which address do I reach that manager?",
        "I would like to write to the manager of our representative at the client {client}. Who is it, and what is the mail address?",
    ]);
    boss_steps(c, d.find("client", &client), person)
}

/// Also asked about people who do not exist.
pub(super) const BIGGEST: &[&str] = &[
    "Which of {name}'s clients makes the most revenue a month in its own business, and who is the contact person there?",
    "I am covering for {name}. Tell me which of their clients is the largest, by the monthly revenue of the client's own business, and the contact person's name.",
    "Among the clients of {name}, which has the highest monthly revenue in its own business, and whom do we talk to there? Names, please.",
];

/// The client of a person that has the largest revenue of its own.
pub(super) fn biggest_client(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, K)?;
    let worth = rows
        .iter()
        .filter_map(|r| Some((c.cents(K, *r, "monthly_revenue")?, *r)));
    let (_, best) = most(worth.collect())?;
    let d = Draft::new(BIGGEST).find("name", &who);
    Some(
        list_of(d, K, &who, &rows)
            .row(K, best)
            .tell(c, &[("business_name", Text), ("contact_person_name", Text)]),
    )
}

/// Whose clients have more revenue of their own in total.
pub(super) fn stronger_book(c: &mut Ctx<'_>) -> Option<Draft> {
    let ((one, a), (two, b)) = (rep(c, K)?, rep(c, K)?);
    let total = |rows: &[u32]| c.sum(K, rows, "monthly_revenue");
    let (x, y) = (total(&a)?, total(&b)?);
    let more = ahead((&one, x), (&two, y))?.said.clone();
    (one.row != two.row).then_some(())?;
    let d = Draft::new(&[
        "Whose clients together make more revenue a month in their own business, those of {one} or those of {two}, and what is the difference?",
        "Add up the monthly revenue that {one}'s clients make in their own business, and do the same for {two}'s clients. Whose clients are ahead, and by how much?",
    ])
    .compare((&one, &a), (&two, &b), |d, who, rows| list_of(d, K, who, rows));
    Some(d.worked_out("name", Text, more).worked_out(
        "difference",
        Number,
        Cents((x - y).abs()).value(),
    ))
}

/// Which of two clients has the higher revenue.
pub(super) fn client_gap(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = (c.some(K)?, c.some(K)?);
    let revenue = |client: &Thing| c.cents(K, client.row, "monthly_revenue");
    let (x, y) = (revenue(&one)?, revenue(&two)?);
    let more = ahead((&one, x), (&two, y))?.said.clone();
    let d = Draft::new(&[
        "I am comparing our client {one} with our client {two}. Which makes more revenue a month in its own business, and how far apart are they?",
        "I can visit only one client, {one} or {two}. Which of them makes more revenue a month in its own business, and how much more?",
    ])
    .find("one", &one)
    .find("two", &two);
    Some(d.worked_out("business_name", Text, more).worked_out(
        "difference",
        Number,
        Cents((x - y).abs()).value(),
    ))
}

/// Also asked about people who do not exist.
pub(super) const OLDEST: &[&str] = &[
    "Of the vendors that {name} looks after, which has worked with us longest, and since when?",
    "Which vendor in the care of {name} came to us first, and on which day was it taken on? I am preparing an anniversary.",
    "Which of {name}'s vendors has been with us longest? I need its name and the onboarding date.",
];

/// The vendor that the persona or a colleague has looked after longest.
pub(super) fn oldest_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, V)?;
    let dated = rows
        .iter()
        .filter_map(|r| Some((c.day(V, *r, "onboarding_date")?, *r)));
    let (_, first) = least(dated.collect())?;
    let d = Draft::new(OLDEST).find("name", &who);
    Some(
        list_of(d, V, &who, &rows)
            .row(V, first)
            .tell(c, &[("business_name", Text), ("onboarding_date", Date)]),
    )
}

/// How a product sold in a year.
pub(super) fn product_year(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let all = c.linked(S, "product_id", product.row);
    let row = c.pick(&all)?;
    let year = Span::year(c.day(S, row, "date_of_purchase")?.date().0)?;
    let mut rows = all;
    rows.retain(|r| {
        let day = c.day(S, *r, "date_of_purchase");
        day.is_some_and(|day| year.holds(day))
    });
    let [from, to] = year.holds_day("date_of_purchase");
    let earned = c.sum(S, &rows, "discounted_price")?;
    let d = Draft::new(&[
        "How often did we sell the {product} in {year}, and how much did the customers pay for it in total?",
        "I need two figures on the {product} for {year}: the number of sales, and the prices paid added up.",
    ])
    .slot("year", &year.said)
    .find("product", &product)
    .list(
        "list the sales of that year",
        S,
        &[is("product_id", &product.id), from, to],
        &rows,
    )
    .worked_out("sales", Number, rows.len())
    .worked_out("earned", Number, Cents(earned).value());
    Some(d)
}

/// A colleague of Business Development or Management, by name.
fn taker(c: &mut Ctx<'_>, source: TableId) -> Option<Thing> {
    let department = match source {
        K => Department::BusinessDevelopment,
        _ => Department::Management,
    };
    let person = c.colleague_of(department)?;
    c.who(person)
}

/// Gives a client to a colleague and mails them the contact.
pub(super) fn hand_over_client(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = changeable(c, K)?;
    let to = taker(c, K)?;
    (c.text(K, client.row, representative(K)) != to.id).then_some(())?;
    let contact = c.text(K, client.row, "contact_person_name");
    let phone = c.text(K, client.row, "phone_number");
    let d = Draft::new(&[
        "{name} takes over our client {client}. Make them the representative and mail them the contact person's name and phone number.",
        "I am handing our client {client} to {name}. Change the representative, and mail the new one the contact person's name and phone number.",
    ])
    .find("client", &client)
    .find("name", &to)
    .change(
        c,
        "change the representative",
        K,
        client.row,
        json!({representative(K): to.id}),
    )
    .after_all();
    Some(d.mail(c, to.person(), "your new client", &[contact, phone]))
}

/// Gives a vendor or client to the one of two colleagues who has fewer.
pub(super) fn hand_to_less_busy(c: &mut Ctx<'_>) -> Option<Draft> {
    let source = if c.coin { K } else { V };
    let field = representative(source);
    let thing = changeable(c, source)?;
    let (one, two) = (taker(c, source)?, taker(c, source)?);
    let (a, b) = (looked_after(c, source, &one), looked_after(c, source, &two));
    let less = ahead((&one, Reverse(a.len())), (&two, Reverse(b.len())))?;
    let now = c.text(source, thing.row, field);
    if a.is_empty() || b.is_empty() || now == one.id || now == two.id {
        return None;
    }
    let d = Draft::new(match source {
        K => &[
            "Our client {thing} needs a new representative. Give this client to {one} or {two}: the one who has fewer clients.",
            "Look at how many clients {one} and {two} have, and make the one with fewer the representative of our client {thing}.",
        ],
        _ => &[
            "Our vendor {thing} needs somebody new to look after it. Of {one} and {two}, take the one who has fewer vendors, and change the record.",
            "Look at how many vendors {one} and {two} look after, and hand our vendor {thing} to the one with fewer.",
        ],
    })
    .find("thing", &thing)
    .compare((&one, &a), (&two, &b), |d, who, rows| {
        list_of(d, source, who, rows)
    });
    let changes = json!({field: less.id});
    Some(
        d.change(c, "change the representative", source, thing.row, changes)
            .after_all(),
    )
}

/// Records that a trial was accepted and tells the representative.
pub(super) fn accept_and_tell(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = on_trial(c)?;
    let person = c.person(K, client.row, representative(K))?;
    let own = person == c.me;
    let to = match own {
        true => c.my_manager()?,
        false => person,
    };
    c.is_active(to).then_some(())?;
    let trial = c.text(K, client.row, "current_POC_product");
    let d = Draft::new(if own {
        &[
            "Our client {client} said yes. Set their trial to accepted and mail my manager which product it was about.",
            "The trial at our client {client} is accepted. Record it, and let my manager know by mail, with the name of the product they tried.",
        ]
    } else {
        &[
            "Our client {client} said yes. Set their trial to accepted and mail our representative there, naming the product they tried.",
            "The trial at our client {client} is accepted. Record that for me, and mail our representative there the name of the product they tried.",
        ]
    });
    let d = accept(c, d, &client);
    let d = match own {
        true => d.find_my_manager(c, "find my manager"),
        false => d,
    };
    Some(d.mail(c, to, "accepted trial", &[trial]))
}

/// The invoice of a customer: how many lines, and the total.
pub(super) fn invoice(c: &mut Ctx<'_>) -> Option<Draft> {
    let source = TableId::OrderDocuments;
    let customer = c.some(TableId::Customers)?;
    let kind = c.pick(&["invoice", "purchase_order", "shipping_order"])?;
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
    .seek(
        "read the document",
        source,
        &[is("customer_id", &customer.id), is("kind", kind)],
        &[row],
    )
    .worked_out("total", Number, total)
    .worked_out("lines", Number, lines)
    .row(source, row);
    Some(d)
}
