//! Templates of sales: customers, products, sales, reviews, support.
//!
//! Products and customers are named in words, so most plans begin with two look-ups by name and
//! continue with the ids that they give. Names are drawn only if they are unique. Whether a review
//! is positive is known from the row; what a support chat ended with is read from the words of the
//! generated transcript.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use super::naming::{spoken_product, title};
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::json;

mod writing;

pub(super) use writing::{
    DISCOUNT, add_review, change_review, complaint, delete_complaint, delete_sale, discount,
    fix_price, new_customer, new_product, new_sale, remove_product, rename_customer,
    rename_product, sale_date, sale_price,
};

const C: TableId = TableId::Customers;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;
const R: TableId = TableId::Reviews;
const H: TableId = TableId::SupportChats;

/// Whether the rules allow the persona this act on a row, or on a planned record.
pub(super) fn may(
    c: &Ctx<'_>,
    act: Act,
    source: TableId,
    row: Option<u32>,
    first: Option<EmployeeNo>,
) -> bool {
    let none = RequestContext::default();
    let resource = match row {
        Some(row) => Resource::of(&c.view, source, row),
        None => Resource::planned(source, first),
    };
    let request = AccessRequest {
        principal: c.me,
        act,
        resource,
        context: &none,
    };
    c.access().decide(&c.view, &request).allow
}

fn find(c: &Ctx<'_>, source: TableId, id: &str) -> Option<u32> {
    c.view.find(source, id)
}

/// The name of a row, if no other row of the source has it.
fn named(c: &Ctx<'_>, source: TableId, row: u32, field: &str) -> Option<String> {
    let name = c.text(source, row, field);
    let same = crate::office::named_rows(&c.view, source, field, &name);
    (same == [row]).then_some(name)
}

/// Product and customer of a row, both with unique names.
fn pair(c: &Ctx<'_>, source: TableId, row: u32) -> Option<(u32, String, u32, String)> {
    let product = find(c, P, &c.text(source, row, "product_id"))?;
    let customer = find(c, C, &c.text(source, row, "customer_id"))?;
    Some((
        product,
        named(c, P, product, "product_name")?,
        customer,
        named(c, C, customer, "customer_name")?,
    ))
}

/// Rows of a source about this product and customer.
fn between(c: &Ctx<'_>, source: TableId, product: u32, customer: u32) -> Vec<u32> {
    let id = c.text(C, customer, "customer_id");
    let code = c.text(P, product, "product_id");
    c.linked(source, "product_id", product)
        .into_iter()
        .filter(|r| {
            c.text(source, *r, "customer_id") == id && c.text(source, *r, "product_id") == code
        })
        .collect()
}

/// The step that finds a product by its name, as people say it.
fn find_product(d: Draft, product: u32, name: &str) -> Draft {
    let (said, is, pattern) = match spoken_product(name) {
        Some((said, _)) => (said, "ends", format!("*{said}")),
        None => (name, "is", name.to_owned()),
    };
    d.slot("product", said)
        .step(
            format!("find the product {said}"),
            "products_read",
            json!({"product_name": pattern}),
        )
        .claim(P, &[("product_name", is, said.to_owned())], &[product])
        .row(P, product)
}

/// The step that finds a customer by its name.
fn find_customer(d: Draft, customer: u32, name: &str) -> Draft {
    d.slot("customer", title(name))
        .step(
            format!("find the customer {name}"),
            "customers_read",
            json!({"customer_name": name}),
        )
        .claim(C, &[("customer_name", "is", name.to_owned())], &[customer])
        .row(C, customer)
}

/// A review drawn with its product and customer, who have only this one.
fn review(c: &mut Ctx<'_>) -> Option<(u32, u32, String, u32, String)> {
    let row = c.any(R)?;
    let (product, name, customer, who) = pair(c, R, row)?;
    (between(c, R, product, customer) == [row]).then_some((row, product, name, customer, who))
}

