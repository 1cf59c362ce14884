//! The office: decisions, lists, search, tasks, reset.
//!
//! Every bench goes round many different requests, so that no branch predictor can learn one. The
//! company has the published size unless the name says otherwise.
//!
//! * `decision/native`, `decision/cedar` (feature `full`): one access decision of the 71 actions on a random row by
//!   a person who half of the time has to do with it; with 4,000 and 10,000 people as well;
//! * `list/1000 rows`: all 1,000 support chats asked for: filtered by the rules, sorted, the first
//!   200 rendered; `list/by key`: the same through an index (one customer's);
//! * `search/posts`, `search/mails`: two words over 971 and 11,928 texts, with the rules applied; `posts by people`
//!   and `mails by people`: the same in companies of 1,260, 4,000 and 10,000 people;
//! * `task`: one task drawn, planned, run and checked;
//! * `reset`: an episode begun on a company that is there, with its first observation;
//! * `write`: a ticket made in a fresh state, journal and audit included;
//! * `verdict`: a finished run judged.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench stops at the first surprise"
)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use enterprise_sandbox::access::{Access, AccessConfig, EngineKind};
use enterprise_sandbox::access::{
    AccessAction, AccessEngine, AccessRequest, Act, NativeEngine, RequestContext, Resource,
};
#[cfg(feature = "full")]
use enterprise_sandbox::access::{CedarEngine, POLICIES, SCHEMA};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::overlay::Overlay;
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::search::SearchIndex;
use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
use enterprise_sandbox::tasks::evaluate::evaluate;
use enterprise_sandbox::tasks::right;
use enterprise_sandbox::tasks::{Generator, TaskConfig};
use enterprise_sandbox::tools::office::{Office, OfficeState};
use enterprise_sandbox::{Config, Spec};
use serde_json::json;
use sim_core::{Environment as _, EnvironmentSpec, Episode, Seed};
use std::hint::black_box;
use std::sync::Arc;

const REQUESTS: usize = 4_096;

fn company(employees: u32) -> Arc<Company> {
    Arc::new(synthesise(&CompanyConfig::of(employees, 1)).unwrap())
}

fn office(company: &Arc<Company>) -> Office {
    let config = AccessConfig {
        engine: EngineKind::Native,
        ..AccessConfig::default()
    };
    let access = Arc::new(Access::new(config).unwrap());
    Office::new(Arc::clone(company), access, Arc::new(SearchIndex::new()))
}

/// Principals, acts, rows and touched fields.
fn requests(view: &CompanyView<'_>) -> Vec<(EmployeeNo, Act, Resource, RequestContext)> {
    let actions: Vec<AccessAction> = AccessAction::all().collect();
    let people = view.rows(TableId::Employees);
    (0..REQUESTS)
        .map(|i| {
            let mut s = Seed(4).stream("request", i as u64);
            let action = actions[i % actions.len()];
            let row = s.below(u64::from(view.rows(action.source))) as u32;
            let resource = Resource::of(view, action.source, row);
            let anybody = EmployeeNo(s.below(u64::from(people)) as u32);
            let who = resource.first.filter(|_| s.chance(0.5)).unwrap_or(anybody);
            let mut context = RequestContext::default();
            if action.act == Act::Update {
                let field = s.pick(action.source.fields()).unwrap();
                context.fields.push(field.name.to_owned());
            }
            (who, action.act, resource, context)
        })
        .collect()
}

fn decisions(c: &mut Criterion) {
    let mut group = c.benchmark_group("office/decision");
    for employees in [1_260, 4_000, 10_000] {
        let company = company(employees);
        let overlay = Overlay::default();
        let view = CompanyView::new(&company, &overlay, ActiveMeans::FlagAndDate);
        let requests = requests(&view);
        let engines: &[(&str, Box<dyn AccessEngine>)] = &[
            ("native", Box::new(NativeEngine::new(false, false))),
            #[cfg(feature = "full")]
            (
                "cedar",
                Box::new(CedarEngine::new(&POLICIES, &SCHEMA).unwrap()),
            ),
        ];
        for (name, engine) in engines {
            let mut next = requests.iter().cycle();
            group.bench_function(BenchmarkId::new(*name, employees), |b| {
                b.iter(|| {
                    let (principal, act, resource, context) = next.next().unwrap();
                    let request = AccessRequest {
                        principal: *principal,
                        act: *act,
                        resource: *resource,
                        context,
                    };
                    engine.decide(&view, black_box(&request))
                });
            });
        }
    }
    group.finish();
}

