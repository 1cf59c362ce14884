//! The rules as predicates, one per policy, in the order of the policy file.
//!
//! A list of a thousand records needs a thousand decisions, and a task tens of thousands. A policy
//! engine builds entities and sets for each; a predicate reads a few numbers. A test compares both
//! engines on random requests of every action, so a change of a policy must change its predicate.
//!
//! The three parts of this file:
//!
//! - `RULES`, in the order of `policies/office.cedar`, with one predicate each. A rule lists the
//!   actions that it applies to, like the scope of a policy (`action == ..`), and its predicate is
//!   the condition (`when { .. }`).
//! - `Facts`, the vocabulary of the predicates. It offers nothing that the schema of the policies
//!   does not offer, so a predicate cannot express more than its policy.
//! - [`NativeEngine`], which sorts the rules by action once, so that a decision evaluates only the
//!   few rules that apply (two to four).
//!
//! The texts of the rules (`@reason`) are not repeated here: they are read from the policy file.

use super::{
    AccessAction, AccessDecision, AccessEngine, AccessRequest, Act, COMPAT_PSEUDOCODE,
    LEVEL14_READS_ALL, POLICIES, RuleText, declared,
};
use crate::org::Department;
use crate::row::{EmployeeNo, ReaderLabel};
use crate::source::{TableId, Verb, VerbRule, Who};
use crate::view::{CompanyView, Person};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The facts that a predicate can use: what the schema of the policies lets a policy say.
struct Facts<'a> {
    view: &'a CompanyView<'a>,
    request: &'a AccessRequest<'a>,
    me: Person,
}

impl Facts<'_> {
    /// Whether a person is the principal.
    fn is(&self, who: Option<EmployeeNo>) -> bool {
        who == Some(self.request.principal)
    }
    /// Whether the principal is the first person of the record: owner, sender, subject, ...
    fn first(&self) -> bool {
        self.is(self.request.resource.first)
    }
    /// Whether the principal is the second person of the record: recipient or raiser.
    fn second(&self) -> bool {
        self.is(self.request.resource.second)
    }
    /// Whether the principal is a manager above the first person.
    fn above(&self) -> bool {
        let first = self.request.resource.first;
        first.is_some_and(|p| self.view.is_above(self.request.principal, p))
    }
    /// Whether the principal belongs to one of these departments.
    fn of(&self, departments: &[Department]) -> bool {
        departments.contains(&self.me.department)
    }
    /// Whether the principal has at least this level.
    fn level(&self, least: u8) -> bool {
        self.me.level >= least
    }
    /// Whether the principal is one of these people.
    fn are(&self, who: &Who) -> bool {
        match who {
            Who::First => self.first(),
            Who::Of(departments, level) => self.of(departments) && self.level(*level),
        }
    }
    /// Whether an update changes one of these fields.
    fn touches(&self, fields: &[&str]) -> bool {
        self.request
            .context
            .fields
            .iter()
            .any(|f| fields.contains(&f.as_str()))
    }
    /// Whether an update changes no other fields than these.
    fn touches_only(&self, fields: &[&str]) -> bool {
        self.request
            .context
            .fields
            .iter()
            .all(|f| fields.contains(&f.as_str()))
    }
}

use Act::{Create, Delete, Read, ReadSensitive, Update};
use Department::{
    Bpo, BusinessDevelopment, Engineering, Finance, HumanResources, InformationTechnology,
    Management, Sales,
};

/// One rule.
#[derive(Debug)]
struct Rule {
    id: Cow<'static, str>,
    forbids: bool,
    /// Actions to which it applies; empty for all.
    on: &'static [(Act, &'static [TableId])],
    when: When,
}

