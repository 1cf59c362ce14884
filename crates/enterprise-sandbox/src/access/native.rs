//! The rules as predicates, one a policy, in the order of the policy file.

use super::{AccessEngine, Act, Decision, Request};
use crate::org::Department;
use crate::row::{EmployeeNo, Label};
use crate::source::Source;
use crate::view::{Person, View};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a predicate may ask.
struct Facts<'a> {
    view: &'a View<'a>,
    request: &'a Request<'a>,
    me: Person,
}

impl Facts<'_> {
    fn is(&self, who: Option<EmployeeNo>) -> bool {
        who == Some(self.request.principal)
    }
    fn first(&self) -> bool {
        self.is(self.request.resource.first)
    }
    fn second(&self) -> bool {
        self.is(self.request.resource.second)
    }
    /// Whether the principal is a manager above the first person.
    fn above(&self) -> bool {
        let first = self.request.resource.first;
        first.is_some_and(|p| self.view.is_above(self.request.principal, p))
    }
    fn of(&self, departments: &[Department]) -> bool {
        departments.contains(&self.me.department)
    }
    fn level(&self, least: u8) -> bool {
        self.me.level >= least
    }
    fn touches(&self, fields: &[&str]) -> bool {
        self.request
            .circumstances
            .fields
            .iter()
            .any(|f| fields.contains(&f.as_str()))
    }
    fn touches_only(&self, fields: &[&str]) -> bool {
        self.request
            .circumstances
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
struct Rule {
    id: &'static str,
    forbids: bool,
    /// Actions that it speaks of; empty for all.
    on: &'static [(Act, &'static [Source])],
    when: fn(&Facts<'_>) -> bool,
}

const fn permit(
    id: &'static str,
    on: &'static [(Act, &'static [Source])],
    when: fn(&Facts<'_>) -> bool,
) -> Rule {
    Rule {
        id,
        forbids: false,
        on,
        when,
    }
}

const fn forbid(
    id: &'static str,
    on: &'static [(Act, &'static [Source])],
    when: fn(&Facts<'_>) -> bool,
) -> Rule {
    Rule {
        id,
        forbids: true,
        on,
        when,
    }
}

const CODE: &[Source] = &[Source::Repositories, Source::Files, Source::Issues];
const TRADE: [Department; 4] = [Sales, Bpo, BusinessDevelopment, Management];
const GOODS: &[Source] = &[
    Source::Products,
    Source::Sales,
    Source::Customers,
    Source::Reviews,
];

