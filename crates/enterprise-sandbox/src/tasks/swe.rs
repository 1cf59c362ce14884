//! Templates of software engineering: repositories, files, issues.

use super::FactKind::{Date, Id, List, Number, Text};
use super::common::{DATE, boss_steps};
use super::draft::{Ctx, Draft, ahead, is, least, most};
use super::draft::{Thing, said_day};
use crate::access::Act;
use crate::data::tables::TableId;
use serde_json::{Value, json};

// ---------------------------------------------------------------- code
//
// Templates of software engineering.
//
// Personas belong to Engineering. Associates may change only their own code, leads and above read
// everything, directors change everything; rows to be written are drawn from the persona's own
// repositories in seven of ten cases.

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
    let d = Draft::new("code.with_issues").slot("status", status);
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
    let d = Draft::new("code.licensed")
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
    let d = Draft::new("code.path_of_file")
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
    let d = Draft::new("code.file_of_issue")
        .slot("title", &title)
        .step(
            "search the issues",
            "github_read",
            json!({"query": title, "issue_status": c.text(X, row, "status")}),
        )
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
    let d = Draft::new("code.newest")
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
    let d = Draft::new("code.issue_status");
    Some(
        find_issue(c, d, row)?
            .read(c, "read the issue", X, row)
            .tell(c, &[("status", Id)])
            .worked_out("created", Date, opened.get(..10)?),
    )
}

/// Creates a repository with a new name.
fn new_repository(c: &mut Ctx<'_>, wording: &str) -> (Draft, String) {
    let owner = c.name(c.me).to_lowercase().replace(' ', "");
    let (a, b) = (c.word("repo.first"), c.word("repo.second"));
    let name = format!("{owner}/{a}-{b}-n{}", c.between(100, 9_999));
    let license = c.word("license");
    let d = Draft::new(wording)
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
    Some(new_repository(c, "code.create_repository").0)
}

/// Creates a repository and tells the lead.
pub(super) fn create_and_mail(c: &mut Ctx<'_>) -> Option<Draft> {
    let lead = c.my_manager()?;
    let subject = "New repository";
    let (d, name) = new_repository(c, "code.create_and_mail");
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
    let d = Draft::new("code.delete_issue");
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
    let d = Draft::new("code.open_issue")
        .slot("repository", &repository)
        .slot("title", &title)
        .slot("detail", &detail)
        .step(
            "open the issue",
            "github_create",
            json!({"kind": "issue", "repo_name": repository, "title": title, "description": text}),
        )
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
    let d = Draft::new("code.close_and_notify");
    let d = close(c, find_issue(c, d, row)?, row).find("name", &to);
    Some(d.mail(c, to.person(), "a closed issue", &[title]))
}

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
    let d = Draft::new("code.relicense").slot("license", &license);
    let changes = json!({"license": license});
    Some(change(c, d, row, "change the licence", changes))
}

/// Changes the metadata of a repository.
pub(super) fn metadata(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, G)?;
    let language = c.pick(&["Rust", "Go", "TypeScript", "Java"])?;
    (c.text(G, row, "language") != language).then_some(())?;
    let d = Draft::new("code.metadata").slot("language", language);
    let changes = json!({"language": language});
    Some(change(c, d, row, "change the metadata", changes))
}

/// Repairs the fault that an open issue describes; the repaired file is known.
///
/// Three or four steps: issue, file, repaired file, and closing the issue. The expected content is
/// the right version of the generated file, compared without spaces at the ends of lines.
fn repair(c: &mut Ctx<'_>, wording: &str, closes: bool) -> Option<Draft> {
    let row = writable(c, X)?;
    let file = c.company().link(X, row, "path")?;
    let patched = !c.company().cell(X, row, "patch").is_null();
    if c.text(X, row, "status") != "open" || patched || !c.company().is_made(F, file, "content") {
        return None;
    }
    let plan = crate::data::synth::code::plan(c.company(), file);
    let changes = json!({"content": plan.text(true)});
    let d = find_issue(c, Draft::new(wording), row)?
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
    repair(c, "code.patch", false)
}

/// Repairs a fault and closes its issue.
pub(super) fn patch_and_close(c: &mut Ctx<'_>) -> Option<Draft> {
    repair(c, "code.patch_and_close", true)
}

// ---------------------------------------------------------------- projects
//
// Templates of software engineering whose later steps need what earlier ones found.

/// A colleague with one to four repositories, all of which the persona may read.
fn maintainer(c: &mut Ctx<'_>, low: usize) -> Option<(Thing, Vec<u32>)> {
    let row = c.any(G)?;
    let owner = c.linked_to(G, row, "emp_id")?;
    let rows = c.linked(G, "emp_id", owner.row);
    let other = owner.person() != c.me;
    (other && (low..=4).contains(&rows.len())).then_some((owner, rows))
}

/// The step that lists somebody's repositories.
fn list_of(d: Draft, who: &Thing, rows: &[u32]) -> Draft {
    let goal = format!("list the repositories of {}", who.said);
    d.list(goal, G, &[is("emp_id", &who.id)], rows)
}

