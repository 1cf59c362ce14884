//! Templates of sales: customers, products, sales, reviews, support.
//!
//! Products and customers are named in words, so most plans begin with two look-ups by name and
//! continue with the ids that they give. Names are drawn only if they are unique. Whether a review
//! is positive is known from the row; what a support chat ended with is read from the words of the
//! generated transcript.

use super::FactKind::{Date, Id, List, Number, Text, YesNo};
use super::draft::{Ctx, Draft};
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::row::EmployeeNo;
use crate::source::TableId;
use serde_json::json;

mod writing;

pub(super) use writing::{
    add_review, change_review, complaint, delete_complaint, delete_sale, discount, fix_price,
    new_customer, new_product, new_sale, remove_product, rename_customer, rename_product,
    sale_date, sale_price,
};

const C: TableId = TableId::Customers;
const P: TableId = TableId::Products;
const S: TableId = TableId::Sales;
const R: TableId = TableId::Reviews;
const H: TableId = TableId::SupportChats;

/// Whether the rules allow the persona this act on a row, or on a planned record.
fn may(
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

/// The step that finds a product by its name.
fn find_product(d: Draft, product: u32, name: &str) -> Draft {
    d.slot("product", name)
        .step(
            format!("find the product {name}"),
            "products_read",
            json!({"product_name": name}),
        )
        .claim(P, &[("product_name", "is", name.to_owned())], &[product])
        .row(P, product)
}

/// The step that finds a customer by its name.
fn find_customer(d: Draft, customer: u32, name: &str) -> Draft {
    d.slot("customer", name)
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

/// Whether a customer reviewed a product.
///
/// The answer is always yes here; a question with the answer no would have no record to name.
pub(super) fn gave_feedback(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let d = Draft::new(&[
        "Did the customer {customer} provide feedback for the product {product}? If so, give me the review's id.",
        "I wonder whether {customer} reviewed the {product}. Answer yes or no, with the id of the review.",
        "Check for me: is there a review of {product} by {customer}, and what is its id?",
    ]);
    Some(
        review_steps(c, d, &r)
            .worked_out("reviewed", YesNo, json!("YES"))
            .fact("sentiment_id", Id, c.key(R, r.0)),
    )
}

/// The text of a review.
pub(super) fn feedback_text(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let d = Draft::new(&[
        "Fetch me the feedback text that {customer} submitted for {product}.",
        "What did {customer} write about the {product}? I need the exact text.",
        "Give me the review of {product} by {customer}, word for word.",
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
        "I need the date of purchase and the date of the review for {product}, customer {customer}.",
        "Obtain for me the purchase date and the feedback date of {customer} for the {product}.",
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
        "What is the sentiment (positive, negative or neutral) of {customer}'s feedback on {product}?",
        "I want to know how {customer} felt about the {product}: positive, negative or neutral?",
        "Was {customer} positive, negative or neutral about {product}? I need it for a report.",
    ]);
    Some(review_steps(c, d, &r).fact("polarity", Id, polarity))
}

/// Whether a customer liked a product.
pub(super) fn liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let polarity = c.get(R, r.0, "polarity");
    let yes = if polarity.as_str()? == "positive" {
        "YES"
    } else {
        "NO"
    };
    let d = Draft::new(&[
        "Did the customer {customer} like the product {product}? A positive review counts as yes.",
        "I would like to know whether {customer} liked the {product}; only a positive review means yes.",
        "Tell me if {customer} was happy with the {product}. Yes means a positive review.",
    ]);
    Some(review_steps(c, d, &r).worked_out("liked", YesNo, json!(yes)))
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
        "List the ids of all products that {customer} bought and reviewed.",
        "Which products did {customer} both buy and review? I need their ids.",
        "Give me the product ids that {customer} purchased and wrote a review about.",
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

/// The product, customer and date of a sale: three records.
///
/// The sale leads to product and customer, so the ids for the second and third step come from the
/// first. The list price is the product's of today, not the sale's.
pub(super) fn sale_story(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(S)?;
    let (p, k) = (c.text(S, row, "product_id"), c.text(S, row, "customer_id"));
    let (product, customer) = (find(c, P, &p)?, find(c, C, &k)?);
    let id = c.key(S, row);
    let d = Draft::new(&[
        "For sale {sale} I need the name of the product, its list price today, and the name of the customer.",
        "Which product was sold in sale {sale}, what is its list price, and who bought it? I need both names.",
        "Tell me product name, current list price and customer name of sale {sale}.",
    ])
    .slot("sale", id.to_string())
    .step("read the sale", "sales_read", json!({"sales_record_id": id}))
    .claim(S, &[("sales_record_id", "is", id.to_string())], &[row])
    .then("read the product", "products_read", json!({"product_id": p}))
    .fact("product_name", Text, c.get(P, product, "product_name"))
    .fact("actual_price", Number, c.get(P, product, "actual_price"))
    .then("read the customer", "customers_read", json!({"customer_id": k}))
    .fact("customer_name", Text, c.get(C, customer, "customer_name"))
    .row(S, row);
    Some(d)
}

/// Price, discount and rating of a product.
pub(super) fn price(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(P)?;
    let name = named(c, P, row, "product_name")?;
    let rating = c.get(P, row, "rating");
    if rating.is_null() {
        return None;
    }
    let d = Draft::new(&[
        "Retrieve the list price, the discounted price and the rating of {product} for me.",
        "What are the actual price, the discounted price and the rating of the {product}? I have a customer on the line.",
        "I need actual price, discounted price and rating of {product}.",
    ]);
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
    let about = c.get(P, row, "about_product");
    if about.is_null() {
        return None;
    }
    let id = c.text(P, row, "product_id");
    let d = Draft::new(&[
        "Fetch me the details of product {id}: name, price and description.",
        "I need the name, the discounted price and the description of product {id}.",
        "Tell me what product {id} is called, what it costs after discount, and how it is described.",
    ])
    .slot("id", &id)
    .step("read the product", "products_read", json!({"product_id": id}))
    .fact("product_name", Text, c.get(P, row, "product_name"))
    .fact("discounted_price", Number, c.get(P, row, "discounted_price"))
    .fact("about_product", Text, about)
    .claim(P, &[("product_id", "is", id)], &[row])
    .row(P, row);
    Some(d)
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
        "I am curious how many different customers wrote about {product}.",
        "I need the number of different customers who reviewed the {product}.",
        "Count for me the customers with a review of {product}.",
    ]);
    Some(reviews_step(d, &r).worked_out("customers", Number, json!(customers.len())))
}

