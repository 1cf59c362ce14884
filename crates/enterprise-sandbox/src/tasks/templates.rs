//! The list of templates, with the published goal templates that each of them covers.
//!
//! A template is a kind of request. The 90 distinct texts of the published goal configurations are
//! all covered; each template states which, by a fingerprint of the text, so that the texts
//! themselves need not be repeated here. Templates without a goal are this crate's: requests about
//! clients and vendors, composed tasks, and all tasks that cannot be done.
//!
//! | file | templates are about |
//! |---|---|
//! | `plans/common.txt` | mails, conversations, colleagues, posts and policies, for every domain; returns in sales |
//! | `plans/hr.txt` | the own record and records of others |
//! | `plans/it.txt` | tickets |
//! | `plans/swe.txt` | repositories, files, issues |
//! | `plans/sales.txt` | products, sales, reviews, support chats |
//! | `plans/business.txt` | clients, vendors, contracts |
//! | `plans/refusals.txt` | what cannot be done, and requests in the same words |
//! | `plans/templates.txt` | the list: category, weight, domains, name, covered goals |

use super::{Category, TaskDomain};
use std::sync::LazyLock;
use strum::VariantArray as _;

/// One template.
pub(super) struct Template {
    pub(super) info: TemplateInfo,
    /// Relative frequency among the templates of its category in a domain.
    pub(super) weight: u32,
}

/// The public description of a template.
///
/// ```
/// use enterprise_sandbox::tasks::{Category, templates};
///
/// let all = templates();
/// assert!(all.iter().any(|t| t.id == "my_salary" && t.category == Category::Search));
/// let goals: usize = all.iter().map(|t| t.goals.len()).sum();
/// assert_eq!(goals, 90); // the published goal configurations have 90 distinct texts
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateInfo {
    /// Name.
    /// Part of the id of every task that is made from it.
    pub id: &'static str,
    /// Category.
    pub category: Category,
    /// Domains that use it.
    pub domains: Vec<TaskDomain>,
    /// Fingerprints (64-bit FNV-1a) of the published goal templates that it covers.
    pub goals: Vec<u64>,
}

/// All templates.
#[must_use]
pub fn templates() -> Vec<TemplateInfo> {
    all().map(|t| t.info.clone()).collect()
}

/// Every template.
pub(super) fn all() -> impl Iterator<Item = &'static Template> {
    TEMPLATES.iter()
}

#[expect(
    clippy::panic,
    reason = "the text is a part of this crate, and each test of the tasks reads it"
)]
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let lines = include_str!("../../plans/templates.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line| template(line).unwrap_or_else(|| panic!("not a template: {line}"));
    lines.map(read).collect()
});

/// The template of a line.
fn template(line: &'static str) -> Option<Template> {
    let mut words = line.split(' ');
    let category = words.next()?;
    let weight = words.next()?.parse().ok()?;
    let domains = words.next()?;
    let id = words.next()?;
    let named = |name| TaskDomain::ALL.into_iter().find(|d| d.to_string() == name);
    let domains = match domains {
        "all" => TaskDomain::ALL.to_vec(),
        names => names.split(',').map(named).collect::<Option<_>>()?,
    };
    let goals = words.map(|goal| u64::from_str_radix(goal, 16).ok());
    let info = TemplateInfo {
        id,
        category: *Category::VARIANTS
            .iter()
            .find(|c| <&str>::from(**c) == category)?,
        domains,
        goals: goals.collect::<Option<_>>()?,
    };
    Some(Template { info, weight })
}
