//! Texts about a person: skills, profile, work history, resume.

use super::{department, person};
use crate::company::Company;
use crate::org::Rank;
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::synth::phrases::{fill, phrases, pick};

/// Skills of a person, separated by commas.
pub(crate) fn skills(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.skills", u64::from(row));
    let list = phrases(&format!("skills.{}", department(c, EmployeeNo(row))));
    let mut order: Vec<&str> = list.to_vec();
    s.shuffle(&mut order);
    let count = 4 + s.index(3);
    order.into_iter().take(count).collect::<Vec<_>>().join(", ")
}

/// The skill number `n` of a person, counted round.
pub(super) fn skill(c: &Company, row: u32, n: usize) -> String {
    let all = c.skills_text(row);
    let mut parts = all.split(',').map(str::trim).cycle();
    parts.nth(n).unwrap_or_default().to_owned()
}

/// Profile of a person.
pub(crate) fn description(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.about", u64::from(row));
    let Some(e) = person(c, row) else {
        return String::new();
    };
    fill(pick(&mut s, "about"), |slot| match slot {
        "name" => e.name.to_string(),
        "title" => Rank::of_level(e.level).title().to_owned(),
        "department" => e.department.name().to_owned(),
        "skill1" => skill(c, row, 0),
        _ => skill(c, row, 1),
    })
}

/// Work history of a person. It states the years of experience as `N years of experience`; some
/// histories name a programme or a certificate.
pub(crate) fn experience(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.history", u64::from(row));
    let years = person(c, row).map_or(1, |e| i64::from(e.age) - 20);
    // At most the years since the age of 20, so that history and age agree.
    let years = s.between(years / 2, years).max(1);
    let mut out = fill(pick(&mut s, "history"), |slot| match slot {
        "years" => years.to_string(),
        "skill1" => skill(c, row, 0),
        "skill2" => skill(c, row, 1),
        _ => skill(c, row, 2),
    });
    let of_hr = department(c, EmployeeNo(row)) == "HR";
    for (list, chance) in [
        ("programme", 0.3),
        ("certificate", if of_hr { 0.4 } else { 0.1 }),
    ] {
        if s.chance(chance) {
            out.push(' ');
            out.push_str(pick(&mut s, list));
        }
    }
    out
}

/// Marital status.
pub(crate) fn marital(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.marital", u64::from(row));
    ["Married", "Single", "Divorced"][..]
        .get(s.weighted(&[5.0, 4.0, 1.0]).unwrap_or(0))
        .map_or_else(String::new, |t| (*t).to_owned())
}

/// Gender.
pub(crate) fn gender(c: &Company, row: u32) -> String {
    let mut s = c.seed.stream("text.gender", u64::from(row));
    if s.chance(0.5) { "Female" } else { "Male" }.to_owned()
}

/// A text field of a curriculum.
pub(super) fn resume(c: &Company, row: u32, field: &str) -> String {
    let subject = c.link(TableId::Resumes, row, "emp_id").unwrap_or_default();
    let Some(e) = person(c, subject) else {
        return String::new();
    };
    match field {
        "name" => return e.name.to_string(),
        "email" => return e.email.to_string(),
        "category" => return e.department.name().to_owned(),
        "file_path" => return format!("resumes/{}.pdf", c.id(TableId::Resumes, row)),
        _ => {}
    }
    fill(
        phrases("resume").first().copied().unwrap_or_default(),
        |slot| match slot {
            "name" => e.name.to_string(),
            "title" => Rank::of_level(e.level).title().to_owned(),
            "department" => e.department.name().to_owned(),
            "about" => description(c, subject),
            "history" => experience(c, subject),
            _ => c.skills_text(subject),
        },
    )
}
