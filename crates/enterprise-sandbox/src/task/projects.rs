//! Templates of software engineering whose later steps need what earlier ones found.

use super::FactKind::{Date, Id, List, Number, Text};
use super::code::{inside, may, mine, names, repositories_of, writable};
use super::draft::{Ctx, Draft};
use super::naming::Thing;
use super::reach::boss_steps;
use crate::access::Act;
use crate::source::TableId;
use serde_json::json;

const G: TableId = TableId::Repositories;
const X: TableId = TableId::Issues;

/// Reads each of a few repositories.
fn read_all(c: &Ctx<'_>, d: Draft, rows: &[u32], from: usize) -> Draft {
    rows.iter().fold(d, |d, row| {
        let name = c.text(G, *row, "repo_name");
        d.read(c, &format!("read {name}"), G, *row).after(&[from])
    })
}

/// A colleague with one to four repositories, all of which the persona may read.
fn maintainer(c: &mut Ctx<'_>, low: usize) -> Option<(Thing, Vec<u32>)> {
    let row = c.any(G)?;
    let owner = c.view.employee(&c.text(G, row, "emp_id"))?;
    let rows = repositories_of(c, owner);
    ((low..=4).contains(&rows.len()) && owner != c.me).then_some(())?;
    Some((c.who(owner)?, rows))
}

/// The step that lists somebody's repositories.
fn list_of(d: Draft, who: &Thing, rows: &[u32]) -> Draft {
    d.then(
        format!("list the repositories of {}", who.said),
        "github_read",
        json!({"owner_emp_id": who.id, "limit": 200}),
    )
    .claim(G, &[("emp_id", "is", who.id.clone())], rows)
}

/// Open issues in all repositories of a colleague.
pub(super) fn open_issues_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let open = |row: &u32| {
        let issues = inside(c, X, *row).into_iter();
        issues.filter(|i| c.text(X, *i, "status") == "open").count()
    };
    let counts: Vec<usize> = rows.iter().map(open).collect();
    let d = Draft::new(&[
        "Which repositories does {name} own, and how many open issues are in them altogether?",
        "I may take over from {name}. Name {name}'s repositories for me, and count the issues that are open in them.",
    ])
    .find("name", &who);
    let d = read_all(c, list_of(d, &who, &rows), &rows, 1);
    Some(d.fact("repositories", List, names(c, &rows)).worked_out(
        "open_issues",
        Number,
        json!(counts.iter().sum::<usize>()),
    ))
}

/// The newest repository of a colleague.
pub(super) fn newest_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let mut dated: Vec<_> = rows
        .iter()
        .map(|r| (c.text(G, *r, "creation_date"), *r))
        .collect();
    dated.sort();
    let (date, row) = dated.last()?.clone();
    (dated.get(dated.len() - 2)?.0 != date).then_some(())?;
    let d = Draft::new(&[
        "What is the latest repository that {name} created, when was that, and what licence does it have?",
        "{name} started something new. I need the name, the creation date and the licence of their most recent repository.",
    ])
    .find("name", &who);
    Some(
        list_of(d, &who, &rows)
            .fact("repo_name", Id, c.get(G, row, "repo_name"))
            .fact("creation_date", Date, json!(date))
            .fact("license", Id, c.get(G, row, "license"))
            .row(G, row),
    )
}

/// The oldest open issue in the persona's repositories.
pub(super) fn oldest_issue(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let mut open: Vec<(String, u32)> = own
        .iter()
        .flat_map(|g| inside(c, X, *g))
        .filter(|i| c.text(X, *i, "status") == "open")
        .map(|i| (c.text(X, i, "created_at"), i))
        .collect();
    open.sort();
    let (first, second) = (open.first()?.clone(), open.get(1)?.clone());
    if first.0.get(..10) == second.0.get(..10) || own.len() > 4 {
        return None;
    }
    let row = first.1;
    let me = c.my_id();
    let d = Draft::new(&[
        "Which open issue in my repositories is the oldest? I need its title, the repository and the day it was opened.",
        "Of all issues still open in repositories of mine, find the one that has waited longest: title, repository, date.",
    ])
    .step(
        "list my repositories",
        "github_read",
        json!({"owner_emp_id": me, "limit": 200}),
    )
    .claim(G, &[("emp_id", "is", me)], &own);
    let d = own.iter().fold(d, |d, g| {
        let name = c.text(G, *g, "repo_name");
        d.step(
            format!("list the open issues of {name}"),
            "github_read",
            json!({"repo_name": name, "issue_status": "open", "limit": 200}),
        )
        .after(&[0])
    });
    Some(
        d.fact("title", Text, c.get(X, row, "title"))
            .fact("repo_name", Id, c.get(X, row, "repo_name"))
            .worked_out("opened", Date, json!(first.0.get(..10)?))
            .row(X, row),
    )
}

