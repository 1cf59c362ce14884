//! Templates of human resources: the persona's own record, and the records of others.

use super::FactKind::{self, Date, Id, List, Number, Text, YesNo};
use super::draft::{Ctx, Draft};
use super::talk::mail_step;
use crate::org::{Department, level_code};
use crate::row::EmployeeNo;
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

fn read_own(c: &Ctx<'_>, d: Draft, fields: &[&str]) -> Draft {
    d.step(
        "read my own record",
        "employee_data_read",
        json!({"emp_id": c.my_id(), "fields": fields}),
    )
    .row(E, c.me.0)
}

fn own_claim(c: &Ctx<'_>, d: Draft) -> Draft {
    d.claim(E, &[("emp_id", "is", c.my_id())], &[c.me.0])
}

/// A question about the persona's own record.
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

/// The figure in a rule of a policy.
pub(super) fn policy_figure(c: &mut Ctx<'_>) -> Option<Draft> {
    let rows = c.view.rows(TableId::PolicyDocuments);
    let row = crate::value::row_no(c.s.index(rows as usize));
    if !c.reads(TableId::PolicyDocuments, row) {
        return None;
    }
    let policy = c.company().policies.get(row as usize)?.clone();
    let n = c.s.index(policy.sections.len());
    let section = policy.sections.get(n)?;
    let rule = {
        let m = c.s.index(section.rules.len());
        section.rules.get(m)?
    };
    let numbers: Vec<&str> = rule
        .split(|ch: char| !ch.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let [figure] = numbers.as_slice() else {
        return None;
    };
    let blank = rule.replacen(figure, "___", 1);
    let id = c.company().id(TableId::PolicyDocuments, row);
    let d = Draft::new(&[
        "Our {title} has this rule: \"{rule}\" Which figure belongs in the gap?",
        "I forgot a figure in the {title}: \"{rule}\" What is it?",
        "Please complete this rule of the {title} for me: \"{rule}\" I need the missing figure.",
    ])
    .slot("title", &*policy.title)
    .slot("rule", &blank)
    .step(
        "read the document",
        "document_read",
        json!({"document_id": id}),
    )
    .worked_out("figure", Number, json!(figure.parse::<i64>().ok()?))
    .claim(
        TableId::PolicyDocuments,
        &[("title", "is", policy.title.to_string())],
        &[row],
    )
    .row(TableId::PolicyDocuments, row);
    Some(d)
}

// ---------------------------------------------------------------- writing

/// A person whose record the persona may change in this way.
fn subject(c: &mut Ctx<'_>, fields: &[&str]) -> Option<EmployeeNo> {
    let person = c.colleague()?;
    let circumstances = crate::access::RequestContext {
        fields: fields.iter().map(|f| (*f).to_owned()).collect(),
        ..Default::default()
    };
    let resource = crate::access::Resource::of(&c.view, E, person.0);
    let request = crate::access::AccessRequest {
        principal: c.me,
        act: crate::access::Act::Update,
        resource,
        circumstances: &circumstances,
    };
    c.access().decide(&c.view, &request).allow.then_some(person)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build it for this call"
)]
fn change(c: &Ctx<'_>, d: Draft, person: EmployeeNo, changes: Value) -> Draft {
    let id = c.id(person);
    c.look_up(d.slot("name", c.name(person)), person).then(
        "change the record",
        "employee_data_update",
        json!({"emp_id": id, "changes": changes}),
    )
}

/// Sets a salary.
pub(super) fn salary(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Salary"])?;
    let now = c.get(E, person.0, "Salary").as_i64()?;
    let new = (now + c.between(1, 20) * 500) / 100 * 100;
    if new == now {
        return None;
    }
    let d = Draft::new(&[
        "{name} gets a new yearly pay of {salary}; please enter it for me.",
        "I approved a raise: set the salary of {name} to {salary}.",
        "Please change the pay of {name} to {salary} a year for me.",
    ])
    .slot("salary", new.to_string());
    Some(change(c, d, person, json!({"Salary": new})))
}

