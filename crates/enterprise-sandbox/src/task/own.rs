//! Templates about the persona's own record: balances of leave, manager, rating, work history.
//!
//! These are the simplest tasks: one read of one's own record, with the requested fields named,
//! because the default view leaves out restricted ones. They are frequent in the published goals;
//! here each has half the weight of most other templates.
//!
//! Questions about texts (a certificate, years of experience) are answered from generated profiles,
//! whose wording is known.

use super::FactKind::{self, Date, Id, List, Number, Text, YesNo};
use super::draft::{Ctx, Draft};
use crate::source::TableId;
use serde_json::{Value, json};

const E: TableId = TableId::Employees;

/// A question about the persona's own record: wordings, fields read, facts taken from them.
pub(super) struct Own {
    pub(super) phrases: &'static [&'static str],
    fields: &'static [&'static str],
    facts: &'static [(&'static str, FactKind, &'static str)],
}

const fn own(
    phrases: &'static [&'static str],
    fields: &'static [&'static str],
    facts: &'static [(&'static str, FactKind, &'static str)],
) -> Own {
    Own {
        phrases,
        fields,
        facts,
    }
}

pub(super) const TEAM: Own = own(
    &[
        "Show me my team reporting structure: my manager and the people who report to me.",
        "Who is my manager, and who reports to me? I need the ids.",
        "Give me the ids of my manager and of everybody who reports to me.",
    ],
    &["reports_to", "reportees"],
    &[
        ("reports_to", Id, "reports_to"),
        ("reportees", List, "reportees"),
    ],
);
pub(super) const RATING: Own = own(
    &[
        "I forgot how my last review ended: which rating did I get?",
        "Tell me the performance rating in my file.",
        "I would like to know my latest performance rating.",
    ],
    &["Performance Rating"],
    &[("Performance Rating", Number, "Performance Rating")],
);
pub(super) const CASUAL: Own = own(
    &[
        "I want to know how much casual leave is still open for me.",
        "How large is my open balance of casual leave, in days?",
        "I want to take a day off: how many casual leaves remain for me?",
    ],
    &["Remaining Casual Leaves"],
    &[("Remaining Casual Leaves", Number, "Remaining Casual Leaves")],
);
pub(super) const SICK_AND_VACATION: Own = own(
    &[
        "What are my remaining sick and vacation leaves?",
        "Retrieve my balances of sick leave and of vacation leave.",
        "How many sick leaves and how many vacation leaves do I still have?",
    ],
    &["Remaining Sick Leaves", "Remaining Vacation Leaves"],
    &[
        ("Remaining Sick Leaves", Number, "Remaining Sick Leaves"),
        (
            "Remaining Vacation Leaves",
            Number,
            "Remaining Vacation Leaves",
        ),
    ],
);
pub(super) const TAKEN: Own = own(
    &[
        "Sum up for me how much leave I have used, over all kinds.",
        "How many leaves have I taken altogether?",
        "Add up my leaves taken, please.",
    ],
    &["Total Leaves Taken"],
    &[("Total Leaves Taken", Number, "Total Leaves Taken")],
);
pub(super) const SALARY: Own = own(
    &[
        "Please look up my yearly pay for me.",
        "How much do I earn a year?",
        "Tell me the salary in my file.",
    ],
    &["Salary"],
    &[("Salary", Number, "Salary")],
);
pub(super) const DEPARTMENT: Own = own(
    &[
        "Where do I stand: which department, which level code?",
        "In which department and at which level am I?",
        "Tell me my department and my level code.",
    ],
    &["category", "Level"],
    &[("category", Id, "category"), ("Level", Id, "Level")],
);
pub(super) const JOINED: Own = own(
    &[
        "When did I join the company?",
        "Give me my date of joining.",
        "What is my first day of work in the records?",
    ],
    &["DOJ", "DOL"],
    &[("DOJ", Date, "DOJ")],
);
pub(super) const SKILLS: Own = own(
    &[
        "I would like to see every skill that my profile has.",
        "List the certifications and skills in my profile.",
        "What skills does my profile name?",
    ],
    &["skills"],
    &[("skills", List, "skills")],
);
pub(super) const KEY_SKILLS: Own = own(
    &[
        "I am writing a short biography: which abilities does my record name?",
        "Name the key skills in my record.",
        "I am updating my profile: which key skills does it have now?",
    ],
    &["skills"],
    &[("skills", List, "skills")],
);
pub(super) const EMAIL: Own = own(
    &[
        "Under which address do colleagues reach me by mail?",
        "Which work address do I have?",
        "Tell me my work mail address.",
    ],
    &["email"],
    &[("email", Id, "email")],
);
pub(super) const VALID: Own = own(
    &[
        "Does my record carry the valid flag?",
        "Is my employee record flagged as valid?",
        "Check whether I am marked as a valid employee.",
    ],
    &["is_valid"],
    &[("is_valid", YesNo, "is_valid")],
);
pub(super) const MARITAL: Own = own(
    &[
        "Which marital status and age does my file have?",
        "What are my marital status and my age in the file?",
        "Retrieve my marital status and my age.",
    ],
    &["Marital Status", "Age"],
    &[
        ("Marital Status", Text, "Marital Status"),
        ("Age", Number, "Age"),
    ],
);
pub(super) const BALANCES: Own = own(
    &[
        "Give me all my remaining leave balances: casual, sick and vacation.",
        "I am planning the year and need my open leave of each kind: casual, sick, vacation.",
        "I need my remaining leaves of all three kinds.",
    ],
    &[
        "Remaining Casual Leaves",
        "Remaining Sick Leaves",
        "Remaining Vacation Leaves",
    ],
    &[
        ("Remaining Casual Leaves", Number, "Remaining Casual Leaves"),
        ("Remaining Sick Leaves", Number, "Remaining Sick Leaves"),
        (
            "Remaining Vacation Leaves",
            Number,
            "Remaining Vacation Leaves",
        ),
    ],
);

