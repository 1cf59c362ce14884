//! Templates of sales that write: customers, products, sales, reviews, support.
//!
//! Each template asks the rules first, so personas without the right get no such task: prices are
//! changed from level 10, records deleted from level 12. New records get fresh names or texts that
//! the request states in full; nothing has to be invented by the agent except the wording of a
//! support record.

use super::{C, H, P, R, S, find_customer, find_product, may, named, pair, review, review_steps};
use crate::access::Act;
use crate::task::draft::{Ctx, Draft};
use crate::task::market::remembered_sale;
use crate::task::naming::said_day;
use serde_json::{Value, json};

/// Registers a customer.
pub(in crate::task) fn new_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    if !may(c, Act::Create, C, None, None) {
        return None;
    }
    let n = u32::try_from(c.s.index(200_000)).ok()?;
    let order = crate::synth::name_order(c.company().seed, "new.customers");
    let (given, family) = crate::synth::person_name(&order, n);
    let name = format!("{given} {family}").to_lowercase();
    let d = Draft::new(&[
        "I won a customer, {name}. Please put the name on our books.",
        "I have a new customer called {name}. Please register the name.",
        "Enter {name} as a new customer; I spoke to them today.",
    ])
    .slot("name", &name)
    .step(
        "register the customer",
        "customers_create",
        json!({"customer_name": name}),
    );
    Some(d)
}

/// Renames a customer.
pub(in crate::task) fn rename_customer(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(C)?;
    if !may(c, Act::Update, C, Some(row), None) {
        return None;
    }
    let old = named(c, C, row, "customer_name")?;
    let family = c.s.pick(&crate::synth::phrases::FAMILY)?.to_lowercase();
    let new = format!("{} {family}", old.split(' ').next()?);
    if new == old {
        return None;
    }
    let id = c.text(C, row, "customer_id");
    let d = Draft::new(&[
        "{customer} has married and is called {new} now; please correct our books.",
        "The customer {customer} is now called {new}. Please update it for me.",
        "I need the customer {customer} renamed to {new}.",
    ])
    .slot("new", &new);
    Some(find_customer(d, row, &old).then(
        "change the name",
        "customers_update",
        json!({"customer_id": id, "changes": {"customer_name": new}}),
    ))
}

/// Adds a review to a purchase.
pub(in crate::task) fn add_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let sale = c.any(S)?;
    let (product, name, customer, who) = pair(c, S, sale)?;
    if !may(c, Act::Create, R, None, None) {
        return None;
    }
    let words = [
        "Sturdy and quiet, I like it",
        "Too heavy for daily use",
        "Works as described",
        "The handle came loose",
    ];
    let text = *c.s.pick(&words)?;
    let (p, k) = (
        c.text(P, product, "product_id"),
        c.text(C, customer, "customer_id"),
    );
    let d = Draft::new(&[
        "Add a review by {customer} of the {product} for me: \"{text}\".",
        "I got feedback from {customer} about the {product}: \"{text}\". Record it as a review.",
        "Please record the review \"{text}\" by {customer} for the {product}.",
    ])
    .slot("text", text);
    Some(
        find_customer(find_product(d, product, &name), customer, &who).last(
            "record the review",
            "product_sentiment_create",
            json!({"product_id": p, "customer_id": k, "review_content": text}),
        ),
    )
}

/// Changes a review.
pub(in crate::task) fn change_review(c: &mut Ctx<'_>) -> Option<Draft> {
    let r = review(c)?;
    if !may(c, Act::Update, R, Some(r.0), None) {
        return None;
    }
    let text = *c.s.pick(&[
        "Revised: it lasts longer than expected",
        "Corrected: the colour is fine",
        "Revised: one part was missing",
    ])?;
    let id = c.get(R, r.0, "sentiment_id");
    let d = Draft::new(&[
        "Update the review of the {product} by {customer} to \"{text}\".",
        "{customer} corrected the review of the {product}; I need it to say \"{text}\".",
        "Please change what {customer} wrote about the {product} to \"{text}\" for me.",
    ])
    .slot("text", text);
    Some(review_steps(c, d, &r).then(
        "change the review",
        "product_sentiment_update",
        json!({"sentiment_id": id, "changes": {"review_content": text}}),
    ))
}

