//! No person gets a record that the rule table denies them, by any tool of either tool set.

use crate::access::Oracle;
use crate::support::kinds;
use crate::tools::{data_tools, native, office};
use enterprise_sandbox::access::{AccessConfig, Enforcement, EngineKind};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::overlay::WriteKind as Done;
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::tasks::probe::probe;
use enterprise_sandbox::tools::office::{CallReply, Code, Office, OfficeState};
use enterprise_sandbox::tools::{ArgBinding, OfficeTool, Op};
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use sim_core::{Seed, Stream};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static OFFICE: LazyLock<Arc<Company>> =
    LazyLock::new(|| Arc::new(synthesise(&CompanyConfig::of(160, 21)).unwrap()));

/// The forbidden content of a reply; `None` if there is none.
fn leak(
    c: &Company,
    oracle: &Oracle,
    me: EmployeeNo,
    tool: &OfficeTool,
    state: &OfficeState,
    reply: &CallReply,
) -> Option<String> {
    let who = me.0 as usize;
    let reads = |source, row| oracle.allows(c, who, "read", source, row, &[]);
    // Writes: every change of the journal must be one that the table allows.
    for change in state.overlay.journal() {
        let verb = match change.op {
            Done::Create => "create",
            Done::Update => "update",
            Done::Delete => "delete",
        };
        let fields: Vec<String> = change.fields.keys().cloned().collect();
        match c.find(change.source, &change.id) {
            Some(row) => {
                // Cascades and soft deletion follow from the call itself.
                let verb = if tool.op == Op::Delete {
                    "delete"
                } else {
                    verb
                };
                let fields = if verb == "update" { fields } else { Vec::new() };
                let derived = ["hash", "size", "discount_percentage"];
                let fields: Vec<String> = fields
                    .into_iter()
                    .filter(|f| !derived.contains(&f.as_str()))
                    .collect();
                let direct = reply.text().contains(&change.id);
                if direct && !oracle.allows(c, who, verb, change.source, row, &fields) {
                    return Some(format!("{verb} {} {}", change.source, change.id));
                }
            }
            None => {
                if !may_make(c, oracle, who, change.source, &change.fields) {
                    return Some(format!("made {} {}", change.source, change.id));
                }
            }
        }
    }
    let Some(items) = reply.body.get("items").and_then(Value::as_array) else {
        if let Some(passages) = reply.body.get("passages").and_then(Value::as_array) {
            for p in passages {
                let id = p["document_id"].as_str().unwrap();
                let row = c.find(TableId::PolicyDocuments, id).unwrap();
                if !reads(TableId::PolicyDocuments, row) {
                    return Some(format!("passage of {id}"));
                }
            }
        }
        return None;
    };
    if let Some(count) = reply.body.get("filtered_count") {
        return Some(format!("count {count}"));
    }
    for item in items {
        let source = match item.get("kind").and_then(Value::as_str) {
            Some("repository") => TableId::Repositories,
            Some("file") => TableId::Files,
            Some("issue") => TableId::Issues,
            _ => tool.source,
        };
        let text = |f: &str| {
            item.get(f)
                .and_then(enterprise_sandbox::data::value::scalar_text)
        };
        let row = match text(source.key()) {
            Some(id) => c.find(source, &id),
            None => match source {
                // Names, addresses and threads without their key.
                TableId::Employees => Some(0),
                TableId::Emails => {
                    let thread = text("thread_id")?;
                    (0..c.rows(TableId::Emails)).find(|r| {
                        c.cell(TableId::Emails, *r, "thread_id") == json!(thread)
                            && reads(TableId::Emails, *r)
                    })
                }
                _ => None,
            },
        };
        match row {
            Some(row) if reads(source, row) => {
                if source == TableId::Employees
                    && source
                        .fields()
                        .iter()
                        .any(|f| f.restricted && item.get(f.name).is_some())
                    && !oracle.allows(c, who, "sensitive", source, row, &[])
                {
                    return Some(format!("restricted fields of {item}"));
                }
            }
            _ => return Some(format!("{source} {item}")),
        }
    }
    None
}

