//! Templates of sales whose later steps need what earlier ones found: the story of a complaint, what
//! a customer spent, which product did better, prices that depend on another product.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft, ahead, is, least, most};
use super::naming::{Span, Thing, spoken_product};
use super::reach::{boss_steps, reached};
use super::trade::offer_of;
use crate::access::Act;
use crate::source::TableId;
use crate::value::{Cents, Day};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const C: TableId = TableId::Customers;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;
const R: TableId = TableId::Reviews;
const H: TableId = TableId::SupportChats;
const E: TableId = TableId::Employees;

/// Sales of a customer within a span.
fn sales_in(c: &Ctx<'_>, customer: &Thing, span: &Span) -> Vec<u32> {
    let mut rows = c.linked(S, "customer_id", customer.row);
    rows.retain(|r| {
        let day = c.day(S, *r, "date_of_purchase");
        day.is_some_and(|day| span.holds(day))
    });
    rows
}

/// The step that lists the sales of a customer, who was found first, within a span.
fn list_sales(d: Draft, customer: &Thing, span: &Span, rows: &[u32]) -> Draft {
    let goal = format!("list the sales of {}", span.said);
    let [from, to] = span.holds_day("date_of_purchase");
    d.list(goal, S, &[is("customer_id", &customer.id), from, to], rows)
        .after(&[0])
}

/// Rows with their days.
fn dated(c: &Ctx<'_>, source: TableId, rows: &[u32], field: &str) -> Vec<(Day, u32)> {
    let dated = rows.iter().map(|r| Some((c.day(source, *r, field)?, *r)));
    dated.flatten().collect()
}

/// What a customer paid most for in a month.
pub(super) fn dearest_purchase(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    let customer = c.linked_to(S, row, "customer_id")?;
    let month = Span::month(c.day(S, row, "date_of_purchase")?)?;
    let rows = sales_in(c, &customer, &month);
    (rows.len() <= 60).then_some(())?;
    let paid = rows
        .iter()
        .filter_map(|r| Some((c.cents(S, *r, "discounted_price")?, *r)));
    let (_, best) = most(paid.collect())?;
    let product = c.follow(S, best, "product_id")?;
    let sum = Cents(c.sum(S, &rows, "discounted_price")?);
    let d = Draft::new(&[
        "What was the most expensive thing that {customer} bought in {month}, and what did they spend that month in total?",
        "I am meeting {customer}. Tell me their dearest purchase of {month} by name, and everything they paid us in that month together.",
    ])
    .slot("month", &month.said)
    .find("customer", &customer);
    Some(
        list_sales(d, &customer, &month, &rows)
            .worked_out("total", Number, sum.value())
            .read(c, "read the product", P, product)
            .tell(c, &[("product_name", Text)]),
    )
}

/// What a customer spent in one year and in the one before.
pub(super) fn spent_more(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    let customer = c.linked_to(S, row, "customer_id")?;
    let (year, _, _) = c.day(S, row, "date_of_purchase")?.date();
    let (now, before) = (Span::year(year)?, Span::year(year - 1)?);
    let (a, b) = (
        sales_in(c, &customer, &now),
        sales_in(c, &customer, &before),
    );
    let spent = |rows: &[u32]| c.sum(S, rows, "discounted_price");
    let (x, y) = (spent(&a)?, spent(&b)?);
    if a.is_empty() || b.is_empty() || a.len().max(b.len()) > 200 {
        return None;
    }
    let better = *ahead((&year, x), (&(year - 1), y))?;
    let d = Draft::new(&[
        "Did {customer} spend more with us in {now} or in {before}, and by how much?",
        "Compare what {customer} paid us in {before} and {now}: which year was better, and what is the difference?",
    ])
    .slot("now", &now.said)
    .slot("before", &before.said)
    .find("customer", &customer);
    let d = list_sales(d, &customer, &now, &a);
    Some(
        list_sales(d, &customer, &before, &b)
            .worked_out("year", Number, better)
            .worked_out("difference", Number, Cents((x - y).abs()).value()),
    )
}