/// The condition of a rule.
#[derive(Debug)]
enum When {
    Holds(fn(&Facts<'_>) -> bool),
    /// The principal is one of these.
    Any(&'static [Who]),
}

/// A rule that allows the actions in `on` when `when` holds.
const fn permit(
    id: &'static str,
    on: &'static [(Act, &'static [TableId])],
    when: fn(&Facts<'_>) -> bool,
) -> Rule {
    Rule {
        id: Cow::Borrowed(id),
        forbids: false,
        on,
        when: When::Holds(when),
    }
}

/// A rule that forbids the actions in `on`, all if it is empty, when `when` holds.
const fn forbid(
    id: &'static str,
    on: &'static [(Act, &'static [TableId])],
    when: fn(&Facts<'_>) -> bool,
) -> Rule {
    Rule {
        id: Cow::Borrowed(id),
        forbids: true,
        on,
        when: When::Holds(when),
    }
}

/// Rules about repositories apply to what they contain, by the owner of the repository.
const CODE: &[TableId] = &[TableId::Repositories, TableId::Files, TableId::Issues];
/// Departments that deal with products: they read what they sell, support, offer or buy.
const TRADE: [Department; 4] = [Sales, Bpo, BusinessDevelopment, Management];
/// What Sales maintains. Order documents are missing because they are computed from the customer
/// and never written.
const GOODS: &[TableId] = &[
    TableId::Products,
    TableId::Sales,
    TableId::Customers,
    TableId::Reviews,
];

/// The rules of `policies/office.cedar`, in the order of that file.
static RULES: &[Rule] = &[
    forbid("inactive", &[], |f| !f.me.active),
    permit("repository-read", &[(Read, CODE)], |f| {
        f.first() || f.above() || (f.of(&[Engineering]) && f.level(10))
    }),
    permit(
        "repository-create",
        &[(Create, &[TableId::Repositories])],
        |f| f.first() && f.of(&[Engineering, InformationTechnology]),
    ),
    permit(
        "file-create",
        &[(Create, &[TableId::Files])],
        may_change_code,
    ),
    permit("issue-create", &[(Create, &[TableId::Issues])], |f| {
        f.first() || f.above() || (f.of(&[Engineering]) && f.level(10))
    }),
    permit("repository-update", &[(Update, CODE)], may_change_code),
    permit("repository-delete", &[(Delete, CODE)], |f| {
        f.first() || (f.of(&[Engineering]) && f.level(14))
    }),
    permit("email-read", &[(Read, &[TableId::Emails])], |f| {
        f.first() || f.second()
    }),
    permit("email-create", &[(Create, &[TableId::Emails])], |f| {
        let c = f.request.context;
        f.first() && (!c.reply || c.in_thread)
    }),
    permit("email-update", &[(Update, &[TableId::Emails])], |f| {
        f.first()
    }),
    permit("email-delete", &[(Delete, &[TableId::Emails])], |f| {
        f.first() || f.second()
    }),
    permit(
        "conversation-read",
        &[(Read, &[TableId::Conversations])],
        |f| f.first() || f.second(),
    ),
    permit(
        "conversation-create",
        &[(Create, &[TableId::Conversations])],
        |f| f.first(),
    ),
    permit(
        "conversation-update",
        &[(Update, &[TableId::Conversations])],
        |f| f.first(),
    ),
    permit(
        "conversation-delete",
        &[(Delete, &[TableId::Conversations])],
        |f| f.first(),
    ),
    permit("hr-directory", &[(Read, &[TableId::Employees])], |_| true),
    permit(
        "hr-sensitive",
        &[(ReadSensitive, &[TableId::Employees])],
        |f| f.first() || f.above() || f.of(&[HumanResources]),
    ),
    permit("hr-create", &[(Create, &[TableId::Employees])], |f| {
        f.of(&[HumanResources])
    }),
    permit("hr-update", &[(Update, &[TableId::Employees])], |f| {
        f.of(&[HumanResources])
            && (f.level(10) || !f.touches(&["Salary", "Level", "Performance Rating", "DOL"]))
    }),
    forbid("hr-no-self", &[(Update, &[TableId::Employees])], |f| {
        f.first()
            && f.touches(&[
                "Salary",
                "Level",
                "Performance Rating",
                "DOL",
                "category",
                "reports_to",
            ])
    }),
    forbid(
        "hr-no-self-rule",
        &[
            (Create, &[TableId::Employees]),
            (Update, &[TableId::Employees]),
        ],
        |f| f.request.context.to_self,
    ),
    permit("hr-delete", &[(Delete, &[TableId::Employees])], |f| {
        f.of(&[HumanResources]) && f.level(10) && !f.first()
    }),
    permit("resume-read", &[(Read, &[TableId::Resumes])], |f| {
        f.first() || f.of(&[HumanResources])
    }),
    permit(
        "resume-write",
        &[(Create, &[TableId::Resumes]), (Update, &[TableId::Resumes])],
        |f| f.of(&[HumanResources]),
    ),
    permit("resume-delete", &[(Delete, &[TableId::Resumes])], |f| {
        f.of(&[HumanResources]) && f.level(12)
    }),
    permit(
        "product-read",
        &[(Read, &[TableId::Products, TableId::Reviews])],
        |f| f.level(12) || f.of(&TRADE),
    ),
    permit(
        "sale-read",
        &[(
            Read,
            &[TableId::Sales, TableId::Customers, TableId::OrderDocuments],
        )],
        |f| f.level(12) || f.of(&TRADE) || f.of(&[Finance]),
    ),
    permit("product-create", &[(Create, &[TableId::Products])], |f| {
        f.of(&[Sales]) && f.level(10)
    }),
    permit(
        "sale-create",
        &[(Create, &[TableId::Sales, TableId::Customers])],
        |f| f.of(&[Sales]),
    ),
    permit("review-create", &[(Create, &[TableId::Reviews])], |f| {
        f.of(&[Sales, Bpo])
    }),
    permit("trade-update", &[(Update, GOODS)], |f| {
        f.of(&[Sales]) && f.level(10)
    }),
    permit("trade-delete", &[(Delete, GOODS)], |f| {
        f.of(&[Sales]) && f.level(12)
    }),
    permit("chat-read", &[(Read, &[TableId::SupportChats])], |f| {
        f.first() || f.above() || (f.of(&[Sales]) && f.level(10))
    }),
    permit("chat-create", &[(Create, &[TableId::SupportChats])], |f| {
        f.first() && f.of(&[Sales, Bpo])
    }),
    permit("chat-update", &[(Update, &[TableId::SupportChats])], |f| {
        f.first()
    }),
    permit("chat-delete", &[(Delete, &[TableId::SupportChats])], |f| {
        f.first() || f.above()
    }),
    permit("ticket-read", &[(Read, &[TableId::Tickets])], |f| {
        f.second() || f.first() || f.above() || (f.of(&[InformationTechnology]) && f.level(10))
    }),
    permit("ticket-create", &[(Create, &[TableId::Tickets])], |f| {
        f.second()
    }),
    permit("ticket-update", &[(Update, &[TableId::Tickets])], |f| {
        f.first()
            || (f.of(&[InformationTechnology]) && f.level(10))
            || (f.second() && f.touches_only(&["Issue", "priority"]))
    }),
    permit("ticket-delete", &[(Delete, &[TableId::Tickets])], |f| {
        f.first() || (f.of(&[InformationTechnology]) && f.level(12))
    }),
    permit(
        "social-read",
        &[(Read, &[TableId::Posts, TableId::Overflow])],
        |_| true,
    ),
    permit(
        "social-create",
        &[(Create, &[TableId::Posts, TableId::Overflow])],
        |f| f.first(),
    ),
    permit(
        "social-update",
        &[(Update, &[TableId::Posts, TableId::Overflow])],
        |f| f.first(),
    ),
    permit("post-delete", &[(Delete, &[TableId::Posts])], |f| {
        f.first() || (f.of(&[HumanResources]) && f.level(12))
    }),
    permit("overflow-delete", &[(Delete, &[TableId::Overflow])], |f| {
        f.first()
    }),
    permit("client-read", &[(Read, &[TableId::Clients])], |f| {
        f.first() || f.of(&[BusinessDevelopment, Management])
    }),
    permit("client-create", &[(Create, &[TableId::Clients])], |f| {
        f.of(&[BusinessDevelopment]) && f.level(10)
    }),
    permit("client-update", &[(Update, &[TableId::Clients])], |f| {
        f.first() || (f.of(&[BusinessDevelopment]) && f.level(12))
    }),
    permit("client-delete", &[(Delete, &[TableId::Clients])], |f| {
        f.of(&[BusinessDevelopment]) && f.level(12)
    }),
    permit("vendor-read", &[(Read, &[TableId::Vendors])], |f| {
        f.first() || f.of(&[Management, Finance])
    }),
    permit("vendor-create", &[(Create, &[TableId::Vendors])], |f| {
        f.of(&[Management]) && f.level(10)
    }),
    permit("vendor-update", &[(Update, &[TableId::Vendors])], |f| {
        f.first() || (f.of(&[Management]) && f.level(12))
    }),
    permit("vendor-delete", &[(Delete, &[TableId::Vendors])], |f| {
        f.of(&[Management]) && f.level(12)
    }),
    permit(
        "policy-read",
        &[(Read, &[TableId::PolicyDocuments])],
        |f| match f.request.resource.label {
            ReaderLabel::All => true,
            ReaderLabel::Department(d) => f.me.department == d,
            ReaderLabel::Level(l) => f.me.level >= l,
        },
    ),
];

/// The owner; a manager above the owner from level 10; a director of Engineering. Used by two
/// rules, because adding a file is a change of the repository.
fn may_change_code(f: &Facts<'_>) -> bool {
    f.first() || (f.level(10) && f.above()) || (f.of(&[Engineering]) && f.level(14))
}

/// Everything but mails and conversations.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, where it cannot panic unseen"
)]
const PUBLIC: &[TableId] = &{
    let mut public = [TableId::Employees; TableId::ALL.len() - 2];
    let (mut from, mut to) = (0, 0);
    while from < TableId::ALL.len() {
        if !TableId::ALL[from].is_private() {
            public[to] = TableId::ALL[from];
            to += 1;
        }
        from += 1;
    }
    public
};

