//! Mails, conversations, posts and overflow posts, in their older and newer forms.

use super::reader::{Row, for_each_row};
use super::report::Log;
use super::{ImportError, Lookup, NativeTree, listed, lookup};
use crate::company::Company;
use crate::company::ids::Ids;
use crate::company::rows::{Cell, Rows};
use crate::row::{EmployeeNo, Mail, MailTexts, Text, Thread, ThreadNo};
use crate::source::{MAIL_CATEGORIES, TableId};
use crate::value::{row_no, scalar_text, whole_number};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

type Done = Result<(), ImportError>;

/// A participant: by id, else by an address that belongs to one person only.
fn participant(
    row: &mut Row<'_>,
    side: &str,
    people: &Lookup,
    emails: &BTreeMap<String, Option<u32>>,
) -> Result<EmployeeNo, super::reader::Unusable> {
    let field = format!("{side}_emp_id");
    let id = row.take(&field).unwrap_or(Value::Null);
    row.take(&format!("{side}_name"));
    let address = row.take(&format!("{side}_email")).unwrap_or(Value::Null);
    if let Some(found) = scalar_text(&id).and_then(|id| people.find(&id)) {
        return Ok(EmployeeNo(found));
    }
    let by_address = address
        .as_str()
        .and_then(|a| emails.get(&a.to_lowercase()).copied().flatten());
    match by_address {
        Some(found) => {
            row.repaired(
                "person_from_address",
                &field,
                &id,
                address.as_str().unwrap_or_default(),
            );
            Ok(EmployeeNo(found))
        }
        None => Err(Row::unusable("dangling_key", &field, &id)),
    }
}

/// People by address; an address of several people identifies none of them.
fn addresses(c: &Company) -> BTreeMap<String, Option<u32>> {
    let mut out: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for (e, row) in c.employees.iter().zip(0u32..) {
        out.entry(e.email.to_lowercase())
            .and_modify(|r| *r = None)
            .or_insert(Some(row));
    }
    out
}

/// One of a few words; a malformed one is trimmed, an unknown one replaced.
fn word(row: &mut Row<'_>, field: &str, known: &[&'static str], default: usize) -> usize {
    let value = row.take(field).unwrap_or(Value::Null);
    let text = value.as_str().unwrap_or_default();
    let place = |t: &str| known.iter().position(|k| k.eq_ignore_ascii_case(t));
    if let Some(n) = place(text) {
        return n;
    }
    let trimmed = text
        .split(['\n', '\r'])
        .map(str::trim)
        .find(|t| !t.is_empty())
        .unwrap_or("");
    let (rule, n) = match place(trimmed) {
        Some(n) => ("word_trimmed", n),
        None => ("word_unknown", default),
    };
    row.repaired(
        rule,
        field,
        &value,
        known.get(n).copied().unwrap_or_default(),
    );
    n
}

/// Mails and their threads, in the order of the file; a thread is an id that occurs.
pub(super) fn mails(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("emails.json") else {
        return Ok(());
    };
    let (people, emails) = (lookup(c, TableId::Employees), addresses(c));
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut threads, mut thread_names) = (BTreeMap::new(), Vec::new());
    let rows = &mut c.mails;
    for_each_row(log, TableId::Emails, path, text, |row| {
        row.id = row.text(&["email_id"])?.into();
        row.fresh(&mut seen, "email_id")?;
        if row.flatten("sender", "sender_") | row.flatten("recipient", "recipient_") {
            row.coerced("nested_participants");
        }
        let sender = participant(row, "sender", &people, &emails)?;
        let recipient = participant(row, "recipient", &people, &emails)?;
        let (at, zoned) = row.moment(&["date"])?;
        if !zoned {
            row.coerced("zone_assumed");
        }
        let thread: Box<str> = row.text(&["thread_id"])?;
        let high = word(row, "importance", &["Normal", "High"], 0) == 1;
        let category = word(row, "category", MAIL_CATEGORIES, 3);
        let next = row_no(thread_names.len());
        let thread = *threads.entry(thread.clone()).or_insert_with(|| {
            thread_names.push(thread);
            next
        });
        let mail = Mail {
            thread: ThreadNo(thread),
            sender,
            recipient,
            at,
            high,
            category: u8::try_from(category).unwrap_or(0),
            signer: sender,
            own: Some(Box::new(MailTexts {
                subject: row.blank(&["subject"]),
                body: row.blank(&["body"]),
                signature: row.blank(&["signature"]),
                notice: row.stated(&["confidentiality_notice"]),
            })),
        };
        row.keep_rest(row_no(rows.len()));
        names.push(row.id.as_str().into());
        rows.push(mail);
        Ok(())
    })?;
    c.threads = vec![Thread::default(); thread_names.len()];
    c.thread_ids = Ids::listed(thread_names);
    listed(c, TableId::Emails, names);
    Ok(())
}