/// Sets remaining leaves.
pub(super) fn leaves(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Remaining Casual Leaves", "Remaining Sick Leaves"])?;
    let total =
        |c: &Ctx<'_>, kind: &str| c.get(E, person.0, &format!("Total {kind} Leaves")).as_i64();
    let (casual, sick) = (total(c, "Casual")?, total(c, "Sick")?);
    let (a, b) = (c.between(0, casual), c.between(0, sick));
    if c.get(E, person.0, "Remaining Casual Leaves") == a
        || c.get(E, person.0, "Remaining Sick Leaves") == b
    {
        return None;
    }
    let d = Draft::new(&[
        "Update the remaining leaves of {name}: {casual} casual and {sick} sick.",
        "I need {name}'s balances corrected to {casual} casual leaves and {sick} sick leaves remaining.",
        "Please set the remaining leaves of {name} to casual {casual}, sick {sick} for me.",
    ])
    .slot("casual", a.to_string())
    .slot("sick", b.to_string());
    let changes = json!({"Remaining Casual Leaves": a, "Remaining Sick Leaves": b});
    Some(change(c, d, person, changes))
}

/// Moves a person to another department.
pub(super) fn transfer(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["category", "Level", "reports_to"])?;
    if c.get(E, person.0, "reportees")
        .as_array()
        .is_some_and(|r| !r.is_empty())
    {
        return None;
    }
    let about = c.view.person(person)?;
    let department = *c.s.pick(&Department::ALL)?;
    if department == about.department {
        return None;
    }
    let staff = c.company().index.staff.of(department as u32).to_vec();
    let boss = EmployeeNo(c.pick(&staff)?);
    let fits = c
        .view
        .person(boss)
        .is_some_and(|p| p.active && p.level > about.level);
    if !fits || boss == c.me || !c.sole_name(boss) {
        return None;
    }
    let code = level_code(department, about.level);
    let boss_id = c.id(boss);
    let d = Draft::new(&[
        "{name} moves to {department} at level {level} and will report to {boss}. Update the record.",
        "I confirm an internal transfer: {name} goes to {department}, level {level}, manager {boss}. Please record it.",
        "Please transfer {name} to {department} with level {level}, reporting to {boss}, for me.",
    ])
    .slot("department", department.name())
    .slot("level", &code)
    .slot("boss", c.name(boss));
    let id = c.id(person);
    let changes = json!({"category": department.name(), "Level": code, "reports_to": boss_id});
    let d = c.look_up(d.slot("name", c.name(person)), person);
    let d = c.look_up(d, boss);
    Some(d.last(
        "record the transfer",
        "employee_data_update",
        json!({"emp_id": id, "changes": changes}),
    ))
}

/// Sets a rating.
pub(super) fn rating(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Performance Rating"])?;
    let now = c.get(E, person.0, "Performance Rating").as_i64()?;
    let new = 1 + (now + c.between(0, 3)) % 5;
    if new == now {
        return None;
    }
    let d = Draft::new(&[
        "After the annual review, set the performance rating of {name} to {rating}.",
        "I finished the review of {name}. The new performance rating is {rating}; please record it.",
        "Please revise {name}'s performance rating to {rating} for me.",
    ])
    .slot("rating", new.to_string());
    Some(change(c, d, person, json!({"Performance Rating": new})))
}

/// Sets marital status or age.
pub(super) fn status(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = subject(c, &["Marital Status"])?;
    let now = c.text(E, person.0, "Marital Status");
    let new = *c.s.pick(&["Married", "Single", "Divorced"])?;
    if new == now {
        return None;
    }
    let d = Draft::new(&[
        "{name} is {status} now; please correct the personnel file for me.",
        "{name} told me about a change: the marital status is now {status}. Please update it.",
        "Please set {name}'s marital status to {status} for me.",
    ])
    .slot("status", new);
    Some(change(c, d, person, json!({"Marital Status": new})))
}

/// Deactivates a person.
pub(super) fn remove(c: &mut Ctx<'_>) -> Option<Draft> {
    let person = c.colleague()?;
    let resource = crate::access::Resource::of(&c.view, E, person.0);
    let none = crate::access::RequestContext::default();
    let request = crate::access::AccessRequest {
        principal: c.me,
        act: crate::access::Act::Delete,
        resource,
        circumstances: &none,
    };
    if !c.access().decide(&c.view, &request).allow {
        return None;
    }
    let date = c.company().clock().plus(-c.s.between(0, 5)).to_string();
    let id = c.id(person);
    let d = Draft::new(&[
        "{name} has left. Deactivate the employee record with {date} as leaving date.",
        "I need the record of {name} deactivated; the last day was {date}.",
        "Please remove {name} from the active staff for me, leaving date {date}.",
    ])
    .slot("name", c.name(person))
    .slot("date", &date);
    Some(c.look_up(d, person).then(
        "deactivate the record",
        "employee_data_delete",
        json!({"emp_id": id, "DOL": date}),
    ))
}

