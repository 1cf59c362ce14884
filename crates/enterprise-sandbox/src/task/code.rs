//! Templates of software engineering.
//!
//! Personas belong to Engineering. Associates may change only their own code, leads and above read
//! everything, directors change everything; rows to be written are drawn from the persona's own
//! repositories in seven of ten cases.

use super::FactKind::{Date, Id, List};
use super::draft::{Ctx, Draft, is, most};
use super::naming::said_day;
use super::projects::find_issue;
use super::talk::DATE;
use crate::access::Act;
use crate::source::TableId;
use serde_json::{Value, json};

const G: TableId = TableId::Repositories;
const F: TableId = TableId::Files;
const X: TableId = TableId::Issues;

/// Repositories that the persona owns.
pub(super) fn mine(c: &Ctx<'_>) -> Vec<u32> {
    c.mine(G, "emp_id")
}

/// Files or issues of a repository that the persona may read.
pub(super) fn inside(c: &Ctx<'_>, source: TableId, repository: u32) -> Vec<u32> {
    c.linked(source, "repo_name", repository)
}

/// Issues of a repository with a status.
pub(super) fn issues(c: &Ctx<'_>, repository: u32, status: &str) -> Vec<u32> {
    c.having(X, &inside(c, X, repository), "status", status)
}

/// The step that lists the persona's repositories.
pub(super) fn list_mine(c: &Ctx<'_>, d: Draft, own: &[u32]) -> Draft {
    d.list("list my repositories", G, &[is("emp_id", c.my_id())], own)
}

/// A repository, file or issue that the persona may change.
pub(super) fn writable(c: &mut Ctx<'_>, source: TableId) -> Option<u32> {
    let own = mine(c);
    for _ in 0..12 {
        let row = match (source, c.s.chance(0.7)) {
            (G, true) => c.pick(&own)?,
            (_, true) => {
                let repository = c.pick(&own)?;
                c.pick(&inside(c, source, repository))?
            }
            _ => c.row(source),
        };
        if c.may(Act::Update, source, row) {
            return Some(row);
        }
    }
    None
}

/// Own repositories with open or closed issues.
///
/// One step for each of up to four repositories.
pub(super) fn with_issues(c: &mut Ctx<'_>) -> Option<Draft> {
    let status = c.pick(&["open", "closed"])?;
    let own = mine(c);
    let mut rows = own.clone();
    rows.retain(|r| !issues(c, *r, status).is_empty());
    if rows.is_empty() || own.len() > 4 {
        return None;
    }
    let d = Draft::new(&[
        "I want to tidy up: in which of my repositories are there {status} issues?",
        "Which of my repositories have {status} issues? Name them.",
        "I need the names of my repositories with {status} issues.",
    ])
    .slot("status", status);
    let d = own.iter().fold(list_mine(c, d, &own), |d, row| {
        let name = c.text(G, *row, "repo_name");
        d.step(
            format!("look at the issues of {name}"),
            "github_read",
            json!({"repo_name": name}),
        )
    });
    Some(
        d.fact("repositories", List, c.values(G, &rows, "repo_name"))
            .rows(G, &rows),
    )
}

/// Own repositories under a licence.
pub(super) fn licensed(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let row = c.pick(&own)?;
    let license = c.text(G, row, "license");
    let rows = c.having(G, &own, "license", &license);
    (!license.is_empty()).then_some(())?;
    let d = Draft::new(&[
        "I need every repository of mine that carries the {license} licence.",
        "Which of my repositories are under the {license} licence?",
        "List my repositories with the licence {license}.",
    ])
    .slot("license", &license)
    .seek(
        "list my repositories under that licence",
        G,
        &[is("emp_id", c.my_id()), is("license", license)],
        &rows,
    )
    .fact("repositories", List, c.values(G, &rows, "repo_name"))
    .row(G, row);
    Some(d)
}

