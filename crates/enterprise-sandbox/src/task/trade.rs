//! Templates of sales: customers, products, sales, reviews, support.
//!
//! Products and customers are named in words, so most plans begin with two look-ups by name and
//! continue with the ids that they give. Names are drawn only if they are unique. Whether a review
//! is positive is known from the row; what a support chat ended with is read from the words of the
//! generated transcript.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft, is};
use super::naming::Thing;
use crate::source::TableId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

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

/// The same record; the step that finds it says what it is: `find the product desk lamp M-219`.
pub(super) fn formal(thing: Thing) -> Thing {
    let noun = thing.source.noun();
    thing.goal(&format!("find the {noun}"))
}

/// Product and customer of a row.
fn pair(c: &Ctx<'_>, source: TableId, row: u32) -> Option<(Thing, Thing)> {
    let (product, customer) = c.pair(source, row)?;
    Some((formal(product), formal(customer)))
}

/// A review drawn with its product and customer, who have only this one.
struct Review {
    row: u32,
    product: Thing,
    customer: Thing,
}

fn review(c: &mut Ctx<'_>) -> Option<Review> {
    let row = c.any(R)?;
    let (product, customer) = pair(c, R, row)?;
    let sole = c.about(R, &product, &customer) == [row];
    sole.then_some(Review {
        row,
        product,
        customer,
    })
}

/// Finds product and customer.
fn find_both(d: Draft, product: &Thing, customer: &Thing) -> Draft {
    d.find("product", product).find("customer", customer)
}

/// Finds product and customer, then reads their review: three steps.
fn find_review(d: Draft, r: &Review) -> Draft {
    find_both(d, &r.product, &r.customer)
        .seek_about("read the review", R, &r.product, &r.customer, &[r.row])
        .row(R, r.row)
}

/// Which of two customers reviewed a product, and how many reviews the product has.
pub(super) fn gave_feedback(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(R)?;
    let (product, customer) = pair(c, R, row)?;
    let other = formal(c.some(C)?);
    let rows = c.linked(R, "product_id", product.row);
    if !c.about(R, &product, &other).is_empty() || rows.len() > 100 {
        return None;
    }
    let (one, two) = match c.coin {
        true => (&customer, &other),
        false => (&other, &customer),
    };
    let d = Draft::new(&[
        "Who gave us feedback on the {product}, {one} or {two}? And how many reviews does it have in all?",
        "Either {one} or {two} has reviewed the {product}. Tell me which of them, and count all reviews of that product.",
    ]);
    let name = c.get(C, customer.row, "customer_name");
    Some(
        d.find("product", &product)
            .find("one", one)
            .find("two", two)
            .list(
                "read the reviews",
                R,
                &[is("product_id", &product.id)],
                &rows,
            )
            .after_all()
            .worked_out("customer_name", Text, name)
            .worked_out("reviews", Number, rows.len()),
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
    Some(find_review(d, &r).tell(c, &[("review_content", Text)]))
}

/// Dates of purchase and review.
pub(super) fn feedback_dates(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let sales = c.about(S, &r.product, &r.customer);
    let [sale] = sales.as_slice() else {
        return None;
    };
    let d = Draft::new(&[
        "When did {customer} buy the {product}, and when was it reviewed?",
        "I need the date of purchase and the date of the review for the {product}, customer {customer}.",
        "On which day did {customer} buy the {product}, and on which day did they review it? Both dates, please.",
    ]);
    Some(
        find_review(d, &r)
            .tell(c, &[("review_date", Date)])
            .seek_about("read the sale", S, &r.product, &r.customer, &sales)
            .after(&[])
            .row(S, *sale)
            .tell(c, &[("date_of_purchase", Date)]),
    )
}

/// The sentiment of a review.
pub(super) fn sentiment(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let d = Draft::new(&[
        "What is the sentiment (positive, negative or neutral) of {customer}'s feedback on the {product}?",
        "I want to know how {customer} felt about the {product}: positive, negative or neutral?",
        "Was {customer} positive, negative or neutral about the {product}? I need it for a report.",
    ]);
    Some(find_review(d, &r).tell(c, &[("polarity", Id)]))
}

/// How a customer rated a product, and how many others were positive about it.
pub(super) fn liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let rows = c.linked(R, "product_id", r.product.row);
    let good = c.having(R, &rows, "polarity", "positive").len();
    (rows.len() <= 100).then_some(())?;
    let d = Draft::new(&[
        "Did {customer} like the {product} (positive, neutral or negative review), and how many of all its reviews are positive?",
        "How did {customer} take to the {product}: positive, neutral or negative? Tell me also the number of positive reviews it has.",
    ]);
    Some(
        find_review(d, &r)
            .tell(c, &[("polarity", Id)])
            .list(
                "read all reviews of the product",
                R,
                &[is("product_id", &r.product.id)],
                &rows,
            )
            .after(&[0])
            .worked_out("positive_reviews", Number, good),
    )
}