/// What was offered after a complaint, who handled it, and how to reach that person's manager.
pub(super) fn complaint_story(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let said = offer_of(c, row)?;
    let handler = c.person(H, row, "emp_id")?;
    let d = Draft::new(&[
        "{customer} complained about {kind}. What did we offer (replacement, refund, repair or advice), who handled it, and what is the mail address of that person's manager?",
        "I have a complaint of {customer} about {kind} on my desk. I need to know what we promised (replacement, refund, repair or advice), the name of the colleague who dealt with it, and the address of their manager.",
    ]);
    let d = c.find_chat(d, row)?.worked_out("offer", Id, said);
    let boss = c.view.manager(handler)?;
    Some(
        d.read(c, "read the handler's record", E, handler.0)
            .fact("handler", Text, c.name(handler))
            .read(c, "read the manager's record", E, boss.0)
            .tell(c, &[("email", Id)]),
    )
}

/// What was offered after a complaint, and when.
pub(super) fn offer_and_day(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let said = offer_of(c, row)?;
    let d = Draft::new(&[
        "What did we offer {customer} when they complained about {kind}: replacement, refund, repair or advice? And on which day?",
        "{customer} says we made a promise about {kind}. Which one was it (replacement, refund, repair or advice), and when was that?",
    ]);
    Some(
        c.find_chat(d, row)?
            .worked_out("offer", Id, said)
            .tell(c, &[("interaction_date", Date)]),
    )
}

/// Who handled a complaint, and that person's manager.
pub(super) fn boss_of_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let handler = c.person(H, row, "emp_id")?;
    (handler != c.me).then_some(())?;
    let d = Draft::new(&[
        "{customer} was unhappy with how we treated their complaint about {kind}. Who is the manager of the colleague who handled it? Name and address.",
        "Find the colleague who dealt with {customer}'s complaint about {kind}, and tell me that person's manager with the mail address.",
    ]);
    boss_steps(c, c.find_chat(d, row)?, handler)
}

/// Mails the person who handled a complaint.
pub(super) fn ask_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let handler = c.colleague_in(H, row, "emp_id")?;
    let day = c.day_ahead(2, 14);
    let d = Draft::new(&[
        "Find out who handled {customer}'s complaint about {kind} and mail that person: I want a status by {day}.",
        "Please mail the colleague who dealt with {customer}'s complaint about {kind}. I need to hear how it stands, at the latest on {day}.",
    ])
    .slot("day", &day);
    Some(
        c.find_chat(d, row)?
            .mail(c, handler, "status of a complaint, by", &[day]),
    )
}

/// The reviews of a product whose polarity is known, at most 60, and those that are positive.
fn polarities(c: &Ctx<'_>, product: &Thing) -> Option<(Vec<u32>, usize)> {
    let rows = c.linked(R, "product_id", product.row);
    let known = c.values(R, &rows, "polarity").iter().all(|p| !p.is_null());
    let good = c.having(R, &rows, "polarity", "positive").len();
    (known && (1..=60).contains(&rows.len())).then_some((rows, good))
}

/// The step that lists the reviews of a product.
fn list_reviews(d: Draft, product: &Thing, rows: &[u32]) -> Draft {
    let goal = format!("read the reviews of the {}", product.said);
    d.list(goal, R, &[is("product_id", &product.id)], rows)
}

/// Two different products of a kind.
fn alike(c: &mut Ctx<'_>) -> Option<(Thing, Thing)> {
    let one = c.some(P)?;
    let kind = |c: &Ctx<'_>, row: u32| {
        let name = c.text(P, row, "product_name");
        spoken_product(&name).map(|(_, kind)| kind.to_owned())
    };
    let wanted = kind(c, one.row)?;
    for _ in 0..60 {
        let row = c.any(P)?;
        if row != one.row && kind(c, row)? == wanted {
            return Some((one, c.named(P, row)?));
        }
    }
    None
}

/// Which of two products has more positive reviews.
pub(super) fn better_liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = alike(c)?;
    let ((a, n), (b, m)) = (polarities(c, &one)?, polarities(c, &two)?);
    let better = ahead((&one, n), (&two, m))?;
    let name = c.get(P, better.row, "product_name");
    let d = Draft::new(&[
        "Customers ask which is better, the {one} or the {two}. Which has more positive reviews, and by how many?",
        "I can put only one on the front page, the {one} or the {two}. Pick the one with more positive reviews, give me its full name, and say how many it is ahead.",
    ])
    .compare((&one, &a), (&two, &b), list_reviews);
    Some(
        d.fact("product_name", Text, name)
            .worked_out("ahead_by", Number, n.abs_diff(m)),
    )
}