/// Path of a file by its name.
pub(super) fn path_of_file(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(F)?;
    let (repository, path) = (c.text(F, row, "repo_name"), c.text(F, row, "path"));
    let (_, file) = path.rsplit_once('/')?;
    let mut conditions = vec![
        is("repo_name", &repository),
        ("path", "has", file.to_owned()),
    ];
    // The repository alone is a sufficient condition unless it has other files with such a name.
    if inside(c, F, c.follow(F, row, "repo_name")?).len() == 1 {
        conditions.truncate(1);
    }
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
    .claim(F, &conditions, &[row])
    .row(F, row);
    Some(d.tell(c, &[("path", Id)]))
}

/// The file of an issue.
pub(super) fn file_of_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(X)?;
    let title = c.text(X, row, "title");
    let d = Draft::new(&[
        "Which file has the issue \"{title}\"? Give me its path and repository.",
        "I am looking for the issue \"{title}\": in which repository and file is it?",
        "Tell me the repository and the path of the file with the issue \"{title}\", please, I want to look at it.",
    ])
    .slot("title", &title)
    .step("search the issues", "github_read", json!({"query": title, "issue_status": c.text(X, row, "status")}))
    .claim(X, &[is("title", title)], &[row])
    .row(X, row);
    Some(d.tell(c, &[("path", Id), ("repo_name", Id)]))
}

/// The persona's newest repository.
///
/// The plan lists all own repositories and compares their dates.
pub(super) fn newest(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let dated = own.iter().map(|r| (c.text(G, *r, "creation_date"), *r));
    let (date, row) = most(dated.collect())?;
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
    .claim(
        G,
        &[is("emp_id", me), ("creation_date", "from", date)],
        &[row],
    )
    .row(G, row);
    Some(d.tell(c, &[("repo_name", Id), ("creation_date", Date)]))
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
            .tell(c, &[("status", Id)])
            .worked_out("created", Date, opened.get(..10)?),
    )
}

/// Creates a repository with a new name.
fn new_repository(c: &mut Ctx<'_>, phrases: &[&'static str]) -> (Draft, String) {
    let owner = c.name(c.me).to_lowercase().replace(' ', "");
    let (a, b) = (c.word("repo.first"), c.word("repo.second"));
    let name = format!("{owner}/{a}-{b}-n{}", c.between(100, 9_999));
    let license = c.word("license");
    let d = Draft::new(phrases)
        .slot("repository", &name)
        .slot("license", &license)
        .step(
            "create the repository",
            "github_create",
            json!({"kind": "repository", "repo_name": name, "license": license}),
        );
    (d, name)
}

/// Creates a repository.
pub(super) fn create_repository(c: &mut Ctx<'_>) -> Option<Draft> {
    let phrases = [
        "Create a repository {repository} under the {license} licence for me.",
        "I am starting a new project: set up the repository {repository}, licence {license}.",
        "Please create {repository} with the licence {license} in my name.",
    ];
    Some(new_repository(c, &phrases).0)
}

/// Creates a repository and tells the lead.
pub(super) fn create_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c.my_manager()?;
    let subject = "New repository";
    let phrases = [
        "Create a repository {repository} ({license} licence) and send my lead a mail with the subject \"{subject}\" that names it.",
        "Set up {repository} under {license} for me, then mail my lead, subject \"{subject}\"; the text must name the repository.",
        "I need a new repository {repository}, licence {license}, and a mail to my lead about it, subject \"{subject}\", naming it.",
    ];
    let (d, name) = new_repository(c, &phrases);
    Some(
        d.slot("subject", subject)
            .find_my_manager(c, "find my lead")
            .letter(c, lead, subject, DATE, &[name]),
    )
}

/// Deletes an issue.
pub(super) fn delete_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, X)?;
    c.may(Act::Delete, X, row).then_some(())?;
    let d = Draft::new(&[
        "I do not need the issue \"{title}\" in {repository} any more. Please delete it.",
        "The issue \"{title}\" of {repository} is a duplicate. Remove it for me.",
    ]);
    Some(find_issue(c, d, row)?.delete(c, "delete the issue", X, row))
}

