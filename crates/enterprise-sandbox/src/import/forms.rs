//! Files that have forms of their own: people and curricula, talk, code, customers, documents.

use super::reader::{Read, Row, for_each_row, take_row};
use super::report::Log;
use super::{ImportError, Lookup, MOST_ROWS, NativeTree, csv, declared, listed, lookup};
use crate::company::Company;
use crate::company::ids::{Form, Ids, Scheme};
use crate::company::rows::{Cell, Rows};
use crate::export::CARD;
use crate::org::{Department, parse_level_code};
use crate::row::{
    EmployeeNo, LEAVES, ORDER_KINDS, PolicyRow, ReaderLabel, SectionRow, Text, Topic,
};
use crate::source::{FieldType, TableId};
use crate::value::{Day, Moment, row_no, scalar_text, whole_number};
use petgraph::unionfind::UnionFind;
use serde::Deserialize;
use serde_json::{Map, Value};
use sim_core::strict::MOST_STORED_VALUES;
use std::collections::{BTreeMap, BTreeSet};

/// The rows of a table that links to people, and to tables before it.
pub(super) fn rows(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
    source: TableId,
) -> Result<(), ImportError> {
    match source {
        TableId::Resumes => resumes(c, tree, log),
        TableId::Emails => mails(c, tree, log),
        TableId::Conversations => conversations(c, tree, log),
        TableId::Posts => posts(c, tree, log),
        TableId::Overflow => overflow(c, tree, log),
        // With its files and issues.
        TableId::Repositories => repositories(c, tree, log),
        TableId::PolicyDocuments => policies(c, tree, log),
        TableId::Files | TableId::Issues => Ok(()),
        // Other tables need them, so they are there.
        TableId::Employees | TableId::Customers | TableId::OrderDocuments => Ok(()),
        _ => declared::rows(c, tree, log, source, &mut |_, _| {}),
    }
}

// ---------------------------------------------------------------- people
//
// Employees and curricula.
//
// Managers are set after all people are read, since a row may name a manager further down.
// `reportees` is derived from the managers and only compared with the file. The company's mail
// domain is the most frequent one among the addresses.

/// The employees with their managers; without this file there is no import.
pub(super) fn employees(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
) -> Result<(), ImportError> {
    let (path, text) = tree
        .find("employees/employees.json")
        .ok_or(ImportError::NoEmployees)?;
    let mut names: Vec<Box<str>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut managers: Vec<(u32, Value)> = Vec::new();
    let mut reportees: Vec<Value> = Vec::new();
    let mut people = Rows::new(TableId::Employees);
    for_each_row(log, TableId::Employees, path, text, |row| {
        row.id = row.text(&["emp_id"])?.into();
        row.fresh(&mut seen, "emp_id")?;
        let (employee, taken) = employee(row)?;
        let at = people.count();
        managers.push((
            row.position(),
            row.take("reports_to").unwrap_or(Value::Null),
        ));
        reportees.push(row.take("reportees").unwrap_or(Value::Null));
        // `Total Leaves Taken` is derived; a stated total that differs is repaired.
        if let Some(stated) = row.take("Total Leaves Taken")
            && crate::value::whole_number(&stated) != Some(taken)
        {
            let (field, after) = ("Total Leaves Taken", taken.to_string());
            row.repaired("leave_sum_recomputed", field, &stated, &after);
        }
        row.keep_rest(at);
        names.push(row.id.as_str().into());
        people.push(employee);
        Ok(())
    })?;
    c.declare(people);
    listed(c, TableId::Employees, names);
    reporting(c, log, &managers, &reportees);
    c.domain = domain(c);
    Ok(())
}