/// The reviewers of a product, and their sentiment.
pub(super) fn review_list(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = reviews_of(c)?;
    let mut list = Vec::new();
    for row in &r.3 {
        let polarity = c.get(R, *row, "polarity");
        list.push(format!(
            "{}: {}",
            c.text(R, *row, "sentiment_id"),
            polarity.as_str()?
        ));
    }
    let d = Draft::new(&[
        "List the reviews of {product} with their sentiment, each as `sentiment_id: sentiment`.",
        "Which reviews does the {product} have, and how do they sound? I want entries like `12: positive`.",
        "Give me every review of {product} as `sentiment_id: sentiment`.",
    ]);
    Some(reviews_step(d, &r).worked_out("reviews", List, json!(list)))
}

/// Whether a product has positive reviews.
pub(super) fn any_positive(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = reviews_of(c)?;
    let mut yes = false;
    for row in &r.3 {
        yes |= c.get(R, *row, "polarity").as_str()? == "positive";
    }
    let d = Draft::new(&[
        "I have to report whether anybody liked {product}: is one of its reviews positive?",
        "I want to know: does the {product} have at least one positive review?",
        "Is there any positive review of {product}? Tell me yes or no.",
    ]);
    let answer = if yes { "YES" } else { "NO" };
    Some(reviews_step(d, &r).worked_out("any_positive", YesNo, json!(answer)))
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

/// A support chat that the persona may read.
fn chat(c: &mut Ctx<'_>) -> Option<(u32, String, String)> {
    let own = c.linked(H, "emp_id", c.me.0);
    let row = if own.is_empty() {
        c.any(H)?
    } else {
        c.pick(&own)?
    };
    let made = c.company().chats.get(row as usize)?.text == crate::row::Text::Made;
    let said = outcome(&c.text(H, row, "text"))?;
    made.then(|| (row, c.text(H, row, "emp_id"), said.to_owned()))
}

/// Product and customer of a chat, if the representative had only this one with them.
fn chat_pair(c: &Ctx<'_>, row: u32, rep: &str) -> Option<(String, String)> {
    let (p, k) = (c.text(H, row, "product_id"), c.text(H, row, "customer_id"));
    let product = find(c, P, &p)?;
    let customer = find(c, C, &k)?;
    let same: Vec<u32> = between(c, H, product, customer)
        .into_iter()
        .filter(|r| c.text(H, *r, "emp_id") == rep)
        .collect();
    (same == [row]).then_some((p, k))
}

/// Reads a support chat by representative, product and customer.
fn chat_steps(c: &Ctx<'_>, d: Draft, row: u32, rep: &str, p: &str, k: &str) -> Draft {
    let others: Vec<u32> = c
        .linked(H, "customer_id", find(c, C, k).unwrap_or(u32::MAX))
        .into_iter()
        .filter(|r| c.text(H, *r, "product_id") == p)
        .collect();
    let mut conditions = vec![
        ("product_id", "is", p.to_owned()),
        ("customer_id", "is", k.to_owned()),
    ];
    if others.len() > 1 {
        conditions.push(("emp_id", "is", rep.to_owned()));
    }
    d.slot("rep", rep)
        .slot("product", p)
        .slot("customer", k)
        .step(
            "read the support record",
            "customer_support_chats_read",
            json!({"emp_id": rep, "product_id": p, "customer_id": k}),
        )
        .claim(H, &conditions, &[row])
        .row(H, row)
}

/// Whether a solution was offered in a chat.
fn offered(c: &mut Ctx<'_>, what: &str, phrases: &[&'static str]) -> Option<Draft> {
    let (row, rep, said) = chat(c)?;
    let (p, k) = chat_pair(c, row, &rep)?;
    let answer = if said == what { "YES" } else { "NO" };
    let d = chat_steps(c, Draft::new(phrases), row, &rep, &p, &k);
    Some(
        d.worked_out("proposed", YesNo, json!(answer))
            .fact("chat_id", Id, c.key(H, row)),
    )
}

