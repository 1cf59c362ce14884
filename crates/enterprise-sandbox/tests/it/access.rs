//! Access: the native predicates, and a simple oracle written from the rule table; [`crate::cedar`]
//! compares them with Cedar.

use crate::support::{engines, kinds, paper, small};
use enterprise_sandbox::access::{
    Access, AccessAction, AccessConfig, AccessDecision, AccessEngine, AccessRequest, Act,
    LEVEL14_READS_ALL, NativeEngine, RequestContext, Resource,
};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::overlay::Overlay;
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
use serde_json::{Value, json};
use sim_core::{Seed, Stream};

/// A person according to the personnel file.
struct Person {
    department: String,
    level: u32,
    active: bool,
    boss: Option<usize>,
}

/// The rule table, implemented literally over records as text. It shares no code with the engines.
pub(crate) struct Oracle {
    people: Vec<Person>,
}

impl Oracle {
    pub(crate) fn new(c: &Company) -> Self {
        let today = c.clock().to_string();
        let people = (0..c.rows(TableId::Employees))
            .map(|row| {
                let get = |f| c.cell(TableId::Employees, row, f);
                let code = get("Level").as_str().unwrap().to_owned();
                let left = get("DOL").as_str().is_some_and(|d| *d <= *today);
                Person {
                    department: get("category").as_str().unwrap().to_owned(),
                    level: code[2..].parse().unwrap(),
                    active: get("is_valid") == json!(true) && !left,
                    boss: get("reports_to")
                        .as_str()
                        .map(|id| c.find(TableId::Employees, id).unwrap() as usize),
                }
            })
            .collect();
        Self { people }
    }

    fn chain(&self, above: usize, person: Option<usize>) -> bool {
        let mut at = person.and_then(|p| self.people[p].boss);
        while let Some(boss) = at {
            if boss == above {
                return true;
            }
            at = self.people[boss].boss;
        }
        false
    }

