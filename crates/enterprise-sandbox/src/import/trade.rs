//! Customers.

use super::reader::for_each_row;
use super::report::Log;
use super::{ImportError, NativeTree, listed};
use crate::company::Company;
use crate::row::{Customer, Text};
use crate::source::TableId;
use crate::value::row_no;
use serde_json::Value;
use std::collections::BTreeSet;

type Done = Result<(), ImportError>;

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