/// The step that closes an issue.
pub(super) fn close(c: &Ctx<'_>, d: Draft, row: u32) -> Draft {
    d.change(c, "close the issue", X, row, json!({"status": "closed"}))
}

/// Opens an issue.
pub(super) fn open_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(G)?;
    let repository = c.text(G, row, "repo_name");
    let thing = c.word("codething");
    let title = format!("Improve {thing}");
    let days = c.between(3, 40);
    let detail = said_day(c.company().clock().plus(days));
    let text = format!("Please improve {thing} before {detail}.");
    let d = Draft::new(&[
        "Open a new issue in {repository} for me, title \"{title}\"; the description must name {detail} as the date.",
        "I want an issue \"{title}\" in {repository}. The description should name {detail} as the date.",
        "Create an issue titled \"{title}\" in {repository} and name {detail} as the date in the description. I will look after it.",
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
    let title = c.text(X, row, "title");
    let d = Draft::new(&[
        "Close the issue \"{title}\" in {repository} and mail {name} that it is done, quoting the title.",
        "{name} is waiting for the issue \"{title}\" of {repository}. Set it to closed for me and tell them by mail, with its title.",
    ]);
    let d = close(c, find_issue(c, d, row)?, row).find("name", &to);
    Some(d.mail(c, to.person(), "a closed issue", &[title]))
}

/// Also asked about the code of others.
pub(super) const RELICENSE: &[&str] = &[
    "Revise the licence of {repository} to {license}.",
    "I want {repository} to be under the {license} licence from now on. Change it.",
    "Please set the licence of {repository} to {license} for me.",
    "{repository} has the wrong licence in our list; it should be {license}. Please change it.",
    "We decided on {license} for {repository}. Please enter it as the licence.",
    "Can you put {repository} under {license}?",
];

/// The step that changes a repository.
fn change(c: &Ctx<'_>, d: Draft, row: u32, goal: &str, changes: Value) -> Draft {
    d.slot("repository", c.text(G, row, "repo_name"))
        .change(c, goal, G, row, changes)
        .row(G, row)
}

/// Changes a licence.
pub(super) fn relicense(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, G)?;
    let license = c.word("license");
    (c.text(G, row, "license") != license).then_some(())?;
    let d = Draft::new(RELICENSE).slot("license", &license);
    let changes = json!({"license": license});
    Some(change(c, d, row, "change the licence", changes))
}

/// Changes the metadata of a repository.
pub(super) fn metadata(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, G)?;
    let language = c.pick(&["Rust", "Go", "TypeScript", "Java"])?;
    (c.text(G, row, "language") != language).then_some(())?;
    let d = Draft::new(&[
        "Update the metadata of {repository}: its language is {language}.",
        "The language of {repository} is recorded wrongly; I want it to say {language}.",
        "Please set the language of {repository} to {language} for me.",
    ])
    .slot("language", language);
    let changes = json!({"language": language});
    Some(change(c, d, row, "change the metadata", changes))
}

/// Repairs the fault that an open issue describes; the repaired file is known.
///
/// Three or four steps: issue, file, repaired file, and closing the issue. The expected content is
/// the right version of the generated file, compared without spaces at the ends of lines.
fn repair(c: &mut Ctx<'_>, phrases: &[&'static str], closes: bool) -> Option<Draft> {
    let row = writable(c, X)?;
    let file = c.company().link(X, row, "path")?;
    let patched = !c.company().cell(X, row, "patch").is_null();
    if c.text(X, row, "status") != "open" || patched || !c.company().is_made(F, file, "content") {
        return None;
    }
    let plan = crate::synth::code::plan(c.company(), file);
    let changes = json!({"content": plan.text(true)});
    let d = find_issue(c, Draft::new(phrases), row)?
        .read(c, "read the issue", X, row)
        .read(c, "read the file", F, file)
        .change(c, "write the repaired file", F, file, changes);
    Some(match closes {
        true => close(c, d, row),
        false => d,
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