/// One employee. Of the level code only the number counts if the department is stated; a department
/// that cannot be read is taken from the code. Also the days of leave that were taken.
fn employee(row: &mut Row<'_>) -> Read<(Vec<(&'static str, Cell)>, i64)> {
    let name = row.text(&["Name", "name"])?;
    let email = row.text(&["email"])?;
    let code = row.text(&["Level"])?;
    let category = row.text(&["category"])?;
    let Some((of_level, level)) = parse_level_code(&code) else {
        return Err(Row::unusable(
            "level_unreadable",
            "Level",
            &Value::from(&*code),
        ));
    };
    let department = match Department::parse(&category) {
        Some(d) => d,
        None => {
            row.repaired(
                "department_from_level",
                "category",
                &Value::from(&*category),
                of_level.name(),
            );
            of_level
        }
    };
    // Some rows have an outdated copy of the department; it stays with the native fields if it
    // differs.
    if row
        .take("Description")
        .is_some_and(|v| v.as_str() != Some(&*category))
    {
        row.found("stale_description");
    }
    let joined = row.day(&["DOJ"])?;
    let left = match row.take("DOL") {
        Some(Value::String(text)) if text == "Present" || text.is_empty() => None,
        Some(Value::String(text)) => match Day::parse(&text) {
            Some(day) => Some(day),
            None => return Err(Row::unusable("date_unreadable", "DOL", &Value::from(text))),
        },
        _ => None,
    };
    let mut cells = Vec::new();
    let mut taken = 0;
    for (kind, sign) in [("Total", 1), ("Remaining", -1)] {
        for name in LEAVES {
            let field = format!("{kind} {name} Leaves");
            let days: u8 = row.small(&field)?;
            taken += sign * i64::from(days);
            cells.extend(
                TableId::Employees
                    .field(&field)
                    .map(|f| (f.name, Cell::number(days))),
            );
        }
    }
    let valid = match row.take("is_valid") {
        Some(Value::Bool(b)) => b,
        Some(Value::String(word)) => {
            row.coerced("truth_word");
            word.eq_ignore_ascii_case("true")
        }
        _ => true,
    };
    let (salary, age): (u32, u8) = (row.small("Salary")?, row.small("Age")?);
    let rating: u8 = row.small("Performance Rating")?;
    let texts = [
        "skills",
        "description",
        "Experience",
        "Marital Status",
        "Gender",
    ];
    cells.extend(texts.map(|field| (field, Cell::text(row.blank(&[field])))));
    cells.extend([
        ("Name", Cell::text(name)),
        ("email", Cell::text(email)),
        ("category", Cell::number(department as u32)),
        ("Level", Cell::number(level)),
        ("DOJ", Cell::number(joined.0)),
        ("is_valid", Cell::number(valid)),
        ("DOL", Cell::Number(left.map(|day| day.0.into()))),
        ("Salary", Cell::number(salary)),
        ("Age", Cell::number(age)),
        ("Performance Rating", Cell::number(rating)),
    ]);
    Ok((cells, taken))
}

/// Sets managers, removes dangling and circular edges, and compares them with the stated reports.
fn reporting(c: &mut Company, log: &mut Log, managers: &[(u32, Value)], reportees: &[Value]) {
    let table = lookup(c, TableId::Employees);
    let ids: Vec<String> = (0..c.rows(TableId::Employees))
        .map(|r| c.id(TableId::Employees, r))
        .collect();
    // The trees of the managers set so far. `row` has no manager yet, so it is the root of its tree, and
    // an edge to a manager in the same tree would close a cycle.
    let mut trees = UnionFind::<u32>::new(ids.len());
    let mut stated: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (row, (position, manager)) in (0u32..).zip(managers) {
        let Some(id) = manager.as_str().filter(|id| !id.is_empty()) else {
            continue;
        };
        let known = table.find(id);
        match known.filter(|m| trees.union(row, *m)) {
            Some(m) => {
                if let Some(people) = c.declared_mut(TableId::Employees) {
                    people.set_number(row, "reports_to", Some(m.into()));
                }
                let own = ids.get(row as usize).cloned().unwrap_or_default();
                stated.entry(m).or_default().insert(own);
            }
            None => {
                let rule = if known.is_some() {
                    "reporting_cycle"
                } else {
                    "dangling_manager"
                };
                log.repairs.push(super::RowNote {
                    source: TableId::Employees,
                    position: *position,
                    id: ids.get(row as usize).cloned().unwrap_or_default(),
                    rule,
                    field: "reports_to".to_owned(),
                    before: id.to_owned(),
                    after: "null".to_owned(),
                });
            }
        }
    }
    for (row, (value, (position, _))) in (0u32..).zip(reportees.iter().zip(managers)) {
        let native: BTreeSet<String> = value
            .as_array()
            .map(|a| {
                a.iter()
                    .filter_map(|v| v.as_str().map(str::to_owned))
                    .collect()
            })
            .unwrap_or_default();
        let derived = stated.remove(&row).unwrap_or_default();
        if native != derived {
            log.repairs.push(super::RowNote {
                source: TableId::Employees,
                position: *position,
                id: ids.get(row as usize).cloned().unwrap_or_default(),
                rule: "reportees_recomputed",
                field: "reportees".to_owned(),
                before: format!("{} stated", native.len()),
                after: format!("{} derived", derived.len()),
            });
        }
    }
}

