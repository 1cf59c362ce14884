//! Employees and curricula.
//!
//! Managers are set after all people are read, since a row may name a manager further down.
//! `reportees` is derived from the managers and only compared with the file. The company's mail
//! domain is the most frequent one among the addresses.

use super::reader::{Row, for_each_row, take_row};
use super::report::Log;
use super::{ImportError, MOST_ROWS, NativeTree, csv, listed, lookup};
use crate::company::Company;
use crate::company::rows::{Cell, Rows};
use crate::org::{Department, parse_level_code};
use crate::row::{Employee, EmployeeNo, LEAVES, Text};
use crate::source::TableId;
use crate::value::Day;
use petgraph::unionfind::UnionFind;
use serde_json::{Map, Value};
use sim_core::strict::MOST_STORED_VALUES;
use std::collections::{BTreeMap, BTreeSet};

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
    let people = &mut c.employees;
    for_each_row(log, TableId::Employees, path, text, |row| {
        row.id = row.text(&["emp_id"])?.into();
        row.fresh(&mut seen, "emp_id")?;
        let employee = employee(row)?;
        let at = crate::value::row_no(people.len());
        managers.push((
            row.position(),
            row.take("reports_to").unwrap_or(Value::Null),
        ));
        reportees.push(row.take("reportees").unwrap_or(Value::Null));
        // `Total Leaves Taken` is derived; a stated total that differs is repaired.
        let taken: i64 = employee
            .leave_total
            .iter()
            .zip(employee.leave_left)
            .map(|(t, l)| i64::from(*t) - i64::from(l))
            .sum();
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
    listed(c, TableId::Employees, names);
    reporting(c, log, &managers, &reportees);
    c.domain = domain(c);
    Ok(())
}

/// One employee. Of the level code only the number counts if the department is stated; a department
/// that cannot be read is taken from the code.
fn employee(row: &mut Row<'_>) -> Result<Employee, super::reader::Unusable> {
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
    let mut leaves = [[0u8; 3]; 2];
    for (kind, days) in ["Total", "Remaining"].iter().zip(leaves.iter_mut()) {
        for (name, day) in LEAVES.iter().zip(days) {
            *day = row.small(&format!("{kind} {name} Leaves"))?;
        }
    }
    let [leave_total, leave_left] = leaves;
    let valid = match row.take("is_valid") {
        Some(Value::Bool(b)) => b,
        Some(Value::String(word)) => {
            row.coerced("truth_word");
            word.eq_ignore_ascii_case("true")
        }
        _ => true,
    };
    Ok(Employee {
        name,
        email,
        department,
        level,
        manager: None,
        joined,
        left,
        salary: row.small("Salary")?,
        leave_total,
        leave_left,
        age: row.small("Age")?,
        rating: row.small("Performance Rating")?,
        marital: row.own(&["Marital Status"]),
        gender: row.own(&["Gender"]),
        valid,
        skills: row.own(&["skills"]),
        description: row.own(&["description"]),
        experience: row.own(&["Experience"]),
    })
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
                if let Some(e) = c.employees.get_mut(row as usize) {
                    e.manager = Some(EmployeeNo(m));
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
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for e in &c.employees {
        if let Some((_, domain)) = e.email.rsplit_once('@') {
            *counts.entry(domain).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or("", |(d, _)| d)
        .into()
}

/// The CSV file of resumes; a row of an unknown person is quarantined.
pub(super) fn resumes(
    c: &mut Company,
    tree: &NativeTree,
    log: &mut Log,
) -> Result<(), ImportError> {
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
        let cells = vec![
            Cell::number(subject),
            Cell::Text(name),
            Cell::Text(blank(row.optional(&["email"]))),
            Cell::Text(Some(row.own(&["category"]))),
            Cell::number(row.day(&["created_date"])?.0),
            Cell::Text(Some(row.own(&["content"]))),
            Cell::Text(Some(row.own(&["file_path"]))),
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