/// Finds product and customer, then reads their review: three steps.
fn review_steps(c: &Ctx<'_>, d: Draft, r: &(u32, u32, String, u32, String)) -> Draft {
    let (row, product, name, customer, who) = r;
    let (p, k) = (
        c.text(P, *product, "product_id"),
        c.text(C, *customer, "customer_id"),
    );
    find_customer(find_product(d, *product, name), *customer, who)
        .last(
            "read the review",
            "product_sentiment_read",
            json!({"product_id": p, "customer_id": k}),
        )
        .claim(
            R,
            &[("product_id", "is", p), ("customer_id", "is", k)],
            &[*row],
        )
        .row(R, *row)
}

/// Which of two customers reviewed a product, and how many reviews the product has.
pub(super) fn gave_feedback(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(R)?;
    let (product, name, customer, who) = pair(c, R, row)?;
    let other = c.any(C)?;
    let stranger = named(c, C, other, "customer_name")?;
    let rows = c.linked(R, "product_id", product);
    if !between(c, R, product, other).is_empty() || rows.len() > 100 {
        return None;
    }
    let (one, two) = match c.coin {
        true => ((customer, &who), (other, &stranger)),
        false => ((other, &stranger), (customer, &who)),
    };
    let id = c.text(P, product, "product_id");
    let d = Draft::new(&[
        "Who gave us feedback on the {product}, {one} or {two}? And how many reviews does it have in all?",
        "Either {one} or {two} has reviewed the {product}. Tell me which of them, and count all reviews of that product.",
    ]);
    let d = find_product(d, product, &name);
    let d = find_customer(d, one.0, one.1).slot("one", title(one.1));
    let mut d = find_customer(d, two.0, two.1).slot("two", title(two.1));
    d.slots.remove("customer");
    Some(
        d.last(
            "read the reviews",
            "product_sentiment_read",
            json!({"product_id": id, "limit": 200}),
        )
        .claim(R, &[("product_id", "is", id)], &rows)
        .worked_out("customer_name", Text, c.get(C, customer, "customer_name"))
        .worked_out("reviews", Number, json!(rows.len())),
    )
}

/// The text of a review.
pub(super) fn feedback_text(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let d = Draft::new(&[
        "Fetch me the feedback text that {customer} submitted for the {product}.",
        "What did {customer} write about the {product}? I need the exact text.",
        "Give me the review of the {product} by {customer}, word for word.",
    ]);
    Some(review_steps(c, d, &r).fact("review_content", Text, c.get(R, r.0, "review_content")))
}

/// Dates of purchase and review.
pub(super) fn feedback_dates(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let sales = between(c, S, r.1, r.3);
    let [sale] = sales.as_slice() else {
        return None;
    };
    let (p, k) = (c.text(P, r.1, "product_id"), c.text(C, r.3, "customer_id"));
    let d = Draft::new(&[
        "When did {customer} buy the {product}, and when was it reviewed?",
        "I need the date of purchase and the date of the review for the {product}, customer {customer}.",
        "On which day did {customer} buy the {product}, and on which day did they review it? Both dates, please.",
    ]);
    Some(
        review_steps(c, d, &r)
            .fact("review_date", Date, c.get(R, r.0, "review_date"))
            .step(
                "read the sale",
                "sales_read",
                json!({"product_id": p, "customer_id": k}),
            )
            .fact(
                "date_of_purchase",
                Date,
                c.get(S, *sale, "date_of_purchase"),
            )
            .claim(
                S,
                &[("product_id", "is", p), ("customer_id", "is", k)],
                &sales,
            )
            .row(S, *sale),
    )
}

/// The sentiment of a review.
pub(super) fn sentiment(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let polarity = c.get(R, r.0, "polarity");
    if polarity.is_null() {
        return None;
    }
    let d = Draft::new(&[
        "What is the sentiment (positive, negative or neutral) of {customer}'s feedback on the {product}?",
        "I want to know how {customer} felt about the {product}: positive, negative or neutral?",
        "Was {customer} positive, negative or neutral about the {product}? I need it for a report.",
    ]);
    Some(review_steps(c, d, &r).fact("polarity", Id, polarity))
}

