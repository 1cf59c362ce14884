//! Templates of software engineering.
//!
//! Personas belong to Engineering. Associates may change only their own code, leads and above read
//! everything, directors change everything; rows to be written are drawn from the persona's own
//! repositories in seven of ten cases.

use super::FactKind::{Date, Id, List};
use super::draft::{Ctx, Draft};
use super::projects::find_issue;
use super::talk::mail_step;
use crate::access::{AccessRequest, Act, RequestContext, Resource};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::value::row_no;
use serde_json::{Value, json};

const G: TableId = TableId::Repositories;
const F: TableId = TableId::Files;
const X: TableId = TableId::Issues;

/// Repositories that the persona owns.
pub(super) fn mine(c: &Ctx<'_>) -> Vec<u32> {
    repositories_of(c, c.me)
}

/// Repositories of a person that the persona may read.
pub(super) fn repositories_of(c: &Ctx<'_>, person: EmployeeNo) -> Vec<u32> {
    let id = c.id(person);
    c.linked(G, "emp_id", person.0)
        .into_iter()
        .filter(|r| c.text(G, *r, "emp_id") == id)
        .collect()
}

/// Files or issues of a repository that the persona may read.
pub(super) fn inside(c: &Ctx<'_>, source: TableId, repository: u32) -> Vec<u32> {
    let name = c.text(G, repository, "repo_name");
    c.linked(source, "repo_name", repository)
        .into_iter()
        .filter(|r| c.text(source, *r, "repo_name") == name)
        .collect()
}

/// Whether the rules allow the persona this act on a row.
pub(super) fn may(c: &Ctx<'_>, act: Act, source: TableId, row: u32) -> bool {
    let none = RequestContext::default();
    let resource = Resource::of(&c.view, source, row);
    let request = AccessRequest {
        principal: c.me,
        act,
        resource,
        context: &none,
    };
    c.access().decide(&c.view, &request).allow
}

/// A repository, file or issue that the persona may change.
pub(super) fn writable(c: &mut Ctx<'_>, source: TableId) -> Option<u32> {
    let own = mine(c);
    for _ in 0..12 {
        let row = match (source, c.s.chance(0.7)) {
            (G, true) => c.pick(&own)?,
            (_, true) => {
                let repository = c.pick(&own)?;
                let rows = inside(c, source, repository);
                c.pick(&rows)?
            }
            _ => row_no(c.s.index(c.view.rows(source) as usize)),
        };
        if may(c, Act::Update, source, row) {
            return Some(row);
        }
    }
    None
}

/// The names of repositories as a list.
pub(super) fn names(c: &Ctx<'_>, rows: &[u32]) -> Value {
    rows.iter().map(|r| c.get(G, *r, "repo_name")).collect()
}

/// Own repositories with open or closed issues.
///
/// One step for each of up to four repositories.
pub(super) fn with_issues(c: &mut Ctx<'_>) -> Option<Draft> {
    let status = *c.s.pick(&["open", "closed"])?;
    let own = mine(c);
    let rows: Vec<u32> = own
        .iter()
        .copied()
        .filter(|r| {
            inside(c, X, *r)
                .iter()
                .any(|i| c.text(X, *i, "status") == status)
        })
        .collect();
    if rows.is_empty() || rows.len() > 20 {
        return None;
    }
    let me = c.my_id();
    let mut d = Draft::new(&[
        "I want to tidy up: in which of my repositories are there {status} issues?",
        "Which of my repositories have {status} issues? Name them.",
        "I need the names of my repositories with {status} issues.",
    ])
    .slot("status", status)
    .step(
        "list my repositories",
        "github_read",
        json!({"owner_emp_id": me, "limit": 200}),
    );
    for row in &own {
        let name = c.text(G, *row, "repo_name");
        d = d.step(
            format!("look at the issues of {name}"),
            "github_read",
            json!({"repo_name": name}),
        );
    }
    let d = d
        .fact("repositories", List, names(c, &rows))
        .claim(G, &[("emp_id", "is", me)], &own);
    (own.len() <= 4).then(|| rows.iter().fold(d, |d, r| d.row(G, *r)))
}