/// A new colleague: name, department, level, manager, pay.
fn newcomer(c: &mut Ctx<'_>) -> Option<(String, Department, String, EmployeeNo, i64)> {
    let names = crate::synth::phrases::GIVEN.len() * crate::synth::phrases::FAMILY.len();
    let n = u32::try_from(c.s.index(names)).ok()?;
    let order = crate::synth::name_order(c.company().seed, "newcomers");
    let (given, family) = crate::synth::person_name(&order, n);
    let name = format!("{given} {family}");
    if !crate::office::named_people(&c.view, &name).is_empty() {
        return None;
    }
    let department = *c.s.pick(&Department::ALL)?;
    let staff = c.company().index.staff.of(department as u32).to_vec();
    let boss = EmployeeNo(c.pick(&staff)?);
    let fits = c
        .view
        .person(boss)
        .is_some_and(|p| p.active && p.level >= 10);
    if !fits || boss == c.me || !c.sole_name(boss) {
        return None;
    }
    let pay = c.between(80, 118) * 500;
    Some((name, department, level_code(department, 9), boss, pay))
}

fn hire(c: &mut Ctx<'_>, phrases: &[&'static str]) -> Option<Draft> {
    let none = crate::access::RequestContext::default();
    let request = crate::access::AccessRequest {
        principal: c.me,
        act: crate::access::Act::Create,
        resource: crate::access::Resource::planned(E, None),
        circumstances: &none,
    };
    if !c.access().decide(&c.view, &request).allow {
        return None;
    }
    let (name, department, code, boss, pay) = newcomer(c)?;
    let d = Draft::new(phrases)
        .slot("new", &name)
        .slot("department", department.name())
        .slot("level", &code)
        .slot("boss", c.name(boss))
        .slot("pay", pay.to_string());
    let boss_id = c.id(boss);
    Some(c.look_up(d, boss).then(
        "register the newcomer",
        "employee_data_create",
        json!({"Name": name, "category": department.name(), "Level": code,
               "reports_to": boss_id, "Salary": pay}),
    ))
}

/// Registers a newcomer.
pub(super) fn register(c: &mut Ctx<'_>) -> Option<Draft> {
    hire(
        c,
        &[
            "Register a new employee for me: {new}, {department}, level {level}, salary {pay}, reporting to {boss}.",
            "I hired {new} for {department} at level {level} with a salary of {pay}; the manager is {boss}. Please register the record.",
            "Please enter {new} as a new employee of {department}: level {level}, pay {pay}, manager {boss}. I have signed the contract.",
        ],
    )
}

/// Registers a newcomer and tells the persona's manager.
pub(super) fn register_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c
        .view
        .manager(c.me)
        .filter(|m| c.view.person(*m).is_some_and(|p| p.active))?;
    let d = hire(
        c,
        &[
            "Register {new} as a new employee ({department}, level {level}, salary {pay}, reporting to {boss}) and send a mail to my lead with the subject \"{subject}\" that names {new}.",
            "I hired {new}: {department}, level {level}, pay {pay}, manager {boss}. Enter the record, then mail my lead, subject \"{subject}\", naming {new}.",
        ],
    )?;
    let new = d.slots.get("new").cloned()?;
    let subject = "New colleague registered";
    let lead_id = c.id(lead);
    let d = d.slot("subject", subject).step(
        "find my lead",
        "employee_data_read",
        json!({"emp_id": c.my_id(), "fields": ["reports_to"]}),
    );
    let name = c.name(lead);
    let mut d = mail_step(d, &lead_id, subject, &new, &name, false);
    if let Some(body) = d.steps.last_mut().and_then(|s| s.arguments.get_mut("body")) {
        *body = json!(format!("{new} is registered."));
    }
    Some(d)
}