/// How a customer rated a product, and how many others were positive about it.
pub(super) fn liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let polarity = c.text(R, r.0, "polarity");
    let rows = c.linked(R, "product_id", r.1);
    let good = rows
        .iter()
        .filter(|x| c.text(R, **x, "polarity") == "positive");
    let good = good.count();
    if polarity.is_empty() || rows.len() > 100 {
        return None;
    }
    let id = c.text(P, r.1, "product_id");
    let d = Draft::new(&[
        "Did {customer} like the {product} (positive, neutral or negative review), and how many of all its reviews are positive?",
        "How did {customer} take to the {product}: positive, neutral or negative? Tell me also the number of positive reviews it has.",
    ]);
    Some(
        review_steps(c, d, &r)
            .fact("polarity", Id, json!(polarity))
            .step(
                "read all reviews of the product",
                "product_sentiment_read",
                json!({"product_id": id, "limit": 200}),
            )
            .after(&[0])
            .claim(R, &[("product_id", "is", id)], &rows)
            .worked_out("positive_reviews", Number, json!(good)),
    )
}

/// Items that a customer bought and reviewed.
///
/// An intersection of two lists of up to 200 rows.
pub(super) fn bought_and_reviewed(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.any(C)?;
    let name = named(c, C, customer, "customer_name")?;
    let id = c.text(C, customer, "customer_id");
    let products = |c: &Ctx<'_>, source: TableId| -> std::collections::BTreeSet<String> {
        c.linked(source, "customer_id", customer)
            .iter()
            .map(|r| c.text(source, *r, "product_id"))
            .collect()
    };
    let (bought, reviewed) = (products(c, S), products(c, R));
    let both: Vec<&String> = bought.intersection(&reviewed).collect();
    if both.is_empty() || both.len() > 40 || c.linked(S, "customer_id", customer).len() > 200 {
        return None;
    }
    let sales = c.linked(S, "customer_id", customer);
    let d = Draft::new(&[
        "Our shop system asks for the product ids of everything that {customer} bought and reviewed. Which are they?",
        "Which products did {customer} both buy and review? I need the product ids for an export.",
    ]);
    let d = find_customer(d, customer, &name)
        .then(
            "read the purchases",
            "sales_read",
            json!({"customer_id": id, "limit": 200}),
        )
        .then(
            "read the reviews",
            "product_sentiment_read",
            json!({"customer_id": id, "limit": 200}),
        )
        .fact("product_ids", List, json!(both))
        .claim(S, &[("customer_id", "is", id)], &sales);
    Some(d)
}

/// Also asked about products that do not exist.
pub(super) const PRICE: &[&str] = &[
    "Retrieve the list price, the discounted price and the rating of the {product} for me.",
    "What are the actual price, the discounted price and the rating of the {product}? I have a customer on the line.",
    "I need actual price, discounted price and rating of the {product}.",
];

/// Price, discount and rating of a product.
pub(super) fn price(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(P)?;
    let name = named(c, P, row, "product_name")?;
    let rating = c.get(P, row, "rating");
    if rating.is_null() {
        return None;
    }
    let d = Draft::new(PRICE);
    Some(
        find_product(d, row, &name)
            .fact("actual_price", Number, c.get(P, row, "actual_price"))
            .fact(
                "discounted_price",
                Number,
                c.get(P, row, "discounted_price"),
            )
            .fact("rating", Number, rating),
    )
}