/// Own repositories under a licence.
pub(super) fn licensed(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let row = c.pick(&own)?;
    let license = c.text(G, row, "license");
    let rows: Vec<u32> = own
        .iter()
        .copied()
        .filter(|r| c.text(G, *r, "license") == license)
        .collect();
    if license.is_empty() {
        return None;
    }
    let me = c.my_id();
    let d = Draft::new(&[
        "I need every repository of mine that carries the {license} licence.",
        "Which of my repositories are under the {license} licence?",
        "List my repositories with the licence {license}.",
    ])
    .slot("license", &license)
    .step(
        "list my repositories under that licence",
        "github_read",
        json!({"owner_emp_id": me, "license": license}),
    )
    .fact("repositories", List, names(c, &rows))
    .claim(
        G,
        &[("emp_id", "is", me), ("license", "is", license)],
        &rows,
    )
    .row(G, row);
    Some(d)
}

/// Path of a file by its name.
pub(super) fn path_of_file(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(F)?;
    let (repository, path) = (c.text(F, row, "repo_name"), c.text(F, row, "path"));
    let (_, file) = path.rsplit_once('/')?;
    let d = Draft::new(&[
        "Give me the path of {file} in the repository {repository}.",
        "Where in {repository} is the file {file}? I need its full path.",
        "I am looking for {file} in {repository}: what is its path?",
    ])
    .slot("file", file)
    .slot("repository", &repository)
    .step(
        "read the repository",
        "github_read",
        json!({"repo_name": repository}),
    )
    .fact("path", Id, json!(path))
    .claim(
        F,
        &[
            ("repo_name", "is", repository.clone()),
            ("path", "has", file.to_owned()),
        ],
        &[row],
    )
    .row(F, row);
    // The repository alone is a sufficient condition unless it has other files with such a name.
    let single = c
        .view
        .find(G, &repository)
        .is_some_and(|g| inside(c, F, g).len() == 1);
    Some(if single {
        let mut d = d;
        if let Some(claim) = d.claims.last_mut() {
            claim.conditions.truncate(1);
        }
        d
    } else {
        d
    })
}

/// The file of an issue.
pub(super) fn file_of_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(X)?;
    let title = c.text(X, row, "title");
    let path = c.get(X, row, "path");
    if path.is_null() {
        return None;
    }
    let d = Draft::new(&[
        "Which file has the issue \"{title}\"? Give me its path and repository.",
        "I am looking for the issue \"{title}\": in which repository and file is it?",
        "Tell me the repository and the path of the file with the issue \"{title}\", please, I want to look at it.",
    ])
    .slot("title", &title)
    .step("search the issues", "github_read", json!({"query": title, "issue_status": c.text(X, row, "status")}))
    .fact("path", Id, path)
    .fact("repo_name", Id, c.get(X, row, "repo_name"))
    .claim(X, &[("title", "is", title)], &[row])
    .row(X, row);
    Some(d)
}

/// The persona's newest repository.
///
/// The plan lists all own repositories and compares their dates.
pub(super) fn newest(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let mut dated: Vec<(String, u32)> = own
        .iter()
        .map(|r| (c.text(G, *r, "creation_date"), *r))
        .collect();
    dated.sort();
    let (date, row) = dated.pop()?;
    if dated.last()?.0 == date {
        return None;
    }
    let me = c.my_id();
    let d = Draft::new(&[
        "I set up several repositories. What is the youngest one called, and when did I create it?",
        "What is the name of my newest repository, and when did I create it?",
        "Tell me my latest repository and its creation date.",
    ])
    .step(
        "list my repositories",
        "github_read",
        json!({"owner_emp_id": me, "limit": 200}),
    )
    .fact("repo_name", Id, c.get(G, row, "repo_name"))
    .fact("creation_date", Date, c.get(G, row, "creation_date"))
    .claim(
        G,
        &[("emp_id", "is", me), ("creation_date", "from", date)],
        &[row],
    )
    .row(G, row);
    Some(d)
}

/// Whether an issue is open, and when it was opened.
pub(super) fn issue_status(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(X)?;
    let opened = c.text(X, row, "created_at");
    let d = Draft::new(&[
        "Is the issue \"{title}\" in {repository} still open, or closed, and on which day was it created?",
        "I need the status (open or closed) and the creation date of the issue \"{title}\" in {repository}.",
    ]);
    Some(
        find_issue(c, d, row)?
            .read(c, "read the issue", X, row)
            .fact("status", Id, c.get(X, row, "status"))
            .worked_out("created", Date, json!(opened.get(..10)?)),
    )
}

