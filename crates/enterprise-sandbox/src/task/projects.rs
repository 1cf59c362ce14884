//! Templates of software engineering whose later steps need what earlier ones found.

use super::FactKind::{Date, Id, List, Number, Text};
use super::code::{close, inside, issues, list_mine, mine, writable};
use super::draft::{Ctx, Draft, ahead, is, least, most};
use super::naming::Thing;
use super::reach::boss_steps;
use crate::source::TableId;
use serde_json::json;

const G: TableId = TableId::Repositories;
const X: TableId = TableId::Issues;

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

/// Also asked about people who do not exist.
pub(super) const OPEN_ISSUES: &[&str] = &[
    "Which repositories does {name} own, and how many open issues are in them altogether?",
    "I may take over from {name}. Name their repositories for me, and count all issues that are open in them.",
    "I am making a list of what {name} maintains: all their repositories, and the number of open issues in them altogether.",
    "How many issues are open in {name}'s repositories altogether, and which repositories are these?",
];

/// Open issues in all repositories of a colleague.
pub(super) fn open_issues_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let open: usize = rows.iter().map(|r| issues(c, *r, "open").len()).sum();
    let d = Draft::new(OPEN_ISSUES).find("name", &who);
    let d = rows.iter().fold(list_of(d, &who, &rows), |d, row| {
        let goal = format!("read {}", c.text(G, *row, "repo_name"));
        d.read(c, goal, G, *row).after(&[1])
    });
    Some(
        d.fact("repositories", List, c.values(G, &rows, "repo_name"))
            .worked_out("open_issues", Number, open),
    )
}

/// Also asked about people who do not exist.
pub(super) const NEWEST: &[&str] = &[
    "What is the latest repository that {name} created, when was that, and what licence does it have?",
    "{name} started something new. I need the name, the creation date and the licence of their most recent repository.",
    "Which repository did {name} create last? I need its name, the day and its licence.",
];

/// The newest repository of a colleague.
pub(super) fn newest_of(c: &mut Ctx<'_>) -> Option<Draft> {
    let (who, rows) = maintainer(c, 2)?;
    let dated = rows.iter().map(|r| (c.text(G, *r, "creation_date"), *r));
    let (_, row) = most(dated.collect())?;
    let d = Draft::new(NEWEST).find("name", &who);
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
    let d = Draft::new(&[
        "Which open issue in my repositories is the oldest? I need its title, the repository and the day it was opened.",
        "Of all issues still open in my repositories, find the one that has waited longest: title, repository, date.",
    ]);
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
    let d = Draft::new(&[
        "Who owns more repositories, {one} or {two}? Give me the name, and the repositories of that person.",
        "I am balancing who maintains what. Which of {one} and {two} has more repositories, and which ones are they?",
    ])
    .compare((&one, &a), (&two, &b), list_of);
    Some(d.worked_out("name", Text, more.said.as_str()).worked_out(
        "repositories",
        List,
        c.values(G, rows, "repo_name"),
    ))
}

/// Also asked about repositories that do not exist.
pub(super) const BOSS_OF_OWNER: &[&str] = &[
    "Nobody reacts to my questions about {repository}. Who is the owner's manager, and what is the mail address?",
    "Find the owner of {repository} for me, and the name and address of that person's manager.",
    "Who is the manager of the colleague who owns {repository}? I need name and mail address.",
    "I have a question about {repository} for the owner's manager. Who is it, and what is the address?",
];

/// The manager of a repository's owner.
pub(super) fn boss_of_owner(c: &mut Ctx<'_>) -> Option<Draft> {
    let row = c.any(G)?;
    let owner = c.person(G, row, "emp_id")?;
    (owner != c.me).then_some(())?;
    let d = Draft::new(BOSS_OF_OWNER).repository(c, "read the repository", row);
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
    let d = Draft::new(&[
        "Everything of mine that is under {old} has to be under {new}. Change the licence of those repositories.",
        "Legal wants no {old} code from me. Put every repository that I own under that licence under {new} instead.",
    ])
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
