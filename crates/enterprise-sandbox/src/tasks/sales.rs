//! Templates of trade: products, sales, reviews, support chats.

use super::FactKind::{Date, Id, List, Number, Text};
use super::common::{boss_steps, reached};
use super::draft::{Ctx, Draft, ahead, is, least, most};
use super::draft::{Span, Thing, said_day, spoken_product, title};
use crate::access::Act;
use crate::data::tables::TableId;
use crate::data::value::{Cents, Day};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

// ---------------------------------------------------------------- trade
//
// Templates of sales: customers, products, sales, reviews, support.
//
// Products and customers are named in words, so most plans begin with two look-ups by name and
// continue with the ids that they give. Names are drawn only if they are unique. Whether a review
// is positive is known from the row; what a support chat ended with is read from the words of the
// generated transcript.

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
    let d = Draft::new("trade.gave_feedback");
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
    let d = Draft::new("trade.feedback_text");
    Some(find_review(d, &r).tell(c, &[("review_content", Text)]))
}

/// Dates of purchase and review.
pub(super) fn feedback_dates(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let sales = c.about(S, &r.product, &r.customer);
    let [sale] = sales.as_slice() else {
        return None;
    };
    let d = Draft::new("trade.feedback_dates");
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
    let d = Draft::new("trade.sentiment");
    Some(find_review(d, &r).tell(c, &[("polarity", Id)]))
}