/// Whether the table allows a person to create such a record.
fn may_make(
    c: &Company,
    oracle: &Oracle,
    who: usize,
    source: TableId,
    fields: &BTreeMap<String, enterprise_sandbox::data::overlay::FieldChange>,
) -> bool {
    let text = |f: &str| {
        fields
            .get(f)
            .and_then(|x| enterprise_sandbox::data::value::scalar_text(&x.after))
    };
    let me = c.id(TableId::Employees, who as u32);
    let active = oracle.allows(c, who, "read", TableId::Employees, 0, &[]);
    let p = &c.employees()[who];
    let sales = p.department.name() == "Sales";
    let of = |names: &[&str]| names.contains(&p.department.name());
    let mine = |f: &str| text(f).is_some_and(|id| id == me);
    let repository = |verb: &str, of_source: TableId| {
        text("repo_name").is_some_and(|name| {
            let row = c.find(TableId::Repositories, &name).unwrap();
            let of_row =
                (0..c.rows(of_source)).find(|r| c.cell(of_source, *r, "repo_name") == json!(name));
            match of_row {
                Some(r) => oracle.allows(c, who, verb, of_source, r, &[]),
                None => oracle.allows(c, who, "update", TableId::Repositories, row, &[]),
            }
        })
    };
    active
        && match source {
            TableId::Emails => {
                let old = text("thread_id").is_some_and(|t| {
                    (0..c.rows(TableId::Emails))
                        .any(|r| c.cell(TableId::Emails, r, "thread_id") == json!(t))
                });
                let inside = text("thread_id").is_some_and(|t| {
                    (0..c.rows(TableId::Emails)).any(|r| {
                        c.cell(TableId::Emails, r, "thread_id") == json!(t)
                            && oracle.allows(c, who, "read", TableId::Emails, r, &[])
                    })
                });
                mine("sender_emp_id") && (!old || inside)
            }
            TableId::Conversations => mine("sender_emp_id"),
            TableId::Tickets => mine("raised_by_emp_id"),
            TableId::Posts => mine("emp_id"),
            TableId::Overflow => mine("employee_id"),
            TableId::Employees => of(&["HR"]) && !mine("reports_to"),
            TableId::Products => sales && p.level >= 10,
            TableId::Sales | TableId::Customers => sales,
            TableId::Reviews => of(&["Sales", "BPO"]),
            TableId::SupportChats => mine("emp_id") && of(&["Sales", "BPO"]),
            TableId::Repositories => {
                mine("emp_id") && of(&["Engineering", "Information Technology"])
            }
            TableId::Files => repository("create", TableId::Files),
            TableId::Issues => repository("create", TableId::Issues),
            TableId::Contracts => of(&["Management"]) && p.level >= 10,
            _ => false,
        }
}

/// A person who makes probing calls: a third have left, the others are active.
fn spy(c: &Company, s: &mut Stream) -> EmployeeNo {
    let leavers: Vec<u32> = (0..c.rows(TableId::Employees))
        .filter(|r| c.employees()[*r as usize].left.is_some())
        .collect();
    let anybody = s.below(u64::from(c.rows(TableId::Employees))) as u32;
    if s.chance(0.34) {
        EmployeeNo(*s.pick(&leavers).unwrap())
    } else {
        EmployeeNo(anybody)
    }
}

struct Tally {
    tries: BTreeMap<&'static str, u32>,
    leaks: BTreeMap<&'static str, u32>,
    refused: u32,
    first: Option<String>,
}

fn snoop(office: &Office, each: u64) -> Tally {
    let c = office.company();
    let oracle = Oracle::new(c);
    let mut tally = Tally {
        tries: BTreeMap::new(),
        leaks: BTreeMap::new(),
        refused: 0,
        first: None,
    };
    for tool in data_tools() {
        for i in 0..each {
            let mut s = Seed(99).stream(tool.name, i);
            let me = spy(c, &mut s);
            let mut state = OfficeState::default();
            let arguments = {
                let view = office.view(&state.overlay);
                probe(&view, &mut s, tool, me).arguments
            };
            let reply = match office.call(&mut state, me, tool.name, &arguments) {
                Ok(reply) => reply,
                Err(e) => panic!("{} {arguments}: {e}", tool.name),
            };
            *tally.tries.entry(tool.name).or_default() += 1;
            tally.refused += u32::from(reply.refused.is_some());
            if let Some(what) = leak(c, &oracle, me, tool, &state, &reply) {
                *tally.leaks.entry(tool.name).or_default() += 1;
                tally.first.get_or_insert(format!(
                    "{} {arguments} as {:?}: {what}",
                    tool.name,
                    c.employees()[me.0 as usize]
                ));
            }
        }
    }
    tally
}