    /// Whether `who` may do `verb` to the row. `fields` are those that an update changes.
    pub(crate) fn allows(
        &self,
        c: &Company,
        who: usize,
        verb: &str,
        source: TableId,
        row: u32,
        fields: &[String],
    ) -> bool {
        let person = |field: &str| {
            let id = c.cell(source, row, field);
            id.as_str()
                .map(|id| c.find(TableId::Employees, id).unwrap() as usize)
        };
        let p = &self.people[who];
        let (d, l) = (p.department.as_str(), p.level);
        if !p.active {
            return false;
        }
        let is = |x: Option<usize>| x == Some(who);
        let above = |x: Option<usize>| self.chain(who, x);
        let only = |list: &[&str]| fields.iter().all(|f| list.contains(&f.as_str()));
        let any = |list: &[&str]| fields.iter().any(|f| list.contains(&f.as_str()));
        match source {
            TableId::Repositories | TableId::Files | TableId::Issues => {
                let name = c.cell(source, row, "repo_name");
                let repository = c
                    .find(TableId::Repositories, name.as_str().unwrap())
                    .unwrap();
                let id = c.cell(TableId::Repositories, repository, "emp_id");
                let owner = c
                    .find(TableId::Employees, id.as_str().unwrap())
                    .map(|r| r as usize);
                let reads = is(owner) || above(owner) || (d == "Engineering" && l >= 10);
                let writes =
                    is(owner) || (above(owner) && l >= 10) || (d == "Engineering" && l >= 14);
                match verb {
                    "read" => reads,
                    "update" => writes,
                    "delete" => is(owner) || (d == "Engineering" && l >= 14),
                    "create" if source == TableId::Issues => reads,
                    "create" if source == TableId::Files => writes,
                    _ => is(owner) && (d == "Engineering" || d == "Information Technology"),
                }
            }
            TableId::Emails | TableId::Conversations => {
                let (sender, recipient) = (person("sender_emp_id"), person("recipient_emp_id"));
                match (verb, source) {
                    ("read", _) | ("delete", TableId::Emails) => is(sender) || is(recipient),
                    _ => is(sender),
                }
            }
            TableId::Employees => {
                let subject = Some(row as usize);
                match verb {
                    "read" => true,
                    "sensitive" => is(subject) || above(subject) || d == "HR",
                    "create" => d == "HR",
                    "update" => {
                        let pay = ["Salary", "Level", "Performance Rating", "DOL"];
                        let own = any(&pay) || any(&["category", "reports_to"]);
                        d == "HR" && (l >= 10 || !any(&pay)) && !(is(subject) && own)
                    }
                    _ => d == "HR" && l >= 10 && !is(subject),
                }
            }
            TableId::Resumes => match verb {
                "read" => d == "HR" || is(person("emp_id")),
                "delete" => d == "HR" && l >= 12,
                _ => d == "HR",
            },
            TableId::Products
            | TableId::Reviews
            | TableId::Sales
            | TableId::Customers
            | TableId::OrderDocuments => {
                let money = matches!(
                    source,
                    TableId::Sales | TableId::Customers | TableId::OrderDocuments
                );
                match (verb, source) {
                    ("read", _) => {
                        matches!(d, "Sales" | "BPO" | "Business Development" | "Management")
                            || l >= 12
                            || (money && d == "Finance")
                    }
                    ("create", TableId::Products) => d == "Sales" && l >= 10,
                    ("create", TableId::Reviews) => d == "Sales" || d == "BPO",
                    ("create", _) => d == "Sales",
                    ("update", _) => d == "Sales" && l >= 10,
                    _ => d == "Sales" && l >= 12,
                }
            }
            TableId::SupportChats => {
                let handler = person("emp_id");
                match verb {
                    "read" => is(handler) || above(handler) || (d == "Sales" && l >= 10),
                    "create" => is(handler) && (d == "Sales" || d == "BPO"),
                    "update" => is(handler),
                    _ => is(handler) || above(handler),
                }
            }
            TableId::Tickets => {
                let (handler, raiser) = (person("emp_id"), person("raised_by_emp_id"));
                let it = |least| d == "Information Technology" && l >= least;
                match verb {
                    "read" => is(raiser) || is(handler) || above(handler) || it(10),
                    "create" => is(raiser),
                    "update" => {
                        is(handler) || it(10) || (is(raiser) && only(&["Issue", "priority"]))
                    }
                    _ => is(handler) || it(12),
                }
            }
            TableId::Posts | TableId::Overflow => {
                let author = person(if source == TableId::Posts {
                    "emp_id"
                } else {
                    "employee_id"
                });
                match (verb, source) {
                    ("read", _) => true,
                    ("delete", TableId::Posts) => is(author) || (d == "HR" && l >= 12),
                    _ => is(author),
                }
            }
            TableId::Clients => {
                let rep = person("business_representative_employee");
                let bd = |least| d == "Business Development" && l >= least;
                match verb {
                    "read" => is(rep) || bd(0) || d == "Management",
                    "create" => bd(10),
                    "update" => is(rep) || bd(12),
                    _ => bd(12),
                }
            }
            TableId::Vendors => {
                let rep = person("management_representative_employee");
                let ma = |least| d == "Management" && l >= least;
                match verb {
                    "read" => is(rep) || ma(0) || d == "Finance",
                    "create" => ma(10),
                    "update" => is(rep) || ma(12),
                    _ => ma(12),
                }
            }
            TableId::PolicyDocuments => {
                let label = c.cell(source, row, "label");
                match label.as_str().unwrap() {
                    "all" => true,
                    text if text.starts_with("level>=") => l >= text[7..].parse().unwrap(),
                    text => text == d,
                }
            }
            TableId::Contracts => {
                let care = person("managed_by_employee");
                let ma = |least| d == "Management" && l >= least;
                match verb {
                    "read" => is(care) || ma(9) || (d == "Finance" && l >= 9),
                    "create" => ma(10),
                    "update" => is(care) || ma(12),
                    _ => ma(12),
                }
            }
            other => panic!("the rule table above has no rules for {other}"),
        }
    }
}

fn verb(act: Act) -> &'static str {
    match act {
        Act::Read => "read",
        Act::ReadSensitive => "sensitive",
        Act::Create => "create",
        Act::Update => "update",
        Act::Delete => "delete",
    }
}