/// Adds a product.
pub(in crate::task) fn new_product(c: &mut Ctx<'_>) -> Option<Draft> {
    if !may(c, Act::Create, P, None, None) {
        return None;
    }
    let kind =
        *c.s.pick(&["lantern", "toaster", "tripod", "thermos", "stapler"])?;
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

/// Finds a product by its name and writes the changes that `change` chooses.
fn product_change(
    c: &mut Ctx<'_>,
    phrases: &[&'static str],
    change: impl FnOnce(&mut Ctx<'_>, u32) -> Option<(Value, Vec<(&'static str, String)>)>,
) -> Option<Draft> {
    let row = c.any(P)?;
    if !may(c, Act::Update, P, Some(row), None) {
        return None;
    }
    let name = named(c, P, row, "product_name")?;
    let (changes, slots) = change(c, row)?;
    let id = c.text(P, row, "product_id");
    let mut d = Draft::new(phrases);
    for (slot, value) in slots {
        d = d.slot(slot, value);
    }
    Some(find_product(d, row, &name).then(
        "change the product",
        "products_update",
        json!({"product_id": id, "changes": changes}),
    ))
}

/// Renames a product.
pub(in crate::task) fn rename_product(c: &mut Ctx<'_>) -> Option<Draft> {
    product_change(
        c,
        &[
            "The {product} will be sold as {new}; please update the catalogue for me.",
            "The {product} is to be called {new} from now on. Please rename it for me.",
            "I need the {product} renamed to {new}.",
        ],
        |c, row| {
            let new = format!("{} Plus", c.text(P, row, "product_name"));
            Some((json!({"product_name": new}), vec![("new", new)]))
        },
    )
}

/// Corrects a list price.
pub(in crate::task) fn fix_price(c: &mut Ctx<'_>) -> Option<Draft> {
    product_change(
        c,
        &[
            "Fix the actual price of the {product}: it is {old}, it should be {new}.",
            "I found a wrong list price: the {product} should cost {new} instead of {old}. Please fix the actual price.",
            "Please correct the actual price of the {product} from {old} to {new} for me.",
        ],
        |c, row| {
            let old = c.get(P, row, "actual_price");
            let new = crate::value::Cents::from_value(&old)?.0 / 100 + c.between(1, 40);
            Some((
                json!({"actual_price": new}),
                vec![("old", old.to_string()), ("new", new.to_string())],
            ))
        },
    )
}

/// Also asked by people who may not change prices.
pub(in crate::task) const DISCOUNT: &[&str] = &[
    "Revise the discounted price of the {product} to {new}.",
    "I agreed on a new offer: the discounted price of the {product} becomes {new}.",
    "Please set the discounted price of the {product} to {new} for me.",
];

/// Changes a discounted price.
pub(in crate::task) fn discount(c: &mut Ctx<'_>) -> Option<Draft> {
    product_change(c, DISCOUNT, |c, row| {
        let list = crate::value::Cents::from_value(&c.get(P, row, "actual_price"))?.0 / 100;
        let new = c.between(1, list.max(2) - 1);
        (c.get(P, row, "discounted_price") != new).then(|| {
            (
                json!({"discounted_price": new}),
                vec![("new", new.to_string())],
            )
        })
    })
}

/// Removes a product that nothing refers to.
///
/// Products with sales, reviews or chats cannot be removed, and in the profile `upstream` every
/// product has sales.
pub(in crate::task) fn remove_product(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(P)?;
    if !may(c, Act::Delete, P, Some(row), None) {
        return None;
    }
    let index = &c.company().index;
    let used = |source: &_| !index.of(*source, "product_id", row).is_empty();
    if [S, R, H].iter().any(used) {
        return None;
    }
    let name = named(c, P, row, "product_name")?;
    let id = c.text(P, row, "product_id");
    let d = Draft::new(&[
        "The {product} was never sold. Delete it from the catalogue for me.",
        "I no longer want the {product} in the catalogue; remove it.",
    ]);
    Some(find_product(d, row, &name).then(
        "remove the product",
        "products_delete",
        json!({"product_id": id}),
    ))
}

/// Records a sale.
///
/// The price is the product's own and need not be given.
pub(in crate::task) fn new_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    if !may(c, Act::Create, S, None, None) {
        return None;
    }
    let (product, customer) = (c.any(P)?, c.any(C)?);
    let (name, who) = (
        named(c, P, product, "product_name")?,
        named(c, C, customer, "customer_name")?,
    );
    let days = c.between(0, 20);
    let day = c.company().clock().plus(-days);
    let date = day.to_string();
    let (p, k) = (
        c.text(P, product, "product_id"),
        c.text(C, customer, "customer_id"),
    );
    let d = Draft::new(&[
        "Record a new sale for me: {customer} bought the {product} on {date} at the current price.",
        "I sold the {product} to {customer} on {date}, at the usual discounted price. Please record it.",
        "Please enter my sale of the {product} to {customer}, date {date}, price as listed.",
    ])
    .slot("date", said_day(day));
    Some(
        find_customer(find_product(d, product, &name), customer, &who).last(
            "record the sale",
            "sales_create",
            json!({"product_id": p, "customer_id": k, "date_of_purchase": date}),
        ),
    )
}