/// Which of two colleagues owns more repositories.
pub(super) fn more_repositories(c: &mut Ctx<'_>) -> Option<Draft> {
    let ((one, a), (two, b)) = (maintainer(c, 1)?, maintainer(c, 1)?);
    (a.len() != b.len()).then_some(())?;
    let more = if a.len() > b.len() { &one } else { &two };
    let names = names(c, if a.len() > b.len() { &a } else { &b });
    let more = more.said.clone();
    let d = Draft::new(&[
        "Who owns more repositories, {one} or {two}? Give me the name, and the repositories of that person.",
        "I am balancing who maintains what. Which of {one} and {two} has more repositories, and which ones are they?",
    ])
    .find("one", &one)
    .find("two", &two);
    let d = list_of(d, &one, &a).after(&[0]);
    let d = list_of(d, &two, &b).after(&[1]);
    Some(
        d.worked_out("name", Text, json!(more))
            .worked_out("repositories", List, names),
    )
}

/// Also asked about repositories that do not exist.
pub(super) const BOSS_OF_OWNER: &[&str] = &[
    "Nobody reacts to my questions about {repository}. Who is the owner's manager, and what is the mail address?",
    "Find the owner of {repository} for me, and the name and address of that person's manager.",
];

/// The manager of a repository's owner.
pub(super) fn boss_of_owner(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(G)?;
    let owner = c.view.employee(&c.text(G, row, "emp_id"))?;
    let name = c.text(G, row, "repo_name");
    (owner != c.me).then_some(())?;
    let d = Draft::new(BOSS_OF_OWNER)
        .slot("repository", &name)
        .step(
            "read the repository",
            "github_read",
            json!({"repo_name": name}),
        )
        .claim(G, &[("repo_name", "is", name)], &[row])
        .row(G, row);
    boss_steps(c, d, owner)
}

/// Puts all repositories of the persona that have one licence under another.
pub(super) fn relicense_all(c: &mut Ctx<'_>) -> Option<Draft> {
    let own = mine(c);
    let row = c.pick(&own)?;
    let (old, new) = (c.text(G, row, "license"), c.word("license"));
    let rows: Vec<u32> = own
        .iter()
        .copied()
        .filter(|r| c.text(G, *r, "license") == old)
        .collect();
    if old == new || old.is_empty() || rows.len() > 5 || own.len() < 2 {
        return None;
    }
    let me = c.my_id();
    let d = Draft::new(&[
        "Everything of mine that is under {old} has to be under {new}. Change the licence of those repositories.",
        "Legal wants no {old} code from me. Put every repository that I own under that licence under {new} instead.",
    ])
    .slot("old", &old)
    .slot("new", &new)
    .step(
        "list my repositories",
        "github_read",
        json!({"owner_emp_id": me, "limit": 200}),
    )
    .claim(G, &[("emp_id", "is", me)], &own);
    Some(rows.iter().fold(d, |d, r| {
        let name = c.text(G, *r, "repo_name");
        d.step(
            format!("change the licence of {name}"),
            "github_update",
            json!({"kind": "repository", "repo_name": name, "changes": {"license": new}}),
        )
        .after(&[0])
        .row(G, *r)
    }))
}

/// Closes an issue and tells the owner of its repository.
pub(super) fn close_and_tell_owner(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = writable(c, X)?;
    let name = c.text(X, row, "repo_name");
    let owner = c
        .view
        .employee(&c.text(G, c.view.find(G, &name)?, "emp_id"))?;
    let boss = match owner == c.me {
        true => c.view.manager(c.me)?,
        false => owner,
    };
    if c.text(X, row, "status") != "open" || !may(c, Act::Update, X, row) || !c.is_active(boss) {
        return None;
    }
    let (id, title) = (c.text(X, row, "issue_id"), c.text(X, row, "title"));
    let own = owner == c.me;
    let d = Draft::new(if own {
        &[
            "The issue \"{title}\" in {repository} is done. Close it and mail my manager that it is, quoting the title.",
            "Close the issue \"{title}\" of my repository {repository}, then send my manager a mail that quotes its title.",
        ]
    } else {
        &[
            "The issue \"{title}\" in {repository} is done. Close it and mail the owner of the repository, quoting the title.",
            "Close the issue \"{title}\" of {repository} for me, and let the repository's owner know by mail which one, by its title.",
        ]
    });
    let d = find_issue(c, d, row)?.then(
        "close the issue",
        "github_update",
        json!({"kind": "issue", "repo_name": name, "issue_id": id, "changes": {"status": "closed"}}),
    );
    let d = match own {
        true => d.step(
            "find my manager",
            "employee_data_read",
            json!({"emp_id": c.my_id(), "fields": ["reports_to"]}),
        ),
        false => d,
    };
    Some(d.mail(c, boss, "a closed issue", &[title]))
}

/// Finds an issue by its title in a repository.
pub(super) fn find_issue(c: &Ctx<'_>, d: Draft, row: u32) -> Option<Draft> {
    let name = c.text(X, row, "repo_name");
    let title = c.text(X, row, "title");
    let repository = c.view.find(G, &name)?;
    let same: Vec<u32> = inside(c, X, repository);
    // The title is a condition only where the repository has other issues.
    let title_needed = same.len() > 1;
    let mut conditions = vec![("repo_name", "is", name.clone())];
    if title_needed {
        conditions.push(("title", "is", title.clone()));
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
