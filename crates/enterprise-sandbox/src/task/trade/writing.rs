//! Templates of sales that write: customers, products, sales, reviews, support.
//!
//! Each template asks the rules first, so personas without the right get no such task: prices are
//! changed from level 10, records deleted from level 12. New records get fresh names or texts that
//! the request states in full; nothing has to be invented by the agent except the wording of a
//! support record.

use super::{C, H, P, R, S, find_both, find_review, formal, pair, review};
use crate::access::Act;
use crate::source::TableId;
use crate::task::draft::{Ctx, Draft};
use crate::task::market::remembered_sale;
use crate::task::naming::{said_day, title};
use serde_json::{Value, json};

/// Registers a customer.
pub(in crate::task) fn new_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(C, None).then_some(())?;
    let n = u32::try_from(c.s.index(200_000)).ok()?;
    let order = crate::synth::name_order(c.company().seed, "new.customers");
    let (given, family) = crate::synth::person_name(&order, n);
    let name = format!("{given} {family}").to_lowercase();
    let d = Draft::new(&[
        "I won a customer, {name}. Please put the name on our books.",
        "I have a new customer called {name}. Please register the name.",
        "Enter {name} as a new customer; I spoke to them today.",
    ])
    .slot("name", title(&name))
    .step(
        "register the customer",
        "customers_create",
        json!({"customer_name": name}),
    );
    Some(d)
}

/// Renames a customer.
pub(in crate::task) fn rename_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    let customer = formal(c.some(C)?);
    c.may(Act::Update, C, customer.row).then_some(())?;
    let old = c.text(C, customer.row, "customer_name");
    let family = c.s.pick(&crate::synth::phrases::FAMILY)?.to_lowercase();
    let new = format!("{} {family}", old.split(' ').next()?);
    (new != old).then_some(())?;
    let d = Draft::new(&[
        "{customer} has married and is called {new} now; please correct our books.",
        "The customer {customer} is now called {new}. Please update it for me.",
        "I need the customer {customer} renamed to {new}.",
    ])
    .slot("new", title(&new));
    Some(d.find("customer", &customer).change(
        c,
        "change the name",
        C,
        customer.row,
        json!({"customer_name": new}),
    ))
}

/// Adds a review to a purchase.
pub(in crate::task) fn add_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let sale = c.any(S)?;
    let (product, customer) = pair(c, S, sale)?;
    c.may_create(R, None).then_some(())?;
    let text = c.pick(&[
        "Sturdy and quiet, I like it",
        "Too heavy for daily use",
        "Works as described",
        "The handle came loose",
    ])?;
    let d = Draft::new(&[
        "Add a review by {customer} of the {product} for me: \"{text}\".",
        "I got feedback from {customer} about the {product}: \"{text}\". Record it as a review.",
        "Please record the review \"{text}\" by {customer} for the {product}.",
    ])
    .slot("text", text);
    Some(find_both(d, &product, &customer).last(
        "record the review",
        "product_sentiment_create",
        json!({"product_id": product.id, "customer_id": customer.id, "review_content": text}),
    ))
}

/// Changes a review.
pub(in crate::task) fn change_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    c.may(Act::Update, R, r.row).then_some(())?;
    let text = c.pick(&[
        "Revised: it lasts longer than expected",
        "Corrected: the colour is fine",
        "Revised: one part was missing",
    ])?;
    let d = Draft::new(&[
        "Update the review of the {product} by {customer} to \"{text}\".",
        "{customer} corrected the review of the {product}; I need it to say \"{text}\".",
        "Please change what {customer} wrote about the {product} to \"{text}\" for me.",
    ])
    .slot("text", text);
    Some(find_review(d, &r).change(
        c,
        "change the review",
        R,
        r.row,
        json!({"review_content": text}),
    ))
}

/// Adds a product.
pub(in crate::task) fn new_product(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(P, None).then_some(())?;
    let kind = c.pick(&["lantern", "toaster", "tripod", "thermos", "stapler"])?;
    let name = format!("Novara {kind} N-{}", c.between(100, 999));
    let (list, percent) = (c.between(20, 200), c.between(1, 8) * 10);
    let price = list * (100 - percent) / 100;
    let d = Draft::new(&[
        "Register a new product for me: {name}, category {category}, list price {list}, discounted price {price}.",
        "I want {name} in the catalogue: category {category}, actual price {list}, discounted price {price}.",
        "Please add the product {name} ({category}); it costs {list}, discounted {price}. I will send pictures.",
    ])
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
pub(in crate::task) fn rename_product(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "The {product} will be sold as {new}; please update the catalogue for me.",
        "The {product} is to be called {new} from now on. Please rename it for me.",
        "I need the {product} renamed to {new}.",
    ]);
    product_change(c, d, |c, row| {
        let new = format!("{} Plus", c.text(P, row, "product_name"));
        Some((json!({"product_name": new}), "new", new))
    })
}

/// Corrects a list price.
pub(in crate::task) fn fix_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    c.may(Act::Update, P, product.row).then_some(())?;
    let old = c.get(P, product.row, "actual_price");
    let new = c.cents(P, product.row, "actual_price")? / 100 + c.between(1, 40);
    let d = Draft::new(&[
        "Fix the actual price of the {product}: it is {old}, it should be {new}.",
        "I found a wrong list price: the {product} should cost {new} instead of {old}. Please fix the actual price.",
        "Please correct the actual price of the {product} from {old} to {new} for me.",
    ])
    .slot("old", old.to_string())
    .slot("new", new.to_string())
    .find("product", &product);
    let changes = json!({"actual_price": new});
    Some(d.change(c, "change the product", P, product.row, changes))
}