/// The rules of tables that the published data do not have.
static DECLARED: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |(source, rule): (TableId, &'static VerbRule)| {
        let act = match rule.verb {
            Verb::Read => Read,
            Verb::Create => Create,
            Verb::Update => Update,
            Verb::Delete => Delete,
        };
        let table: &'static [TableId] = vec![source].leak();
        Rule {
            id: declared::id(source, rule).into(),
            forbids: false,
            on: vec![(act, table)].leak(),
            when: When::Any(rule.allowed),
        }
    };
    TableId::verbs().map(rule).collect()
});

/// The rule of [`LEVEL14_READS_ALL`].
static READS_ALL: Rule = permit(
    "level14-reads-all",
    &[(Read, PUBLIC), (ReadSensitive, &[TableId::Employees])],
    |f| f.level(14),
);

/// The rule of [`COMPAT_PSEUDOCODE`].
static PSEUDOCODE: Rule = permit(
    "repository-update-pseudocode",
    &[(Update, CODE), (Create, &[TableId::Files])],
    |f| f.of(&[Engineering]) && f.level(10),
);

/// The built-in rules as native code.
///
/// Cloning copies two small tables. Use [`Access`](super::Access) unless you want the predicates
/// alone, for instance to count what each person may read in a large company.
#[derive(Debug, Clone)]
pub struct NativeEngine {
    /// The rules that are on.
    rules: Vec<&'static Rule>,
    /// Those of each action, by their index in `rules`.
    table: BTreeMap<(Act, TableId), Vec<usize>>,
    level14_reads_all: bool,
    compat_pseudocode: bool,
}

