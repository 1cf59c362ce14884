//! Export in the published file tree, so that scripts written for it can read a generated company.
//!
//! Native spellings are restored: strings for every scalar of an employee, currency and per cent
//! signs, day-first dates, the vendor's key, the issue inside the file row. Fields that an import
//! could not type are written back. Recorded data defects that concern spelling only (malformed
//! words, bare telephone numbers, missing issues) are applied here. One file is an addition:
//! `office.json` has the date of the office clock, so that an import of the tree gives the same
//! company.
//!
//! Importing an export gives a company that no tool can tell from the original, apart from data
//! defects of spelling, which the import repairs. Texts that were generated on demand are written
//! out, so an export is much larger than the company in memory.
//!
//! ```
//! use enterprise_sandbox::data::export::export;
//! use enterprise_sandbox::data::import::{ImportOptions, NativeTree, import};
//! use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
//! use std::collections::BTreeMap;
//! use std::ops::ControlFlow;
//!
//! let company = synthesise(&CompanyConfig::of(50, 7))?;
//! let mut files: BTreeMap<String, String> = BTreeMap::new();
//! let done = export(&company, &mut |path, piece| {
//!     files.entry(path.to_owned()).or_default().push_str(piece);
//!     ControlFlow::Continue(())
//! });
//! assert!(done.is_continue());
//! let tree: NativeTree = files.into_iter().collect();
//! let (again, report) = import(&tree, &ImportOptions::default())?;
//! assert_eq!(again.row_counts(), company.row_counts());
//! assert!(report.repairs.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::data::company::{Company, Defect};
use crate::data::import::csv_cell;
use crate::data::row::{ORDER_COUNT, ORDER_KINDS};
use crate::data::tables::{FieldType, SourceField, TableId};
use crate::data::value::{Cents, Day, Moment, scalar_text};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Data without a place in the published tree: the date of the office clock.
pub(crate) const CARD: &str = "office.json";

/// Writes the native tree piece by piece: `sink` gets a path and the next piece of that file's
/// text, and returns whether to continue. Files come one after the other, so a caller needs one
/// open file at a time.
///
/// Returning `Break` from the sink stops at once, for instance when a disk is full; the function
/// then returns `Break` too. Empty sources get no file.
pub fn export(c: &Company, sink: &mut dyn FnMut(&str, &str) -> ControlFlow<()>) -> ControlFlow<()> {
    let card = json!({"clock": c.clock});
    sink(CARD, &(sim_core::bytes::canonical_text(&card) + "\n"))?;
    let defects = Defects::new(c);
    for source in TableId::ALL {
        let Some(path) = source.file() else {
            continue;
        };
        if source.is_csv() {
            resumes(c, path, sink)?;
            continue;
        }
        for row in 0..c.rows(source) {
            sink(path, if row == 0 { "[\n" } else { ",\n" })?;
            let object = with_extras(c, source, row, native(c, &defects, source, row));
            let text = sim_core::bytes::canonical_text(&Value::Object(object));
            sink(path, &text)?;
        }
        if c.rows(source) > 0 {
            sink(path, "\n]\n")?;
        }
    }
    for row in 0..c.rows(TableId::PolicyDocuments) {
        if let Some(policy) = c.policies.get(row as usize) {
            let path = format!(
                "Policy_Documents/{}.txt",
                c.id(TableId::PolicyDocuments, row)
            );
            let text = policy.text();
            let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
            sink(
                &path,
                &format!("{title}\nlabel: {}\n{rest}\n", policy.label.show()),
            )?;
        }
    }
    ControlFlow::Continue(())
}

/// The native fields of an imported row that no declared field reads.
fn extras(c: &Company, source: TableId, row: u32) -> Map<String, Value> {
    let extra = c.extras.get(&(source, row));
    let read = extra.and_then(|extra| serde_json::from_str(extra).ok());
    read.unwrap_or_default()
}

/// A row with its native fields that no declared field reads.
fn with_extras(
    c: &Company,
    source: TableId,
    row: u32,
    mut of_fields: Map<String, Value>,
) -> Map<String, Value> {
    for (key, value) in extras(c, source, row) {
        of_fields.entry(key).or_insert(value);
    }
    of_fields
}

