//! Templates about the persona's own record: balances of leave, manager, rating, work history.
//!
//! These are the simplest tasks: one read of one's own record, with the requested fields named,
//! because the default view leaves out restricted ones. They are frequent in the published goals;
//! here each has half the weight of most other templates.
//!
//! Questions about texts (a certificate, years of experience) are answered from generated profiles,
//! whose wording is known.

use super::FactKind::{self, Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use crate::source::TableId;
use serde_json::json;

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
        "An access form asks for the employee ids of my manager and of everybody who reports to me. What are they?",
        "Show me my place in the reporting structure: the employee ids of my manager and of my direct reports.",
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

/// The programmes that generated work histories name.
const PROGRAMMES: [&str; 4] = [
    "Succession Planning",
    "Leadership Development",
    "Talent Management",
    "Workforce Planning",
];

/// The programmes in which the persona took part.
pub(super) fn programmes(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = c.text(E, c.me.0, "Experience");
    let found: Vec<&str> = PROGRAMMES
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

/// The certificate in the persona's work history.
pub(super) fn certified(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = c.text(E, c.me.0, "Experience");
    let known = [
        "Certified Career Coach",
        "Hogan Assessor",
        "Certified Project Manager",
    ];
    let one = known.into_iter().find(|k| text.contains(k))?;
    let experience = years(c)?.facts.pop()?.value;
    let d = read_own(
        c,
        Draft::new(&[
            "Which certificate does my work history mention: career coach, Hogan assessor or project manager? I need its full name for a form, and my years of experience.",
            "Under which title is my certification noted in my work history, and how many years of experience does it give me?",
        ]),
        &["Experience"],
    )
    .worked_out("certificate", Text, json!(one))
    .worked_out("years", Number, experience);
    Some(own_claim(c, d))
}

/// The years of experience and the programme in the persona's work history.
pub(super) fn leadership(c: &mut Ctx<'_>) -> Option<Draft> {
    let mut d = programmes(c)?;
    d.facts.clear();
    d.steps.iter_mut().for_each(|s| s.facts.clear());
    let one = years(c)?.facts.pop()?.value;
    let text = c.text(E, c.me.0, "Experience");
    let named = PROGRAMMES
        .into_iter()
        .find(|p| text.contains(&format!("{p} programme")))?;
    d.phrases = vec![
        "How many years of experience does my work history give, and in which HR programme did I take part (for instance Leadership Development)?",
        "For a speaker's note I need two things out of my work history: my years of experience and the programme that I took part in.",
    ];
    Some(
        d.worked_out("years", Number, one)
            .worked_out("programme", Text, json!(named)),
    )
}

/// The skills that the persona shares with a colleague.
pub(super) fn shared_skills(c: &mut Ctx<'_>) -> Option<Draft> {
    let who = c.somebody()?;
    let skills = |row: u32| -> Vec<String> {
        let list = c.get(E, row, "skills");
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect()
    };
    let (mine, theirs) = (skills(c.me.0), skills(who.row));
    let both: Vec<&String> = mine.iter().filter(|s| theirs.contains(s)).collect();
    (!both.is_empty()).then_some(())?;
    let d = Draft::new(&[
        "Which of the skills noted for me does {name} have as well?",
        "{name} and I want to give a course together. Which skills do we have in common?",
    ]);
    let d = read_own(c, d, &["skills"]).find("name", &who);
    Some(d.worked_out("skills", List, json!(both)))
}

/// How the persona is recorded, and since when they are here.
pub(super) fn active(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_own(
        c,
        Draft::new(&[
            "A landlord wants proof: am I recorded as Active or as Left, and since when have I worked here?",
            "What does my record say about my employment status (Active or Left), and about my first day?",
        ]),
        &["is_valid", "DOL", "DOJ"],
    )
    .worked_out("status", Id, json!("Active"))
    .fact("DOJ", Date, c.get(E, c.me.0, "DOJ"));
    Some(own_claim(c, d))
}