/// The customers who reviewed a product negatively.
pub(super) fn unhappy(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let (rows, _) = polarities(c, &product)?;
    let bad = c.having(R, &rows, "polarity", "negative").into_iter();
    let unhappy: BTreeSet<u32> = bad.filter_map(|r| c.follow(R, r, "customer_id")).collect();
    let unhappy: Vec<u32> = unhappy.into_iter().collect();
    (1..=5).contains(&unhappy.len()).then_some(())?;
    let d = Draft::new(&[
        "Which customers wrote a negative review of the {product}? I want to call them, so I need their names.",
        "Give me the names of everybody who reviewed the {product} negatively.",
    ])
    .find("product", &product);
    let d = list_reviews(d, &product, &rows);
    let d = unhappy
        .iter()
        .fold(d, |d, r| d.read(c, "read the customer", C, *r).after(&[1]));
    Some(d.fact("customers", List, c.values(C, &unhappy, "customer_name")))
}

/// Who bought a product first, or last.
pub(super) fn first_buyer(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let rows = c.linked(S, "product_id", product.row);
    let dated = dated(c, S, &rows, "date_of_purchase");
    let (_, sale) = if c.coin { least(dated)? } else { most(dated)? };
    (rows.len() <= 100).then_some(())?;
    let customer = c.follow(S, sale, "customer_id")?;
    let word = if c.coin { "first" } else { "most recent" };
    let d = Draft::new(&[
        "Who was the {word} customer to buy the {product}, on which day, and what did they pay?",
        "I need the {word} buyer of the {product}: name, date and price paid.",
    ])
    .slot("word", word)
    .find("product", &product)
    .list("list its sales", S, &[is("product_id", &product.id)], &rows)
    .row(S, sale)
    .tell(
        c,
        &[("date_of_purchase", Date), ("discounted_price", Number)],
    )
    .read(c, "read the customer", C, customer)
    .tell(c, &[("customer_name", Text)]);
    Some(d)
}

/// The year in which a product was sold most often.
pub(super) fn best_year(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let rows = c.linked(S, "product_id", product.row);
    let mut years: BTreeMap<i32, usize> = BTreeMap::new();
    for r in &rows {
        *years
            .entry(c.day(S, *r, "date_of_purchase")?.date().0)
            .or_default() += 1;
    }
    let ranked = years.into_iter().map(|(year, sales)| (sales, year));
    let (sales, year) = most(ranked.collect())?;
    (rows.len() <= 100).then_some(())?;
    let d = Draft::new(&[
        "In which year did we sell the {product} most often, and how many times?",
        "What was the best year of the {product} by number of sales, and how many sales was that?",
    ])
    .find("product", &product)
    .list("list its sales", S, &[is("product_id", &product.id)], &rows);
    Some(
        d.worked_out("year", Number, year)
            .worked_out("sales", Number, sales),
    )
}

/// Puts a product at the price of another.
pub(super) fn match_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = alike(c)?;
    let price = c.cents(P, two.row, "discounted_price")?;
    let (list, now) = (
        c.cents(P, one.row, "actual_price")?,
        c.cents(P, one.row, "discounted_price")?,
    );
    if !c.may(Act::Update, P, one.row) || price > list || price == now {
        return None;
    }
    let d = Draft::new(&[
        "Sell the {one} at the same discounted price as the {two} from now on. Please change it for me.",
        "Match the discounted price of the {one} to that of the {two}.",
    ])
    .find("two", &two)
    .find("one", &one)
    .change(
        c,
        "change the price",
        P,
        one.row,
        json!({"discounted_price": Cents(price).value()}),
    )
    .after_all();
    Some(d)
}