impl NativeEngine {
    /// The rules, with the optional ones enabled or disabled.
    ///
    /// The arguments are the settings of the same names in [`AccessConfig`](super::AccessConfig).
    #[must_use]
    pub fn new(level14_reads_all: bool, compat_pseudocode: bool) -> Self {
        let optional = [
            (level14_reads_all, &READS_ALL),
            (compat_pseudocode, &PSEUDOCODE),
        ];
        let optional = optional
            .into_iter()
            .filter_map(|(on, rule)| on.then_some(rule));
        let rules: Vec<&Rule> = RULES
            .iter()
            .chain(DECLARED.iter())
            .chain(optional)
            .collect();
        let mut table = BTreeMap::new();
        for act in Act::ALL {
            for source in TableId::ALL {
                let numbered = rules.iter().enumerate();
                let speaking = numbered.filter(|(_, rule)| rule.speaks(act, source));
                table.insert((act, source), speaking.map(|(n, _)| n).collect());
            }
        }
        Self {
            rules,
            table,
            level14_reads_all,
            compat_pseudocode,
        }
    }

    /// The rules that apply to a request.
    fn that_hold(&self, facts: &Facts<'_>) -> impl Iterator<Item = &'static Rule> {
        let request = facts.request;
        let key = (request.act, request.resource.source);
        let numbers = self.table.get(&key).map_or(&[][..], Vec::as_slice);
        let rules = numbers.iter().filter_map(|n| self.rules.get(*n).copied());
        rules.filter(|rule| match rule.when {
            When::Holds(when) => when(facts),
            When::Any(allowed) => allowed.iter().any(|who| facts.are(who)),
        })
    }

    /// The texts of the rules that `wanted` holds for, by name.
    fn texts(&self, wanted: impl Fn(&Rule) -> bool) -> Vec<RuleText> {
        let mut reasons = reasons(&POLICIES);
        for (on, more) in [
            (self.level14_reads_all, LEVEL14_READS_ALL),
            (self.compat_pseudocode, COMPAT_PSEUDOCODE),
        ] {
            if on {
                reasons.extend(self::reasons(more));
            }
        }
        let rules = self.rules.iter().filter(|rule| wanted(rule));
        let mut texts: Vec<RuleText> = rules
            .map(|rule| RuleText {
                id: rule.id.to_string(),
                reason: reasons
                    .get(&*rule.id)
                    .copied()
                    .unwrap_or_default()
                    .to_owned(),
                forbids: rule.forbids,
            })
            .collect();
        texts.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        texts
    }
}

/// The `@reason` of each `@id` of a text of policies, each on a line of its own.
fn reasons(policies: &'static str) -> BTreeMap<&'static str, &'static str> {
    let value = |line: &'static str, name: &str| {
        line.strip_prefix(name)?
            .strip_prefix("(\"")?
            .strip_suffix("\")")
    };
    // A parser for Cedar would be a dependency of every build; the file keeps both annotations on
    // lines of their own, one after the other.
    let lines = policies.lines().zip(policies.lines().skip(1));
    lines
        .filter_map(|(first, second)| Some((value(first, "@id")?, value(second, "@reason")?)))
        .collect()
}