/// Also asked by people who may not change prices.
pub(in crate::task) const DISCOUNT: &[&str] = &[
    "Revise the discounted price of the {product} to {new}.",
    "I agreed on a new offer: the discounted price of the {product} becomes {new}.",
    "Please set the discounted price of the {product} to {new} for me.",
    "From today on we sell the {product} at {new}. Please change the discounted price.",
    "The discounted price of the {product} is wrong. It should be {new}; can you correct that?",
    "Can you change the discounted price of the {product}? The new one is {new}.",
];

/// A discounted price below the list price, other than the present one, of a product or a sale.
fn new_price(c: &mut Ctx<'_>, source: TableId, row: u32) -> Option<i64> {
    let list = c.cents(source, row, "actual_price")? / 100;
    let new = c.between(1, list.max(2) - 1);
    (c.get(source, row, "discounted_price") != new).then_some(new)
}

/// Changes a discounted price.
pub(in crate::task) fn discount(c: &mut Ctx<'_>) -> Option<Draft> {
    product_change(c, Draft::new(DISCOUNT), |c, row| {
        let new = new_price(c, P, row)?;
        let changes = json!({"discounted_price": new});
        Some((changes, "new", new.to_string()))
    })
}

/// Removes a product that nothing refers to.
///
/// Products with sales, reviews or chats cannot be removed, and in the profile `upstream` every
/// product has sales.
pub(in crate::task) fn remove_product(c: &mut Ctx<'_>) -> Option<Draft> {
    let product = formal(c.some(P)?);
    c.may(Act::Delete, P, product.row).then_some(())?;
    let index = &c.company().index;
    let used = |source: &_| !index.of(*source, "product_id", product.row).is_empty();
    (![S, R, H].iter().any(used)).then_some(())?;
    let d = Draft::new(&[
        "The {product} was never sold. Delete it from the catalogue for me.",
        "I no longer want the {product} in the catalogue; remove it.",
    ]);
    let d = d.find("product", &product);
    Some(d.delete(c, "remove the product", P, product.row))
}

/// Records a sale.
///
/// The price is the product's own and need not be given.
pub(in crate::task) fn new_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(S, None).then_some(())?;
    let (product, customer) = (formal(c.some(P)?), formal(c.some(C)?));
    let days = c.between(0, 20);
    let day = c.company().clock().plus(-days);
    let d = Draft::new(&[
        "Record a new sale for me: {customer} bought the {product} on {date} at the current price.",
        "I sold the {product} to {customer} on {date}, at the usual discounted price. Please record it.",
        "Please enter my sale of the {product} to {customer}, date {date}, price as listed.",
    ])
    .slot("date", said_day(day));
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
pub(in crate::task) fn sale_price(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "I gave {customer} another price for the {product} after the sale. Bill it with a discounted price of {price}.",
        "Please set the discounted price of the {product} that {customer} bought to {price}; only that sale, not the catalogue.",
    ]);
    sale_change(c, d, |c, row| {
        let price = new_price(c, S, row)?;
        let changes = json!({"discounted_price": price});
        Some((changes, "price", price.to_string()))
    })
}

/// Corrects the date of a sale.
pub(in crate::task) fn sale_date(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "I noted the wrong day: {customer} bought the {product} on {date}. Please correct the sale.",
        "Please change the day on which {customer} bought the {product} to {date}.",
    ]);
    sale_change(c, d, |c, row| {
        let now = c.day(S, row, "date_of_purchase")?;
        let date = now.plus(-c.between(1, 9));
        let changes = json!({"date_of_purchase": date.to_string()});
        Some((changes, "date", said_day(date)))
    })
}

/// Deletes a sale.
pub(in crate::task) fn delete_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "{customer} cancelled the {product}. Please take that sale off our books.",
        "The sale of the {product} to {customer} never happened. Delete it for me.",
    ]);
    let (row, d) = remembered_sale(c, d)?;
    c.may(Act::Delete, S, row).then_some(())?;
    Some(d.delete(c, "delete the sale", S, row))
}

/// Opens a support record.
pub(in crate::task) fn complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    c.may_create(H, Some(c.me)).then_some(())?;
    let sale = c.any(S)?;
    let (product, customer) = pair(c, S, sale)?;
    let days = c.between(3, 60);
    let detail = format!("stopped working after {days} days");
    let text = format!("The customer reports that it {detail}.");
    let d = Draft::new(&[
        "Register a new complaint by {customer} about the {product} for me: it {detail}.",
        "{customer} called me: the {product} {detail}. Open a support record that says so.",
        "Please open a complaint of {customer} for the {product}; I was told that it {detail}.",
    ])
    .slot("detail", &detail);
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
pub(in crate::task) fn delete_complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.mine(H, "emp_id");
    let row = c.one_of(&own, H)?;
    c.may(Act::Delete, H, row).then_some(())?;
    let d = Draft::new(&[
        "I settled {customer}'s complaint about {kind}. Delete the support record.",
        "Please remove the record of {customer}'s complaint about {kind}; they have withdrawn it.",
    ]);
    Some(c.find_chat(d, row)?.delete(c, "delete the record", H, row))
}
