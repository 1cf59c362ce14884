//! Templates of sales whose later steps need what earlier ones found: the story of a complaint, what
//! a customer spent, which product did better, prices that depend on another product.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use super::naming::{Span, Thing, said_day, spoken_product};
use super::reach::{boss_steps, reached};
use super::trade::{may, offer_of};
use crate::access::Act;
use crate::source::TableId;
use crate::value::{Cents, Day};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const C: TableId = TableId::Customers;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;
const R: TableId = TableId::Reviews;
const H: TableId = TableId::SupportChats;

/// Sales of a customer within a span.
fn sales_in(c: &Ctx<'_>, customer: u32, span: &Span) -> Vec<u32> {
    let rows = c.linked(S, "customer_id", customer).into_iter();
    rows.filter(|r| {
        c.day(S, *r, "date_of_purchase")
            .is_some_and(|d| span.holds(d))
    })
    .collect()
}

fn total(c: &Ctx<'_>, rows: &[u32]) -> Option<i64> {
    rows.iter()
        .map(|r| c.cents(S, *r, "discounted_price"))
        .sum()
}

/// The step that lists the sales of a customer or product within a span.
fn list_sales(d: Draft, by: (&'static str, &str), span: &Span, rows: &[u32], step: usize) -> Draft {
    let (first, last) = (span.first.to_string(), span.last.to_string());
    d.step(
        format!("list the sales of {}", span.said),
        "sales_read",
        json!({by.0: by.1, "start_date": first, "end_date": last, "limit": 200}),
    )
    .after(&[step])
    .claim(
        S,
        &[
            (by.0, "is", by.1.to_owned()),
            ("date_of_purchase", "from", first),
            ("date_of_purchase", "to", last),
        ],
        rows,
    )
}

/// What a customer paid most for in a month.
pub(super) fn dearest_purchase(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    let customer = c.customer_named(c.view.find(C, &c.text(S, row, "customer_id"))?)?;
    let month = Span::month(c.day(S, row, "date_of_purchase")?)?;
    let rows = sales_in(c, customer.row, &month);
    let mut paid: Vec<(i64, u32)> = rows
        .iter()
        .filter_map(|r| Some((c.cents(S, *r, "discounted_price")?, *r)))
        .collect();
    paid.sort_unstable();
    let (best, second) = (*paid.last()?, *paid.get(paid.len().checked_sub(2)?)?);
    if best.0 == second.0 || rows.len() > 60 {
        return None;
    }
    let product = c.view.find(P, &c.text(S, best.1, "product_id"))?;
    let sum = Cents(total(c, &rows)?);
    let d = Draft::new(&[
        "What was the most expensive thing that {customer} bought in {month}, and what did they spend that month in total?",
        "I am meeting {customer}. Tell me their dearest purchase of {month} by name, and everything they paid us in that month together.",
    ])
    .slot("month", &month.said)
    .find("customer", &customer);
    Some(
        list_sales(d, ("customer_id", &customer.id), &month, &rows, 0)
            .worked_out("total", Number, sum.value())
            .read(c, "read the product", P, product)
            .fact("product_name", Text, c.get(P, product, "product_name")),
    )
}

/// What a customer spent in one year and in the one before.
pub(super) fn spent_more(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    let customer = c.customer_named(c.view.find(C, &c.text(S, row, "customer_id"))?)?;
    let (year, _, _) = c.day(S, row, "date_of_purchase")?.date();
    let (now, before) = (Span::year(year)?, Span::year(year - 1)?);
    let (a, b) = (
        sales_in(c, customer.row, &now),
        sales_in(c, customer.row, &before),
    );
    let (x, y) = (total(c, &a)?, total(c, &b)?);
    if a.is_empty() || b.is_empty() || a.len().max(b.len()) > 200 || x == y {
        return None;
    }
    let more = if x > y { &now.said } else { &before.said };
    let d = Draft::new(&[
        "Did {customer} spend more with us in {now} or in {before}, and by how much?",
        "Compare what {customer} paid us in {before} and {now}: which year was better, and what is the difference?",
    ])
    .slot("now", &now.said)
    .slot("before", &before.said)
    .find("customer", &customer);
    let more = json!(more);
    let d = list_sales(d, ("customer_id", &customer.id), &now, &a, 0);
    Some(
        list_sales(d, ("customer_id", &customer.id), &before, &b, 0)
            .worked_out("year", Number, json!(more.as_str()?.parse::<i64>().ok()?))
            .worked_out("difference", Number, Cents((x - y).abs()).value()),
    )
}

/// What was offered after a complaint, who handled it, and how to reach that person's manager.
pub(super) fn complaint_story(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let said = offer_of(c, row)?;
    let handler = c.view.employee(&c.text(H, row, "emp_id"))?;
    let name = c.get(TableId::Employees, handler.0, "Name");
    let d = Draft::new(&[
        "{customer} complained about {kind}. What did we offer (replacement, refund, repair or advice), who handled it, and what is the mail address of that person's manager?",
        "I have a complaint of {customer} about {kind} on my desk. I need to know what we promised (replacement, refund, repair or advice), the name of the colleague who dealt with it, and the address of their manager.",
    ]);
    let d = c.find_chat(d, row)?.worked_out("offer", Id, json!(said));
    let boss = c.view.manager(handler)?;
    Some(
        d.read(
            c,
            "read the handler's record",
            TableId::Employees,
            handler.0,
        )
        .fact("handler", Text, name)
        .read(c, "read the manager's record", TableId::Employees, boss.0)
        .fact("email", Id, c.get(TableId::Employees, boss.0, "email")),
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
            .worked_out("offer", Id, json!(said))
            .fact("interaction_date", Date, c.get(H, row, "interaction_date")),
    )
}

/// Who handled a complaint, and that person's manager.
pub(super) fn boss_of_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let handler = c.view.employee(&c.text(H, row, "emp_id"))?;
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
    let handler = c.view.employee(&c.text(H, row, "emp_id"))?;
    if handler == c.me || !c.is_active(handler) {
        return None;
    }
    let days = c.between(2, 14);
    let day = said_day(c.company().clock().plus(days));
    let d = Draft::new(&[
        "Find out who handled {customer}'s complaint about {kind} and mail that person: I want a status by {day}.",
        "Please mail the colleague who dealt with {customer} about {kind}. I need to hear how it stands, at the latest on {day}.",
    ])
    .slot("day", &day);
    Some(
        c.find_chat(d, row)?
            .mail(c, handler, "status of a complaint, by", &[day]),
    )
}