/// How a customer rated a product, and how many others were positive about it.
pub(super) fn liked(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    let rows = c.linked(R, "product_id", r.product.row);
    let good = c.having(R, &rows, "polarity", "positive").len();
    (rows.len() <= 100).then_some(())?;
    let d = Draft::new("trade.liked");
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
    let d = Draft::new("trade.bought_and_reviewed");
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

/// Price, discount and rating of a product.
pub(super) fn price(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    let fields = [
        ("actual_price", Number),
        ("discounted_price", Number),
        ("rating", Number),
    ];
    Some(
        Draft::new("trade.price")
            .find("product", &product)
            .tell(c, &fields),
    )
}

/// Details of a product.
pub(super) fn details(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    let fields = [
        ("product_name", Text),
        ("discounted_price", Number),
        ("about_product", Text),
    ];
    let d = Draft::new("trade.details");
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
    let d = Draft::new("trade.reviewers");
    Some(read_reviews(d, &product, &rows).worked_out("customers", Number, customers.len()))
}

/// The reviews of a product by sentiment.
pub(super) fn review_list(c: &mut Ctx<'_>) -> Option<Draft> {
    let (product, rows) = reviewed(c)?;
    let counts = ["positive", "neutral", "negative"]
        .map(|word| (word, c.having(R, &rows, "polarity", word).len()));
    let known: usize = counts.iter().map(|(_, n)| n).sum();
    (known == rows.len()).then_some(())?;
    let d = Draft::new("trade.review_list");
    let d = read_reviews(d, &product, &rows);
    let told = counts.into_iter();
    Some(told.fold(d, |d, (word, n)| d.worked_out(word, Number, n)))
}

/// How many positive reviews a product has, and when the latest of them was written.
pub(super) fn any_positive(c: &mut Ctx<'_>) -> Option<Draft> {
    let (product, rows) = reviewed(c)?;
    let good = c.having(R, &rows, "polarity", "positive");
    let latest = good.iter().map(|r| c.text(R, *r, "review_date")).max()?;
    let d = Draft::new("trade.any_positive");
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
    let d = Draft::new("trade.replacement");
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
    let customer = c.some(C)?;
    outcomes(
        c,
        "trade.refund",
        "customer",
        &customer,
        &["refund", "replacement"],
    )
}

/// What was offered to a customer over time.
pub(super) fn solutions(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    outcomes(
        c,
        "trade.solutions",
        "customer",
        &customer,
        &["repair", "advice"],
    )
}

/// All solutions that a representative offered.
pub(super) fn all_outcomes(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let rep = c.linked_to(H, row, "emp_id")?;
    let all = ["replacement", "refund", "repair", "advice"];
    outcomes(c, "trade.all_outcomes", "rep", &rep, &all)
}

/// The number of support chats of a customer or handler with each of some outcomes, among at most 40.
fn outcomes(
    c: &Ctx<'_>,
    wording: &str,
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
    let d = Draft::new(wording).find(slot, whose).list(
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

// ---------------------------------------------------------------- writing
//
// Templates of sales that write: customers, products, sales, reviews, support.
//
// Each template asks the rules first, so personas without the right get no such task: prices are
// changed from level 10, records deleted from level 12. New records get fresh names or texts that
// the request states in full; nothing has to be invented by the agent except the wording of a
// support record.

/// Registers a customer.
pub(super) fn new_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(C, None).then_some(())?;
    let n = u32::try_from(c.s.index(200_000)).ok()?;
    let order = crate::data::synth::name_order(c.company().seed, "new.customers");
    let (given, family) = crate::data::synth::person_name(&order, n);
    let name = format!("{given} {family}").to_lowercase();
    let d = Draft::new("trade.new_customer")
        .slot("name", title(&name))
        .step(
            "register the customer",
            "customers_create",
            json!({"customer_name": name}),
        );
    Some(d)
}

/// Renames a customer.
pub(super) fn rename_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = formal(c.some(C)?);
    c.may(Act::Update, C, customer.row).then_some(())?;
    let old = c.text(C, customer.row, "customer_name");
    let family =
        c.s.pick(&crate::data::synth::phrases::FAMILY)?
            .to_lowercase();
    let new = format!("{} {family}", old.split(' ').next()?);
    (new != old).then_some(())?;
    let d = Draft::new("trade.rename_customer").slot("new", title(&new));
    let changes = json!({"customer_name": new});
    let d = d.find("customer", &customer);
    Some(d.change(c, "change the name", C, customer.row, changes))
}

/// Adds a review to a purchase.
pub(super) fn add_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let sale = c.any(S)?;
    let (product, customer) = pair(c, S, sale)?;
    c.may_create(R, None).then_some(())?;
    let text = c.pick(&[
        "Sturdy and quiet, I like it",
        "Too heavy for daily use",
        "Works as described",
        "The handle came loose",
    ])?;
    let d = Draft::new("trade.add_review").slot("text", text);
    Some(find_both(d, &product, &customer).last(
        "record the review",
        "product_sentiment_create",
        json!({"product_id": product.id, "customer_id": customer.id, "review_content": text}),
    ))
}

/// Changes a review.
pub(super) fn change_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    c.may(Act::Update, R, r.row).then_some(())?;
    let text = c.pick(&[
        "Revised: it lasts longer than expected",
        "Corrected: the colour is fine",
        "Revised: one part was missing",
    ])?;
    let d = Draft::new("trade.change_review").slot("text", text);
    let changes = json!({"review_content": text});
    Some(find_review(d, &r).change(c, "change the review", R, r.row, changes))
}

/// Adds a product.
pub(super) fn new_product(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(P, None).then_some(())?;
    let kind = c.pick(&["lantern", "toaster", "tripod", "thermos", "stapler"])?;
    let name = format!("Novara {kind} N-{}", c.between(100, 999));
    let (list, percent) = (c.between(20, 200), c.between(1, 8) * 10);
    let price = list * (100 - percent) / 100;
    let d = Draft::new("trade.new_product")
    .slot("name", &name)
    .slot("category", "Home & Kitchen|New Arrivals")
    .slot("list", list.to_string())
    .slot("price", price.to_string())
    .step(
        "add the product",
        "products_create",
        json!({"product_name": name, "category": "Home & Kitchen|New Arrivals", "actual_price": list, "discounted_price": price}),
    );
    Some(d)
}

