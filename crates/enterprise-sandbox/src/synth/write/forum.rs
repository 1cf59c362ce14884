//! Posts, and questions and answers about technical problems.

use super::profile::skill;
use super::{department, season};
use crate::company::Company;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::synth::phrases::{capital, fill, pick};

/// What a post is about; from a stream of its own, so that title and text agree.
fn post_thing(c: &Company, row: u32) -> &'static str {
    pick(
        &mut c.seed.stream("text.post.thing", u64::from(row)),
        "thing",
    )
}

/// A phrase for a post, with words of the author's department and skills.
fn post(c: &Company, row: u32, purpose: &str, list: &str) -> String {
    let author = c.link(TableId::Posts, row, "emp_id").unwrap_or_default();
    let mut s = c.seed.stream(purpose, u64::from(row));
    let text = fill(pick(&mut s, list), |slot| match slot {
        "thing" => post_thing(c, row).to_owned(),
        "department" => department(c, EmployeeNo(author)).to_owned(),
        "lesson" => pick(&mut s, "lesson").to_owned(),
        "skill" => skill(c, author, 0),
        _ => season(&mut s).to_owned(),
    });
    capital(&text)
}

/// Title of a post; it contains the post's number, so titles are unique.
pub(crate) fn post_title(c: &Company, row: u32) -> String {
    format!(
        "{} (No. {})",
        post(c, row, "text.post.title", "post.title"),
        row + 1
    )
}

/// Text of a post.
pub(crate) fn post_body(c: &Company, row: u32) -> String {
    post(c, row, "text.post.body", "post.body")
}

/// Tag and problem of a question, or of the question that an answer belongs to.
fn problem(c: &Company, row: u32) -> (&'static str, &'static str) {
    let question = c.link(TableId::Overflow, row, "ParentId").unwrap_or(row);
    let mut s = c.seed.stream("text.problem", u64::from(question));
    (
        pick(&mut s, "overflow.tag"),
        pick(&mut s, "overflow.problem"),
    )
}

/// A phrase for a question or answer, about the problem of its question.
fn overflow(c: &Company, row: u32, purpose: &str, list: &str) -> String {
    let (tag, problem) = problem(c, row);
    let mut s = c.seed.stream(purpose, u64::from(row));
    let text = fill(pick(&mut s, list), |slot| match slot {
        "tag" => tag.to_owned(),
        "problem" => problem.to_owned(),
        _ => (s.between(2, 400) * 5).to_string(),
    });
    capital(&text)
}

/// Title of a question.
pub(crate) fn overflow_title(c: &Company, row: u32) -> String {
    overflow(c, row, "text.question.title", "overflow.title")
}

/// Whether a row is a question.
fn is_question(c: &Company, row: u32) -> bool {
    c.column(TableId::Overflow, "post_type")(row) == Some(0)
}

/// Body of a question or an answer.
pub(crate) fn overflow_body(c: &Company, row: u32) -> String {
    let list = if is_question(c, row) {
        "overflow.question"
    } else {
        "overflow.answer"
    };
    overflow(c, row, "text.overflow.body", list)
}

/// Tags of a question.
pub(crate) fn overflow_tags(c: &Company, row: u32) -> String {
    if !is_question(c, row) {
        return String::new();
    }
    let (first, _) = problem(c, row);
    let mut s = c.seed.stream("text.tags", u64::from(row));
    let second = pick(&mut s, "overflow.tag");
    if second == first {
        first.to_owned()
    } else {
        format!("{first}, {second}")
    }
}