/// Open issues in all repositories of a colleague.
pub(super) fn open_issues_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let open: usize = rows.iter().map(|r| issues(c, *r, "open").len()).sum();
    let d = Draft::new("projects.open_issues").find("name", &who);
    let d = rows.iter().fold(list_of(d, &who, &rows), |d, row| {
        let goal = format!("read {}", c.text(G, *row, "repo_name"));
        d.read(c, goal, G, *row).after(&[1])
    });
    Some(
        d.fact("repositories", List, c.values(G, &rows, "repo_name"))
            .worked_out("open_issues", Number, open),
    )
}

/// The newest repository of a colleague.
pub(super) fn newest_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let dated = rows.iter().map(|r| (c.text(G, *r, "creation_date"), *r));
    let (_, row) = most(dated.collect())?;
    let d = Draft::new("projects.newest").find("name", &who);
    Some(list_of(d, &who, &rows).row(G, row).tell(
        c,
        &[("repo_name", Id), ("creation_date", Date), ("license", Id)],
    ))
}

/// The oldest open issue in the persona's repositories.
pub(super) fn oldest_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let open = own.iter().flat_map(|g| issues(c, *g, "open"));
    let dated = open.filter_map(|i| Some((c.text(X, i, "created_at").get(..10)?.to_owned(), i)));
    let (day, row) = least(dated.collect())?;
    (own.len() <= 4).then_some(())?;
    let d = Draft::new("projects.oldest_issue");
    let d = own.iter().fold(list_mine(c, d, &own), |d, g| {
        let name = c.text(G, *g, "repo_name");
        d.step(
            format!("list the open issues of {name}"),
            "github_read",
            json!({"repo_name": name, "issue_status": "open", "limit": 200}),
        )
        .after(&[0])
    });
    Some(
        d.row(X, row)
            .tell(c, &[("title", Text), ("repo_name", Id)])
            .worked_out("opened", Date, day),
    )
}

/// Which of two colleagues owns more repositories.
pub(super) fn more_repositories(c: &mut Ctx<'_>) -> Option<Draft> {
    let ((one, a), (two, b)) = (maintainer(c, 1)?, maintainer(c, 1)?);
    let (more, rows) = *ahead((&(&one, &a), a.len()), (&(&two, &b), b.len()))?;
    let d = Draft::new("projects.more_repositories").compare((&one, &a), (&two, &b), list_of);
    Some(d.worked_out("name", Text, more.said.as_str()).worked_out(
        "repositories",
        List,
        c.values(G, rows, "repo_name"),
    ))
}

/// The manager of a repository's owner.
pub(super) fn boss_of_owner(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(G)?;
    let owner = c.person(G, row, "emp_id")?;
    (owner != c.me).then_some(())?;
    let d = Draft::new("projects.boss_of_owner").repository(c, "read the repository", row);
    boss_steps(c, d, owner)
}

/// Puts all repositories of the persona that have one licence under another.
pub(super) fn relicense_all(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let row = c.pick(&own)?;
    let (old, new) = (c.text(G, row, "license"), c.word("license"));
    let rows = c.having(G, &own, "license", &old);
    if old == new || old.is_empty() || rows.len() > 5 || own.len() < 2 {
        return None;
    }
    let d = Draft::new("projects.relicense_all")
        .slot("old", &old)
        .slot("new", &new);
    let d = list_mine(c, d, &own);
    Some(rows.iter().fold(d, |d, r| {
        let goal = format!("change the licence of {}", c.text(G, *r, "repo_name"));
        d.change(c, goal, G, *r, json!({"license": new}))
            .after(&[0])
            .row(G, *r)
    }))
}

/// Closes an issue and tells the owner of its repository.
pub(super) fn close_and_tell_owner(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, X)?;
    let owner = c.person(G, c.follow(X, row, "repo_name")?, "emp_id")?;
    let own = owner == c.me;
    let to = match own {
        true => c.view.manager(c.me)?,
        false => owner,
    };
    (c.text(X, row, "status") == "open" && c.is_active(to)).then_some(())?;
    let title = c.text(X, row, "title");
    let d = Draft::new(if own {
        "projects.close_own"
    } else {
        "projects.close_and_tell_owner"
    });
    let d = close(c, find_issue(c, d, row)?, row);
    let d = match own {
        true => d.find_my_manager(c, "find my manager"),
        false => d,
    };
    Some(d.mail(c, to, "a closed issue", &[title]))
}

/// Finds an issue by its title in a repository.
pub(super) fn find_issue(c: &Ctx<'_>, d: Draft, row: u32) -> Option<Draft> {
    let name = c.text(X, row, "repo_name");
    let title = c.text(X, row, "title");
    let mut conditions = vec![is("repo_name", &name)];
    // The title is a condition only where the repository has other issues.
    if inside(c, X, c.follow(X, row, "repo_name")?).len() > 1 {
        conditions.push(is("title", &title));
    }
    Some(
        d.slot("title", &title)
            .slot("repository", &name)
            .step(
                "read the repository",
                "github_read",
                json!({"repo_name": name}),
            )
            .claim(X, &conditions, &[row])
            .row(X, row),
    )
}