/// New values of fields, and a slot of the request with its value.
type Changes = (Value, &'static str, String);

/// Finds a product by its name and writes the changes that `change` chooses.
fn product_change(
    c: &mut Ctx<'_>,
    d: Draft,
    change: impl FnOnce(&mut Ctx<'_>, u32) -> Option<Changes>,
) -> Option<Draft> {
    let product = formal(c.some(P)?);
    c.may(Act::Update, P, product.row).then_some(())?;
    let (changes, slot, value) = change(c, product.row)?;
    let d = d.slot(slot, value).find("product", &product);
    Some(d.change(c, "change the product", P, product.row, changes))
}

/// Renames a product.
pub(super) fn rename_product(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new("trade.rename_product");
    product_change(c, d, |c, row| {
        let new = format!("{} Plus", c.text(P, row, "product_name"));
        Some((json!({"product_name": new}), "new", new))
    })
}

/// Corrects a list price.
pub(super) fn fix_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    c.may(Act::Update, P, product.row).then_some(())?;
    let old = c.get(P, product.row, "actual_price");
    let new = c.cents(P, product.row, "actual_price")? / 100 + c.between(1, 40);
    let d = Draft::new("trade.fix_price")
        .slot("old", old.to_string())
        .slot("new", new.to_string())
        .find("product", &product);
    let changes = json!({"actual_price": new});
    Some(d.change(c, "change the product", P, product.row, changes))
}

/// A discounted price below the list price, other than the present one, of a product or a sale.
fn new_price(c: &mut Ctx<'_>, source: TableId, row: u32) -> Option<i64> {
    let list = c.cents(source, row, "actual_price")? / 100;
    let new = c.between(1, list.max(2) - 1);
    (c.get(source, row, "discounted_price") != new).then_some(new)
}

/// Changes a discounted price.
pub(super) fn discount(c: &mut Ctx<'_>) -> Option<Draft> {
    product_change(c, Draft::new("trade.discount"), |c, row| {
        let new = new_price(c, P, row)?;
        let changes = json!({"discounted_price": new});
        Some((changes, "new", new.to_string()))
    })
}

/// Removes a product that nothing refers to.
///
/// Products with sales, reviews or chats cannot be removed, and in the profile `upstream` every
/// product has sales.
pub(super) fn remove_product(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    c.may(Act::Delete, P, product.row).then_some(())?;
    let index = &c.company().index;
    let used = |source: &_| !index.of(*source, "product_id", product.row).is_empty();
    (![S, R, H].iter().any(used)).then_some(())?;
    let d = Draft::new("trade.remove_product");
    let d = d.find("product", &product);
    Some(d.delete(c, "remove the product", P, product.row))
}

/// Records a sale.
///
/// The price is the product's own and need not be given.
pub(super) fn new_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(S, None).then_some(())?;
    let (product, customer) = (formal(c.some(P)?), formal(c.some(C)?));
    let days = c.between(0, 20);
    let day = c.company().clock().plus(-days);
    let d = Draft::new("trade.new_sale").slot("date", said_day(day));
    Some(find_both(d, &product, &customer).last(
        "record the sale",
        "sales_create",
        json!({"product_id": product.id, "customer_id": customer.id, "date_of_purchase": day.to_string()}),
    ))
}

/// Finds a sale by what was bought and by whom, and writes the changes that `change` chooses.
fn sale_change(
    c: &mut Ctx<'_>,
    d: Draft,
    change: impl FnOnce(&mut Ctx<'_>, u32) -> Option<Changes>,
) -> Option<Draft> {
    let (row, d) = remembered_sale(c, d)?;
    c.may(Act::Update, S, row).then_some(())?;
    let (changes, slot, value) = change(c, row)?;
    let d = d.slot(slot, value);
    Some(d.change(c, "correct the sale", S, row, changes))
}

/// Corrects the price of a sale.
pub(super) fn sale_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new("trade.sale_price");
    sale_change(c, d, |c, row| {
        let price = new_price(c, S, row)?;
        let changes = json!({"discounted_price": price});
        Some((changes, "price", price.to_string()))
    })
}