/// The step that reads the persona's record with these fields.
fn read_own(c: &Ctx<'_>, d: Draft, fields: &[&str]) -> Draft {
    d.step(
        "read my own record",
        "employee_data_read",
        json!({"emp_id": c.my_id(), "fields": fields}),
    )
    .row(E, c.me.0)
}

/// The claim that the persona's id identifies the record.
fn own_claim(c: &Ctx<'_>, d: Draft) -> Draft {
    d.claim(E, &[("emp_id", "is", c.my_id())], &[c.me.0])
}

/// A question about the persona's own record.
///
/// `None` if one of the fields is null, for instance the manager of a head of department.
pub(super) fn about_me(c: &mut Ctx<'_>, own: &Own) -> Option<Draft> {
    let mut d = read_own(c, Draft::new(own.phrases), own.fields);
    for (key, kind, field) in own.facts {
        let value = c.get(E, c.me.0, field);
        if value.is_null() {
            return None;
        }
        d = d.fact(key, *kind, value);
    }
    Some(own_claim(c, d))
}

/// A yes-or-no question about a text of the persona's own record.
fn noted(
    c: &mut Ctx<'_>,
    phrases: &[&'static str],
    field: &'static str,
    words: &[&str],
) -> Option<Draft> {
    let value = c.get(E, c.me.0, field);
    let text = match &value {
        Value::Array(list) => list
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(", "),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
    .to_lowercase();
    let yes = words.iter().any(|w| text.contains(&w.to_lowercase()));
    let d = read_own(c, Draft::new(phrases), &[field]).worked_out(
        "noted",
        YesNo,
        json!(if yes { "YES" } else { "NO" }),
    );
    Some(own_claim(c, d))
}

/// Whether the persona is a certified coach or assessor.
pub(super) fn certified(c: &mut Ctx<'_>) -> Option<Draft> {
    noted(
        c,
        &[
            "Can you see from my work history whether I hold the career coach certificate or am a Hogan assessor?",
            "Does my work history say that I am a certified career coach or Hogan assessor?",
            "Check my work history: am I noted as certified career coach or as Hogan assessor?",
        ],
        "Experience",
        &["certified career coach", "hogan assessor"],
    )
}

/// Whether the persona took part in certain programmes.
pub(super) fn leadership(c: &mut Ctx<'_>) -> Option<Draft> {
    noted(
        c,
        &[
            "Did I ever take part in Succession Planning, or else in Leadership Development?",
            "Does my work history mention Succession Planning or Leadership Development?",
            "Check whether I took part in Succession Planning or in Leadership Development.",
        ],
        "Experience",
        &["succession planning", "leadership development"],
    )
}

/// Whether the profile states a responsibility.
pub(super) fn structure(c: &mut Ctx<'_>) -> Option<Draft> {
    noted(
        c,
        &[
            "Is responsibility for the organisational structure (Organisation Design) noted in my skills?",
            "Do my skills name Organisation Design?",
            "Check whether Organisation Design stands among my skills.",
        ],
        "skills",
        &["organisation design"],
    )
}

/// The programmes in which the persona took part.
pub(super) fn programmes(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = c.text(E, c.me.0, "Experience");
    let known = [
        "Succession Planning",
        "Leadership Development",
        "Talent Management",
        "Workforce Planning",
    ];
    let found: Vec<&str> = known
        .into_iter()
        .filter(|p| text.contains(&format!("{p} programme")))
        .collect();
    if found.is_empty() {
        return None;
    }
    let d = read_own(
        c,
        Draft::new(&[
            "Which HR programmes have I participated in, as far as my work history tells?",
            "Name the HR programmes that I took part in.",
            "I need the names of the HR programmes in my work history.",
        ]),
        &["Experience"],
    )
    .worked_out("programmes", List, json!(found));
    Some(own_claim(c, d))
}

/// Years of experience in the profile.
pub(super) fn years(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = c.text(E, c.me.0, "Experience");
    let before = text
        .split(" years of experience")
        .next()
        .filter(|b| b.len() < text.len())?;
    let digits: String = before
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .collect();
    let years: i64 = digits.chars().rev().collect::<String>().parse().ok()?;
    let d = read_own(
        c,
        Draft::new(&[
            "My profile gives a number of years of experience; which one?",
            "What number of years of experience stands in my work history?",
            "Tell me my years of experience as they are recorded.",
        ]),
        &["Experience"],
    )
    .worked_out("years", Number, json!(years));
    Some(own_claim(c, d))
}

/// Whether the persona is still employed.
pub(super) fn active(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_own(
        c,
        Draft::new(&[
            "Please check how I am recorded, Active or Left.",
            "What is my employment status, Active or Left?",
            "Tell me whether I am recorded as Active or as Left.",
        ]),
        &["is_valid", "DOL"],
    )
    .worked_out("status", Id, json!("Active"));
    Some(own_claim(c, d))
}