/// The most frequent mail domain.
fn domain(c: &Company) -> Box<str> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for row in 0..c.rows(TableId::Employees) {
        let email = c.shown(TableId::Employees, row, "email");
        if let Some((_, domain)) = email.rsplit_once('@') {
            *counts.entry(domain.to_owned()).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, n)| *n);
    most.map(|(domain, _)| domain).unwrap_or_default().into()
}

/// The CSV file of resumes; a row of an unknown person is quarantined.
fn resumes(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Result<(), ImportError> {
    let Some((path, text)) = tree.find("resume/resume_information.csv") else {
        return Ok(());
    };
    log.opened(TableId::Resumes, path);
    let records = csv::records(text, MOST_STORED_VALUES);
    let records = records.ok_or_else(|| ImportError::TooManyCells {
        path: path.to_owned(),
        most: MOST_STORED_VALUES,
    })?;
    if records.len() > MOST_ROWS as usize {
        return Err(ImportError::TooManyRows {
            path: path.to_owned(),
            most: MOST_ROWS,
        });
    }
    let mut records = records.into_iter();
    let header = records.next().unwrap_or_default();
    let table = lookup(c, TableId::Employees);
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let mut rows = Rows::new(TableId::Resumes);
    let mut each = |row: &mut Row<'_>| {
        row.id = row.text(&["resume_id"])?.into();
        row.fresh(&mut seen, "resume_id")?;
        let blank = |text: Option<Text>| text.filter(|t| *t != Text::own(""));
        let subject = row.key(&["emp_id"], &table)?;
        let name = blank(row.optional(&["name"]));
        let nameless = name.is_none();
        let cells = [
            ("emp_id", Cell::number(subject)),
            ("name", Cell::Text(name)),
            ("email", Cell::Text(blank(row.optional(&["email"])))),
            ("category", Cell::text(row.blank(&["category"]))),
            ("created_date", Cell::number(row.day(&["created_date"])?.0)),
            ("content", Cell::text(row.blank(&["content"]))),
            ("file_path", Cell::text(row.blank(&["file_path"]))),
        ];
        if nameless {
            row.found("resume_without_name");
        }
        row.keep_rest(rows.count());
        names.push(row.id.as_str().into());
        rows.push(cells);
        Ok(())
    };
    for record in records {
        let fields: Map<String, Value> = header
            .iter()
            .cloned()
            .zip(record.into_iter().map(|cell| Value::from(csv::meant(cell))))
            .collect();
        take_row(log, TableId::Resumes, fields, &mut each);
    }
    c.declare(rows);
    listed(c, TableId::Resumes, names);
    Ok(())
}

// ---------------------------------------------------------------- talk
//
// Mails, conversations, posts and overflow posts, in their older and newer forms.

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
    for row in 0..c.rows(TableId::Employees) {
        let email = c.shown(TableId::Employees, row, "email");
        out.entry(email.to_lowercase())
            .and_modify(|r| *r = None)
            .or_insert(Some(row));
    }
    out
}

