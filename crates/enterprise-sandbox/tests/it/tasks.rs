//! Tasks: the right run scores 1; doing nothing and every single mistake score 0.

use crate::support::{paper, shared, small};
use crate::tools::{native, office};
use enterprise_sandbox::access::{AccessConfig, Enforcement};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::value::Moment;
use enterprise_sandbox::tasks::evaluate::{Failure, evaluate};
use enterprise_sandbox::tasks::records::RecordForm;
use enterprise_sandbox::tasks::{
    Attempt, Category, Difficulty, Generator, Mutation, RefusalClass, RephraseCache, Rephraser,
    TaskConfig, TaskDomain, TaskEnd, TaskSpec, TemplateInfo, mutations, rephrase, rewordings,
    right, templates,
};
use enterprise_sandbox::tools::office::{Code, Office, OfficeState};
use sim_core::Seed;
use sim_core::testkit::{check_names, small_or_full};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strum::VariantArray;

fn run(office: &Office, task: &TaskSpec, attempt: &Attempt) -> (OfficeState, TaskEnd) {
    let mut state = OfficeState::default();
    let me = office.view(&state.overlay).employee(&task.persona).unwrap();
    for (tool, arguments) in &attempt.calls {
        // A wrong call may be refused for its form; then nothing happens.
        let _ = office.call(&mut state, me, tool, arguments);
    }
    (state, attempt.ending.clone())
}

fn generator(c: &Arc<Company>) -> Generator {
    Generator::new(office(Arc::clone(c), native()), TaskConfig::default()).unwrap()
}

/// Runs the right attempt and every mutation of each task; counts the mutations by kind.
fn self_test(office: &Office, tasks: &[TaskSpec]) -> BTreeMap<Mutation, u32> {
    let mut tried: BTreeMap<Mutation, u32> = BTreeMap::new();
    for task in tasks {
        let (state, ending) = run(office, task, &right(task));
        let e = evaluate(office, task, &state, &ending);
        assert!(e.success, "{} {:#?}\n{:#?}", task.id, e, task);
        assert_eq!((e.grade, e.failure), (5, None));
        assert!((e.facts.f1 - 1.0).abs() < 1e-9);
        for attempt in mutations(task) {
            let kind = attempt.mutation.unwrap();
            let (state, ending) = run(office, task, &attempt);
            let e = evaluate(office, task, &state, &ending);
            assert!(
                !e.success,
                "{kind:?} of {} scores 1: {attempt:?}\n{task:#?}",
                task.id
            );
            assert!(e.failure.is_some() && e.grade < 5, "{kind:?} {e:?}");
            *tried.entry(kind).or_default() += 1;
        }
        for attempt in rewordings(task) {
            let (state, ending) = run(office, task, &attempt);
            let e = evaluate(office, task, &state, &ending);
            assert!(e.success, "{attempt:?}\n{e:#?}");
        }
    }
    tried
}

fn check_mix(tasks: &[TaskSpec], of: [usize; 3]) {
    let count = |c| tasks.iter().filter(|t| t.category == c).count();
    let got = [Category::Search, Category::Crud, Category::Unanswerable].map(count);
    assert_eq!(got, of);
}

#[test]
fn names_are_those_of_json() {
    check_names::<Category>();
    check_names::<Code>();
    check_names::<Failure>();
    check_names::<RecordForm>();
    check_names::<RefusalClass>();
    check_names::<TaskDomain>();
}

#[test]
fn a_hundred_tasks_in_the_exact_mix() {
    let g = generator(&paper());
    let (tasks, dropped) = g.batch(Seed(5), 100);
    assert!(dropped.is_empty(), "{dropped:?}");
    check_mix(&tasks, [65, 30, 5]);
    let tried = self_test(g.office(), &tasks);
    assert_eq!(tried.len(), Mutation::VARIANTS.len(), "{tried:?}");
    let (again, _) = g.batch(Seed(5), 100);
    assert_eq!(
        serde_json::to_string(&tasks).unwrap(),
        serde_json::to_string(&again).unwrap()
    );
    let text = serde_json::to_string(&tasks).unwrap();
    assert_eq!(serde_json::from_str::<Vec<TaskSpec>>(&text).unwrap(), tasks);
}

