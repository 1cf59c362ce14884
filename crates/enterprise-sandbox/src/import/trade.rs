//! Products, customers, sales, reviews and support chats.

use super::reader::for_each_row;
use super::report::Log;
use super::{ImportError, NativeTree, listed, lookup};
use crate::company::Company;
use crate::row::{
    Customer, CustomerNo, EmployeeNo, Polarity, ProductNo, ProductRow, Review, SaleRow,
    SupportChat, Text,
};
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

/// Sales, with the prices and the percentage that the file states.
pub(super) fn sales(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("sales.json") else {
        return Ok(());
    };
    let (products, customers) = (lookup(c, TableId::Products), lookup(c, TableId::Customers));
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let rows = &mut c.sales;
    for_each_row(log, TableId::Sales, path, text, |row| {
        row.id = row.text(&["sales_record_id"])?.into();
        row.fresh(&mut seen, "sales_record_id")?;
        let sale = SaleRow {
            product: ProductNo(row.key(&["product_id"], &products)?),
            customer: CustomerNo(row.key(&["customer_id"], &customers)?),
            price: row.money("discounted_price")?,
            list: row.money("actual_price")?,
            percent: row.percent("discount_percentage")?,
            on: row.day(&["Date_of_Purchase", "date_of_purchase"])?,
        };
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(sale);
        Ok(())
    })?;
    listed(c, TableId::Sales, names);
    Ok(())
}

/// Reviews; a sentiment is read if an export of this crate has one.
pub(super) fn reviews(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("product_sentiment.json") else {
        return Ok(());
    };
    let (products, customers) = (lookup(c, TableId::Products), lookup(c, TableId::Customers));
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let rows = &mut c.reviews;
    for_each_row(log, TableId::Reviews, path, text, |row| {
        row.id = row.text(&["sentiment_id", "review_id"])?.into();
        row.fresh(&mut seen, "sentiment_id")?;
        let polarity = row.take("polarity").and_then(|v| match v.as_str()? {
            "positive" => Some(Polarity::Positive),
            "neutral" => Some(Polarity::Neutral),
            "negative" => Some(Polarity::Negative),
            _ => None,
        });
        let review = Review {
            product: ProductNo(row.key(&["product_id"], &products)?),
            customer: CustomerNo(row.key(&["customer_id"], &customers)?),
            polarity,
            text: Text::Own(row.text(&["review_content"])?),
            on: row.day(&["review_date"])?,
        };
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(review);
        Ok(())
    })?;
    listed(c, TableId::Reviews, names);
    Ok(())
}

/// Support chats; stated names of product and customer are compared with their records.
pub(super) fn chats(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("customer_support_chats.json") else {
        return Ok(());
    };
    let (products, customers) = (lookup(c, TableId::Products), lookup(c, TableId::Customers));
    let people = lookup(c, TableId::Employees);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rows = Vec::new();
    for_each_row(log, TableId::SupportChats, path, text, |row| {
        row.id = row.text(&["chat_id"])?.into();
        row.fresh(&mut seen, "chat_id")?;
        let product = row.key(&["product_id"], &products)?;
        let customer = row.key(&["customer_id"], &customers)?;
        let chat = SupportChat {
            product: ProductNo(product),
            customer: CustomerNo(customer),
            handler: EmployeeNo(row.key(&["emp_id", "employee_id"], &people)?),
            on: row.day(&["interaction_date", "date"])?,
            text: Text::Own(row.text(&["text", "conversation", "chat"])?),
        };
        for (field, master) in [
            ("product_name", c.product_name(product)),
            ("customer_name", c.customer_name(customer)),
        ] {
            if let Some(stated) = row.take(field)
                && stated.as_str() != Some(master.as_str())
            {
                row.repaired("name_from_master", field, &stated, &master);
            }
        }
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(chat);
        Ok(())
    })?;
    c.chats = rows;
    listed(c, TableId::SupportChats, names);
    Ok(())
}
