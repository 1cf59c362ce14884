//! Products, customers, order papers, reviews and support chats.

use crate::company::Company;
use crate::source::{POLARITIES, TableId};
use crate::synth::people::{name, name_order};
use crate::synth::phrases::{fill, pair, pick};

/// Brand, category path, kind and trait of a product.
fn product(c: &Company, row: u32) -> [&'static str; 4] {
    let mut s = c.seed.stream("text.product", u64::from(row));
    let brand = pick(&mut s, "product.brand");
    let (category, kind) = pair(pick(&mut s, "product.kind"));
    [brand, category, kind, pick(&mut s, "product.trait")]
}

/// A text field of a product. The name contains a model number, so names are unique.
pub(super) fn product_text(c: &Company, row: u32, field: &str) -> String {
    let [brand, category, kind, quality] = product(c, row);
    match field {
        "product_name" => return format!("{brand} {quality} {kind} M-{}", row + 101),
        "category" => return category.to_owned(),
        _ => {}
    }
    let mut s = c.seed.stream("text.product.about", u64::from(row));
    fill(pick(&mut s, "product.about"), |slot| match slot {
        "brand" => brand.to_owned(),
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        "warranty" => (s.between(1, 5) * 12).to_string(),
        _ => (s.between(5, 400) * 10).to_string(),
    })
}

/// Name of a customer, lower case.
pub(crate) fn customer_name(c: &Company, row: u32) -> String {
    let (given, family) = name(&name_order(c.seed, "customer.names"), row);
    format!("{given} {family}").to_lowercase()
}

/// An order document: the customer's purchases, the latest first.
pub(crate) fn order_document(c: &Company, row: u32) -> String {
    let (customer, kind) = (row / 3, row as usize % 3);
    let title = ["Invoice", "Purchase order", "Shipping order"]
        .get(kind)
        .copied()
        .unwrap_or("");
    let table = TableId::Sales;
    let price = c.column(table, "discounted_price");
    let sales = c.index.of(table, "customer_id", customer).iter();
    let mut lines: Vec<_> = sales
        .filter_map(|r| Some((*r, c.dated(table, *r)?, price(*r)?)))
        .collect();
    lines.sort_by_key(|(r, on, _)| (std::cmp::Reverse(*on), *r));
    let mut out = format!(
        "{title} for customer {}",
        c.id(TableId::Customers, customer)
    );
    let total: i64 = lines.iter().map(|(.., price)| price).sum();
    for (r, on, price) in lines.iter().take(10) {
        let product = c.link(table, *r, "product_id").unwrap_or_default();
        let product = c.id(TableId::Products, product);
        let price = crate::value::Cents(*price).value();
        out.push_str(&format!("\nsale {r}: {product} on {on} at {price}"));
    }
    out.push_str(&format!(
        "\nlines {}, total {}",
        lines.len(),
        crate::value::Cents(total).value()
    ));
    out
}

/// Text of a review, matching its sentiment.
pub(crate) fn review(c: &Company, row: u32) -> String {
    let Some(about) = c.link(TableId::Reviews, row, "product_id") else {
        return String::new();
    };
    let mut s = c.seed.stream("text.review", u64::from(row));
    let [_, _, kind, quality] = product(c, about);
    let polarity = c.column(TableId::Reviews, "polarity")(row);
    let polarity = polarity.and_then(|n| POLARITIES.get(usize::try_from(n).ok()?));
    let list = format!("review.{}", polarity.unwrap_or(&"neutral"));
    fill(pick(&mut s, &list), |slot| match slot {
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        _ => s.between(2, 60).to_string(),
    })
}

/// Transcript of a support chat.
pub(crate) fn support_chat(c: &Company, row: u32) -> String {
    let link = |field| c.link(TableId::SupportChats, row, field);
    let (Some(about), Some(customer)) = (link("product_id"), link("customer_id")) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.support", u64::from(row));
    let [_, _, kind, _] = product(c, about);
    let (_, solution) = pair(pick(&mut s, "support.outcome"));
    let mut slots = |slot: &str| match slot {
        "kind" => kind.to_owned(),
        "product" => c.product_name(about),
        "customer" => c.customer_name(customer),
        _ => s.between(2, 30).to_string(),
    };
    let solution = fill(solution, &mut slots);
    let mut p = c.seed.stream("text.support.problem", u64::from(row));
    let problem = fill(pick(&mut p, "support.problem"), &mut slots);
    fill(pick(&mut p, "support.chat"), |slot| match slot {
        "problem" => problem.clone(),
        "solution" => solution.clone(),
        other => slots(other),
    })
}