/// The acceptance run; 200 tasks in the ordinary run.
#[test]
fn slow_a_thousand_tasks() {
    let g = generator(&paper());
    let hundreds = small_or_full(2, 10);
    let (tasks, dropped) = g.batch(Seed(1), 100 * hundreds);
    assert!(dropped.is_empty(), "{dropped:?}");
    let hundreds = hundreds as usize;
    check_mix(&tasks, [65, 30, 5].map(|share| share * hundreds));
    let domains: BTreeMap<TaskDomain, usize> = TaskDomain::ALL
        .into_iter()
        .map(|d| (d, tasks.iter().filter(|t| t.domain == d).count()))
        .collect();
    assert!(domains.values().all(|n| *n == 20 * hundreds), "{domains:?}");
    let tried = self_test(g.office(), &tasks);
    assert_eq!(tried.len(), Mutation::VARIANTS.len(), "{tried:?}");
    let used: BTreeSet<&str> = tasks.iter().map(|t| t.template.as_str()).collect();
    let classes: BTreeSet<RefusalClass> = tasks
        .iter()
        .filter_map(|t| t.gold.refusal.as_ref().map(|r| r.class))
        .collect();
    assert_eq!(classes.len(), 3);
    assert!(used.len() > small_or_full(50, 90), "{}", used.len());
    let instructions: BTreeSet<&str> = tasks.iter().map(|t| t.instruction.as_str()).collect();
    let hard = tasks
        .iter()
        .filter(|t| t.difficulty == Difficulty::Hard)
        .count();
    let steps: usize = tasks.iter().map(|t| t.subtasks.len()).sum();
    println!(
        "mutations {tried:?}\ntemplates {} different requests {} hard {hard} mean steps {:.2}",
        used.len(),
        instructions.len(),
        steps as f64 / tasks.len() as f64
    );
    let unique: usize = tasks
        .iter()
        .step_by(4)
        .map(|t| naive_unique(g.office(), t))
        .sum();
    assert!(unique > 20 * hundreds, "{unique}");
}