/// Items that a customer bought and reviewed.
///
/// An intersection of two lists of up to 200 rows.
pub(super) fn bought_and_reviewed(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = formal(c.some(C)?);
    let rows = |source: TableId| c.linked(source, "customer_id", customer.row);
    let products = |rows: &[u32], source: TableId| -> BTreeSet<String> {
        let products = rows.iter().map(|r| c.text(source, *r, "product_id"));
        products.collect()
    };
    let (sales, reviews) = (rows(S), rows(R));
    let (bought, reviewed) = (products(&sales, S), products(&reviews, R));
    let both: Vec<Value> = bought
        .intersection(&reviewed)
        .map(|id| id.as_str().into())
        .collect();
    if both.is_empty() || both.len() > 40 || sales.len() > 200 {
        return None;
    }
    let d = Draft::new(&[
        "Our shop system asks for the product ids of everything that {customer} bought and reviewed. Which are they?",
        "Which products did {customer} both buy and review? I need the product ids for an export.",
    ]);
    let of = [is("customer_id", &customer.id)];
    let d = d
        .find("customer", &customer)
        .list("read the purchases", S, &of, &sales)
        .then(
            "read the reviews",
            "product_sentiment_read",
            json!({"customer_id": customer.id, "limit": 200}),
        )
        .fact("product_ids", List, both);
    Some(d)
}

/// Also asked about products that do not exist.
pub(super) const PRICE: &[&str] = &[
    "Retrieve the list price, the discounted price and the rating of the {product} for me.",
    "What are the actual price, the discounted price and the rating of the {product}? I have a customer on the line.",
    "I need actual price, discounted price and rating of the {product}.",
    "What does the {product} cost, before and after the discount, and how is it rated?",
    "A customer asks about the {product}. Please give me its actual price, its discounted price and its rating.",
];

/// Price, discount and rating of a product.
pub(super) fn price(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    let fields = [
        ("actual_price", Number),
        ("discounted_price", Number),
        ("rating", Number),
    ];
    Some(Draft::new(PRICE).find("product", &product).tell(c, &fields))
}

/// Details of a product.
pub(super) fn details(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    let fields = [
        ("product_name", Text),
        ("discounted_price", Number),
        ("about_product", Text),
    ];
    let d = Draft::new(&[
        "What is the full catalogue name of the {product}, what does it cost after discount, and how is it described?",
        "I am writing a label for the {product}: full name, discounted price and the description, please.",
    ]);
    Some(d.find("product", &product).tell(c, &fields))
}

/// A product with 1 to 40 reviews.
fn reviewed(c: &mut Ctx<'_>) -> Option<(Thing, Vec<u32>)> {
    let product = formal(c.some(P)?);
    let reviews = c.linked(R, "product_id", product.row);
    (1..=40)
        .contains(&reviews.len())
        .then_some((product, reviews))
}

/// Finds the product, then reads all its reviews.
fn read_reviews(d: Draft, product: &Thing, reviews: &[u32]) -> Draft {
    let of = [is("product_id", &product.id)];
    d.find("product", product)
        .list("read its reviews", R, &of, reviews)
}

/// How many customers reviewed a product.
pub(super) fn reviewers(c: &mut Ctx<'_>) -> Option<Draft> {
    let (product, rows) = reviewed(c)?;
    let customers: BTreeSet<String> = rows.iter().map(|r| c.text(R, *r, "customer_id")).collect();
    let d = Draft::new(&[
        "I am curious how many different customers wrote about the {product}.",
        "I need the number of different customers who reviewed the {product}.",
        "Count for me the customers with a review of the {product}.",
    ]);
    Some(read_reviews(d, &product, &rows).worked_out("customers", Number, customers.len()))
}

