//! Templates of business operations: clients and vendors.

use super::FactKind::{Date, List, Number, Text};
use super::common::boss_steps;
use super::draft::{Ctx, Draft, Is, ahead, is, least, most};
use super::draft::{Span, Thing};
use crate::access::Act;
use crate::data::org::Department;
use crate::data::tables::TableId;
use crate::data::value::Cents;
use serde_json::json;
use std::cmp::Reverse;

// ---------------------------------------------------------------- business
//
// Templates of business operations: clients and vendors. The published templates of this domain
// are about mails and messages alone; these use the two files that no published tool reads.

const K: TableId = TableId::Clients;
const V: TableId = TableId::Vendors;

/// The field of a client or vendor that says who looks after it here.
pub(super) fn representative(source: TableId) -> &'static str {
    match source {
        K => "business_representative_employee",
        _ => "management_representative_employee",
    }
}

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
    let d = Draft::new("business.trials").slot("status", status);
    let condition = is("POC_status", status);
    Some(find_mine(c, d, "read my clients", K, condition, &rows))
}

/// Vendors of the persona in an industry.
pub(super) fn vendors(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(V, representative(V));
    let first = c.pick(&own)?;
    let industry = c.text(V, first, "industry");
    let rows = c.having(V, &own, "industry", &industry);
    (rows.len() != own.len()).then_some(())?;
    let d = Draft::new("business.vendors").slot("industry", &industry);
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
    let d = Draft::new("business.new_phone")
        .slot("phone", &phone)
        .find("client", &client);
    let changes = json!({"phone_number": phone});
    Some(d.change(c, "change the number", K, client.row, changes))
}

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
    Some(accept(c, Draft::new("business.accept"), &client))
}

/// An address for somebody who moves.
pub(super) fn new_address(c: &mut Ctx<'_>) -> String {
    let number = c.between(1, 200);
    format!("{number} {}, {}", c.word("street"), c.word("city"))
}

/// A moved vendor.
pub(super) fn move_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let vendor = changeable(c, V)?;
    let address = new_address(c);
    let d = Draft::new("business.move")
        .slot("address", &address)
        .find("vendor", &vendor);
    let changes = json!({"registered_address": address});
    Some(d.change(c, "change the address", V, vendor.row, changes))
}

// ---------------------------------------------------------------- dealings
//
// Templates of business operations whose later steps need what earlier ones found: who looks after
// a client or vendor, whose clients bring more, who should take over.

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
    let d = Draft::new("dealings.boss_of_vendor_rep");
    boss_steps(c, d.find("vendor", &vendor), person)
}

/// The manager of the person who represents us at a client.
pub(super) fn boss_of_client_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let client = c.some(K)?;
    let person = c.person(K, client.row, representative(K))?;
    let d = Draft::new("dealings.boss_of_client_rep");
    boss_steps(c, d.find("client", &client), person)
}

/// The client of a person that has the largest revenue of its own.
pub(super) fn biggest_client(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, K)?;
    let worth = rows
        .iter()
        .filter_map(|r| Some((c.cents(K, *r, "monthly_revenue")?, *r)));
    let (_, best) = most(worth.collect())?;
    let d = Draft::new("dealings.biggest").find("name", &who);
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
    let d = Draft::new("dealings.stronger_book").compare((&one, &a), (&two, &b), |d, who, rows| {
        list_of(d, K, who, rows)
    });
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
    let d = Draft::new("dealings.client_gap")
        .find("one", &one)
        .find("two", &two);
    Some(d.worked_out("business_name", Text, more).worked_out(
        "difference",
        Number,
        Cents((x - y).abs()).value(),
    ))
}

/// The vendor that the persona or a colleague has looked after longest.
pub(super) fn oldest_vendor(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = rep(c, V)?;
    let dated = rows
        .iter()
        .filter_map(|r| Some((c.day(V, *r, "onboarding_date")?, *r)));
    let (_, first) = least(dated.collect())?;
    let d = Draft::new("dealings.oldest").find("name", &who);
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
    let d = Draft::new("dealings.product_year")
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
    let d = Draft::new("dealings.hand_over_client")
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
        K => "dealings.less_busy_client",
        _ => "dealings.less_busy_vendor",
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
        "dealings.accept_own"
    } else {
        "dealings.accept_and_tell"
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
    let d = Draft::new("dealings.invoice")
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