/// A name and a licence for a repository of the persona.
fn new_repository(c: &mut Ctx<'_>) -> (String, String) {
    let name = c.name(c.me).to_lowercase().replace(' ', "");
    let (a, b) = (c.word("repo.first"), c.word("repo.second"));
    let n = c.between(100, 9_999);
    let license = c.word("license");
    (format!("{name}/{a}-{b}-n{n}"), license)
}

/// Creates a repository.
pub(super) fn create_repository(c: &mut Ctx<'_>) -> Option<Draft> {
    let (name, license) = new_repository(c);
    let d = Draft::new(&[
        "Create a repository {repository} under the {license} licence for me.",
        "I start a new project: set up the repository {repository}, licence {license}.",
        "Please create {repository} with the licence {license} in my name.",
    ])
    .slot("repository", &name)
    .slot("license", &license)
    .step(
        "create the repository",
        "github_create",
        json!({"kind": "repository", "repo_name": name, "license": license}),
    );
    Some(d)
}

/// Creates a repository and tells the lead.
pub(super) fn create_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c
        .view
        .manager(c.me)
        .filter(|m| c.view.person(*m).is_some_and(|p| p.active))?;
    let (name, license) = new_repository(c);
    let subject = "New repository";
    let d = Draft::new(&[
        "Create a repository {repository} ({license} licence) and send my lead a mail with the subject \"{subject}\" that names it.",
        "Set up {repository} under {license} for me, then mail my lead, subject \"{subject}\"; the text must name the repository.",
        "I need a new repository {repository}, licence {license}, and a mail to my lead about it, subject \"{subject}\", naming it.",
    ])
    .slot("repository", &name)
    .slot("license", &license)
    .slot("subject", subject)
    .step("create the repository", "github_create", json!({"kind": "repository", "repo_name": name, "license": license}))
    .step("find my lead", "employee_data_read", json!({"emp_id": c.my_id(), "fields": ["reports_to"]}));
    let (id, lead_name) = (c.id(lead), c.name(lead));
    Some(mail_step(d, &id, subject, &name, &lead_name, false))
}

/// Deletes an issue.
pub(super) fn delete_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, X)?;
    if !may(c, Act::Delete, X, row) {
        return None;
    }
    let (id, repository) = (c.text(X, row, "issue_id"), c.text(X, row, "repo_name"));
    let d = Draft::new(&[
        "I do not need the issue \"{title}\" in {repository} any more. Please delete it.",
        "The issue \"{title}\" of {repository} is a duplicate. Remove it for me.",
    ]);
    Some(find_issue(c, d, row)?.then(
        "delete the issue",
        "github_delete",
        json!({"kind": "issue", "repo_name": repository, "issue_id": id}),
    ))
}

/// Opens an issue.
pub(super) fn open_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(G)?;
    let repository = c.text(G, row, "repo_name");
    let thing = c.word("codething");
    let title = format!("Improve {thing}");
    let detail = c.day_soon();
    let text = format!("Please improve {thing} before {detail}.");
    let d = Draft::new(&[
        "Open a new issue in {repository} for me, title \"{title}\"; the description must name {detail} as the date.",
        "I want an issue \"{title}\" in {repository}. The description should mention {detail}.",
        "Create an issue titled \"{title}\" in {repository} and name {detail} in the description. I will look after it.",
    ])
    .slot("repository", &repository)
    .slot("title", &title)
    .slot("detail", &detail)
    .step("open the issue", "github_create", json!({"kind": "issue", "repo_name": repository, "title": title, "description": text}))
    .says("description", &[detail])
    .row(G, row);
    Some(d)
}

/// Closes an issue and tells somebody.
pub(super) fn close_and_notify(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, X)?;
    if c.text(X, row, "status") != "open" {
        return None;
    }
    let to = c.somebody()?;
    let (id, repository) = (c.text(X, row, "issue_id"), c.text(X, row, "repo_name"));
    let title = c.text(X, row, "title");
    let d = Draft::new(&[
        "Close the issue \"{title}\" in {repository} and mail {name} that it is done, quoting the title.",
        "{name} waits for the issue \"{title}\" of {repository}. Set it to closed for me and tell {name} by mail, with its title.",
    ]);
    let d = find_issue(c, d, row)?
        .then(
            "close the issue",
            "github_update",
            json!({"kind": "issue", "repo_name": repository, "issue_id": id, "changes": {"status": "closed"}}),
        )
        .find("name", &to);
    Some(d.mail(c, to.person(), "a closed issue", &[title]))
}