const RULES: &[Rule] = &[
    forbid("inactive", &[], |f| !f.me.active),
    permit("repository-read", &[(Read, CODE)], |f| {
        f.first() || f.above() || (f.of(&[Engineering]) && f.level(10))
    }),
    permit(
        "repository-create",
        &[(Create, &[Source::Repositories])],
        |f| f.first() && f.of(&[Engineering, InformationTechnology]),
    ),
    permit(
        "file-create",
        &[(Create, &[Source::Files])],
        may_change_code,
    ),
    permit("issue-create", &[(Create, &[Source::Issues])], |f| {
        f.first() || f.above() || (f.of(&[Engineering]) && f.level(10))
    }),
    permit("repository-update", &[(Update, CODE)], may_change_code),
    permit("repository-delete", &[(Delete, CODE)], |f| {
        f.first() || (f.of(&[Engineering]) && f.level(14))
    }),
    permit("email-read", &[(Read, &[Source::Emails])], |f| {
        f.first() || f.second()
    }),
    permit("email-create", &[(Create, &[Source::Emails])], |f| {
        let c = f.request.circumstances;
        f.first() && (!c.reply || c.in_thread)
    }),
    permit("email-update", &[(Update, &[Source::Emails])], |f| {
        f.first()
    }),
    permit("email-delete", &[(Delete, &[Source::Emails])], |f| {
        f.first() || f.second()
    }),
    permit(
        "conversation-read",
        &[(Read, &[Source::Conversations])],
        |f| f.first() || f.second(),
    ),
    permit(
        "conversation-create",
        &[(Create, &[Source::Conversations])],
        |f| f.first(),
    ),
    permit(
        "conversation-update",
        &[(Update, &[Source::Conversations])],
        |f| f.first(),
    ),
    permit(
        "conversation-delete",
        &[(Delete, &[Source::Conversations])],
        |f| f.first(),
    ),
    permit("hr-directory", &[(Read, &[Source::Employees])], |_| true),
    permit(
        "hr-sensitive",
        &[(ReadSensitive, &[Source::Employees])],
        |f| f.first() || f.above() || f.of(&[HumanResources]),
    ),
    permit("hr-create", &[(Create, &[Source::Employees])], |f| {
        f.of(&[HumanResources])
    }),
    permit("hr-update", &[(Update, &[Source::Employees])], |f| {
        f.of(&[HumanResources])
            && (f.level(10) || !f.touches(&["Salary", "Level", "Performance Rating", "DOL"]))
    }),
    forbid("hr-no-self", &[(Update, &[Source::Employees])], |f| {
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
            (Create, &[Source::Employees]),
            (Update, &[Source::Employees]),
        ],
        |f| f.request.circumstances.to_self,
    ),
    permit("hr-delete", &[(Delete, &[Source::Employees])], |f| {
        f.of(&[HumanResources]) && f.level(10) && !f.first()
    }),
    permit("resume-read", &[(Read, &[Source::Resumes])], |f| {
        f.first() || f.of(&[HumanResources])
    }),
    permit(
        "resume-write",
        &[(Create, &[Source::Resumes]), (Update, &[Source::Resumes])],
        |f| f.of(&[HumanResources]),
    ),
    permit("resume-delete", &[(Delete, &[Source::Resumes])], |f| {
        f.of(&[HumanResources]) && f.level(12)
    }),
    permit(
        "product-read",
        &[(Read, &[Source::Products, Source::Reviews])],
        |f| f.level(12) || f.of(&TRADE),
    ),
    permit(
        "sale-read",
        &[(
            Read,
            &[Source::Sales, Source::Customers, Source::OrderDocuments],
        )],
        |f| f.level(12) || f.of(&TRADE) || f.of(&[Finance]),
    ),
    permit("product-create", &[(Create, &[Source::Products])], |f| {
        f.of(&[Sales]) && f.level(10)
    }),
    permit(
        "sale-create",
        &[(Create, &[Source::Sales, Source::Customers])],
        |f| f.of(&[Sales]),
    ),
    permit("review-create", &[(Create, &[Source::Reviews])], |f| {
        f.of(&[Sales, Bpo])
    }),
    permit("trade-update", &[(Update, GOODS)], |f| {
        f.of(&[Sales]) && f.level(10)
    }),
    permit("trade-delete", &[(Delete, GOODS)], |f| {
        f.of(&[Sales]) && f.level(12)
    }),
    permit("chat-read", &[(Read, &[Source::SupportChats])], |f| {
        f.first() || f.above() || (f.of(&[Sales]) && f.level(10))
    }),
    permit("chat-create", &[(Create, &[Source::SupportChats])], |f| {
        f.first() && f.of(&[Sales, Bpo])
    }),
    permit("chat-update", &[(Update, &[Source::SupportChats])], |f| {
        f.first()
    }),
    permit("chat-delete", &[(Delete, &[Source::SupportChats])], |f| {
        f.first() || f.above()
    }),
    permit("ticket-read", &[(Read, &[Source::Tickets])], |f| {
        f.second() || f.first() || f.above() || (f.of(&[InformationTechnology]) && f.level(10))
    }),
    permit("ticket-create", &[(Create, &[Source::Tickets])], |f| {
        f.second()
    }),
    permit("ticket-update", &[(Update, &[Source::Tickets])], |f| {
        f.first()
            || (f.of(&[InformationTechnology]) && f.level(10))
            || (f.second() && f.touches_only(&["Issue", "priority"]))
    }),
    permit("ticket-delete", &[(Delete, &[Source::Tickets])], |f| {
        f.first() || (f.of(&[InformationTechnology]) && f.level(12))
    }),
    permit(
        "social-read",
        &[(Read, &[Source::Posts, Source::Overflow])],
        |_| true,
    ),
    permit(
        "social-create",
        &[(Create, &[Source::Posts, Source::Overflow])],
        |f| f.first(),
    ),
    permit(
        "social-update",
        &[(Update, &[Source::Posts, Source::Overflow])],
        |f| f.first(),
    ),
    permit("post-delete", &[(Delete, &[Source::Posts])], |f| {
        f.first() || (f.of(&[HumanResources]) && f.level(12))
    }),
    permit("overflow-delete", &[(Delete, &[Source::Overflow])], |f| {
        f.first()
    }),
    permit("client-read", &[(Read, &[Source::Clients])], |f| {
        f.first() || f.of(&[BusinessDevelopment, Management])
    }),
    permit("client-create", &[(Create, &[Source::Clients])], |f| {
        f.of(&[BusinessDevelopment]) && f.level(10)
    }),
    permit("client-update", &[(Update, &[Source::Clients])], |f| {
        f.first() || (f.of(&[BusinessDevelopment]) && f.level(12))
    }),
    permit("client-delete", &[(Delete, &[Source::Clients])], |f| {
        f.of(&[BusinessDevelopment]) && f.level(12)
    }),
    permit("vendor-read", &[(Read, &[Source::Vendors])], |f| {
        f.first() || f.of(&[Management, Finance])
    }),
    permit("vendor-create", &[(Create, &[Source::Vendors])], |f| {
        f.of(&[Management]) && f.level(10)
    }),
    permit("vendor-update", &[(Update, &[Source::Vendors])], |f| {
        f.first() || (f.of(&[Management]) && f.level(12))
    }),
    permit("vendor-delete", &[(Delete, &[Source::Vendors])], |f| {
        f.of(&[Management]) && f.level(12)
    }),
    permit(
        "policy-read",
        &[(Read, &[Source::PolicyDocuments])],
        |f| match f.request.resource.label {
            Label::All => true,
            Label::Department(d) => f.me.department == d,
            Label::Level(l) => f.me.level >= l,
        },
    ),
];