/// Details of a product.
pub(super) fn details(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(P)?;
    let name = named(c, P, row, "product_name")?;
    let about = c.get(P, row, "about_product");
    if about.is_null() {
        return None;
    }
    let d = Draft::new(&[
        "What is the full catalogue name of the {product}, what does it cost after discount, and how is it described?",
        "I am writing a label for the {product}: full name, discounted price and the description, please.",
    ]);
    Some(
        find_product(d, row, &name)
            .fact("product_name", Text, c.get(P, row, "product_name"))
            .fact(
                "discounted_price",
                Number,
                c.get(P, row, "discounted_price"),
            )
            .fact("about_product", Text, about),
    )
}

/// A product with a unique name and 1 to 40 reviews: row, name, id, rows of the reviews.
fn reviews_of(c: &mut Ctx<'_>) -> Option<(u32, String, String, Vec<u32>)> {
    let row = c.any(P)?;
    let name = named(c, P, row, "product_name")?;
    let id = c.text(P, row, "product_id");
    let reviews = c.linked(R, "product_id", row);
    (!reviews.is_empty() && reviews.len() <= 40).then_some((row, name, id, reviews))
}

/// Finds the product, then reads all its reviews.
fn reviews_step(d: Draft, r: &(u32, String, String, Vec<u32>)) -> Draft {
    find_product(d, r.0, &r.1)
        .then(
            "read its reviews",
            "product_sentiment_read",
            json!({"product_id": r.2, "limit": 200}),
        )
        .claim(R, &[("product_id", "is", r.2.clone())], &r.3)
}

/// How many customers reviewed a product.
pub(super) fn reviewers(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = reviews_of(c)?;
    let customers: std::collections::BTreeSet<String> =
        r.3.iter().map(|x| c.text(R, *x, "customer_id")).collect();
    let d = Draft::new(&[
        "I am curious how many different customers wrote about the {product}.",
        "I need the number of different customers who reviewed the {product}.",
        "Count for me the customers with a review of the {product}.",
    ]);
    Some(reviews_step(d, &r).worked_out("customers", Number, json!(customers.len())))
}

/// The reviews of a product by sentiment.
pub(super) fn review_list(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = reviews_of(c)?;
    let count = |word: &str| {
        let rows = r.3.iter();
        rows.filter(|x| c.text(R, **x, "polarity") == word).count()
    };
    let counts = ["positive", "neutral", "negative"].map(|word| (word, count(word)));
    if counts.iter().map(|(_, n)| n).sum::<usize>() != r.3.len() {
        return None;
    }
    let d = Draft::new(&[
        "How do the reviews of the {product} divide into positive, neutral and negative ones?",
        "I need three numbers for the {product}: positive, neutral and negative reviews.",
    ]);
    let d = reviews_step(d, &r);
    Some(
        counts
            .iter()
            .fold(d, |d, (word, n)| d.worked_out(word, Number, json!(n))),
    )
}

/// How many positive reviews a product has, and when the latest of them was written.
pub(super) fn any_positive(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = reviews_of(c)?;
    let good: Vec<u32> =
        r.3.iter()
            .copied()
            .filter(|x| c.text(R, *x, "polarity") == "positive")
            .collect();
    let latest = good.iter().map(|x| c.text(R, *x, "review_date")).max()?;
    let d = Draft::new(&[
        "Does anybody like the {product}? I need the number of positive reviews and the day of the latest one.",
        "How many positive reviews has the {product} got, and when was the most recent of them written?",
    ]);
    Some(
        reviews_step(d, &r)
            .worked_out("positive_reviews", Number, json!(good.len()))
            .fact("latest", Date, json!(latest)),
    )
}

/// The solution that a support representative offered: the word for an outcome in a generated
/// transcript.
fn outcome(text: &str) -> Option<&'static str> {
    [
        ("replacement", "replacement"),
        ("refund", "refund"),
        ("repair", "repair"),
        ("button", "advice"),
    ]
    .into_iter()
    .find(|(word, _)| text.contains(word))
    .map(|(_, name)| name)
}

