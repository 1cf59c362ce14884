//! The repository file, which has one row per file with its issue inside.
//!
//! The published file repeats the metadata of a repository in each of its files. The first row of a
//! repository decides; its other files add only themselves.

use super::reader::{Row, for_each_row};
use super::report::Log;
use super::{ImportError, NativeTree, listed, lookup};
use crate::company::Company;
use crate::company::ids::{Form, Ids, Scheme};
use crate::row::{CodeFile, EmployeeNo, FileNo, Issue, Repository, RepositoryNo, Text};
use crate::source::TableId;
use crate::value::{Moment, row_no, scalar_text, whole_number};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

type Done = Result<(), ImportError>;

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

/// Splits each row into repository, file and issue. An issue without a readable date or with a used
/// id is quarantined, and its file stays.
pub(super) fn repositories(c: &mut Company, tree: &NativeTree, log: &mut Log) -> Done {
    let Some((path, text)) = tree.find("github.json") else {
        return Ok(());
    };
    let people = lookup(c, TableId::Employees);
    let mut numbers: BTreeMap<Box<str>, u32> = BTreeMap::new();
    let mut names: Vec<Box<str>> = Vec::new();
    let (mut paths, mut issue_names) = (BTreeSet::new(), Vec::<Box<str>>::new());
    let (mut issue_seen, mut issue_rows) = (BTreeSet::new(), 0u32);
    let (repositories, files, all_issues) = (&mut c.repositories, &mut c.files, &mut c.issues);
    for_each_row(log, TableId::Files, path, text, |row| {
        let name: Box<str> = row.text(&["repo_name"])?;
        let file_path = row.text(&["path", "file_path"])?;
        row.id = format!("{name}:{file_path}");
        row.fresh(&mut paths, "path")?;
        let owner = EmployeeNo(row.key(&["emp_id", "employee_id"], &people)?);
        let created = row.day(&["creation_date"])?;
        let repository = *numbers.entry(name.clone()).or_insert_with(|| {
            repositories.push(Repository {
                owner,
                license: row.optional(&["license"]),
                created,
                language: row.optional(&["language"]),
            });
            names.push(name);
            row_no(repositories.len() - 1)
        });
        let number = |row: &mut Row<'_>, field: &str| {
            row.take_any(&[field])
                .and_then(|v| u32::try_from(whole_number(&v)?).ok())
        };
        let found = issues(row);
        files.push(CodeFile {
            repository: RepositoryNo(repository),
            path: Text::Own(file_path),
            code: row.own(&["code", "content"]),
            hash: row.own(&["hash"]),
            size: number(row, "size"),
            copies: number(row, "copies").unwrap_or(0),
        });
        let file = row_no(files.len() - 1);
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
            all_issues.push(Issue {
                file: FileNo(file),
                title: text_of(&fields, "title").unwrap_or_else(|| Text::own("")),
                description: text_of(&fields, "description").unwrap_or_else(|| Text::own("")),
                closed: fields.get("status").and_then(Value::as_str) == Some("closed"),
                created: at,
                patch: text_of(&fields, "patch"),
            });
        }
        row.keep_rest(file);
        Ok(())
    })?;
    for source in [TableId::Repositories, TableId::Issues] {
        log.opened(source, path);
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
