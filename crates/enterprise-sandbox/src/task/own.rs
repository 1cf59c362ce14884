//! Questions about fields of one record, and templates about the persona's own record: balances of leave,
//! manager, rating, work history.
//!
//! These are the simplest tasks: one read of one record, by its name or of the persona's own. Of the
//! persona's own record the requested fields are named, because the default view leaves out restricted
//! ones. They are frequent in the published goals; here each has half the weight of most other templates.
//!
//! Questions about texts (a certificate, years of experience) are answered from generated profiles,
//! whose wording is known.

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Asks, Ctx, Draft, is};
use crate::source::TableId;

const E: TableId = TableId::Employees;

/// A question about one record: wordings, and the fields that are asked for, each under its own name.
pub(super) struct Question {
    /// The table and the slot of the record's name; the persona's own record if there is none.
    named: Option<(TableId, &'static str)>,
    phrases: &'static [&'static str],
    facts: Asks<'static>,
    /// Further fields that are read.
    beside: &'static [&'static str],
}

impl Question {
    const fn beside(mut self, fields: &'static [&'static str]) -> Self {
        self.beside = fields;
        self
    }

    /// The draft of the question. Its checks fail if one of the fields is null, for instance the manager
    /// of a head of department.
    pub(super) fn draft(&self, c: &mut Ctx<'_>) -> Option<Draft> {
        let d = Draft::new(self.phrases);
        let d = match self.named {
            Some((source, slot)) => d.find(slot, &c.some(source)?),
            None => {
                let asked = self.facts.iter().map(|(field, _)| *field);
                let fields: Vec<&str> = asked.chain(self.beside.iter().copied()).collect();
                read_own(c, d, &fields)
            }
        };
        Some(d.tell(c, self.facts))
    }
}

/// A question about the persona's own record.
const fn own(phrases: &'static [&'static str], facts: Asks<'static>) -> Question {
    Question {
        named: None,
        phrases,
        facts,
        beside: &[],
    }
}

/// A question about a record that the request names.
pub(super) const fn about(
    source: TableId,
    slot: &'static str,
    phrases: &'static [&'static str],
    facts: Asks<'static>,
) -> Question {
    Question {
        named: Some((source, slot)),
        ..own(phrases, facts)
    }
}

pub(super) const TEAM: Question = own(
    &[
        "An access form asks for the employee ids of my manager and of everybody who reports to me. What are they?",
        "Show me my place in the reporting structure: the employee ids of my manager and of my direct reports.",
    ],
    &[("reports_to", Id), ("reportees", List)],
);
pub(super) const RATING: Question = own(
    &[
        "I am preparing for my review talk: which performance rating and which yearly salary do I have at present?",
        "Tell me the performance rating and the salary in my file.",
        "I would like to know my latest performance rating, and what I earn a year.",
    ],
    &[("Performance Rating", Number), ("Salary", Number)],
);
pub(super) const CASUAL: Question = own(
    &[
        "I want to know how much casual leave is still open for me, and how much leave I have taken in all.",
        "How large is my open balance of casual leave, in days, and how many days of leave of all kinds have I used?",
        "I want to take a day off: how many casual leaves remain for me, and how many leaves have I taken altogether?",
    ],
    &[
        ("Remaining Casual Leaves", Number),
        ("Total Leaves Taken", Number),
    ],
);
pub(super) const SICK_AND_VACATION: Question = own(
    &[
        "What are my remaining sick and vacation leaves?",
        "Retrieve my balances of sick leave and of vacation leave.",
        "How many sick leaves and how many vacation leaves do I still have?",
    ],
    &[
        ("Remaining Sick Leaves", Number),
        ("Remaining Vacation Leaves", Number),
    ],
);
pub(super) const TAKEN: Question = own(
    &[
        "Tell me how much leave I have used, over all kinds, and how many days of vacation I have left.",
        "How many leaves have I taken altogether, and how many vacation leaves remain?",
        "I need the total of my leaves taken, and my remaining vacation.",
    ],
    &[
        ("Total Leaves Taken", Number),
        ("Remaining Vacation Leaves", Number),
    ],
);
pub(super) const SALARY: Question = own(
    &[
        "Please look up my yearly pay for me.",
        "How much do I earn a year?",
        "Tell me the salary in my file.",
    ],
    &[("Salary", Number)],
);
pub(super) const DEPARTMENT: Question = own(
    &[
        "A form asks for my department, my level code and my first day of work. What do I enter?",
        "In which department and at which level am I, and when did I join?",
        "Tell me my department, my level code and my date of joining.",
    ],
    &[("category", Id), ("Level", Id), ("DOJ", Date)],
)
.beside(&["DOL"]);
pub(super) const JOINED: Question = own(
    &[
        "When did I join the company?",
        "Give me my date of joining.",
        "What is my first day of work in the records?",
    ],
    &[("DOJ", Date)],
)
.beside(&["DOL"]);
pub(super) const SKILLS: Question = own(
    &[
        "I would like to see every skill that my profile has.",
        "List the certifications and skills in my profile.",
        "What skills does my profile name?",
    ],
    &[("skills", List)],
);
pub(super) const KEY_SKILLS: Question = own(
    &[
        "I am writing a short biography: which abilities does my record name?",
        "Name the key skills in my record.",
        "I am updating my profile: which key skills does it have now?",
    ],
    &[("skills", List)],
);
pub(super) const EMAIL: Question = own(
    &[
        "Under which address do colleagues reach me by mail?",
        "Which work address do I have?",
        "Tell me my work mail address.",
    ],
    &[("email", Id)],
);
pub(super) const MARITAL: Question = own(
    &[
        "Which marital status and age does my file have?",
        "What are my marital status and my age in the file?",
        "Retrieve my marital status and my age.",
    ],
    &[("Marital Status", Text), ("Age", Number)],
);
pub(super) const BALANCES: Question = own(
    &[
        "Give me all my remaining leave balances: casual, sick and vacation.",
        "I am planning the year and need my open leave of each kind: casual, sick, vacation.",
        "I need my remaining leaves of all three kinds.",
    ],
    &[
        ("Remaining Casual Leaves", Number),
        ("Remaining Sick Leaves", Number),
        ("Remaining Vacation Leaves", Number),
    ],
);

