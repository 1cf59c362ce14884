//! Products, customers, order papers, reviews and support chats.

use crate::company::Company;
use crate::row::Polarity;
use crate::source::TableId;
use crate::synth::people::{name, name_order};
use crate::synth::phrases::{fill, pair, pick};

/// Brand, category path, kind and trait of a product.
fn product(c: &Company, row: u32) -> [&'static str; 4] {
    let mut s = c.seed.stream("text.product", u64::from(row));
    let brand = pick(&mut s, "product.brand");
    let (category, kind) = pair(pick(&mut s, "product.kind"));
    [brand, category, kind, pick(&mut s, "product.trait")]
}

/// Name of a product; it contains a model number, so names are unique.
pub(crate) fn product_name(c: &Company, row: u32) -> String {
    let [brand, _, kind, quality] = product(c, row);
    format!("{brand} {quality} {kind} M-{}", row + 101)
}

/// Category path of a product.
pub(crate) fn product_category(c: &Company, row: u32) -> String {
    product(c, row)[1].to_owned()
}

/// Description of a product.
pub(crate) fn product_about(c: &Company, row: u32) -> String {
    let [brand, _, kind, quality] = product(c, row);
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
    let sales = c.index.sales_of_customer.of(customer);
    let mut lines: Vec<_> = sales
        .iter()
        .filter_map(|r| Some((r, c.sales.get(*r as usize)?)))
        .collect();
    lines.sort_by_key(|(r, s)| (std::cmp::Reverse(s.on), **r));
    let mut out = format!(
        "{title} for customer {}",
        c.id(TableId::Customers, customer)
    );
    let total: i64 = lines.iter().map(|(_, s)| s.price.0).sum();
    for (r, s) in lines.iter().take(10) {
        let product = c.id(TableId::Products, s.product.0);
        out.push_str(&format!(
            "\nsale {r}: {product} on {} at {}",
            s.on,
            s.price.value()
        ));
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
    let Some(r) = c.reviews.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.review", u64::from(row));
    let [_, _, kind, quality] = product(c, r.product.0);
    let list = format!("review.{}", r.polarity.unwrap_or(Polarity::Neutral).name());
    fill(pick(&mut s, &list), |slot| match slot {
        "kind" => kind.to_owned(),
        "trait" => quality.to_owned(),
        _ => s.between(2, 60).to_string(),
    })
}

/// Transcript of a support chat.
pub(crate) fn support_chat(c: &Company, row: u32) -> String {
    let Some(chat) = c.chats.get(row as usize) else {
        return String::new();
    };
    let mut s = c.seed.stream("text.support", u64::from(row));
    let [_, _, kind, _] = product(c, chat.product.0);
    let (_, solution) = pair(pick(&mut s, "support.outcome"));
    let mut slots = |slot: &str| match slot {
        "kind" => kind.to_owned(),
        "product" => c.product_name(chat.product.0),
        "customer" => c.customer_name(chat.customer.0),
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