fn may_change_code(f: &Facts<'_>) -> bool {
    f.first() || (f.level(10) && f.above()) || (f.of(&[Engineering]) && f.level(14))
}

const READS_ALL: Rule = Rule {
    id: "level14-reads-all",
    forbids: false,
    on: &[],
    when: |f| {
        let act = matches!(f.request.act, Read | ReadSensitive);
        act && !f.request.resource.source.is_private() && f.level(14)
    },
};

const PSEUDOCODE: Rule = permit(
    "repository-update-pseudocode",
    &[(Update, CODE), (Create, &[Source::Files])],
    |f| f.of(&[Engineering]) && f.level(10),
);

/// The built-in rules as native code.
#[derive(Debug, Clone)]
pub struct NativeEngine {
    /// Numbers of the rules by action.
    table: BTreeMap<(Act, Source), Vec<usize>>,
    level14_reads_all: bool,
    compat_pseudocode: bool,
}

impl NativeEngine {
    /// The rules with the optional ones switched on or off.
    #[must_use]
    pub fn new(level14_reads_all: bool, compat_pseudocode: bool) -> Self {
        let mut table = BTreeMap::new();
        for act in Act::ALL {
            for source in Source::ALL {
                let speaks = |rule: &Rule| {
                    rule.on.is_empty()
                        || rule
                            .on
                            .iter()
                            .any(|(a, sources)| *a == act && sources.contains(&source))
                };
                let rules = RULES
                    .iter()
                    .enumerate()
                    .filter(|(_, r)| speaks(r))
                    .map(|(n, _)| n);
                table.insert((act, source), rules.collect());
            }
        }
        Self {
            table,
            level14_reads_all,
            compat_pseudocode,
        }
    }
}

fn speaks(rule: &Rule, act: Act, source: Source) -> bool {
    rule.on.is_empty()
        || rule
            .on
            .iter()
            .any(|(a, s)| *a == act && s.contains(&source))
}

impl AccessEngine for NativeEngine {
    fn decide(&self, view: &View<'_>, request: &Request<'_>) -> Decision {
        let refused = Decision {
            allow: false,
            rules: Vec::new(),
        };
        let Some(me) = view.person(request.principal) else {
            return refused;
        };
        let facts = Facts { view, request, me };
        let key = (request.act, request.resource.source);
        let numbers = self.table.get(&key).map_or(&[][..], Vec::as_slice);
        let built_in = numbers.iter().filter_map(|n| RULES.get(*n));
        let optional = [
            (self.level14_reads_all, &READS_ALL),
            (self.compat_pseudocode, &PSEUDOCODE),
        ]
        .into_iter()
        .filter(|(on, rule)| *on && speaks(rule, key.0, key.1))
        .map(|(_, rule)| rule);
        let (mut permits, mut forbids) = (Vec::new(), Vec::new());
        for rule in built_in.chain(optional) {
            if (rule.when)(&facts) {
                let list = if rule.forbids {
                    &mut forbids
                } else {
                    &mut permits
                };
                list.push(Cow::Borrowed(rule.id));
            }
        }
        let allow = forbids.is_empty() && !permits.is_empty();
        let mut rules = if allow { permits } else { forbids };
        rules.sort_unstable();
        Decision { allow, rules }
    }
}