/// The step that reads the persona's record with these fields.
fn read_own(c: &Ctx<'_>, d: Draft, fields: &[&str]) -> Draft {
    d.read_mine(c, "read my own record", fields)
        .claim(E, &[is("emp_id", c.my_id())], &[c.me.0])
}

/// What the persona's work history says.
fn history(c: &Ctx<'_>) -> String {
    c.text(E, c.me.0, "Experience")
}

/// The step that reads the persona's work history, and since when they are here.
fn read_history(c: &Ctx<'_>, phrases: &[&'static str]) -> Draft {
    read_own(c, Draft::new(phrases), &["Experience", "DOJ", "DOL"])
}

/// The programmes that generated work histories name.
const PROGRAMMES: [&str; 4] = [
    "Succession Planning",
    "Leadership Development",
    "Talent Management",
    "Workforce Planning",
];

/// The programmes in which the persona took part, at least one.
fn programmes_of(c: &Ctx<'_>) -> Option<Vec<&'static str>> {
    let text = history(c);
    let mut found = PROGRAMMES.to_vec();
    found.retain(|p| text.contains(&format!("{p} programme")));
    (!found.is_empty()).then_some(found)
}

/// The number of years of experience in the persona's work history.
fn years_of(c: &Ctx<'_>) -> Option<i64> {
    let text = history(c);
    let (before, _) = text.split_once(" years of experience")?;
    let digits = before
        .trim_end_matches(|ch: char| ch.is_ascii_digit())
        .len();
    before.get(digits..)?.parse().ok()
}

/// The programmes in which the persona took part, and since when they are here.
pub(super) fn programmes(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_history(
        c,
        &[
            "Which HR programmes have I participated in, as far as my work history tells, and on which day did I join the company?",
            "Name the HR programmes that I took part in, and my date of joining. I need both for my biography.",
            "I need the names of the HR programmes in my work history, and the day on which I started here.",
        ],
    );
    let d = d.worked_out("programmes", List, programmes_of(c)?);
    Some(d.tell(c, &[("DOJ", Date)]))
}

/// Years of experience in the profile, and since when the persona is here.
pub(super) fn years(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = read_history(
        c,
        &[
            "How many years of experience does my work history give, and on which day did I join the company?",
            "I am updating my biography: how many years of experience are in my work history, and when did I join?",
            "Tell me my years of experience as they are recorded in my work history, and my date of joining.",
        ],
    );
    let d = d.worked_out("years", Number, years_of(c)?);
    Some(d.tell(c, &[("DOJ", Date)]))
}

/// The certificate in the persona's work history.
pub(super) fn certified(c: &mut Ctx<'_>) -> Option<Draft> {
    let text = history(c);
    let known = [
        "Certified Career Coach",
        "Hogan Assessor",
        "Certified Project Manager",
    ];
    let one = known.into_iter().find(|k| text.contains(k))?;
    let d = read_history(
        c,
        &[
            "Which certificate does my work history mention: career coach, Hogan assessor or project manager? I need its full name for a form, and my years of experience.",
            "Under which title is my certification noted in my work history, and how many years of experience does it give me?",
        ],
    );
    Some(
        d.worked_out("certificate", Text, one)
            .worked_out("years", Number, years_of(c)?),
    )
}

/// The years of experience and the programme in the persona's work history.
pub(super) fn leadership(c: &mut Ctx<'_>) -> Option<Draft> {
    let named = *programmes_of(c)?.first()?;
    let d = read_history(
        c,
        &[
            "How many years of experience does my work history give, and in which HR programme did I take part (for instance Leadership Development)?",
            "For a speaker's note I need two things out of my work history: my years of experience and the programme that I took part in.",
        ],
    );
    Some(
        d.worked_out("years", Number, years_of(c)?)
            .worked_out("programme", Text, named),
    )
}

/// The skills that the persona shares with a colleague.
pub(super) fn shared_skills(c: &mut Ctx<'_>) -> Option<Draft> {
    let who = c.somebody()?;
    let skills = |row: u32| c.get(E, row, "skills").as_array().cloned();
    let mut both = skills(c.me.0).unwrap_or_default();
    let theirs = skills(who.row).unwrap_or_default();
    both.retain(|skill| theirs.contains(skill));
    (!both.is_empty()).then_some(())?;
    let d = Draft::new(&[
        "Which of the skills noted for me does {name} have as well?",
        "{name} and I want to give a course together. Which skills do we have in common?",
    ])
    .read_mine(c, "read my own record", &["skills"])
    .find("name", &who);
    Some(d.worked_out("skills", List, both))
}

/// How the persona is recorded, and since when they are here.
pub(super) fn active(c: &mut Ctx<'_>) -> Option<Draft> {
    let d = Draft::new(&[
        "A landlord wants proof: am I recorded as Active or as Left, and since when have I worked here?",
        "What does my record say about my employment status (Active or Left), and about my first day?",
    ]);
    Some(
        read_own(c, d, &["is_valid", "DOL", "DOJ"])
            .worked_out("status", Id, "Active")
            .tell(c, &[("DOJ", Date)]),
    )
}