/// What was promised, and by whom.
pub(super) fn replacement(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let said = offer_of(c, row)?;
    let handler = c.view.employee(&c.text(H, row, "emp_id"))?;
    let d = Draft::new(&[
        "{customer} claims that we promised a replacement for {kind}. What was really offered (replacement, refund, repair or advice), and by whom?",
        "I am settling the case of {customer} and {kind}: which solution was offered (replacement, refund, repair or advice), and which colleague offered it?",
    ]);
    let name = c.get(TableId::Employees, handler.0, "Name");
    Some(
        c.find_chat(d, row)?
            .worked_out("offer", Id, json!(said))
            .read(
                c,
                "read the handler's record",
                TableId::Employees,
                handler.0,
            )
            .fact("handler", Text, name),
    )
}

/// How often a customer was offered a refund, and how often a replacement.
pub(super) fn refund(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(H, "customer_id", customer.row);
    let d = Draft::new(&[
        "How often did we offer {customer} a refund, and how often a replacement?",
        "I have to book what we promised {customer}. Count the refunds and the replacements that were offered in support chats.",
    ])
    .find("customer", &customer);
    let (call, claim) = (
        json!({"customer_id": customer.id, "limit": 200}),
        ("customer_id", "is", customer.id.clone()),
    );
    outcomes(
        c,
        d.then(
            "read the support chats",
            "customer_support_chats_read",
            call,
        ),
        &[claim],
        &rows,
        &["refund", "replacement"],
    )
}

/// What was offered to a customer over time.
pub(super) fn solutions(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(H, "customer_id", customer.row);
    let d = Draft::new(&[
        "I am writing a file note on {customer}: in how many support chats did we offer a repair, and in how many only advice?",
        "Count for me how many of {customer}'s support chats ended with a repair and how many with advice.",
    ])
    .find("customer", &customer);
    let (call, claim) = (
        json!({"customer_id": customer.id, "limit": 200}),
        ("customer_id", "is", customer.id.clone()),
    );
    outcomes(
        c,
        d.then(
            "read the support chats",
            "customer_support_chats_read",
            call,
        ),
        &[claim],
        &rows,
        &["repair", "advice"],
    )
}

/// All solutions that a representative offered.
pub(super) fn all_outcomes(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let rep = c.who(c.view.employee(&c.text(H, row, "emp_id"))?)?;
    let rows = c.linked(H, "emp_id", rep.row);
    let d = Draft::new(&[
        "How did {rep}'s support chats end? I need the numbers of replacements, refunds, repairs and cases of advice.",
        "Go through the support chats that {rep} handled and count what was offered: replacement, refund, repair, advice.",
    ])
    .find("rep", &rep);
    let (call, claim) = (
        json!({"emp_id": rep.id, "limit": 200}),
        ("emp_id", "is", rep.id.clone()),
    );
    outcomes(
        c,
        d.then(
            "read the support chats",
            "customer_support_chats_read",
            call,
        ),
        &[claim],
        &rows,
        &["replacement", "refund", "repair", "advice"],
    )
}

/// The number of chats with each of some outcomes, among at most 40.
fn outcomes(
    c: &Ctx<'_>,
    d: Draft,
    conditions: &[(&str, &'static str, String)],
    rows: &[u32],
    asked: &[&str],
) -> Option<Draft> {
    if !(2..=40).contains(&rows.len()) {
        return None;
    }
    let said: Option<Vec<&str>> = rows.iter().map(|r| offer_of(c, *r)).collect();
    let said = said?;
    let d = d.claim(H, conditions, rows);
    Some(asked.iter().fold(d, |d, word| {
        let n = said.iter().filter(|s| *s == word).count();
        d.worked_out(word, Number, json!(n))
    }))
}

/// What a generated support chat ended with.
pub(super) fn offer_of(c: &Ctx<'_>, row: u32) -> Option<&'static str> {
    c.company().is_made(H, row, "text").then_some(())?;
    outcome(&c.text(H, row, "text"))
}