impl Rule {
    /// Whether the rule applies to an action.
    fn speaks(&self, act: Act, source: TableId) -> bool {
        let on = self.on;
        on.is_empty() || on.iter().any(|(a, s)| *a == act && s.contains(&source))
    }
}

impl AccessEngine for NativeEngine {
    fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision {
        let refused = AccessDecision {
            allow: false,
            rules: Vec::new(),
        };
        // A principal without a record is nobody: no rule applies, the global `inactive` included,
        // and the list of rules stays empty.
        let Some(me) = view.person(request.principal) else {
            return refused;
        };
        let facts = Facts { view, request, me };
        let (mut permits, mut forbids) = (Vec::new(), Vec::new());
        for rule in self.that_hold(&facts) {
            let list = if rule.forbids {
                &mut forbids
            } else {
                &mut permits
            };
            list.push(Cow::Borrowed(&*rule.id));
        }
        // `forbid` wins over any number of permits, and no rule at all means no.
        let allow = forbids.is_empty() && !permits.is_empty();
        let mut rules = if allow { permits } else { forbids };
        rules.sort_unstable();
        AccessDecision { allow, rules }
    }

    fn allows(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> bool {
        let Some(me) = view.person(request.principal) else {
            return false;
        };
        let facts = Facts { view, request, me };
        let mut permitted = false;
        for rule in self.that_hold(&facts) {
            if rule.forbids {
                return false;
            }
            permitted = true;
        }
        permitted
    }

    fn rules(&self) -> Vec<RuleText> {
        self.texts(|_| true)
    }

    fn rules_for(&self, action: AccessAction) -> Vec<RuleText> {
        if action.name().is_none() {
            return Vec::new();
        }
        self.texts(|rule| rule.speaks(action.act, action.source))
    }
}