#[test]
fn with_enforcement_nothing_leaks_and_without_everything_does() {
    let each = 60;
    for hidden in [false, true] {
        let config = AccessConfig {
            hide_existence: hidden,
            cascade: true,
            ..native()
        };
        let strict = snoop(&office(Arc::clone(&OFFICE), config), each);
        assert_eq!(strict.leaks.values().sum::<u32>(), 0, "{:?}", strict.first);
        assert!(strict.tries.values().all(|n| u64::from(*n) == each));
        assert!(strict.refused > 1_000, "{}", strict.refused);
    }
    let open = AccessConfig {
        enforcement: Enforcement::Off,
        cascade: true,
        ..native()
    };
    let open = snoop(&office(Arc::clone(&OFFICE), open), each);
    let silent: Vec<&&str> = open
        .tries
        .keys()
        .filter(|t| !open.leaks.contains_key(*t))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// The acceptance run: 100,000 attempts, at least 500 through every data tool; a twentieth in the
/// ordinary run.
#[test]
fn slow_a_hundred_thousand_attempts() {
    for engine in kinds() {
        let each = if engine == EngineKind::Native {
            small_or_full(40, 800)
        } else {
            small_or_full(4, 20)
        };
        let config = AccessConfig {
            engine,
            cascade: true,
            ..AccessConfig::default()
        };
        let strict = snoop(&office(Arc::clone(&OFFICE), config), each);
        let total: u32 = strict.tries.values().sum();
        assert_eq!(strict.leaks.values().sum::<u32>(), 0, "{:?}", strict.first);
        if engine == EngineKind::Native {
            assert!(total >= small_or_full(5_000, 100_000), "{total}");
            assert!(*strict.tries.values().min().unwrap() >= small_or_full(25, 500));
        }
        println!("{total} attempts, {} refused, 0 leaks", strict.refused);
    }
}

/// A forbidden record gets exactly the same reply as one that does not exist, with any error code.
#[test]
fn forbidden_and_unknown_answer_alike() {
    for hide_existence in [false, true] {
        for engine in kinds() {
            alike(AccessConfig {
                hide_existence,
                engine,
                ..AccessConfig::default()
            });
        }
    }
}

fn alike(config: AccessConfig) {
    let c = Arc::clone(&OFFICE);
    let office = office(Arc::clone(&c), config);
    let oracle = Oracle::new(&c);
    let (mut compared, mut by_tool) = (0, BTreeMap::<&str, u32>::new());
    for tool in data_tools() {
        let Some(key) = tool.args.iter().find(|a| a.binding == ArgBinding::Key) else {
            continue;
        };
        for i in 0..60 {
            let mut s = Seed(5).stream(tool.name, i);
            let me = spy(&c, &mut s);
            let mut arguments = {
                let state = OfficeState::default();
                let view = office.view(&state.overlay);
                probe(&view, &mut s, tool, me).arguments
            };
            let Some(id) = arguments
                .get(key.name)
                .and_then(enterprise_sandbox::data::value::scalar_text)
            else {
                continue;
            };
            let Some(row) = c.find(tool.source, &id) else {
                continue;
            };
            if oracle.allows(&c, me.0 as usize, "read", tool.source, row, &[]) {
                continue;
            }
            let ask = |arguments: &Value| {
                office
                    .call(&mut OfficeState::default(), me, tool.name, arguments)
                    .unwrap()
            };
            let forbidden = ask(&arguments);
            // An unused id of the same form.
            let unknown: String = id
                .chars()
                .map(|ch| match ch {
                    '0'..='8' => char::from(ch as u8 + 1),
                    '9' => '0',
                    'a'..='y' => char::from(ch as u8 + 1),
                    other => other,
                })
                .collect();
            if c.find(tool.source, &unknown).is_some() {
                continue;
            }
            arguments[key.name] = json!(unknown);
            let missing = ask(&arguments);
            let levelled = missing.text().replace(&unknown, &id);
            if forbidden.refused == Some(Code::AccessDenied) {
                // An impersonation is refused before the data is read: then both calls are.
                assert_eq!(
                    missing.refused,
                    Some(Code::AccessDenied),
                    "{} {arguments}",
                    tool.name
                );
            }
            assert_eq!(forbidden.text(), levelled, "{} {arguments}", tool.name);
            compared += 1;
            *by_tool.entry(tool.name).or_default() += 1;
        }
    }
    assert!(
        compared > 700 && by_tool.len() > 40,
        "{compared} over {}",
        by_tool.len()
    );
    // Identifiers chosen by the caller disclose nothing either.
    let me = crate::tools::someone(&c, "Finance", 9);
    let other = c.id(TableId::Employees, crate::tools::someone(&c, "Sales", 9).0);
    for taken in [c.id(TableId::Conversations, 3), "free-id".to_owned()] {
        let args = json!({"recipient_emp_id": other, "text": "x", "conversation_id": taken});
        let reply = office
            .call(
                &mut OfficeState::default(),
                me,
                "conversations_create",
                &args,
            )
            .unwrap();
        assert_eq!(reply.refused, None);
        assert_ne!(reply.body["record"]["conversation_id"], json!(taken));
    }
}