/// Conversations from all files of the folder; older files have other names for the two people.
pub(super) fn conversations(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let people = lookup(c, TableId::Employees);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rows = Rows::new(TableId::Conversations);
    for (path, text) in tree.under("collaboration_tools", ".json") {
        for_each_row(log, TableId::Conversations, path, text, |row| {
            if row.flatten("metadata", "") {
                row.coerced("nested_metadata");
            }
            row.id = row.text(&["conversation_id", "id"])?.into();
            row.fresh(&mut seen, "conversation_id")?;
            let sender = row.key(&["sender_emp_id", "emp1_id", "github_author_id"], &people)?;
            let recipient = row.key(&["recipient_emp_id", "emp2_id", "employee_id"], &people)?;
            if sender == recipient {
                row.found("conversations_with_oneself");
            }
            let category = row.optional(&["category"]);
            let on = row.day(&["date", "conversation_date", "assigned_date"])?;
            let text = row.text(&["text", "conversation"])?;
            row.keep_rest(rows.count());
            names.push(row.id.as_str().into());
            rows.push(vec![
                Cell::number(sender),
                Cell::number(recipient),
                Cell::number(on.0),
                Cell::Text(Some(Text::Own(text))),
                Cell::Text(category),
            ]);
            Ok(())
        })?;
    }
    c.declare(rows);
    listed(c, TableId::Conversations, names);
    Ok(())
}

/// Posts; without an id they are numbered by position. A stated author who is not the person with
/// the id is corrected.
pub(super) fn posts(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("posts.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rows = Rows::new(TableId::Posts);
    let mut parents: Vec<Option<String>> = Vec::new();
    for_each_row(log, TableId::Posts, path, text, |row| {
        row.id = match row.take("post_id").and_then(|v| scalar_text(&v)) {
            Some(id) => id,
            None => {
                row.coerced("post_id_made");
                format!("post_{}", row.position())
            }
        };
        row.fresh(&mut seen, "post_id")?;
        let author = row.key(&["emp_id"], &people)?;
        if let Some(stated) = row.take("author") {
            let master = c.person_name(EmployeeNo(author));
            if stated.as_str() != Some(master.as_str()) {
                row.repaired("name_from_master", "author", &stated, &master);
            }
        }
        let dated = row.take_any(&["date"]);
        let on = dated.and_then(|v| v.as_str().and_then(crate::value::Day::parse));
        let cells = vec![
            Cell::Text(Some(Text::Own(row.text(&["Title"])?))),
            Cell::Text(Some(Text::Own(row.text(&["Post"])?))),
            Cell::number(author),
            Cell::Text(None),
            Cell::Number(on.map(|day| day.0.into())),
            Cell::Number(None),
        ];
        parents.push(row.take_any(&["parent_id"]).and_then(|v| scalar_text(&v)));
        row.keep_rest(rows.count());
        names.push(row.id.as_str().into());
        rows.push(cells);
        Ok(())
    })?;
    listed(c, TableId::Posts, names);
    let table = lookup(c, TableId::Posts);
    for (post, parent) in (0u32..).zip(parents) {
        let parent = parent.and_then(|p| table.find(&p));
        rows.set_number(post, "parent_id", parent.map(i64::from));
    }
    c.declare(rows);
    Ok(())
}

/// Questions and answers. Links are resolved last, because an answer may come before its question.
pub(super) fn overflow(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("overflow.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut links: Vec<(Option<String>, Option<String>, u32)> = Vec::new();
    let mut rows = Rows::new(TableId::Overflow);
    for_each_row(log, TableId::Overflow, path, text, |row| {
        row.id = row.whole(&["Id"])?.to_string();
        row.fresh(&mut seen, "Id")?;
        let question = row.whole(&["PostTypeId"])? == 1;
        let number = |row: &mut Row<'_>, field: &str| {
            row.take_any(&[field])
                .and_then(|v| whole_number(&v))
                .map(|n| n.to_string())
        };
        let (parent, accepted) = (number(row, "ParentId"), number(row, "AcceptedAnswerId"));
        let author = row.key(&["employee_id", "emp_id"], &people)?;
        row.take("employee_Name");
        let tags = match row.take("Tags") {
            Some(Value::Array(list)) => list
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", "),
            // `<python><sql>`, `python|sql` or `python, sql`.
            Some(Value::String(text)) => text
                .split(['<', '>', '|', ','])
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
            _ => String::new(),
        };
        let score: i32 = row.small("Score").unwrap_or(0);
        let views = row
            .take_any(&["ViewCount"])
            .and_then(|v| u32::try_from(whole_number(&v)?).ok());
        let title = row.optional(&["Title"]);
        let body = row.text(&["Body"])?;
        let created = row.moment(&["CreationDate"])?.0;
        links.push((parent, accepted, row.position()));
        row.keep_rest(rows.count());
        names.push(row.id.as_str().into());
        rows.push(vec![
            Cell::number(!question),
            Cell::Text(title),
            Cell::Text(Some(Text::Own(body))),
            Cell::Text(Some(Text::own(tags))),
            Cell::Number(None),
            Cell::Number(None),
            Cell::number(score),
            Cell::Number(views.map(i64::from)),
            Cell::number(created.0),
            Cell::number(author),
            Cell::Text(None),
        ]);
        Ok(())
    })?;
    let table = Lookup(Ids::listed(names.clone()));
    for ((post, (parent, accepted, position)), id) in (0u32..).zip(links).zip(&names) {
        for (field, target) in [("ParentId", parent), ("AcceptedAnswerId", accepted)] {
            let Some(target) = target else { continue };
            match table.find(&target) {
                Some(found) => rows.set_number(post, field, Some(found.into())),
                None => log.repairs.push(super::RowNote {
                    source: TableId::Overflow,
                    position,
                    id: id.to_string(),
                    rule: "dangling_post",
                    field: field.to_owned(),
                    before: target,
                    after: "null".to_owned(),
                }),
            }
        }
    }
    c.declare(rows);
    listed(c, TableId::Overflow, names);
    Ok(())
}