/// A principal who is often related to the row.
fn principal(s: &mut Stream, view: &CompanyView<'_>, resource: &Resource) -> EmployeeNo {
    let people = view.company.rows(TableId::Employees);
    let anybody = EmployeeNo(s.below(u64::from(people)) as u32);
    let related = if s.chance(0.3) {
        resource.second
    } else {
        resource.first
    };
    let Some(person) = related.filter(|_| s.chance(0.6)) else {
        return anybody;
    };
    let chain: Vec<EmployeeNo> = view.chain(person).collect();
    match s.below(3) {
        0 => person,
        1 => s.pick(&chain).copied().unwrap_or(anybody),
        _ => {
            let peers: Vec<u32> = (0..people)
                .filter(|p| {
                    view.person(EmployeeNo(*p)).map(|x| x.department)
                        == view.person(person).map(|x| x.department)
                })
                .collect();
            s.pick(&peers).map_or(anybody, |p| EmployeeNo(*p))
        }
    }
}

/// Compares the predicates and the oracle on `count` random triples and passes each decision on with
/// its number; returns how many were allowed.
pub(crate) fn compare(
    c: &Company,
    count: u64,
    seed: u64,
    mut check: impl FnMut(u64, &CompanyView<'_>, &AccessRequest<'_>, &AccessDecision),
) -> u64 {
    let overlay = Overlay::default();
    let view = CompanyView::new(c, &overlay, ActiveMeans::FlagAndDate);
    let oracle = Oracle::new(c);
    let native = NativeEngine::new(false, false);
    let actions: Vec<AccessAction> = AccessAction::all().collect();
    let published = actions
        .iter()
        .filter(|a| a.source <= TableId::PolicyDocuments);
    assert_eq!(published.count(), 71);
    let mut allowed = 0;
    for i in 0..count {
        let mut s = Seed(seed).stream("triple", i);
        let action = actions[(i % actions.len() as u64) as usize];
        let row = s.below(u64::from(c.rows(action.source))) as u32;
        let mut resource = Resource::of(&view, action.source, row);
        if action.act == Act::Create {
            // A planned row with the people of an existing one; code is made in a repository.
            resource.row = None;
        }
        let who = principal(&mut s, &view, &resource);
        let mut fields = Vec::new();
        if action.act == Act::Update {
            let all = action.source.fields();
            for _ in 0..=s.below(2) {
                fields.push(s.pick(all).unwrap().name.to_owned());
            }
        }
        let context = RequestContext {
            fields: fields.clone(),
            ..RequestContext::default()
        };
        let request = AccessRequest {
            principal: who,
            act: action.act,
            resource,
            context: &context,
        };
        let want = oracle.allows(
            c,
            who.0 as usize,
            verb(action.act),
            action.source,
            row,
            &fields,
        );
        let got = native.decide(&view, &request);
        let told = || {
            format!(
                "{:?} {action:?} row {row} fields {fields:?}",
                view.person(who)
            )
        };
        assert_eq!(got.allow, want, "native: {}", told());
        let allows = native.allows(&view, &request);
        assert_eq!(allows, want, "native, without rules: {}", told());
        check(i, &view, &request, &got);
        allowed += u64::from(got.allow);
    }
    allowed
}

#[test]
fn predicates_and_oracle_agree() {
    for (c, seed) in [(small(), 11), (paper(), 12)] {
        assert!(compare(&c, 60_000, seed, |_, _, _, _| {}) > 10_000);
    }
}