/// Reviews of a product by polarity.
fn polarities(c: &Ctx<'_>, product: u32) -> Option<(Vec<u32>, usize, usize)> {
    let rows = c.linked(R, "product_id", product);
    let count = |word: &str| {
        rows.iter()
            .filter(|r| c.text(R, **r, "polarity") == word)
            .count()
    };
    let (good, bad) = (count("positive"), count("negative"));
    let known = rows.iter().all(|r| !c.get(R, *r, "polarity").is_null());
    (known && !rows.is_empty() && rows.len() <= 60).then_some((rows, good, bad))
}

fn list_reviews(d: Draft, product: &Thing, rows: &[u32], step: usize) -> Draft {
    d.step(
        format!("read the reviews of the {}", product.said),
        "product_sentiment_read",
        json!({"product_id": product.id, "limit": 200}),
    )
    .after(&[step])
    .claim(R, &[("product_id", "is", product.id.clone())], rows)
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
            return Some((one, c.product_named(row)?));
        }
    }
    None
}

/// Which of two products has more positive reviews.
pub(super) fn better_liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let (one, two) = alike(c)?;
    let ((a, n, _), (b, m, _)) = (polarities(c, one.row)?, polarities(c, two.row)?);
    (n != m).then_some(())?;
    let more = if n > m { &one } else { &two };
    let more = c.get(P, more.row, "product_name");
    let d = Draft::new(&[
        "Customers ask which is better, the {one} or the {two}. Which has more positive reviews, and by how many?",
        "I can put only one on the front page, the {one} or the {two}. Pick the one with more positive reviews, give me its full name, and say how many it is ahead.",
    ])
    .find("one", &one)
    .find("two", &two);
    let d = list_reviews(list_reviews(d, &one, &a, 0), &two, &b, 1);
    Some(
        d.fact("product_name", Text, more)
            .worked_out("ahead_by", Number, json!(n.abs_diff(m))),
    )
}

/// The customers who reviewed a product negatively.
pub(super) fn unhappy(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let (rows, _, _) = polarities(c, product.row)?;
    let unhappy: BTreeSet<u32> = rows
        .iter()
        .filter(|r| c.text(R, **r, "polarity") == "negative")
        .filter_map(|r| c.view.find(C, &c.text(R, *r, "customer_id")))
        .collect();
    if !(1..=5).contains(&unhappy.len()) {
        return None;
    }
    let names: Vec<Value> = unhappy
        .iter()
        .map(|r| c.get(C, *r, "customer_name"))
        .collect();
    let d = Draft::new(&[
        "Which customers wrote a negative review of the {product}? I want to call them, so I need their names.",
        "Give me the names of everybody who reviewed the {product} negatively.",
    ])
    .find("product", &product);
    let d = list_reviews(d, &product, &rows, 0);
    let d = unhappy
        .iter()
        .fold(d, |d, r| d.read(c, "read the customer", C, *r).after(&[1]));
    Some(d.fact("customers", List, Value::Array(names)))
}