/// One of a few words; a malformed one is trimmed, an unknown one replaced.
fn word(row: &mut Row<'_>, field: &str, default: &str) -> Cell {
    let known = match TableId::Emails.field(field).map(|f| f.kind) {
        Some(FieldType::Choice(words)) => words,
        _ => &[],
    };
    let value = row.take(field).unwrap_or(Value::Null);
    let text = value.as_str().unwrap_or_default();
    let place = |t: &str| known.iter().position(|k| k.eq_ignore_ascii_case(t));
    if let Some(n) = place(text) {
        return Cell::number(row_no(n));
    }
    let trimmed = text
        .split(['\n', '\r'])
        .map(str::trim)
        .find(|t| !t.is_empty())
        .unwrap_or("");
    let (rule, n) = match place(trimmed) {
        Some(n) => ("word_trimmed", n),
        None => ("word_unknown", place(default).unwrap_or(0)),
    };
    let after = known.get(n).copied().unwrap_or_default();
    row.repaired(rule, field, &value, after);
    Cell::number(row_no(n))
}

/// Mails and their threads, in the order of the file; a thread is an id that occurs.
fn mails(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("emails.json") else {
        return Ok(());
    };
    let (people, emails) = (lookup(c, TableId::Employees), addresses(c));
    let (mut names, mut seen) = (Vec::new(), BTreeSet::new());
    let (mut threads, mut thread_names) = (BTreeMap::new(), Vec::new());
    let mut rows = Rows::new(TableId::Emails);
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
        let importance = word(row, "importance", "Normal");
        let category = word(row, "category", "GENERAL");
        let next = row_no(thread_names.len());
        let thread = *threads.entry(thread.clone()).or_insert_with(|| {
            thread_names.push(thread);
            next
        });
        let cells = [
            ("thread_id", Cell::number(thread)),
            ("date", Cell::number(at.0)),
            ("sender_emp_id", Cell::number(sender.0)),
            ("recipient_emp_id", Cell::number(recipient.0)),
            ("subject", Cell::text(row.blank(&["subject"]))),
            ("body", Cell::text(row.blank(&["body"]))),
            ("importance", importance),
            ("category", category),
            ("signature", Cell::text(row.blank(&["signature"]))),
            (
                "confidentiality_notice",
                Cell::Text(row.optional(&["confidentiality_notice"])),
            ),
        ];
        row.keep_rest(rows.count());
        names.push(row.id.as_str().into());
        rows.push(cells);
        Ok(())
    })?;
    c.declare(rows);
    c.threads = vec![Topic::default(); thread_names.len()];
    c.thread_ids = Ids::listed(thread_names);
    listed(c, TableId::Emails, names);
    Ok(())
}