/// The reviews of a product by sentiment.
pub(super) fn review_list(c: &mut Ctx<'_>) -> Option<Draft> {
    let (product, rows) = reviewed(c)?;
    let counts = ["positive", "neutral", "negative"]
        .map(|word| (word, c.having(R, &rows, "polarity", word).len()));
    let known: usize = counts.iter().map(|(_, n)| n).sum();
    (known == rows.len()).then_some(())?;
    let d = Draft::new(&[
        "How do the reviews of the {product} divide into positive, neutral and negative ones?",
        "I need three numbers for the {product}: positive, neutral and negative reviews.",
    ]);
    let d = read_reviews(d, &product, &rows);
    let told = counts.into_iter();
    Some(told.fold(d, |d, (word, n)| d.worked_out(word, Number, n)))
}

/// How many positive reviews a product has, and when the latest of them was written.
pub(super) fn any_positive(c: &mut Ctx<'_>) -> Option<Draft> {
    let (product, rows) = reviewed(c)?;
    let good = c.having(R, &rows, "polarity", "positive");
    let latest = good.iter().map(|r| c.text(R, *r, "review_date")).max()?;
    let d = Draft::new(&[
        "Does anybody like the {product}? I need the number of positive reviews and the day of the latest one.",
        "How many positive reviews has the {product} got, and when was the most recent of them written?",
    ]);
    Some(
        read_reviews(d, &product, &rows)
            .worked_out("positive_reviews", Number, good.len())
            .fact("latest", Date, latest),
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
    let handler = c.person(H, row, "emp_id")?;
    let d = Draft::new(&[
        "{customer} claims that we promised a replacement for {kind}. What was really offered (replacement, refund, repair or advice), and by whom?",
        "I am settling the case of {customer} and {kind}: which solution was offered (replacement, refund, repair or advice), and which colleague offered it?",
    ]);
    let d = c.find_chat(d, row)?.worked_out("offer", Id, said);
    Some(
        d.read(
            c,
            "read the handler's record",
            TableId::Employees,
            handler.0,
        )
        .fact("handler", Text, c.name(handler)),
    )
}

/// How often a customer was offered a refund, and how often a replacement.
pub(super) fn refund(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "How often did we offer {customer} a refund, and how often a replacement?",
        "I have to book what we promised {customer}. Count the refunds and the replacements that were offered in support chats.",
    ];
    let customer = c.some(C)?;
    outcomes(
        c,
        &phrases,
        "customer",
        &customer,
        &["refund", "replacement"],
    )
}

/// What was offered to a customer over time.
pub(super) fn solutions(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "I am writing a file note on {customer}: in how many support chats did we offer a repair, and in how many only advice?",
        "Count for me how many of {customer}'s support chats ended with a repair and how many with advice.",
    ];
    let customer = c.some(C)?;
    outcomes(c, &phrases, "customer", &customer, &["repair", "advice"])
}

/// All solutions that a representative offered.
pub(super) fn all_outcomes(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "How did {rep}'s support chats end? I need the numbers of replacements, refunds, repairs and cases of advice.",
        "Please go through the support chats that {rep} handled and count what was offered: replacement, refund, repair, advice.",
    ];
    let row = c.any(H)?;
    let rep = c.linked_to(H, row, "emp_id")?;
    let all = ["replacement", "refund", "repair", "advice"];
    outcomes(c, &phrases, "rep", &rep, &all)
}

/// The number of support chats of a customer or handler with each of some outcomes, among at most 40.
fn outcomes(
    c: &Ctx<'_>,
    phrases: &[&'static str],
    slot: &str,
    whose: &Thing,
    asked: &[&str],
) -> Option<Draft> {
    let field = match whose.source {
        C => "customer_id",
        _ => "emp_id",
    };
    let rows = c.linked(H, field, whose.row);
    (2..=40).contains(&rows.len()).then_some(())?;
    let said: Vec<&str> = rows
        .iter()
        .map(|r| offer_of(c, *r))
        .collect::<Option<_>>()?;
    let d = Draft::new(phrases).find(slot, whose).list(
        "read the support chats",
        H,
        &[is(field, &whose.id)],
        &rows,
    );
    Some(asked.iter().fold(d, |d, word| {
        let n = said.iter().filter(|s| *s == word).count();
        d.worked_out(word, Number, n)
    }))
}

/// What a generated support chat ended with.
pub(super) fn offer_of(c: &Ctx<'_>, row: u32) -> Option<&'static str> {
    c.company().is_made(H, row, "text").then_some(())?;
    outcome(&c.text(H, row, "text"))
}