/// Active employees of these departments.
fn people(company: &Company, department: &str, least: u8) -> Vec<EmployeeNo> {
    let all = company.employees().iter().zip(0_u32..);
    all.filter(|(e, _)| e.left.is_none() && e.level >= least && e.department.name() == department)
        .map(|(_, row)| EmployeeNo(row))
        .collect()
}

/// Queries of two words.
fn queries() -> impl FnMut() -> String {
    let words = [
        "budget", "review", "release", "invoice", "python", "leave", "plan", "deadline",
    ];
    let mut pairs = (0..words.len() * words.len()).cycle();
    move || {
        let n = pairs.next().unwrap();
        format!("{} {}", words[n % words.len()], words[n / words.len()])
    }
}

/// Searches in companies of three sizes.
fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("office/search");
    for employees in [1_260, 4_000, 10_000] {
        let company = company(employees);
        let office = office(&company);
        let sales = people(&company, "Sales", 10);
        for (name, tool) in [
            ("mails by people", "enterprise_mail_system_read"),
            ("posts by people", "social_platform_read"),
        ] {
            let (mut who, mut query) = (sales.iter().copied().cycle(), queries());
            group.bench_function(BenchmarkId::new(name, employees), |b| {
                b.iter(|| {
                    let arguments = json!({"query": query()});
                    let mut state = OfficeState::default();
                    let reply = office.call(&mut state, who.next().unwrap(), tool, &arguments);
                    assert!(reply.as_ref().unwrap().refused.is_none(), "{reply:?}");
                    reply
                });
            });
        }
    }
    group.finish();
}

fn calls(c: &mut Criterion) {
    let company = company(1_260);
    let office = office(&company);
    let sales = people(&company, "Sales", 10);
    let mut who = sales.iter().copied().cycle();
    let mut run =
        |name: &str, group: &str, make: &mut dyn FnMut() -> (&'static str, serde_json::Value)| {
            c.benchmark_group(group).bench_function(name, |b| {
                b.iter(|| {
                    let (tool, arguments) = make();
                    let mut state = OfficeState::default();
                    let reply = office.call(&mut state, who.next().unwrap(), tool, &arguments);
                    assert!(reply.as_ref().unwrap().refused.is_none(), "{reply:?}");
                    reply
                });
            });
        };
    run("1000 rows", "office/list", &mut || {
        ("customer_support_chats_read", json!({"limit": 200}))
    });
    let mut customer = (0..company.rows(TableId::Customers)).cycle();
    run("by key", "office/list", &mut || {
        let id = company.id(TableId::Customers, customer.next().unwrap());
        ("customer_support_chats_read", json!({"customer_id": id}))
    });
    let mut query = queries();
    run("posts", "office/search", &mut || {
        ("social_platform_read", json!({"query": query()}))
    });
    run("mails", "office/search", &mut || {
        ("enterprise_mail_system_read", json!({"query": query()}))
    });
    let mut number = 0_u64;
    run("ticket", "office/write", &mut || {
        number += 1;
        let text = format!("Screen {number} stays dark");
        (
            "it_service_management_create_issue",
            json!({"Issue": text, "priority": "low"}),
        )
    });
}

fn tasks(c: &mut Criterion) {
    let company = company(1_260);
    let generator = Generator::new(office(&company), TaskConfig::default()).unwrap();
    let mut index = 0;
    c.bench_function("office/task", |b| {
        b.iter(|| {
            index += 1;
            generator.scheduled(Seed(1), index).unwrap()
        });
    });
}

fn episodes(c: &mut Criterion) {
    let spec = Spec::default();
    let instances: Vec<_> = (0..200)
        .map(|index| {
            let episode = Episode::of_run(Seed(2), index);
            Arc::new(EnvironmentSpec::generate(&spec, &Config::default(), episode).unwrap())
        })
        .collect();
    let mut next = instances.iter().cycle();
    c.bench_function("office/reset", |b| {
        b.iter(|| {
            let env = spec.begin(Arc::clone(next.next().unwrap())).unwrap();
            env.observe()
        });
    });
    let office = office(&company(1_260));
    let runs: Vec<_> = instances
        .iter()
        .map(|instance| {
            let attempt = right(&instance.task);
            let mut state = OfficeState::default();
            let me = office.view(&state.overlay).employee(&instance.task.persona);
            for (tool, arguments) in &attempt.calls {
                let _ = office.call(&mut state, me.unwrap(), tool, arguments);
            }
            (&instance.task, state, attempt.ending)
        })
        .collect();
    let mut next = runs.iter().cycle();
    c.bench_function("office/verdict", |b| {
        b.iter(|| {
            let (task, state, ending) = next.next().unwrap();
            evaluate(&office, task, state, ending)
        });
    });
}

criterion_group!(benches, decisions, calls, searches, tasks, episodes);
criterion_main!(benches);
