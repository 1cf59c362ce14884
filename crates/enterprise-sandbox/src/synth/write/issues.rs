//! Source files, issues with their patches, and tickets.

use super::{department, given};
use crate::company::Company;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::synth::code;
use crate::synth::phrases::{capital, fill, pick};
use crate::value::Day;

/// Licence of a repository.
pub(crate) fn license(c: &Company, row: u32) -> String {
    pick(
        &mut c.seed.stream("text.license", u64::from(row)),
        "license",
    )
    .to_owned()
}

/// Path of a file.
pub(crate) fn file_path(c: &Company, row: u32) -> String {
    code::plan(c, row).path
}

/// Text of a file: repaired when its issue is closed.
pub(crate) fn file_text(c: &Company, row: u32) -> String {
    // A closed issue was repaired, so its file has the right text; the file of an open one has the
    // fault.
    let closed = c
        .issues
        .get(row as usize)
        .is_some_and(|i| i.closed && i.file.0 == row);
    code::plan(c, row).text(closed)
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn hash_of(text: &str) -> String {
    sim_core::Digest::of_bytes(text.as_bytes()).to_string()
}

fn issue_file(c: &Company, row: u32) -> u32 {
    c.issues.get(row as usize).map_or(row, |i| i.file.0)
}

/// Title of an issue.
pub(crate) fn issue_title(c: &Company, row: u32) -> String {
    let file = issue_file(c, row);
    let plan = code::plan(c, file);
    let module = plan.path.rsplit('/').next().unwrap_or_default();
    capital(&format!("{} ({module})", plan.symptom()))
}

/// Description of an issue.
pub(crate) fn issue_description(c: &Company, row: u32) -> String {
    let plan = code::plan(c, issue_file(c, row));
    format!(
        "`{}` should be a function that does this: {}. What we see instead: {}. The file is {}.",
        plan.name(),
        plan.purpose(),
        plan.symptom(),
        plan.path
    )
}

/// The patch that closed an issue.
pub(crate) fn issue_patch(c: &Company, row: u32) -> String {
    code::plan(c, issue_file(c, row)).patch()
}

/// The people and the day of a ticket.
struct Ticket {
    raiser: EmployeeNo,
    handler: EmployeeNo,
    on: Day,
}

impl Ticket {
    fn of(c: &Company, row: u32) -> Self {
        let link = |field| EmployeeNo(c.link(TableId::Tickets, row, field).unwrap_or_default());
        Self {
            raiser: link("raised_by_emp_id"),
            handler: link("emp_id"),
            on: c.dated(TableId::Tickets, row).unwrap_or(c.clock),
        }
    }
}

/// The problem of a ticket.
pub(crate) fn ticket_issue(c: &Company, row: u32) -> String {
    let t = Ticket::of(c, row);
    let mut s = c.seed.stream("text.ticket", u64::from(row));
    let text = fill(pick(&mut s, "ticket.issue"), |slot| match slot {
        "name" => c.person_name(t.raiser),
        "department" => department(c, t.raiser).to_owned(),
        "trouble" => pick(&mut s, "trouble").to_owned(),
        "day" => t.on.plus(-s.between(0, 5)).to_string(),
        _ => s.between(2, 12).to_string(),
    });
    capital(&text)
}

/// The solution of a ticket.
pub(crate) fn ticket_resolution(c: &Company, row: u32) -> String {
    let t = Ticket::of(c, row);
    let mut s = c.seed.stream("text.resolution", u64::from(row));
    fill(pick(&mut s, "ticket.resolution"), |slot| match slot {
        "name" => given(c, t.raiser),
        "handler" => c.person_name(t.handler),
        _ => t.on.plus(s.between(0, 6)).to_string(),
    })
}