/// Who bought a product first, or last.
pub(super) fn first_buyer(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = c.some(P)?;
    let rows = c.linked(S, "product_id", product.row);
    let mut dated: Vec<(Day, u32)> = rows
        .iter()
        .filter_map(|r| Some((c.day(S, *r, "date_of_purchase")?, *r)))
        .collect();
    dated.sort();
    if !c.coin {
        dated.reverse();
    }
    let (first, second) = (*dated.first()?, *dated.get(1)?);
    (first.0 != second.0 && rows.len() <= 100).then_some(())?;
    let customer = c.view.find(C, &c.text(S, first.1, "customer_id"))?;
    let word = if c.coin { "first" } else { "most recent" };
    let d = Draft::new(&[
        "Who was the {word} customer to buy the {product}, on which day, and what did they pay?",
        "I need the {word} buyer of the {product}: name, date and price paid.",
    ])
    .slot("word", word)
    .find("product", &product)
    .then(
        "list its sales",
        "sales_read",
        json!({"product_id": product.id, "limit": 200}),
    )
    .claim(S, &[("product_id", "is", product.id.clone())], &rows)
    .row(S, first.1)
    .fact("date_of_purchase", Date, json!(first.0.to_string()))
    .fact(
        "discounted_price",
        Number,
        c.get(S, first.1, "discounted_price"),
    );
    Some(d.read(c, "read the customer", C, customer).fact(
        "customer_name",
        Text,
        c.get(C, customer, "customer_name"),
    ))
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
    let mut ranked: Vec<(usize, i32)> = years.into_iter().map(|(y, n)| (n, y)).collect();
    ranked.sort_unstable();
    let (best, second) = (*ranked.last()?, *ranked.get(ranked.len().checked_sub(2)?)?);
    (best.0 != second.0 && rows.len() <= 100).then_some(())?;
    let d = Draft::new(&[
        "In which year did we sell the {product} most often, and how many times?",
        "What was the best year of the {product} by number of sales, and how many sales was that?",
    ])
    .find("product", &product)
    .then(
        "list its sales",
        "sales_read",
        json!({"product_id": product.id, "limit": 200}),
    )
    .claim(S, &[("product_id", "is", product.id.clone())], &rows);
    Some(
        d.worked_out("year", Number, json!(best.1))
            .worked_out("sales", Number, json!(best.0)),
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
    if !may(c, Act::Update, P, Some(one.row), None) || price > list || price == now {
        return None;
    }
    let d = Draft::new(&[
        "Sell the {one} at the same discounted price as the {two} from now on. Please change it for me.",
        "Match the discounted price of the {one} to that of the {two}.",
    ])
    .find("two", &two)
    .find("one", &one)
    .last(
        "change the price",
        "products_update",
        json!({"product_id": one.id, "changes": {"discounted_price": Cents(price).value()}}),
    );
    Some(d)
}

/// Moves a sale to another customer.
pub(super) fn rebook_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    if !may(c, Act::Update, S, Some(row), None) {
        return None;
    }
    let product = c.product_named(c.view.find(P, &c.text(S, row, "product_id"))?)?;
    let wrong = c.customer_named(c.view.find(C, &c.text(S, row, "customer_id"))?)?;
    let right = c.some(C)?;
    if right.row == wrong.row {
        return None;
    }
    let d = Draft::new(&[
        "The {product} that we booked for {wrong} was in fact bought by {right}. Please correct the sale.",
        "I mixed up two customers: {right} bought the {product}, not {wrong}. Move that sale to the right customer.",
    ])
    .find("product", &product)
    .find("wrong", &wrong);
    let d = find_sale(c, d, row, &product, &wrong)?.find("right", &right);
    Some(d.last(
        "correct the sale",
        "sales_update",
        json!({"sales_record_id": c.key(S, row), "changes": {"customer_id": right.id}}),
    ))
}

/// The step that finds the only sale of a product to a customer.
pub(super) fn find_sale(
    c: &Ctx<'_>,
    d: Draft,
    row: u32,
    product: &Thing,
    customer: &Thing,
) -> Option<Draft> {
    Some(
        d.last(
            "find the sale",
            "sales_read",
            json!({"product_id": product.id, "customer_id": customer.id}),
        )
        .claim(
            S,
            &[
                ("product_id", "is", product.id.clone()),
                ("customer_id", "is", customer.id.clone()),
            ],
            &[row],
        )
        .row(S, row),
    )
    .filter(|_| c.reads(S, row))
}