/// Whether a replacement was proposed.
pub(super) fn replacement(c: &mut Ctx<'_>) -> Option<Draft> {
    offered(
        c,
        "replacement",
        &[
            "I am settling a case: did {rep} promise customer {customer} a replacement of {product}? Name the chat id as well.",
            "I need to know whether {rep} offered customer {customer} a replacement for {product}, with the chat id.",
        ],
    )
}

/// Whether a refund was proposed.
pub(super) fn refund(c: &mut Ctx<'_>) -> Option<Draft> {
    offered(
        c,
        "refund",
        &[
            "I have to book it: was customer {customer} promised a refund for {product} by {rep}, and in which chat (id)?",
            "Did {rep} offer a refund for {product} to customer {customer}? I also need the chat id.",
        ],
    )
}

/// The guidance that was given.
pub(super) fn guidance(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, rep, said) = chat(c)?;
    let (p, k) = chat_pair(c, row, &rep)?;
    let d = Draft::new(&[
        "What did support representative {rep} offer customer {customer} for product {product}: replacement, refund, repair or advice? I need the date as well.",
        "Which solution (replacement, refund, repair or advice) did {rep} give customer {customer} for {product}, and when? It is for my report.",
    ]);
    Some(
        chat_steps(c, d, row, &rep, &p, &k)
            .worked_out("solution", Id, json!(said))
            .fact("interaction_date", Date, c.get(H, row, "interaction_date")),
    )
}

/// All solutions offered to one customer.
pub(super) fn solutions(c: &mut Ctx<'_>) -> Option<Draft> {
    let (row, rep, _) = chat(c)?;
    let k = c.text(H, row, "customer_id");
    let customer = find(c, C, &k)?;
    let rows: Vec<u32> = c
        .linked(H, "customer_id", customer)
        .into_iter()
        .filter(|r| c.text(H, *r, "emp_id") == rep)
        .collect();
    outcomes(
        c,
        rows,
        &[
            "I am writing a file note on customer {customer}: what came of each support chat with {rep}? Entries like `chat_id: solution`, the solution being replacement, refund, repair or advice.",
            "What did {rep} offer to customer {customer} over time? List it for me as `chat_id: solution`, the solution being replacement, refund, repair or advice.",
        ],
        &rep,
        Some(&k),
    )
}

/// All solutions that a representative offered.
pub(super) fn all_outcomes(c: &mut Ctx<'_>) -> Option<Draft> {
    let (_, rep, _) = chat(c)?;
    let person = c.view.employee(&rep)?;
    let rows = c.linked(H, "emp_id", person.0);
    outcomes(
        c,
        rows,
        &[
            "Please go through the support chats of {rep} and give me `chat_id: outcome` for each: replacement, refund, repair or advice.",
            "How did the support chats of {rep} end? I want a list `chat_id: outcome` with replacement, refund, repair or advice.",
        ],
        &rep,
        None,
    )
}

/// One entry for each of up to 15 chats.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build it for this call"
)]
fn outcomes(
    c: &Ctx<'_>,
    rows: Vec<u32>,
    phrases: &[&'static str],
    rep: &str,
    customer: Option<&str>,
) -> Option<Draft> {
    if rows.is_empty() || rows.len() > 15 {
        return None;
    }
    let mut list = Vec::new();
    for row in &rows {
        let said = outcome(&c.text(H, *row, "text"))?;
        list.push(format!("{}: {said}", c.text(H, *row, "chat_id")));
    }
    let mut arguments = json!({"emp_id": rep, "limit": 50});
    let mut conditions = vec![("emp_id", "is", rep.to_owned())];
    let mut d = Draft::new(phrases).slot("rep", rep);
    if let (Some(k), Some(map)) = (customer, arguments.as_object_mut()) {
        map.insert("customer_id".to_owned(), json!(k));
        conditions.push(("customer_id", "is", k.to_owned()));
        d = d.slot("customer", k);
    }
    let d = d
        .step(
            "read the support records",
            "customer_support_chats_read",
            arguments,
        )
        .worked_out("outcomes", List, json!(list))
        .claim(H, &conditions, &rows);
    Some(rows.iter().fold(d, |d, r| d.row(H, *r)))
}