/// Finds a sale by what was bought and by whom, and writes the changes that `change` chooses.
fn sale_change(
    c: &mut Ctx<'_>,
    phrases: &[&'static str],
    change: impl FnOnce(&mut Ctx<'_>, u32) -> Option<(Value, &'static str, String)>,
) -> Option<Draft> {
    let (row, d) = remembered_sale(c, Draft::new(phrases))?;
    if !may(c, Act::Update, S, Some(row), None) {
        return None;
    }
    let (changes, slot, value) = change(c, row)?;
    Some(d.slot(slot, value).then(
        "correct the sale",
        "sales_update",
        json!({"sales_record_id": c.key(S, row), "changes": changes}),
    ))
}

/// Corrects the price of a sale.
pub(in crate::task) fn sale_price(c: &mut Ctx<'_>) -> Option<Draft> {
    sale_change(
        c,
        &[
            "I gave {customer} another price for the {product} after the sale. Bill it with a discounted price of {price}.",
            "Please set the discounted price of the {product} that {customer} bought to {price}; only that sale, not the catalogue.",
        ],
        |c, row| {
            let list = crate::value::Cents::from_value(&c.get(S, row, "actual_price"))?.0 / 100;
            let price = c.between(1, list.max(2) - 1);
            (c.get(S, row, "discounted_price") != price).then(|| {
                (
                    json!({"discounted_price": price}),
                    "price",
                    price.to_string(),
                )
            })
        },
    )
}

/// Corrects the date of a sale.
pub(in crate::task) fn sale_date(c: &mut Ctx<'_>) -> Option<Draft> {
    sale_change(
        c,
        &[
            "I noted the wrong day: {customer} bought the {product} on {date}. Please correct the sale.",
            "Please change the day on which {customer} bought the {product} to {date}.",
        ],
        |c, row| {
            let now = crate::value::Day::parse(&c.text(S, row, "date_of_purchase"))?;
            let date = now.plus(-c.between(1, 9));
            let changes = json!({"date_of_purchase": date.to_string()});
            Some((changes, "date", said_day(date)))
        },
    )
}

/// Deletes a sale.
pub(in crate::task) fn delete_sale(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "{customer} cancelled the {product}. Please take that sale off our books.",
        "The sale of the {product} to {customer} never happened. Delete it for me.",
    ]);
    let (row, d) = remembered_sale(c, d)?;
    may(c, Act::Delete, S, Some(row), None).then_some(())?;
    Some(d.then(
        "delete the sale",
        "sales_delete",
        json!({"sales_record_id": c.key(S, row)}),
    ))
}

/// Opens a support record.
pub(in crate::task) fn complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    if !may(c, Act::Create, H, None, Some(c.me)) {
        return None;
    }
    let sale = c.any(S)?;
    let (product, name, customer, who) = pair(c, S, sale)?;
    let days = c.between(3, 60);
    let detail = format!("stopped working after {days} days");
    let (p, k) = (
        c.text(P, product, "product_id"),
        c.text(C, customer, "customer_id"),
    );
    let text = format!("The customer reports that it {detail}.");
    let d = Draft::new(&[
        "Register a new complaint by {customer} about the {product} for me: it {detail}.",
        "{customer} called me: the {product} {detail}. Open a support record that says so.",
        "Please open a complaint of {customer} for the {product}; I was told that it {detail}.",
    ])
    .slot("detail", &detail);
    Some(
        find_customer(find_product(d, product, &name), customer, &who)
            .last(
                "open the record",
                "customer_support_chats_create",
                json!({"product_id": p, "customer_id": k, "text": text}),
            )
            .says("text", &[detail]),
    )
}

/// Deletes a support record.
pub(in crate::task) fn delete_complaint(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = c.linked(H, "emp_id", c.me.0);
    let row = match c.pick(&own) {
        Some(row) => row,
        None => c.any(H)?,
    };
    may(c, Act::Delete, H, Some(row), None).then_some(())?;
    let d = Draft::new(&[
        "I settled {customer}'s complaint about {kind}. Delete the support record.",
        "Please remove the record of {customer}'s complaint about {kind}; they have withdrawn it.",
    ]);
    Some(c.find_chat(d, row)?.then(
        "delete the record",
        "customer_support_chats_delete",
        json!({"chat_id": c.key(H, row)}),
    ))
}