/// A sale as people remember it: what was bought, and by whom.
pub(super) fn remembered_sale(c: &mut Ctx<'_>, d: Draft) -> Option<(u32, Draft)> {
    let row = c.any(S)?;
    let product = c.product_named(c.view.find(P, &c.text(S, row, "product_id"))?)?;
    let customer = c.customer_named(c.view.find(C, &c.text(S, row, "customer_id"))?)?;
    let d = d.find("product", &product).find("customer", &customer);
    Some((row, find_sale(c, d, row, &product, &customer)?))
}

/// What a customer bought last, and how long after the purchase before.
pub(super) fn last_purchase(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(S, "customer_id", customer.row);
    let mut dated: Vec<(Day, u32)> = rows
        .iter()
        .filter_map(|r| Some((c.day(S, *r, "date_of_purchase")?, *r)))
        .collect();
    dated.sort();
    let (last, before) = (*dated.last()?, *dated.get(dated.len().checked_sub(2)?)?);
    (last.0 != before.0).then_some(())?;
    let product = c.view.find(P, &c.text(S, last.1, "product_id"))?;
    let days = i64::from(last.0.0) - i64::from(before.0.0);
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
            ("customer_id", "is", customer.id.clone()),
            ("date_of_purchase", "from", before.0.to_string()),
        ],
        &dated
            .iter()
            .filter(|(d, _)| *d >= before.0)
            .map(|(_, r)| *r)
            .collect::<Vec<_>>(),
    )
    .row(S, last.1)
    .fact("date_of_purchase", Date, json!(last.0.to_string()))
    .worked_out("days", Number, json!(days));
    Some(d.read(c, "read the product", P, product).fact(
        "product_name",
        Text,
        c.get(P, product, "product_name"),
    ))
}

/// What a customer thought of a kind of product, and what it cost them.
pub(super) fn opinion_and_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(R)?;
    let polarity = c.get(R, row, "polarity");
    let customer = c.customer_named(c.view.find(C, &c.text(R, row, "customer_id"))?)?;
    let product = c.view.find(P, &c.text(R, row, "product_id"))?;
    let same = |source: TableId| -> Vec<u32> {
        let rows = c.linked(source, "customer_id", customer.row).into_iter();
        rows.filter(|r| c.text(source, *r, "product_id") == c.text(R, row, "product_id"))
            .collect()
    };
    let (reviews, sales) = (same(R), same(S));
    let [sale] = sales.as_slice() else {
        return None;
    };
    if polarity.is_null() || reviews != [row] {
        return None;
    }
    let id = c.text(R, row, "product_id");
    let product_thing = c.product_named(product)?;
    let d = Draft::new(&[
        "{customer} has the {product} from us. Was their review of it positive, neutral or negative, and what did they pay?",
        "How did {customer} review the {product} (positive, neutral or negative), and at which price had they bought it?",
    ])
    .find("product", &product_thing)
    .find("customer", &customer);
    let pair = [
        ("product_id", "is", id.clone()),
        ("customer_id", "is", customer.id.clone()),
    ];
    let call = json!({"product_id": id, "customer_id": customer.id});
    Some(
        d.last("read the review", "product_sentiment_read", call.clone())
            .claim(R, &pair, &reviews)
            .fact("polarity", Id, polarity)
            .step("read the sale", "sales_read", call)
            .after(&[0, 1])
            .claim(S, &pair, &sales)
            .fact(
                "discounted_price",
                Number,
                c.get(S, *sale, "discounted_price"),
            )
            .row(R, row),
    )
}

/// The customer's contact person here: who handled the latest complaint.
pub(super) fn latest_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(H, "customer_id", customer.row);
    let mut dated: Vec<(Day, u32)> = rows
        .iter()
        .filter_map(|r| Some((c.day(H, *r, "interaction_date")?, *r)))
        .collect();
    dated.sort();
    let (last, before) = (*dated.last()?, *dated.get(dated.len().checked_sub(2)?)?);
    (last.0 != before.0).then_some(())?;
    let handler = c.view.employee(&c.text(H, last.1, "emp_id"))?;
    let d = Draft::new(&[
        "Who was the last of us to handle a complaint of {customer}, and how do I reach that person?",
        "{customer} contacted support again. Who dealt with their most recent case? Name and mail address.",
    ])
    .find("customer", &customer)
    .then(
        "list the support chats",
        "customer_support_chats_read",
        json!({"customer_id": customer.id, "limit": 200}),
    )
    .claim(H, &[("customer_id", "is", customer.id.clone())], &rows)
    .row(H, last.1)
    .read(c, "read the handler's record", TableId::Employees, handler.0);
    Some(reached(c, d, handler))
}