/// Moves a sale to another customer.
pub(super) fn rebook_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    c.may(Act::Update, S, row).then_some(())?;
    let (product, wrong) = c.pair(S, row)?;
    let right = c.some(C)?;
    (right.row != wrong.row).then_some(())?;
    let d = Draft::new(&[
        "The {product} that we booked for {wrong} was in fact bought by {right}. Please correct the sale.",
        "I mixed up two customers: {right} bought the {product}, not {wrong}. Move that sale to the right customer.",
    ])
    .find("product", &product)
    .find("wrong", &wrong);
    let changes = json!({"customer_id": right.id});
    Some(
        find_sale(d, row, &product, &wrong)
            .find("right", &right)
            .change(c, "correct the sale", S, row, changes)
            .after_all(),
    )
}

/// The step that finds the only sale of a product to a customer.
fn find_sale(d: Draft, row: u32, product: &Thing, customer: &Thing) -> Draft {
    d.seek_about("find the sale", S, product, customer, &[row])
        .row(S, row)
}

/// A sale as people remember it: what was bought, and by whom.
pub(super) fn remembered_sale(c: &mut Ctx<'_>, d: Draft) -> Option<(u32, Draft)> {
    let row = c.any(S)?;
    let (product, customer) = c.pair(S, row)?;
    let d = d.find("product", &product).find("customer", &customer);
    Some((row, find_sale(d, row, &product, &customer)))
}

/// What a customer bought last, and how long after the purchase before.
pub(super) fn last_purchase(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(S, "customer_id", customer.row);
    let mut dated = dated(c, S, &rows, "date_of_purchase");
    dated.sort();
    let (last, before) = (*dated.last()?, *dated.get(dated.len().checked_sub(2)?)?);
    (last.0 != before.0).then_some(())?;
    let product = c.follow(S, last.1, "product_id")?;
    let days = i64::from(last.0.0) - i64::from(before.0.0);
    dated.retain(|(day, _)| *day >= before.0);
    let latest: Vec<u32> = dated.iter().map(|(_, row)| *row).collect();
    let d = Draft::new(&[
        "What did {customer} buy from us last, when, and how many days after the purchase before that?",
        "I am calling {customer} today. Tell me their latest purchase by name, its date, and how many days lie between it and the one before.",
    ])
    .find("customer", &customer)
    .then(
        "list the purchases",
        "sales_read",
        json!({"customer_id": customer.id, "limit": 5}),
    )
    .claim(
        S,
        &[
            is("customer_id", &customer.id),
            ("date_of_purchase", "from", before.0.to_string()),
        ],
        &latest,
    )
    .row(S, last.1)
    .tell(c, &[("date_of_purchase", Date)])
    .worked_out("days", Number, days)
    .read(c, "read the product", P, product)
    .tell(c, &[("product_name", Text)]);
    Some(d)
}

/// What a customer thought of a kind of product, and what it cost them.
pub(super) fn opinion_and_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(R)?;
    let (product, customer) = c.pair(R, row)?;
    let (reviews, sales) = (
        c.about(R, &product, &customer),
        c.about(S, &product, &customer),
    );
    let [sale] = sales.as_slice() else {
        return None;
    };
    (reviews == [row]).then_some(())?;
    let d = Draft::new(&[
        "{customer} has the {product} from us. Was their review of it positive, neutral or negative, and what did they pay?",
        "How did {customer} review the {product} (positive, neutral or negative), and what did they pay for it?",
    ])
    .find("product", &product)
    .find("customer", &customer)
    .seek_about("read the review", R, &product, &customer, &reviews)
    .row(R, row)
    .tell(c, &[("polarity", Id)])
    .seek_about("read the sale", S, &product, &customer, &sales)
    .after(&[0, 1])
    .fact("discounted_price", Number, c.get(S, *sale, "discounted_price"));
    Some(d)
}

/// The customer's contact person here: who handled the latest complaint.
pub(super) fn latest_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(H, "customer_id", customer.row);
    let (_, chat) = most(dated(c, H, &rows, "interaction_date"))?;
    let handler = c.person(H, chat, "emp_id")?;
    let d = Draft::new(&[
        "Who was the last of us to handle a complaint of {customer}, and how do I reach that person?",
        "{customer} contacted support again. Who dealt with their most recent case? Name and mail address.",
    ])
    .find("customer", &customer)
    .list(
        "list the support chats",
        H,
        &[is("customer_id", &customer.id)],
        &rows,
    )
    .row(H, chat)
    .read(c, "read the handler's record", E, handler.0);
    Some(reached(c, d, handler))
}