/// Corrects the date of a sale.
pub(super) fn sale_date(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new("trade.sale_date");
    sale_change(c, d, |c, row| {
        let now = c.day(S, row, "date_of_purchase")?;
        let date = now.plus(-c.between(1, 9));
        let changes = json!({"date_of_purchase": date.to_string()});
        Some((changes, "date", said_day(date)))
    })
}

/// Deletes a sale.
pub(super) fn delete_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new("trade.delete_sale");
    let (row, d) = remembered_sale(c, d)?;
    c.may(Act::Delete, S, row).then_some(())?;
    Some(d.delete(c, "delete the sale", S, row))
}

/// Opens a support record.
pub(super) fn complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(H, Some(c.me)).then_some(())?;
    let sale = c.any(S)?;
    let (product, customer) = pair(c, S, sale)?;
    let days = c.between(3, 60);
    let detail = format!("stopped working after {days} days");
    let text = format!("The customer reports that it {detail}.");
    let d = Draft::new("trade.complaint").slot("detail", &detail);
    Some(
        find_both(d, &product, &customer)
            .last(
                "open the record",
                "customer_support_chats_create",
                json!({"product_id": product.id, "customer_id": customer.id, "text": text}),
            )
            .says("text", &[detail]),
    )
}

/// Deletes a support record.
pub(super) fn delete_complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(H, "emp_id");
    let row = c.one_of(&own, H)?;
    c.may(Act::Delete, H, row).then_some(())?;
    let d = Draft::new("trade.delete_complaint");
    Some(c.find_chat(d, row)?.delete(c, "delete the record", H, row))
}

// ---------------------------------------------------------------- market
//
// Templates of sales whose later steps need what earlier ones found: the story of a complaint, what
// a customer spent, which product did better, prices that depend on another product.

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
    let d = Draft::new("market.dearest_purchase")
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
    let d = Draft::new("market.spent_more")
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
    let d = Draft::new("market.complaint_story");
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
    let d = Draft::new("market.offer_and_day");
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
    let d = Draft::new("market.boss_of_rep");
    boss_steps(c, c.find_chat(d, row)?, handler)
}

/// Mails the person who handled a complaint.
pub(super) fn ask_rep(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(H)?;
    let handler = c.colleague_in(H, row, "emp_id")?;
    let day = c.day_ahead(2, 14);
    let d = Draft::new("market.ask_rep").slot("day", &day);
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
    let d = Draft::new("market.better_liked").compare((&one, &a), (&two, &b), list_reviews);
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
    let d = Draft::new("market.unhappy").find("product", &product);
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
    let d = Draft::new("market.first_buyer")
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
    let d = Draft::new("market.best_year")
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
    let d = Draft::new("market.match_price")
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
    let d = Draft::new("market.rebook_sale")
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
    let d = Draft::new("market.last_purchase")
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
    let d = Draft::new("market.opinion_and_price")
        .find("product", &product)
        .find("customer", &customer)
        .seek_about("read the review", R, &product, &customer, &reviews)
        .row(R, row)
        .tell(c, &[("polarity", Id)])
        .seek_about("read the sale", S, &product, &customer, &sales)
        .after(&[0, 1])
        .fact(
            "discounted_price",
            Number,
            c.get(S, *sale, "discounted_price"),
        );
    Some(d)
}

/// The customer's contact person here: who handled the latest complaint.
pub(super) fn latest_handler(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = c.some(C)?;
    let rows = c.linked(H, "customer_id", customer.row);
    let (_, chat) = most(dated(c, H, &rows, "interaction_date"))?;
    let handler = c.person(H, chat, "emp_id")?;
    let d = Draft::new("market.latest_handler")
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