/// Checks claims by scanning every row that the persona may read as text; returns the number of
/// claims checked.
fn naive_unique(office: &Office, task: &TaskSpec) -> usize {
    let c = office.company();
    let state = OfficeState::default();
    let view = office.view(&state.overlay);
    let me = view.employee(&task.persona).unwrap();
    let mut checked = 0;
    for claim in &task.unique {
        let text = |row: u32, field: &str| {
            enterprise_sandbox::data::value::scalar_text(&c.cell(claim.source, row, field))
                .unwrap_or_default()
        };
        let plain = |t: &str| {
            t.to_lowercase()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        let trim = |t: String| {
            let quotes: &[char] = &['"', '`'];
            plain(&t.replace(quotes, ""))
                .trim_matches(&['.', ',', ';', ':', '!', '?', '\'', '(', ')'][..])
                .to_owned()
        };
        let fits = |row: u32, skip: Option<usize>| {
            claim
                .conditions
                .iter()
                .enumerate()
                .filter(|(n, _)| Some(*n) != skip)
                .all(|(_, k)| {
                    let v = text(row, &k.field);
                    match (k.field.as_str(), k.is.as_str()) {
                        ("participant", _) => {
                            [text(row, "sender_emp_id"), text(row, "recipient_emp_id")]
                                .contains(&k.value)
                        }
                        (_, "is") => trim(v) == trim(k.value.clone()),
                        (_, "has") => v.contains(&k.value),
                        (_, "starts") => v.starts_with(&k.value),
                        (_, "ends") => v.ends_with(&k.value),
                        (_, "mentions") => v.to_lowercase().contains(&k.value.to_lowercase()),
                        (_, "from") => Moment::parse(&v).unwrap().0.day().to_string() >= k.value,
                        _ => Moment::parse(&v).unwrap().0.day().to_string() <= k.value,
                    }
                })
        };
        let readable = |row: u32| office.access().may_read(&view, me, claim.source, row);
        let left: BTreeSet<String> = (0..c.rows(claim.source))
            .filter(|r| fits(*r, None) && readable(*r))
            .map(|r| c.id(claim.source, r))
            .collect();
        assert_eq!(
            left,
            claim.rows.iter().cloned().collect(),
            "{} {claim:?}",
            task.id
        );
        if task.gold.refusal.is_none() {
            assert!(!left.is_empty());
            let by_key =
                claim.conditions.len() == 1 && claim.conditions[0].field == claim.source.key();
            for skip in (0..claim.conditions.len()).filter(|_| !by_key) {
                let more = (0..c.rows(claim.source)).any(|r| {
                    fits(r, Some(skip)) && readable(r) && !left.contains(&c.id(claim.source, r))
                });
                assert!(
                    more,
                    "{}: condition {skip} of {claim:?} is superfluous",
                    task.id
                );
            }
        }
        checked += 1;
    }
    checked
}

#[test]
fn uniqueness_holds_by_a_naive_scan() {
    let g = generator(&small());
    let (tasks, _) = g.batch(Seed(2), 60);
    let checked: usize = tasks.iter().map(|t| naive_unique(g.office(), t)).sum();
    assert!(checked > 40, "{checked}");
    self_test(g.office(), &tasks);
}

#[test]
fn names_and_goals_of_templates_are_unique() {
    let all = templates();
    let names: BTreeSet<_> = all.iter().map(|t| t.id).collect();
    assert_eq!(names.len(), all.len());
    let goals: Vec<u64> = all.iter().flat_map(|t| t.goals.iter().copied()).collect();
    assert_eq!(goals.iter().collect::<BTreeSet<_>>().len(), goals.len());
    for domain in TaskDomain::ALL {
        for category in [Category::Search, Category::Crud, Category::Unanswerable] {
            let published = all.iter().filter(|t| !is_about_contracts(t));
            let n = published
                .filter(|t| t.category == category && t.domains.contains(&domain))
                .count();
            assert!(n >= 5, "{domain:?} {category:?} {n}");
        }
    }
}

/// Contracts are a table that the published data do not have.
fn is_about_contracts(template: &TemplateInfo) -> bool {
    template.id.contains("contract")
}

#[test]
fn contracts_are_asked_about_in_different_words() {
    let c = paper();
    let mut drawn = 0;
    for template in templates().iter().filter(|t| is_about_contracts(t)) {
        let config = TaskConfig {
            templates: vec![template.id.to_owned()],
            ..TaskConfig::default()
        };
        let generator = Generator::new(office(Arc::clone(&c), native()), config).unwrap();
        let of = |index| generator.draw(Seed(2), index, template.category, TaskDomain::Business);
        let task = of(0).unwrap();
        assert_eq!(task.template, template.id);
        assert_ne!(task.instruction, of(1).unwrap().instruction);
        let refused = template.category == Category::Unanswerable;
        assert_eq!(task.gold.refusal.is_some(), refused);
        assert!(task.subtasks.len() >= 2);
        drawn += 1;
    }
    assert_eq!(drawn, 5);
}

/// A third of the templates in the ordinary run.
#[test]
fn slow_every_template_can_be_drawn() {
    let c = paper();
    let mut silent = Vec::new();
    let drawable = templates().into_iter().filter(|t| t.id != "remove_product");
    for info in drawable.step_by(small_or_full(3, 1)) {
        let config = TaskConfig {
            templates: vec![info.id.to_owned()],
            tries: 8_000,
            ..TaskConfig::default()
        };
        let g = Generator::new(office(Arc::clone(&c), native()), config).unwrap();
        let drawn = info
            .domains
            .iter()
            .find_map(|d| g.draw(Seed(3), 0, info.category, *d).ok());
        match drawn {
            Some(task) => {
                self_test(g.office(), &[task]);
            }
            None => silent.push(info.id),
        }
    }
    // Every product of the published profile has been sold, so none can be removed there.
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn a_product_that_was_never_sold_can_be_removed() {
    let config = enterprise_sandbox::data::synth::CompanyConfig {
        profile: enterprise_sandbox::data::synth::VolumeProfile::Lite,
        ..enterprise_sandbox::data::synth::CompanyConfig::of(400, 6)
    };
    let c = Arc::new(enterprise_sandbox::data::synth::synthesise(&config).unwrap());
    let only = TaskConfig {
        templates: vec!["remove_product".to_owned()],
        tries: 30_000,
        ..TaskConfig::default()
    };
    let g = Generator::new(office(c, native()), only).unwrap();
    let task = g
        .draw(Seed(3), 0, Category::Crud, TaskDomain::Sales)
        .unwrap();
    self_test(g.office(), &[task]);
}

/// Every published goal template (except those that were retired) has a template here.
#[test]
fn all_published_goals_are_covered() {
    let Some(root) = shared("upstream/office/Task_Generation/Config") else {
        return;
    };
    let known: BTreeSet<u64> = templates()
        .iter()
        .flat_map(|t| t.goals.iter().copied())
        .collect();
    let fingerprint = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let mut goals = BTreeSet::new();
    for domain in std::fs::read_dir(root).unwrap() {
        for file in std::fs::read_dir(domain.unwrap().path()).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let config: serde_json::Value = serde_json::from_str(&text).unwrap();
            for goal in config["goal_templates"].as_array().unwrap() {
                goals.insert(goal.as_str().unwrap().to_owned());
            }
        }
    }
    assert_eq!(goals.len(), 90);
    let missing: Vec<_> = goals
        .iter()
        .filter(|g| !known.contains(&fingerprint(g)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(known.len(), 90);
}

#[test]
fn without_enforcement_denied_tasks_are_done_spuriously() {
    let c = paper();
    let g = generator(&c);
    let open = office(
        Arc::clone(&c),
        AccessConfig {
            enforcement: Enforcement::Off,
            ..native()
        },
    );
    let mut solved = 0;
    for index in 0..120 {
        let task = g.draw(
            Seed(9),
            index,
            Category::Unanswerable,
            TaskDomain::ALL[index as usize % 5],
        );
        let task = task.unwrap();
        if task.gold.refusal.as_ref().unwrap().class != RefusalClass::Denied {
            continue;
        }
        let said = TaskEnd::Answer {
            text: "Here you are.".into(),
            facts: [(
                "value".to_owned(),
                task.forbidden.first().cloned().unwrap_or_default().into(),
            )]
            .into_iter()
            .collect(),
        };
        let attempt = Attempt {
            mutation: None,
            ending: said,
            ..right(&task)
        };
        let (state, ending) = run(&open, &task, &attempt);
        let e = evaluate(&open, &task, &state, &ending);
        assert!(!e.success);
        let m = enterprise_sandbox::tasks::evaluate::metrics(&e);
        solved += u32::from(m["spurious_completion"] > 0.0);
    }
    assert!(solved >= 5, "{solved}");
}

struct Model(fn(&str) -> String);
impl Rephraser for Model {
    fn rephrase(&self, instruction: &str) -> Option<String> {
        Some((self.0)(instruction))
    }
}

#[test]
fn a_rephrasing_must_keep_the_values() {
    let g = generator(&small());
    let task = g.draw(Seed(4), 1, Category::Crud, TaskDomain::Hr).unwrap();
    assert!(!task.slots.is_empty());
    let mut cache = RephraseCache::default();
    let mut lost = task.clone();
    assert!(!rephrase(
        &mut lost,
        &Model(|_| "Please do that for me.".into()),
        &mut cache
    ));
    assert_eq!(lost, task, "refused wordings leave the task alone");
    assert_eq!(cache.0.len(), 1);
    // A number that was not in the request, a value inside a longer word, words that refer to the
    // data.
    let wrong: [fn(&str) -> String; 3] = [
        |t| format!("{t} Please do it 731 times."),
        |t| t.replace(' ', "x"),
        |t| format!("According to our records, please: {t}"),
    ];
    for wrong in wrong {
        let mut again = task.clone();
        let mut cache = RephraseCache::default();
        assert!(
            !rephrase(&mut again, &Model(wrong), &mut cache),
            "{}",
            again.instruction
        );
        assert_eq!(again, task);
    }
    let mut cache = RephraseCache::default();
    let mut kept = task.clone();
    let polite = Model(|t| format!("Would you be so kind? {t}"));
    assert!(rephrase(&mut kept, &polite, &mut cache));
    assert!(kept.instruction.starts_with("Would you"));
    // A second run takes the wording from the cache.
    let mut again = task.clone();
    assert!(rephrase(
        &mut again,
        &Model(|_| "nothing".into()),
        &mut cache
    ));
    assert_eq!(again.instruction, kept.instruction);
    let (state, ending) = run(g.office(), &kept, &right(&kept));
    assert!(evaluate(g.office(), &kept, &state, &ending).success);
}

#[test]
fn settings_are_checked() {
    for config in [
        TaskConfig {
            search: 1.5,
            ..TaskConfig::default()
        },
        TaskConfig {
            search: 0.0,
            crud: 0.0,
            unanswerable: 0.0,
            ..TaskConfig::default()
        },
        TaskConfig {
            domains: BTreeMap::new(),
            ..TaskConfig::default()
        },
        TaskConfig {
            templates: vec!["no".into()],
            ..TaskConfig::default()
        },
        TaskConfig {
            tries: 0,
            ..TaskConfig::default()
        },
    ] {
        assert!(Generator::new(office(small(), native()), config).is_err());
    }
    let only = TaskConfig {
        domains: [(TaskDomain::It, 2.0)].into_iter().collect(),
        search: 0.0,
        unanswerable: 0.0,
        crud: 1.0,
        ..TaskConfig::default()
    };
    let g = Generator::new(office(paper(), native()), only).unwrap();
    for index in 0..20 {
        let task = g.scheduled(Seed(1), index).unwrap();
        assert_eq!(
            (task.domain, task.category),
            (TaskDomain::It, Category::Crud)
        );
    }
}

#[test]
fn hidden_existence_accepts_both_classes() {
    let config = AccessConfig {
        hide_existence: true,
        ..native()
    };
    let g = Generator::new(office(paper(), config), TaskConfig::default()).unwrap();
    for index in 0..12 {
        let task = g
            .draw(Seed(6), index, Category::Unanswerable, TaskDomain::Swe)
            .unwrap();
        let refusal = task.gold.refusal.clone().unwrap();
        if refusal.class != RefusalClass::Ambiguous {
            assert_eq!(refusal.accepted.len(), 2);
        }
        self_test(g.office(), &[task]);
    }
}

#[test]
fn sources_of_a_company_reach_the_tasks() {
    let g = generator(&paper());
    let (tasks, _) = g.batch(Seed(5), 100);
    let sources: BTreeSet<TableId> = tasks.iter().flat_map(TaskSpec::sources).collect();
    assert!(sources.len() >= 12, "{sources:?}");
}

#[test]
fn settings_of_tasks_have_ranges() {
    let weight = |weight: f64| TaskConfig {
        domains: [(TaskDomain::Swe, weight)].into(),
        ..TaskConfig::default()
    };
    let tries = |tries: u32| TaskConfig {
        tries,
        ..TaskConfig::default()
    };
    let pool = |pool: u32| TaskConfig {
        pool: Some(pool),
        ..TaskConfig::default()
    };
    let shares = |search: f64| TaskConfig {
        search,
        crud: 0.0,
        unanswerable: 0.0,
        ..TaskConfig::default()
    };
    for (config, place) in [
        (weight(1e12), "domains.swe"),
        (weight(-1.0), "domains.swe"),
        (weight(f64::INFINITY), "domains.swe"),
        (weight(f64::NAN), "domains.swe"),
        (weight(1e-9), "domains"),
        (weight(0.0), "domains"),
        (shares(1e-9), "search"),
        (shares(0.0), "search"),
        (shares(0.5), "search"),
        (shares(1.5), "search"),
        (tries(0), "tries"),
        (tries(100_001), "tries"),
        (tries(u32::MAX), "tries"),
        (pool(0), "pool"),
        (pool(10_001), "pool"),
        (pool(1_000_000), "pool"),
    ] {
        assert_eq!(config.check().unwrap_err().place, place, "{config:?}");
    }
    let names = TaskConfig {
        templates: vec![templates()[0].id.to_owned(); 5_000],
        ..TaskConfig::default()
    };
    assert_eq!(names.check().unwrap_err().place, "templates");
    for config in [
        weight(1e6),
        weight(1e-6),
        tries(100_000),
        pool(10_000),
        shares(1.0),
    ] {
        config.check().unwrap();
        let generator = Generator::new(office(small(), native()), config).unwrap();
        let _ = generator.schedule(0);
    }
}

/// A share is one: of every hundred tasks as many are of its category, and shares that do not sum to 1 are refused,
/// where one of them was raised alone.
#[test]
fn every_hundred_tasks_have_the_shares_of_the_settings() {
    let shares = |search, crud, unanswerable| TaskConfig {
        search,
        crud,
        unanswerable,
        ..TaskConfig::default()
    };
    let third = 1.0 / 3.0;
    for (config, expected) in [
        (TaskConfig::default(), [65, 30, 5]),
        (shares(0.34, 0.16, 0.5), [34, 16, 50]),
        (shares(1.0, 0.0, 0.0), [100, 0, 0]),
        (shares(0.0, 1.0, 0.0), [0, 100, 0]),
        (shares(0.0, 0.0, 1.0), [0, 0, 100]),
        (shares(third, third, third), [34, 33, 33]),
        (shares(0.333, 0.333, 0.333), [34, 33, 33]),
    ] {
        let generator = Generator::new(office(small(), native()), config).unwrap();
        for block in [0, 700] {
            let drawn = (block..block + 100).map(|index| generator.schedule(index).0);
            let count = |category| drawn.clone().filter(|c| *c == category).count();
            let counts = [Category::Search, Category::Crud, Category::Unanswerable].map(count);
            assert_eq!(counts, expected);
        }
    }
    for (search, crud, unanswerable) in [(0.65, 0.3, 0.5), (0.65, 0.3, 0.0)] {
        let error = shares(search, crud, unanswerable).check().unwrap_err();
        assert_eq!(error.place, "search");
    }
}