/// The CSV file of resumes, with one line of column names.
fn resumes(
    c: &Company,
    path: &str,
    sink: &mut dyn FnMut(&str, &str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if c.rows(TableId::Resumes) == 0 {
        return ControlFlow::Continue(());
    }
    let columns = "resume_id,emp_id,category,name,content,email,created_date,file_path".split(',');
    let rows = 0..c.rows(TableId::Resumes);
    let more = rows.clone().map(|row| extras(c, TableId::Resumes, row));
    let more: Vec<Map<String, Value>> = more.collect();
    // All rows of a table have the same columns, so a kept field of one row is a column of all.
    let other: BTreeSet<&str> = more
        .iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let columns: Vec<&str> = columns.chain(other).collect();
    let names: Vec<String> = columns.iter().map(|name| csv_cell(name)).collect();
    sink(path, &(names.join(",") + "\n"))?;
    for (row, more) in rows.zip(&more) {
        let cell = |column: &&str| {
            let value = more.get(*column).cloned();
            let value = value.unwrap_or_else(|| c.cell(TableId::Resumes, row, column));
            csv_cell(value.as_str().unwrap_or_default())
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        sink(path, &(cells.join(",") + "\n"))?;
    }
    ControlFlow::Continue(())
}

/// Rows whose spelling gets a defect.
struct Defects(BTreeSet<(Defect, String)>);

impl Defects {
    fn new(c: &Company) -> Self {
        let spelling = [
            Defect::MalformedEnum,
            Defect::IntegerPhone,
            Defect::NullIssue,
        ];
        let marks = c.marks().iter().filter(|m| spelling.contains(&m.defect));
        Self(marks.map(|m| (m.defect, m.id.clone())).collect())
    }

    fn strikes(&self, defect: Defect, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&(defect, id.to_owned()))
    }
}

/// The fields of a row under their native names, amounts with their signs.
fn fields(c: &Company, source: TableId, row: u32) -> Map<String, Value> {
    let spelled = |f: &SourceField| {
        let value = c.cell(source, row, f.name);
        match (f.sign, f.kind, Cents::from_value(&value)) {
            (Some(sign), FieldType::Whole(..), Some(_)) => format!("{value}{sign}").into(),
            (Some(sign), _, Some(amount)) => amount.priced(sign).into(),
            _ => value,
        }
    };
    let fields = source.fields().iter();
    let mut out: Map<String, Value> = fields
        .map(|f| (f.native_name().to_owned(), spelled(f)))
        .collect();
    if source.table().sparse {
        out.retain(|_, v| !v.is_null());
    }
    out
}

/// One row in its native form.
fn native(c: &Company, defects: &Defects, source: TableId, row: u32) -> Map<String, Value> {
    match source {
        TableId::Employees => return employee(c, row),
        TableId::Files => return file(c, defects, row),
        _ => {}
    }
    let get = |field: &str| c.cell(source, row, field);
    let mut out = fields(c, source, row);
    let mut put = |field: &str, value: Value| {
        out.insert(field.to_owned(), value);
    };
    match source {
        TableId::Emails => {
            let sent = c.column(source, "date")(row).map(|at| Moment(at).spaced());
            put(
                "date",
                sent.map_or(Value::Null, |at| format!("{at} IST").into()),
            );
            if defects.strikes(Defect::MalformedEnum, &c.id(source, row)) {
                let word = get("category");
                put(
                    "category",
                    format!("{}\n", word.as_str().unwrap_or_default()).into(),
                );
            }
        }
        TableId::Overflow => {
            // The file has a number in place of the word, under a name of its own.
            let question = get("post_type") == "question";
            out.remove("post_type");
            out.insert("PostTypeId".to_owned(), json!(if question { 1 } else { 2 }));
            let created = get("CreationDate");
            let created = format!("{}.000", created.as_str().unwrap_or_default());
            out.insert("CreationDate".to_owned(), created.into());
            if !question && get("Tags") == json!([]) {
                out.insert("Tags".to_owned(), Value::Null);
            }
        }
        TableId::Products => {
            let rating = get("rating").as_f64().map(|r| format!("{r:.1}"));
            // As the published product whose rating is not a number.
            put("rating", rating.unwrap_or_else(|| "|".to_owned()).into());
        }
        TableId::Customers => {
            for ((kind, _), n) in ORDER_KINDS.iter().zip(0u32..) {
                let path = c.cell(TableId::OrderDocuments, row * ORDER_COUNT + n, "path");
                put(&format!("{kind}_paths"), path);
            }
        }
        TableId::Clients if defects.strikes(Defect::IntegerPhone, &c.id(source, row)) => {
            let phone = get("phone_number");
            let number = phone.as_str().and_then(|t| t.parse::<i64>().ok());
            put("phone_number", number.map_or(phone, Value::from));
        }
        _ => {}
    }
    out
}

/// Every scalar as text, dates with the day first, `Present` for current staff.
fn employee(c: &Company, row: u32) -> Map<String, Value> {
    let native = |field: &SourceField| {
        let value = c.cell(TableId::Employees, row, field.name);
        match (field.name, field.kind) {
            ("reports_to" | "reportees", _) => value,
            ("skills", _) => c.skills_text(row).into(),
            (_, FieldType::Day) => match value.as_str().and_then(Day::parse) {
                Some(day) => day.day_first().into(),
                None => "Present".into(),
            },
            (_, FieldType::Flag) if value == true => "TRUE".into(),
            (_, FieldType::Flag) => "FALSE".into(),
            _ => scalar_text(&value).map_or(Value::Null, Value::from),
        }
    };
    let fields = TableId::Employees.fields().iter();
    fields.map(|f| (f.name.to_owned(), native(f))).collect()
}

/// A file row with the metadata of its repository and its issues.
fn file(c: &Company, defects: &Defects, row: u32) -> Map<String, Value> {
    let opened = c.column(TableId::Issues, "created_at");
    let issue = |row: &u32| {
        let mut issue = fields(c, TableId::Issues, *row);
        // It stands inside the row of its file.
        issue.retain(|name, _| !["repo_name", "path"].contains(&name.as_str()));
        let opened = opened(*row).map(|at| Moment(at).spaced());
        issue.insert("created_at".to_owned(), opened.into());
        Value::Object(with_extras(c, TableId::Issues, *row, issue))
    };
    let issues = c.index.of(TableId::Issues, "path", row).iter();
    let issues =
        issues.filter(|i| !defects.strikes(Defect::NullIssue, &c.id(TableId::Issues, **i)));
    // The published files have one object or null; only a file with several issues needs the list of older ones.
    let issues = match <[Value; 1]>::try_from(issues.map(issue).collect::<Vec<_>>()) {
        Ok([one]) => one,
        Err(several) if several.is_empty() => Value::Null,
        Err(several) => Value::Array(several),
    };
    let mut out = fields(c, TableId::Files, row);
    out.remove("file_id");
    let repository = c.link(TableId::Files, row, "repo_name").unwrap_or(0);
    out.extend(fields(c, TableId::Repositories, repository));
    let copies = c.cell(TableId::Files, row, "copies").to_string();
    out.insert("copies".to_owned(), copies.into());
    out.insert("issues".to_owned(), issues);
    out
}