/// Also asked about the code of others.
pub(super) const RELICENSE: &[&str] = &[
    "Revise the licence of {repository} to {license}.",
    "I want {repository} to be under the {license} licence from now on. Change it.",
    "Please set the licence of {repository} to {license} for me.",
];

/// Changes a licence.
pub(super) fn relicense(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, G)?;
    let license = c.word("license");
    if c.text(G, row, "license") == license {
        return None;
    }
    let repository = c.text(G, row, "repo_name");
    let d = Draft::new(RELICENSE)
        .slot("repository", &repository)
        .slot("license", &license)
        .step(
            "change the licence",
            "github_update",
            json!({"kind": "repository", "repo_name": repository, "changes": {"license": license}}),
        )
        .row(G, row);
    Some(d)
}

/// Changes the metadata of a repository.
pub(super) fn metadata(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, G)?;
    let language = *c.s.pick(&["Rust", "Go", "TypeScript", "Java"])?;
    let repository = c.text(G, row, "repo_name");
    if c.text(G, row, "language") == language {
        return None;
    }
    let d = Draft::new(&[
        "Update the metadata of {repository}: its language is {language}.",
        "The language of {repository} is recorded wrongly; I want it to say {language}.",
        "Please set the language of {repository} to {language} for me.",
    ])
    .slot("repository", &repository)
    .slot("language", language)
    .step(
        "change the metadata",
        "github_update",
        json!({"kind": "repository", "repo_name": repository, "changes": {"language": language}}),
    )
    .row(G, row);
    Some(d)
}

/// Repairs the fault that an open issue describes; the repaired file is known.
///
/// Three or four steps: issue, file, repaired file, and closing the issue. The expected content is
/// the right version of the generated file, compared without spaces at the ends of lines.
fn repair(c: &mut Ctx<'_>, phrases: &[&'static str], close: bool) -> Option<Draft> {
    let row = writable(c, X)?;
    let issue = c.company().issues.get(row as usize)?;
    let file = issue.file.0;
    let made = c.company().files.get(file as usize)?.code == crate::row::Text::Made;
    if c.text(X, row, "status") != "open" || issue.patch.is_some() || !made {
        return None;
    }
    let plan = crate::synth::code::plan(c.company(), file);
    let (id, repository) = (c.text(X, row, "issue_id"), c.text(X, row, "repo_name"));
    let path = c.text(F, file, "path");
    let d = find_issue(c, Draft::new(phrases), row)?
        .read(c, "read the issue", X, row)
        .then("read the file", "github_read", json!({"repo_name": repository, "path": path}))
        .then(
            "write the repaired file",
            "github_update",
            json!({"kind": "file", "repo_name": repository, "path": path, "changes": {"content": plan.text(true)}}),
        )
        .row(X, row)
        .row(F, file);
    Some(if close {
        d.then(
            "close the issue",
            "github_update",
            json!({"kind": "issue", "repo_name": repository, "issue_id": id, "changes": {"status": "closed"}}),
        )
    } else {
        d
    })
}

/// Repairs a fault.
pub(super) fn patch(c: &mut Ctx<'_>) -> Option<Draft> {
    repair(
        c,
        &[
            "Fix the fault behind the issue \"{title}\" in {repository}: change only the faulty line of its file. Leave the issue open, I will review it.",
            "I need the code behind \"{title}\" ({repository}) repaired. Touch nothing but the wrong line, and do not close the issue.",
        ],
        false,
    )
}

/// Repairs a fault and closes its issue.
pub(super) fn patch_and_close(c: &mut Ctx<'_>) -> Option<Draft> {
    repair(
        c,
        &[
            "Work on the issue \"{title}\" in {repository}: correct the faulty line of its file, nothing else, and then close the issue for me.",
            "I want \"{title}\" in {repository} done: fix the one wrong line in the file and set the issue to closed.",
        ],
        true,
    )
}