/// Conversations from all files of the folder; older files have other names for the two people.
fn conversations(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
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
            rows.push([
                ("sender_emp_id", Cell::number(sender)),
                ("recipient_emp_id", Cell::number(recipient)),
                ("date", Cell::number(on.0)),
                ("text", Cell::text(text)),
                ("category", Cell::Text(category)),
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
fn posts(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
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
        let cells = [
            ("Title", Cell::text(row.text(&["Title"])?)),
            ("Post", Cell::text(row.text(&["Post"])?)),
            ("emp_id", Cell::number(author)),
            ("date", Cell::Number(on.map(|day| day.0.into()))),
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
fn overflow(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
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
        rows.push([
            ("post_type", Cell::number(!question)),
            ("Title", Cell::Text(title)),
            ("Body", Cell::text(body)),
            ("Tags", Cell::text(tags)),
            ("Score", Cell::number(score)),
            ("ViewCount", Cell::Number(views.map(i64::from))),
            ("CreationDate", Cell::number(created.0)),
            ("employee_id", Cell::number(author)),
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

// ---------------------------------------------------------------- code
//
// The repository file, which has one row per file with its issue inside.
//
// The published file repeats the metadata of a repository in each of its files. The first row of a
// repository decides; its other files add only themselves.

/// The issue of a file row: an object, a list of objects (older), or null.
fn issues(row: &mut Row<'_>) -> Vec<Map<String, Value>> {
    let found: Vec<Map<String, Value>> = match row.take("issues") {
        Some(Value::Object(one)) => vec![one],
        Some(Value::Array(list)) => {
            row.coerced("issue_list");
            list.into_iter()
                .filter_map(|v| match v {
                    Value::Object(o) => Some(o),
                    _ => None,
                })
                .collect()
        }
        _ => Vec::new(),
    };
    if found.is_empty() {
        row.found("files_without_issue");
    }
    found
}

fn text_of(fields: &Map<String, Value>, name: &str) -> Option<Text> {
    fields.get(name).and_then(scalar_text).map(Text::own)
}

/// A text, empty if it is missing.
fn own_of(fields: &Map<String, Value>, name: &str) -> Cell {
    Cell::text(fields.get(name).and_then(scalar_text).unwrap_or_default())
}

/// Splits each row into repository, file and issue. An issue without a readable date or with a used
/// id is quarantined, and its file stays.
fn repositories(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("github.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let mut numbers: BTreeMap<Box<str>, u32> = BTreeMap::new();
    let mut names: Vec<Box<str>> = Vec::new();
    let (mut paths, mut issue_names) = (BTreeSet::new(), Vec::<Box<str>>::new());
    let (mut issue_seen, mut issue_rows) = (BTreeSet::new(), 0u32);
    let [mut repositories, mut files, mut all_issues] =
        [TableId::Repositories, TableId::Files, TableId::Issues].map(Rows::new);
    for_each_row(log, TableId::Files, path, text, |row| {
        let name: Box<str> = row.text(&["repo_name"])?;
        let file_path = row.text(&["path", "file_path"])?;
        row.id = format!("{name}:{file_path}");
        row.fresh(&mut paths, "path")?;
        let owner = row.key(&["emp_id", "employee_id"], &people)?;
        let created = row.day(&["creation_date"])?;
        let repository = *numbers.entry(name.clone()).or_insert_with(|| {
            repositories.push([
                ("emp_id", Cell::number(owner)),
                ("license", Cell::Text(row.optional(&["license"]))),
                ("creation_date", Cell::number(created.0)),
                ("language", Cell::Text(row.optional(&["language"]))),
            ]);
            names.push(name);
            repositories.count() - 1
        });
        let number = |row: &mut Row<'_>, field: &str| {
            row.take_any(&[field])
                .and_then(|v| u32::try_from(whole_number(&v)?).ok())
        };
        let found = issues(row);
        let file = files.count();
        files.push([
            ("repo_name", Cell::number(repository)),
            ("path", Cell::text(file_path)),
            ("content", Cell::text(row.blank(&["code", "content"]))),
            ("size", Cell::Number(number(row, "size").map(i64::from))),
            ("hash", Cell::text(row.blank(&["hash"]))),
            ("copies", Cell::number(number(row, "copies").unwrap_or(0))),
        ]);
        for fields in found {
            issue_rows += 1;
            let id = fields.get("id").and_then(scalar_text).unwrap_or_default();
            let moment = fields
                .get("created_at")
                .and_then(Value::as_str)
                .and_then(Moment::parse);
            let (Some((at, _)), true) = (moment, issue_seen.insert(id.clone())) else {
                let id = fields.get("id").and_then(scalar_text).unwrap_or_default();
                row.set_aside(TableId::Issues, id, "date_or_id_unusable", "created_at");
                continue;
            };
            issue_names.push(id.into());
            all_issues.push([
                ("repo_name", Cell::number(repository)),
                ("path", Cell::number(file)),
                ("title", own_of(&fields, "title")),
                ("description", own_of(&fields, "description")),
                (
                    "status",
                    Cell::number(fields.get("status").and_then(Value::as_str) == Some("closed")),
                ),
                ("created_at", Cell::number(at.0)),
                ("patch", Cell::Text(text_of(&fields, "patch"))),
            ]);
        }
        row.keep_rest(file);
        Ok(())
    })?;
    for source in [TableId::Repositories, TableId::Issues] {
        log.opened(source, path);
    }
    for rows in [repositories, files, all_issues] {
        c.declare(rows);
    }
    log.rows.insert(TableId::Issues, issue_rows);
    log.rows.insert(TableId::Repositories, row_no(names.len()));
    listed(c, TableId::Repositories, names);
    if issue_names.iter().all(|n| n.is_empty()) {
        let scheme = Scheme::new(c.seed.child("id.issues", 0), Form::Uuid);
        c.ids.insert(TableId::Issues, Ids::Made(scheme));
    } else {
        listed(c, TableId::Issues, issue_names);
    }
    Ok(())
}

// ---------------------------------------------------------------- trade
//
// Customers.

/// Customers with the paths of their documents.
pub(super) fn customers(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let mut papers = Rows::new(TableId::OrderDocuments);
    declared::rows(c, tree, log, TableId::Customers, &mut |row, customer| {
        for (kind, _) in ORDER_KINDS {
            let mut path = Text::Made;
            if let Some(Value::String(stated)) = row.take(&format!("{kind}_paths")) {
                // The files name a folder that does not exist; the documents are in the customers' folder.
                path = Text::own(match stated.strip_prefix("Financial System/") {
                    Some(rest) => {
                        row.coerced("order_path_mapped");
                        format!("Customer_Relation_Management/{rest}")
                    }
                    None => stated,
                });
            }
            let made = || Cell::Text(Some(Text::Made));
            papers.push([
                ("kind", made()),
                ("customer_id", Cell::number(customer)),
                ("path", Cell::Text(Some(path))),
                ("text", made()),
            ]);
        }
    })?;
    c.declare(papers);
    Ok(())
}

// ---------------------------------------------------------------- docs
//
// `office.json`, and policy documents as text. The published ones are PDF exports; a user who has
// their text passes it as `.txt`: the title, an optional `label:` line, `1. Heading`, `1.1 rule`.
//
// A label names a department or `level>=12`; without one, all active staff may read the document.

/// Data without a place in the published tree.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Card {
    pub(super) clock: Option<Day>,
}

/// The date of the office clock, if the tree was exported by this crate.
pub(super) fn card(tree: &NativeTree) -> Result<Card, ImportError> {
    let Some((path, text)) = tree.find(CARD) else {
        return Ok(Card::default());
    };
    serde_json::from_str(text).map_err(|e| ImportError::NotACard {
        path: path.to_owned(),
        message: e.to_string(),
    })
}

/// Longest policy document \[bytes\]. A line takes several times the memory of its text.
const LONGEST_POLICY: usize = 1 << 24;

/// Every text file in the folder of policy documents; the file name is the id.
fn policies(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Result<(), ImportError> {
    let mut ids: Vec<Box<str>> = Vec::new();
    for (path, text) in tree.under("policy_documents", ".txt") {
        if text.len() > LONGEST_POLICY {
            return Err(ImportError::TooLong {
                path: path.to_owned(),
                most: LONGEST_POLICY,
            });
        }
        log.opened(TableId::PolicyDocuments, path);
        *log.rows.entry(TableId::PolicyDocuments).or_default() += 1;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        ids.push(file.trim_end_matches(".txt").into());
        c.policies.push(policy(text));
    }
    c.declare(Rows::made(TableId::PolicyDocuments, row_no(ids.len())));
    listed(c, TableId::PolicyDocuments, ids);
    Ok(())
}

/// One document. Lines that are not numbered are rules of the section above them.
fn policy(text: &str) -> PolicyRow {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let mut policy = PolicyRow {
        title: lines.next().unwrap_or_default().into(),
        label: ReaderLabel::All,
        sections: Vec::new(),
    };
    for line in lines {
        if let Some(label) = line.strip_prefix("label:") {
            policy.label = read_label(label.trim());
            continue;
        }
        let (number, rest) = line.split_once(' ').unwrap_or(("", line));
        let numbered = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        let rule = number
            .split_once('.')
            .is_some_and(|(a, b)| numbered(a) && numbered(b));
        if !rule && number.strip_suffix('.').is_some_and(numbered) {
            policy.sections.push(SectionRow {
                heading: rest.into(),
                rules: Vec::new(),
            });
            continue;
        }
        let said = if rule { rest } else { line };
        if policy.sections.is_empty() {
            policy.sections.push(SectionRow {
                heading: "Text".into(),
                rules: Vec::new(),
            });
        }
        if let Some(section) = policy.sections.last_mut() {
            section.rules.push(said.into());
        }
    }
    policy
}

fn read_label(text: &str) -> ReaderLabel {
    match text.strip_prefix("level>=").and_then(|l| l.parse().ok()) {
        Some(level) => ReaderLabel::Level(level),
        None => Department::parse(text).map_or(ReaderLabel::All, ReaderLabel::Department),
    }
}