#[test]
fn circumstances_count() {
    let c = small();
    let overlay = Overlay::default();
    let view = CompanyView::new(&c, &overlay, ActiveMeans::FlagAndDate);
    let active = |d: &str, least: u8| {
        (0..c.rows(TableId::Employees))
            .map(EmployeeNo)
            .find(|p| {
                view.person(*p)
                    .is_some_and(|x| x.active && x.level >= least && x.department.name() == d)
            })
            .unwrap()
    };
    let hr = active("HR", 10);
    let sales = active("Sales", 9);
    let engines = engines();
    let ask = |principal, act, resource: Resource, context: RequestContext| {
        let request = AccessRequest {
            principal,
            act,
            resource,
            context: &context,
        };
        let mut decisions = engines.iter().map(|e| e.decide(&view, &request));
        let first = decisions.next().unwrap();
        assert!(decisions.all(|other| other == first));
        first
    };
    let mail = Resource::planned(TableId::Emails, Some(sales));
    let reply = |in_thread| RequestContext {
        reply: true,
        in_thread,
        ..RequestContext::default()
    };
    assert!(ask(sales, Act::Create, mail, RequestContext::default()).allow);
    assert!(ask(sales, Act::Create, mail, reply(true)).allow);
    assert!(!ask(sales, Act::Create, mail, reply(false)).allow);
    // In another person's name.
    assert!(!ask(hr, Act::Create, mail, RequestContext::default()).allow);
    let record = Resource::of(&view, TableId::Employees, sales.0);
    let to_self = RequestContext {
        fields: vec!["reports_to".into()],
        to_self: true,
        ..RequestContext::default()
    };
    let refused = ask(hr, Act::Update, record, to_self);
    assert_eq!(
        (refused.allow, refused.rules),
        (false, vec!["hr-no-self-rule".into()])
    );
    let own = Resource::of(&view, TableId::Employees, hr.0);
    let pay = RequestContext {
        fields: vec!["Salary".into()],
        ..RequestContext::default()
    };
    assert!(ask(hr, Act::Update, record, pay.clone()).allow);
    assert_eq!(ask(hr, Act::Update, own, pay).rules, ["hr-no-self"]);
}

/// An Information Technology person whose manager is of HR must not gain the rights of HR.
#[test]
fn department_rights_do_not_travel_down_the_chain() {
    let c = paper();
    let find = |d: &str, level: &str| {
        (0..c.rows(TableId::Employees))
            .find(|r| {
                c.cell(TableId::Employees, *r, "category") == d
                    && c.cell(TableId::Employees, *r, "Level")
                        .as_str()
                        .unwrap()
                        .ends_with(level)
                    && c.cell(TableId::Employees, *r, "is_valid") == json!(true)
            })
            .unwrap()
    };
    let (it, hr, other) = (
        find("Information Technology", "10"),
        find("HR", "14"),
        find("Finance", "09"),
    );
    let boss = c.id(TableId::Employees, hr);
    let overlay: Overlay = serde_json::from_value(json!({
        "rows": {"employees": {it.to_string(): {"version": 2, "values": {"reports_to": boss}}}},
        "journal": []
    }))
    .unwrap();
    let view = CompanyView::new(&c, &overlay, ActiveMeans::FlagAndDate);
    assert_eq!(view.manager(EmployeeNo(it)), Some(EmployeeNo(hr)));
    let none = RequestContext {
        fields: vec!["skills".into()],
        ..RequestContext::default()
    };
    for engine in engines() {
        let allow = |principal, act, subject| {
            let resource = Resource::of(&view, TableId::Employees, subject);
            let request = AccessRequest {
                principal: EmployeeNo(principal),
                act,
                resource,
                context: &none,
            };
            engine.decide(&view, &request).allow
        };
        for act in [Act::Update, Act::Create, Act::Delete, Act::ReadSensitive] {
            assert!(!allow(it, act, other), "{act:?}");
            assert!(allow(hr, act, other), "{act:?}");
        }
        // The new manager does gain the rights of the chain.
        assert!(allow(hr, Act::ReadSensitive, it));
    }
}

