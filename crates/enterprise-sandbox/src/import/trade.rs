//! Products and customers.

use super::reader::for_each_row;
use super::report::Log;
use super::{ImportError, NativeTree, listed};
use crate::company::Company;
use crate::row::{Customer, ProductRow, Text};
use crate::source::TableId;
use crate::value::row_no;
use serde_json::Value;
use std::collections::BTreeSet;

type Done = Result<(), ImportError>;

/// Products; a rating that is not a number becomes null, with a note.
pub(super) fn products(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("products.json") else {
        return Ok(());
    };
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let rows = &mut c.products;
    for_each_row(log, TableId::Products, path, text, |row| {
        row.id = row.text(&["product_id"])?.into();
        row.fresh(&mut seen, "product_id")?;
        let stated = row.take("rating").unwrap_or(Value::Null);
        let rating = rating(&stated);
        if rating.is_none() && !stated.is_null() {
            row.repaired("rating_unreadable", "rating", &stated, "null");
        }
        let product = ProductRow {
            name: Text::Own(row.text(&["product_name"])?),
            category: row.own(&["category"]),
            price: row.money("discounted_price")?,
            list: row.money("actual_price")?,
            rating,
            about: row.optional(&["about_product"]),
        };
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(product);
        Ok(())
    })?;
    listed(c, TableId::Products, names);
    Ok(())
}

/// `4`, `4.1` or 4.1, in tenths.
fn rating(value: &Value) -> Option<u8> {
    let text = crate::value::scalar_text(value)?;
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let digit = |t: &str| (t.len() == 1).then(|| t.parse::<u8>().ok()).flatten();
    let tenths = digit(whole)? * 10 + digit(part)?;
    (tenths <= 50).then_some(tenths)
}

/// The files name a folder that does not exist; the documents are in the customers' folder.
fn paper(path: &str) -> (String, bool) {
    match path.strip_prefix("Financial System/") {
        Some(rest) => (format!("Customer_Relation_Management/{rest}"), true),
        None => (path.to_owned(), false),
    }
}

/// Customers with the paths of their three documents.
pub(super) fn customers(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("customers.json") else {
        return Ok(());
    };
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let rows = &mut c.customers;
    for_each_row(log, TableId::Customers, path, text, |row| {
        row.id = row.text(&["customer_id"])?.into();
        row.fresh(&mut seen, "customer_id")?;
        let mut papers = [Text::Made, Text::Made, Text::Made];
        for (kind, slot) in crate::row::ORDER_KINDS.iter().zip(&mut papers) {
            if let Some(Value::String(path)) = row.take(&format!("{kind}_paths")) {
                let (path, moved) = paper(&path);
                if moved {
                    row.coerced("order_path_mapped");
                }
                *slot = Text::own(path);
            }
        }
        let customer = Customer {
            name: Text::Own(row.text(&["customer_name"])?),
            papers,
        };
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(customer);
        Ok(())
    })?;
    listed(c, TableId::Customers, names);
    Ok(())
}
