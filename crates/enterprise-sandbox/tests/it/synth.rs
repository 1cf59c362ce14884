//! Generated companies: invariants, determinism, sizes.

use crate::support::{paper, small};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::company::Defect;
use enterprise_sandbox::data::org::Department;
use enterprise_sandbox::data::org::Rank;
use enterprise_sandbox::data::row::LEAVES;
use enterprise_sandbox::data::synth::{CompanyConfig, DataDefects, Ratio, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::value::{Day, Moment};
use proptest::prelude::*;
use sim_core::testkit::small_or_full;
use std::collections::{BTreeMap, BTreeSet};

/// Role counts (associate, lead, manager, director).
fn roles(c: &Company) -> [usize; 4] {
    let count = |role| {
        c.employees()
            .iter()
            .filter(|e| Rank::of_level(e.level) == role)
            .count()
    };
    [
        Rank::Associate,
        Rank::TeamLead,
        Rank::Manager,
        Rank::Director,
    ]
    .map(count)
}

fn person(c: &Company, row: u32) -> &enterprise_sandbox::data::row::Employee {
    &c.employees()[row as usize]
}

/// The days on which a person was employed.
fn here(c: &Company, id: &serde_json::Value, day: Day) -> bool {
    let row = c.find(TableId::Employees, id.as_str().unwrap()).unwrap();
    let e = person(c, row);
    e.joined <= day && day <= e.left.unwrap_or(c.clock())
}

fn day(c: &Company, source: TableId, row: u32, field: &str) -> Day {
    let text = c.cell(source, row, field);
    let text = text.as_str().unwrap();
    Day::parse(text).unwrap_or_else(|| Moment::parse(text).unwrap().0.day())
}

fn number(value: &serde_json::Value) -> i64 {
    value.as_i64().unwrap()
}

/// Checks all documented properties of a clean company; returns the number of checks.
fn check(c: &Company, sample: u32) -> usize {
    let mut checks = 0;
    let mut ok = |holds: bool, what: &dyn Fn() -> String| {
        checks += 1;
        assert!(holds, "{}", what());
    };
    let n = c.rows(TableId::Employees);
    // The tree: same department, no manager on a lower level, acyclic, one root per department.
    let mut emails = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut roots: BTreeMap<Department, u32> = BTreeMap::new();
    for row in 0..n {
        let e = person(c, row);
        let get = |field: &str| c.cell(TableId::Employees, row, field);
        for (field, known) in [("email", &mut emails), ("Name", &mut names)] {
            let text = get(field).to_string();
            ok(known.insert(text.clone()), &|| format!("{field} {text}"));
        }
        match e.manager {
            Some(m) => {
                let boss = person(c, m.0);
                ok(boss.department == e.department, &|| {
                    format!("department of {row}")
                });
                ok(boss.level >= e.level, &|| format!("level of {row}"));
                ok(m.0 < row, &|| {
                    format!("managers stand before their reports: {row}")
                });
            }
            None => *roots.entry(e.department).or_default() += 1,
        }
        let (joined, left) = (e.joined, e.left);
        ok(left.is_none_or(|l| l > joined && l < c.clock()), &|| {
            format!("employment of {row}")
        });
        let age = number(&get("Age"));
        ok((22..=60).contains(&age), &|| format!("age of {row}"));
        let twentieth = c.clock().plus_years(20 - i32::try_from(age).unwrap());
        ok(joined >= twentieth, &|| format!("{row} joined before 20"));
        ok(e.valid == left.is_none(), &|| format!("flag of {row}"));
        for leave in LEAVES {
            let days = |kind: &str| number(&get(&format!("{kind} {leave} Leaves")));
            ok(days("Remaining") <= days("Total"), &|| "leave".into());
        }
    }
    ok(roots.values().all(|r| *r == 1), &|| {
        format!("roots {roots:?}")
    });
    // Pay rises with level.
    let mut by_level: BTreeMap<u8, (i64, i64)> = BTreeMap::new();
    for (e, row) in c.employees().iter().zip(0..) {
        let salary = number(&c.cell(TableId::Employees, row, "Salary"));
        let band = by_level.entry(e.level).or_insert((i64::MAX, 0));
        *band = (band.0.min(salary), band.1.max(salary));
    }
    let bands: Vec<_> = by_level.values().collect();
    ok(bands.windows(2).all(|w| w[0].1 < w[1].0), &|| {
        format!("pay {by_level:?}")
    });
    // Every link of every sampled row has a target, and ids are found again.
    for source in TableId::ALL {
        let step = (c.rows(source) / sample).max(1);
        for row in (0..c.rows(source)).step_by(step as usize) {
            let id = c.id(source, row);
            ok(c.find(source, &id) == Some(row), &|| {
                format!("{source} `{id}`")
            });
            for field in source.fields() {
                let value = c.cell(source, row, field.name);
                if let enterprise_sandbox::data::tables::FieldType::Link(to) = field.kind
                    && !value.is_null()
                {
                    let key = enterprise_sandbox::data::value::scalar_text(&value).unwrap();
                    ok(c.find(to, &key).is_some(), &|| {
                        format!("{source}.{} {key}", field.name)
                    });
                }
                ok(field.nullable || !value.is_null(), &|| {
                    format!("{source}.{}", field.name)
                });
                ok(
                    value.as_str().is_none_or(|t| {
                        !t.contains(['{', '}'])
                            || source == TableId::Files
                            || source == TableId::Issues
                    }),
                    &|| format!("{source}.{}: {value}", field.name),
                );
            }
        }
    }
    let sampled = |source: TableId| {
        let step = (c.rows(source) / sample).max(1) as usize;
        (0..c.rows(source)).step_by(step)
    };
    // Events lie inside the employment of everyone involved.
    for (source, when, who) in [
        (
            TableId::Emails,
            "date",
            &["sender_emp_id", "recipient_emp_id"][..],
        ),
        (
            TableId::Conversations,
            "date",
            &["sender_emp_id", "recipient_emp_id"],
        ),
        (TableId::Posts, "date", &["emp_id"]),
        (TableId::Overflow, "CreationDate", &["employee_id"]),
        (TableId::Repositories, "creation_date", &["emp_id"]),
        (
            TableId::Tickets,
            "assigned_date",
            &["emp_id", "raised_by_emp_id"],
        ),
        (TableId::SupportChats, "interaction_date", &["emp_id"]),
        (
            TableId::Clients,
            "onboarding_date",
            &["business_representative_employee"],
        ),
        (
            TableId::Vendors,
            "onboarding_date",
            &["management_representative_employee"],
        ),
    ] {
        for row in sampled(source) {
            let on = day(c, source, row, when);
            for who in who {
                let id = c.cell(source, row, who);
                ok(here(c, &id, on), &|| {
                    format!("{source} {row}: {id} on {on}")
                });
            }
        }
    }
    // Departments of handlers, owners and representatives.
    for (source, field, allowed) in [
        (TableId::Tickets, "emp_id", &["Information Technology"][..]),
        (TableId::SupportChats, "emp_id", &["Sales", "BPO"]),
        (
            TableId::Repositories,
            "emp_id",
            &["Engineering", "Information Technology"],
        ),
        (
            TableId::Clients,
            "business_representative_employee",
            &["Business Development"],
        ),
        (
            TableId::Vendors,
            "management_representative_employee",
            &["Management"],
        ),
    ] {
        for row in sampled(source) {
            let id = c.cell(source, row, field);
            let person = c.find(TableId::Employees, id.as_str().unwrap()).unwrap();
            let department = c.cell(TableId::Employees, person, "category");
            ok(allowed.contains(&department.as_str().unwrap()), &|| {
                format!("{source} {row}")
            });
        }
    }
    // Prices, percentages, order of sale, review and chat.
    let mut first_sale: BTreeMap<(String, String), Day> = BTreeMap::new();
    for row in 0..c.rows(TableId::Sales) {
        let key = |f| c.cell(TableId::Sales, row, f).as_str().unwrap().to_owned();
        let on = day(c, TableId::Sales, row, "date_of_purchase");
        let entry = first_sale
            .entry((key("product_id"), key("customer_id")))
            .or_insert(on);
        *entry = (*entry).min(on);
        let product = c.find(TableId::Products, &key("product_id")).unwrap();
        for price in ["actual_price", "discounted_price"] {
            let (a, b) = (
                c.cell(TableId::Sales, row, price),
                c.cell(TableId::Products, product, price),
            );
            ok(a == b, &|| format!("sale {row} {price}"));
        }
        let number = |f| c.cell(TableId::Sales, row, f).as_f64().unwrap();
        let share = number("actual_price") * (100.0 - number("discount_percentage")) / 100.0;
        ok((share - number("discounted_price")).abs() < 1e-6, &|| {
            format!("discount {row}")
        });
    }
    for (source, when) in [
        (TableId::Reviews, "review_date"),
        (TableId::SupportChats, "interaction_date"),
    ] {
        for row in sampled(source) {
            let key = |f| c.cell(source, row, f).as_str().unwrap().to_owned();
            let sold = first_sale.get(&(key("product_id"), key("customer_id")));
            let on = day(c, source, row, when);
            ok(sold.is_some_and(|s| *s <= on), &|| {
                format!("{source} {row} without a sale")
            });
            ok(on <= c.clock(), &|| format!("{source} {row} after today"));
        }
    }
    // Threads: two people, ascending dates, one subject, the sender signs.
    let mut last: BTreeMap<String, (String, serde_json::Value)> = BTreeMap::new();
    for row in 0..c.rows(TableId::Emails).min(sample * 4) {
        let get = |f| c.cell(TableId::Emails, row, f);
        let text = |f| get(f).as_str().unwrap().to_owned();
        let before = last.insert(text("thread_id"), (text("date"), get("subject")));
        if let Some((date, subject)) = before {
            ok(date < text("date"), &|| format!("mail {row} out of order"));
            ok(subject == get("subject"), &|| {
                format!("mail {row} changes the subject")
            });
        }
        ok(text("signature").starts_with(&text("sender_name")), &|| {
            format!("mail {row} signed")
        });
        ok(text("sender_emp_id") != text("recipient_emp_id"), &|| {
            format!("mail {row}")
        });
    }
    // Answers answer questions; an accepted answer answers its question.
    for row in sampled(TableId::Overflow) {
        let get = |f| c.cell(TableId::Overflow, row, f);
        let find = |v: &serde_json::Value| c.find(TableId::Overflow, &v.to_string()).unwrap();
        let (parent, accepted) = (get("ParentId"), get("AcceptedAnswerId"));
        ok(
            (get("post_type") == "question") == parent.is_null(),
            &|| format!("post {row}"),
        );
        if !parent.is_null() {
            let kind = c.cell(TableId::Overflow, find(&parent), "post_type");
            ok(kind == "question", &|| format!("answer {row}"));
        }
        if !accepted.is_null() {
            let back = c.cell(TableId::Overflow, find(&accepted), "ParentId");
            ok(back == get("Id"), &|| format!("accepted answer of {row}"));
        }
    }
    for row in sampled(TableId::Issues) {
        let get = |f| c.cell(TableId::Issues, row, f);
        let file = format!(
            "{}:{}",
            get("repo_name").as_str().unwrap(),
            get("path").as_str().unwrap()
        );
        ok(c.find(TableId::Files, &file).is_some(), &|| {
            format!("issue {row}")
        });
    }
    checks
}

#[test]
fn invariants_at_fifty_and_at_the_published_size() {
    assert!(check(&small(), 10_000) > 10_000);
    assert!(check(&paper(), 1_500) > 100_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn invariants_of_any_company(
        employees in 50u32..400,
        seed in any::<u64>(),
        ratio in prop_oneof![Just(Ratio::Paper), Just(Ratio::Upstream), Just(Ratio::Pyramid)],
    ) {
        let c = synthesise(&CompanyConfig { ratio, ..CompanyConfig::of(employees, seed) }).unwrap();
        prop_assert!(check(&c, 200) > 1_000);
    }
}

#[test]
fn roles_are_exactly_four_three_two_one() {
    assert_eq!(roles(&small()), [20, 15, 10, 5]);
    assert_eq!(roles(&paper()), [504, 378, 252, 126]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let config = CompanyConfig::of(700, 11);
    let one = synthesise(&config).unwrap().digest();
    assert_eq!(synthesise(&config).unwrap().digest(), one);
    assert_ne!(
        synthesise(&CompanyConfig::of(700, 12)).unwrap().digest(),
        one
    );
}

#[test]
fn a_chief_executive_stands_above_the_heads() {
    let config = CompanyConfig {
        chief_executive: true,
        ..CompanyConfig::of(200, 1)
    };
    let c = synthesise(&config).unwrap();
    assert_eq!(c.rows(TableId::Employees), 200);
    let roots: Vec<_> = c
        .employees()
        .iter()
        .filter(|e| e.manager.is_none())
        .collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots[0].level, 15);
    let heads = c
        .employees()
        .iter()
        .filter(|e| e.manager.is_some_and(|m| m.0 == 199))
        .count();
    assert_eq!(heads, 8);
}

#[test]
fn spans_stay_small() {
    for c in [small(), paper()] {
        let mut spans: BTreeMap<u32, u32> = BTreeMap::new();
        for e in c.employees() {
            if let Some(m) = e.manager {
                *spans.entry(m.0).or_default() += 1;
            }
        }
        assert!(*spans.values().max().unwrap() <= 16);
    }
}

#[test]
fn dirt_is_recorded_with_the_truth() {
    let clean = synthesise(&CompanyConfig {
        dirt: DataDefects::Custom([(Defect::LeftManager, 1.0)].into()),
        ..CompanyConfig::of(400, 2)
    })
    .unwrap();
    let dirty = synthesise(&CompanyConfig {
        dirt: DataDefects::Upstream,
        ..CompanyConfig::of(400, 2)
    })
    .unwrap();
    let mut by_defect: BTreeMap<Defect, usize> = BTreeMap::new();
    let marked: BTreeSet<(TableId, String, &str)> = dirty
        .marks()
        .iter()
        .map(|m| (m.source, m.id.clone(), m.field))
        .collect();
    for m in dirty.marks() {
        *by_defect.entry(m.defect).or_default() += 1;
        if m.defect != Defect::LeftManager {
            let row = clean.find(m.source, &m.id).unwrap();
            assert_eq!(clean.cell(m.source, row, m.field), m.truth, "{m:?}");
        }
    }
    assert_eq!(
        by_defect.len(),
        11 - usize::from(!by_defect.contains_key(&Defect::RatingNoise))
            - usize::from(!by_defect.contains_key(&Defect::NullIssue)),
        "{by_defect:?}"
    );
    let mails = dirty.rows(TableId::Emails);
    let share = by_defect[&Defect::WrongSignature] as f64 / f64::from(mails);
    assert!((share - 0.81).abs() < 0.03, "{share}");
    // Values without a mark are as in the clean company.
    let mut compared = 0;
    for source in [
        TableId::Emails,
        TableId::Employees,
        TableId::Clients,
        TableId::Conversations,
    ] {
        for row in 0..dirty.rows(source) {
            for field in source.fields() {
                let derived = [
                    "sender_email",
                    "recipient_email",
                    "recipient_name",
                    "reportees",
                    "text",
                    "body",
                ];
                let id = dirty.id(source, row);
                if derived.contains(&field.name) || marked.contains(&(source, id, field.name)) {
                    continue;
                }
                let (a, b) = (
                    dirty.cell(source, row, field.name),
                    clean.cell(source, row, field.name),
                );
                assert_eq!(a, b, "{source} {row} {}", field.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000);
}

#[test]
fn ranges_are_checked() {
    for config in [
        CompanyConfig::of(49, 1),
        CompanyConfig::of(100_001, 1),
        CompanyConfig {
            domain: "a b".into(),
            ..CompanyConfig::default()
        },
        CompanyConfig {
            clock: Day(0),
            ..CompanyConfig::default()
        },
        // Days that no tool takes.
        CompanyConfig {
            clock: Day::parse("2150-01-01").unwrap(),
            ..CompanyConfig::default()
        },
        CompanyConfig {
            founded: Day::parse("1900-01-01").unwrap(),
            ..CompanyConfig::default()
        },
        CompanyConfig {
            dirt: DataDefects::Custom([(Defect::NullIssue, 1.5)].into()),
            ..CompanyConfig::default()
        },
    ] {
        assert!(synthesise(&config).is_err());
    }
}

/// Sizes of the acceptance list, in the ordinary run the first two; run with `--release` for the
/// figures in the documentation.
#[test]
fn slow_sizes_from_fifty_to_a_hundred_thousand() {
    let sizes = [50, 1_260, 10_000, 100_000];
    for n in sizes.into_iter().take(small_or_full(2, 4)) {
        let c = synthesise(&CompanyConfig::of(n, 1)).unwrap();
        let total = u64::from(n);
        let want = enterprise_sandbox::data::synth::apportion(total, &[4, 3, 2, 1]);
        assert_eq!(roles(&c).map(|r| r as u64).to_vec(), want);
        assert!(check(&c, 300) > 1_000);
    }
}