#[test]
fn switches_change_what_they_say() {
    let c = paper();
    let overlay = Overlay::default();
    let view = CompanyView::new(&c, &overlay, ActiveMeans::FlagAndDate);
    let with = |config: AccessConfig| {
        let of = |engine| AccessConfig {
            engine,
            ..config.clone()
        };
        let all = kinds().into_iter().map(|kind| Access::new(of(kind)));
        all.collect::<Result<Vec<_>, _>>().unwrap()
    };
    let plain = with(AccessConfig::default());
    let all = with(AccessConfig {
        level14_reads_all: true,
        ..AccessConfig::default()
    });
    let code = with(AccessConfig {
        compat_pseudocode: true,
        ..AccessConfig::default()
    });
    assert_ne!(plain[0].version(), all[0].version());
    let none = RequestContext::default();
    let (mut gained, mut private, mut writers) = (0, 0, 0);
    for i in 0..4_000 {
        let mut s = Seed(5).stream("switch", i);
        let action = *s.pick(&AccessAction::all().collect::<Vec<_>>()).unwrap();
        let row = s.below(u64::from(c.rows(action.source))) as u32;
        let who = EmployeeNo(s.below(u64::from(c.rows(TableId::Employees))) as u32);
        let resource = Resource::of(&view, action.source, row);
        let request = AccessRequest {
            principal: who,
            act: action.act,
            resource,
            context: &none,
        };
        let ask = |set: &[Access]| {
            let answers: Vec<_> = set.iter().map(|a| a.decide(&view, &request)).collect();
            assert!(answers.iter().all(|a| *a == answers[0]), "{action:?}");
            answers[0].allow
        };
        let me = view.person(who).unwrap();
        let (a, b, d) = (ask(&plain), ask(&all), ask(&code));
        assert!(!a || (b && d), "a switch only adds rights");
        if a != b {
            assert!(me.level >= 14 && me.active);
            assert!(matches!(action.act, Act::Read | Act::ReadSensitive));
            gained += 1;
        } else if !b && me.level >= 14 && me.active && action.act == Act::Read {
            assert!(action.source.is_private());
            private += 1;
        }
        if a != d {
            assert!(me.level >= 10 && me.department.name() == "Engineering");
            writers += 1;
        }
    }
    assert!(
        gained > 10 && private > 3 && writers > 10,
        "{gained} {private} {writers}"
    );
}

#[test]
fn every_rule_has_words_and_every_action_a_rule() {
    let access = Access::new(AccessConfig::default()).unwrap();
    let rules = access.rules();
    assert!(rules.len() > 45 && rules.len() < 100, "{}", rules.len());
    for rule in &rules {
        assert!(!rule.reason.is_empty(), "{}", rule.id);
    }
    for action in AccessAction::all() {
        let told = access.rules_for(action);
        assert!(told.iter().any(|r| !r.forbids), "{action:?}");
        assert!(told.iter().any(|r| r.id == "inactive"));
    }
    let extra = Access::new(AccessConfig {
        level14_reads_all: true,
        ..AccessConfig::default()
    });
    let extra = extra.unwrap();
    let of = |source| extra.rules_for(AccessAction::new(Act::Read, source));
    assert!(
        of(TableId::Clients)
            .iter()
            .any(|r| r.id == "level14-reads-all")
    );
    assert!(
        of(TableId::Emails)
            .iter()
            .all(|r| r.id != "level14-reads-all")
    );
    assert!(LEVEL14_READS_ALL.contains("@id"));
}

#[test]
fn leavers_may_do_nothing_unless_the_flag_alone_counts() {
    let c = enterprise_sandbox::data::synth::synthesise(
        &enterprise_sandbox::data::synth::CompanyConfig {
            dirt: enterprise_sandbox::data::synth::DataDefects::Upstream,
            ..enterprise_sandbox::data::synth::CompanyConfig::of(300, 4)
        },
    )
    .unwrap();
    let overlay = Overlay::default();
    let access = Access::new(AccessConfig::default()).unwrap();
    let mut leavers = 0;
    for row in 0..300 {
        if c.cell(TableId::Employees, row, "DOL") == Value::Null {
            continue;
        }
        leavers += 1;
        for (means, may) in [(ActiveMeans::FlagAndDate, false), (ActiveMeans::Flag, true)] {
            let view = CompanyView::new(&c, &overlay, means);
            assert_eq!(
                access.may_read(&view, EmployeeNo(row), TableId::Posts, 0),
                may
            );
        }
    }
    assert!(leavers > 20);
}

/// Settings that need Cedar are refused before anything is drawn, and the error names the feature.
#[cfg(not(feature = "cedar"))]
#[test]
fn settings_that_need_cedar_name_the_feature() {
    use enterprise_sandbox::access::EngineKind;
    let office = |access| enterprise_sandbox::Config {
        access,
        ..enterprise_sandbox::Config::of(50)
    };
    let policies = office(AccessConfig {
        policies: Some(String::new()),
        ..AccessConfig::default()
    });
    let error = policies.check().unwrap_err();
    assert_eq!(error.place, "access.policies");
    assert!(error.message.contains("--features cedar"), "{error}");
    // The native predicates take the place of the built-in policies.
    let engine = office(AccessConfig {
        engine: EngineKind::Cedar,
        ..AccessConfig::default()
    });
    engine.check().unwrap();
}
