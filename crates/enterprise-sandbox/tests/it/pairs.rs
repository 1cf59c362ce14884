//! Side channels: two companies that differ only in what a person may not read answer every call of
//! that person with the same bytes.

use crate::access::Oracle;
use crate::support::exported;
use crate::tools::{data_tools, office};
use enterprise_sandbox::access::{AccessConfig, EngineKind, FilteredCount};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::import::{ImportOptions, NativeTree, import};
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::value::scalar_text;
use enterprise_sandbox::tasks::probe::probe;
use enterprise_sandbox::tools::embedding::{Embedder, EmbeddingError};
use enterprise_sandbox::tools::office::{Office, OfficeState};
use enterprise_sandbox::tools::{ArgBinding, OfficeTool, Op};
use serde_json::{Map, Value, json};
use sim_core::testkit::small_or_full;
use sim_core::{Seed, Stream};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Rows = Vec<Map<String, Value>>;

fn company(files: &BTreeMap<String, String>) -> Company {
    let tree: NativeTree = files.iter().map(|(p, t)| (p.clone(), t.clone())).collect();
    let (company, report) = import(&tree, &ImportOptions::default()).unwrap();
    assert_eq!(report.quarantined, []);
    company
}

/// Everything that a person may read, in order.
fn readable(c: &Company, oracle: &Oracle, who: usize) -> Vec<Value> {
    let mut out = Vec::new();
    for source in TableId::ALL {
        for row in 0..c.rows(source) {
            if !oracle.allows(c, who, "read", source, row, &[]) {
                continue;
            }
            let all = oracle.allows(c, who, "sensitive", source, row, &[]);
            let fields = source
                .fields()
                .iter()
                .filter(|f| !f.restricted || (source == TableId::Employees && all));
            let record: Map<String, Value> = fields
                .map(|f| (f.name.to_owned(), c.cell(source, row, f.name)))
                .collect();
            out.push(record.into());
        }
    }
    out
}

/// Rewrites everything that a person may not read: other words, additional rows and fewer rows.
struct Rewriter<'a> {
    c: &'a Company,
    oracle: &'a Oracle,
    who: usize,
    s: Stream,
    changed: BTreeSet<TableId>,
    fresh: u64,
}

const WORDS: [&str; 10] = [
    "budget", "kettle", "python", "leave", "plan", "zebra", "quartz", "VPN", "the", "review",
];

impl Rewriter<'_> {
    fn reads(&self, source: TableId, id: &str) -> bool {
        let row = self.c.find(source, id).unwrap();
        self.oracle
            .allows(self.c, self.who, "read", source, row, &[])
    }

    fn words(&mut self) -> String {
        let count = 1 + self.s.index(12);
        let words: Vec<&str> = (0..count).map(|_| *self.s.pick(&WORDS).unwrap()).collect();
        words.join(" ")
    }

    /// Rows of a file whose record the person may not read: `texts` get other words, some rows go,
    /// some come again under a new id.
    fn file(
        &mut self,
        files: &mut BTreeMap<String, String>,
        (source, path, key): (TableId, &str, &str),
        texts: &[&str],
        remove: bool,
        fixed: &BTreeSet<String>,
    ) {
        let Some(text) = files.get_mut(path) else {
            return;
        };
        let rows: Rows = serde_json::from_str(text).unwrap();
        let mut out: Rows = Vec::new();
        for row in rows {
            let id = scalar_text(&row[key]).unwrap();
            if self.reads(source, &id) || fixed.contains(&id) {
                out.push(row);
                continue;
            }
            self.changed.insert(source);
            if self.s.chance(0.2) {
                let mut twin = row.clone();
                self.fresh += 1;
                twin.insert(key.to_owned(), self.new_id(source, &row[key]));
                for field in texts {
                    twin.insert((*field).to_owned(), self.words().into());
                }
                out.push(twin);
            }
            if remove && self.s.chance(0.2) {
                continue;
            }
            let mut row = row;
            for field in texts {
                if self.s.chance(0.7) {
                    row.insert((*field).to_owned(), self.words().into());
                }
            }
            out.push(row);
        }
        *text = serde_json::to_string(&out).unwrap();
    }

    fn new_id(&self, source: TableId, like: &Value) -> Value {
        let n = 40_000_000 + self.fresh;
        match (source, like) {
            (_, Value::Number(_)) => json!(n),
            (TableId::Tickets, _) => json!(n.to_string()),
            (TableId::Products, _) => json!(format!("Z{n:09}")),
            (TableId::Customers, _) => {
                let letter = |k: u64| char::from(b'a' + (self.fresh / k % 26) as u8);
                json!(format!("zz{}{}{}", letter(676), letter(26), letter(1)))
            }
            _ => json!(format!("other-{n}")),
        }
    }

    fn all(&mut self, files: &mut BTreeMap<String, String>) {
        let crm = "Customer_Relation_Management";
        let none = BTreeSet::new();
        // The product and customer of a readable chat stay.
        let chats = |field: &str| -> BTreeSet<String> {
            (0..self.c.rows(TableId::SupportChats))
                .filter(|r| {
                    let chats = TableId::SupportChats;
                    self.oracle.allows(self.c, self.who, "read", chats, *r, &[])
                })
                .filter_map(|r| scalar_text(&self.c.cell(TableId::SupportChats, r, field)))
                .collect()
        };
        let (products, customers) = (chats("product_id"), chats("customer_id"));
        for (source, path, key, texts, remove, fixed) in [
            (
                TableId::Emails,
                "Enterprise_mail_system/emails.json".to_owned(),
                "email_id",
                &["subject", "body"][..],
                true,
                &none,
            ),
            (
                TableId::Conversations,
                "Collaboration_tools/conversations.json".to_owned(),
                "conversation_id",
                &["text"],
                true,
                &none,
            ),
            (
                TableId::Tickets,
                "IT_Service_Management/it_tickets.json".to_owned(),
                "id",
                &["Issue", "Resolution"],
                true,
                &none,
            ),
            (
                TableId::Clients,
                "Business_and_Management/clients.json".to_owned(),
                "client_id",
                &["business_name", "industry", "engagement_description"],
                true,
                &none,
            ),
            (
                TableId::Vendors,
                "Business_and_Management/vendors.json".to_owned(),
                "client_id",
                &["business_name", "industry", "relationship_description"],
                true,
                &none,
            ),
            (
                TableId::Reviews,
                format!("{crm}/Product Sentiment/product_sentiment.json"),
                "sentiment_id",
                &["review_content"],
                true,
                &none,
            ),
            (
                TableId::SupportChats,
                format!("{crm}/Customer Support/customer_support_chats.json"),
                "chat_id",
                &["text"],
                true,
                &none,
            ),
            (
                TableId::Sales,
                format!("{crm}/sales.json"),
                "sales_record_id",
                &[],
                true,
                &none,
            ),
            (
                TableId::Products,
                format!("{crm}/products.json"),
                "product_id",
                &["product_name", "about_product"],
                false,
                &products,
            ),
            (
                TableId::Customers,
                format!("{crm}/customers.json"),
                "customer_id",
                &["customer_name"],
                false,
                &customers,
            ),
        ] {
            self.file(files, (source, &path, key), texts, remove, fixed);
        }
        self.later_tables(files);
        self.people(files);
        self.resumes(files);
        self.code(files);
        self.policies(files);
    }

    /// Tables that the published data do not have: only what the person may read stays.
    fn later_tables(&mut self, files: &mut BTreeMap<String, String>) {
        for source in TableId::ALL {
            let file = source.file().filter(|_| source > TableId::PolicyDocuments);
            let Some(text) = file.and_then(|path| files.get_mut(path)) else {
                continue;
            };
            let mut rows: Rows = serde_json::from_str(text).unwrap();
            let count = rows.len();
            rows.retain(|row| self.reads(source, &scalar_text(&row[source.key()]).unwrap()));
            if rows.len() < count {
                self.changed.insert(source);
            }
            *text = serde_json::to_string(&rows).unwrap();
        }
    }

    fn people(&mut self, files: &mut BTreeMap<String, String>) {
        let text = files
            .get_mut("Human_Resource_Management/Employees/employees.json")
            .unwrap();
        let mut rows: Rows = serde_json::from_str(text).unwrap();
        for row in &mut rows {
            let id = row["emp_id"].as_str().unwrap();
            let n = self.c.find(TableId::Employees, id).unwrap();
            let people = TableId::Employees;
            if self
                .oracle
                .allows(self.c, self.who, "sensitive", people, n, &[])
            {
                continue;
            }
            self.changed.insert(people);
            for (field, value) in [
                ("Salary", json!(self.s.between(1, 90_000).to_string())),
                ("Age", json!(self.s.between(20, 60).to_string())),
                (
                    "Performance Rating",
                    json!(self.s.between(1, 5).to_string()),
                ),
                ("Marital Status", json!(self.words())),
                ("Gender", json!(self.words())),
            ] {
                row.insert(field.to_owned(), value);
            }
        }
        *text = serde_json::to_string(&rows).unwrap();
    }

    fn resumes(&mut self, files: &mut BTreeMap<String, String>) {
        let path = "Human_Resource_Management/Resume/resume_information.csv";
        let Some(text) = files.get_mut(path) else {
            return;
        };
        let mut reader = csv::ReaderBuilder::new();
        let reader = reader.has_headers(false).from_reader(text.as_bytes());
        let owned = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
        let mut records: Vec<Vec<String>> =
            reader.into_records().map(|r| owned(r.unwrap())).collect();
        let columns = records.remove(0);
        let place = |name: &str| columns.iter().position(|c| c == name).unwrap();
        let (id, content) = (place("resume_id"), place("content"));
        let mut lines = vec![columns.clone()];
        for mut record in records {
            if !self.reads(TableId::Resumes, &record[id]) {
                self.changed.insert(TableId::Resumes);
                if self.s.chance(0.2) {
                    let mut twin = record.clone();
                    self.fresh += 1;
                    twin[id] = format!("other-{}", self.fresh);
                    lines.push(twin);
                }
                if self.s.chance(0.2) {
                    continue;
                }
                record[content] = self.words();
            }
            lines.push(record);
        }
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        *text = lines
            .iter()
            .map(|l| l.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n")
            .collect();
    }

    fn code(&mut self, files: &mut BTreeMap<String, String>) {
        let Some(text) = files.get_mut("Workspace/GitHub/GitHub.json") else {
            return;
        };
        let rows: Rows = serde_json::from_str(text).unwrap();
        let mut out: Rows = Vec::new();
        for mut row in rows {
            let name = row["repo_name"].as_str().unwrap().to_owned();
            if self.reads(TableId::Repositories, &name) {
                out.push(row);
                continue;
            }
            self.changed.insert(TableId::Repositories);
            if self.s.chance(0.2) {
                let mut twin = row.clone();
                self.fresh += 1;
                twin.insert(
                    "path".to_owned(),
                    json!(format!("src/other_{}.py", self.fresh)),
                );
                twin.insert("issues".to_owned(), Value::Null);
                out.push(twin);
            }
            if self.s.chance(0.2) {
                continue;
            }
            row.insert("code".to_owned(), self.words().into());
            if let Some(issue) = row.get_mut("issues").and_then(Value::as_object_mut) {
                issue.insert("title".to_owned(), self.words().into());
                issue.insert("description".to_owned(), self.words().into());
            }
            out.push(row);
        }
        *text = serde_json::to_string(&out).unwrap();
    }

    fn policies(&mut self, files: &mut BTreeMap<String, String>) {
        let barred: Vec<String> = (0..self.c.rows(TableId::PolicyDocuments))
            .filter(|row| {
                let documents = TableId::PolicyDocuments;
                !self
                    .oracle
                    .allows(self.c, self.who, "read", documents, *row, &[])
            })
            .map(|row| self.c.id(TableId::PolicyDocuments, row))
            .collect();
        for id in barred {
            self.changed.insert(TableId::PolicyDocuments);
            let path = format!("Policy_Documents/{id}.txt");
            let text = files.remove(&path).unwrap();
            let head: Vec<&str> = text.lines().take(2).collect();
            let said: Vec<String> = (0..30).map(|_| self.words()).collect();
            let text = format!(
                "{}\n1. Other\n1.1 {}\n",
                head.join("\n"),
                said.join("\n1.1 ")
            );
            // Before or after the others.
            let name = if self.s.chance(0.5) {
                format!("a-{id}")
            } else {
                id
            };
            files.insert(format!("Policy_Documents/{name}.txt"), text);
        }
    }
}

/// People who make calls: one of every department and level, and some who have left.
fn people(c: &Company) -> Vec<EmployeeNo> {
    let mut seen = BTreeSet::new();
    (0..c.rows(TableId::Employees))
        .filter(|row| {
            let e = &c.employees()[*row as usize];
            seen.insert((e.department.name(), e.level, e.left.is_some()))
        })
        .map(EmployeeNo)
        .collect()
}

/// A call with random arguments, including words of forbidden texts.
fn aimed(
    view: &Office,
    state: &OfficeState,
    s: &mut Stream,
    tool: &'static OfficeTool,
    me: EmployeeNo,
    others: [&Company; 2],
) -> Value {
    let mut arguments = probe(&view.view(&state.overlay), s, tool, me).arguments;
    let asks = tool.args.iter().any(|a| a.binding == ArgBinding::Query);
    let keyed = tool
        .args
        .iter()
        .any(|a| a.binding == ArgBinding::Key && arguments.get(a.name).is_some());
    let code = ["repo_name", "path", "issue_id"];
    let coded = tool.code && code.iter().any(|n| arguments.get(n).is_some());
    if asks && !keyed && !coded && s.chance(0.8) {
        let c = others[s.index(2)];
        let mut words: Vec<String> = Vec::new();
        for _ in 0..=s.index(3) {
            let rows = c.rows(tool.source);
            let row = s.below(u64::from(rows.max(1))) as u32;
            let searched: Vec<_> = tool.source.fields().iter().filter(|f| f.searched).collect();
            let Some(field) = s.pick(&searched).map(|f| f.name) else {
                break;
            };
            let text = scalar_text(&c.cell(tool.source, row, field)).unwrap_or_default();
            let of_text: Vec<&str> = text.split_whitespace().collect();
            let word = s.pick(&of_text).copied().unwrap_or("plan");
            words.push(word.chars().take(60).collect());
        }
        if !words.is_empty() {
            arguments["query"] = words.join(" ").into();
        }
    }
    arguments
}

struct Count {
    calls: u32,
    shown: u32,
    changed: BTreeSet<TableId>,
}

/// Makes the same calls in both companies of a pair for each person.
fn compare(seed: u64, each: u64, step: usize, config: &AccessConfig) -> Count {
    compare_in(seed, each, step, config, |office| office)
}

/// As [`compare`], in offices that `equip` changes.
fn compare_in(
    seed: u64,
    each: u64,
    step: usize,
    config: &AccessConfig,
    equip: impl Fn(Office) -> Office,
) -> Count {
    let first = exported(&synthesise(&CompanyConfig::of(80, seed)).unwrap());
    let a = Arc::new(company(&first));
    let oracle = Oracle::new(&a);
    let mut count = Count {
        calls: 0,
        shown: 0,
        changed: BTreeSet::new(),
    };
    let office_a = equip(office(Arc::clone(&a), config.clone()));
    let everybody = people(&a);
    let offset = seed as usize % step;
    for me in everybody.into_iter().skip(offset).step_by(step) {
        let who = me.0 as usize;
        let mut rewriter = Rewriter {
            c: &a,
            oracle: &oracle,
            who,
            s: Seed(seed).stream("rewrite", u64::from(me.0)),
            changed: BTreeSet::new(),
            fresh: 0,
        };
        let mut second = first.clone();
        rewriter.all(&mut second);
        count.changed.append(&mut rewriter.changed);
        let b = Arc::new(company(&second));
        assert_ne!(a.digest(), b.digest());
        assert_eq!(
            readable(&a, &oracle, who),
            readable(&b, &Oracle::new(&b), who)
        );
        let office_b = equip(office(Arc::clone(&b), config.clone()));
        for tool in data_tools() {
            for i in 0..each {
                let mut s = Seed(seed)
                    .child(tool.name, i)
                    .stream("ask", u64::from(me.0));
                let (mut state_a, mut state_b) = (OfficeState::default(), OfficeState::default());
                // Write first, so that written and forbidden records interact.
                let writes: Vec<_> = data_tools()
                    .into_iter()
                    .filter(|t| t.op == Op::Create && t.source == tool.source)
                    .collect();
                let before = s.pick(&writes).copied().filter(|_| s.chance(0.3));
                for tool in before.into_iter().chain([tool]) {
                    let arguments = if s.chance(0.5) {
                        aimed(&office_a, &state_a, &mut s, tool, me, [&a, &b])
                    } else {
                        aimed(&office_b, &state_b, &mut s, tool, me, [&a, &b])
                    };
                    let ask = |office: &Office, state: &mut OfficeState| match office
                        .call(state, me, tool.name, &arguments)
                    {
                        Ok(reply) => (reply.refused, reply.text()),
                        Err(e) => (None, e.to_string()),
                    };
                    let one = ask(&office_a, &mut state_a);
                    let other = ask(&office_b, &mut state_b);
                    assert_eq!(
                        one,
                        other,
                        "{} {arguments} as {:?}",
                        tool.name,
                        a.employees()[who]
                    );
                    count.calls += 1;
                    count.shown += u32::from(one.0.is_none() && !one.1.contains("\"items\":[]"));
                }
            }
        }
    }
    count
}

fn settings() -> [AccessConfig; 3] {
    let native = AccessConfig {
        engine: EngineKind::Native,
        ..AccessConfig::default()
    };
    [
        native.clone(),
        AccessConfig {
            hide_existence: true,
            ..native
        },
        AccessConfig {
            all_or_nothing: true,
            cascade: true,
            ..AccessConfig::default()
        },
    ]
}

#[test]
fn what_may_not_be_read_changes_no_reply() {
    let mut changed = BTreeSet::new();
    for (config, seed) in settings().iter().zip(1..) {
        let mut count = compare(seed, 2, 9, config);
        assert!(
            count.calls > 800 && count.shown > 100,
            "{} {}",
            count.calls,
            count.shown
        );
        changed.append(&mut count.changed);
    }
    assert!(changed.len() >= 12, "{changed:?}");
}

/// Counts letters.
#[derive(Debug)]
struct Letters;

impl Embedder for Letters {
    fn embed(&self, _: &str, texts: &[String]) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
        let vector = |text: &String| -> Arc<[f32]> {
            let count = |letter| text.to_lowercase().matches(letter).count() as f32;
            ('a'..='z').map(count).chain([1.0]).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn what_may_not_be_read_changes_no_search_by_vectors() {
    let equip = |office: Office| office.with_embedder(Arc::new(Letters), "letters".to_owned());
    let count = compare_in(4, 2, 9, &settings()[0], equip);
    assert!(
        count.calls > 800 && count.shown > 100,
        "{} {}",
        count.calls,
        count.shown
    );
}

/// Every department and level, with more calls; in the ordinary run, by every fourth person.
#[test]
fn slow_what_may_not_be_read_changes_no_reply() {
    for (config, seed) in settings().iter().zip(11..) {
        let count = compare(seed, small_or_full(3, 8), small_or_full(8, 1), config);
        println!(
            "{} calls, {} with an answer, no difference",
            count.calls, count.shown
        );
        assert!(count.calls > small_or_full(800, 20_000), "{}", count.calls);
    }
}

/// A forbidden text cannot be discovered word by word: the reply is the same for words that it
/// contains and for other words.
#[test]
fn a_forbidden_resume_cannot_be_read_word_by_word() {
    let c = Arc::new(synthesise(&CompanyConfig::of(160, 21)).unwrap());
    let office = office(Arc::clone(&c), AccessConfig::default());
    let oracle = Oracle::new(&c);
    for me in people(&c) {
        let barred = (0..c.rows(TableId::Resumes))
            .find(|row| !oracle.allows(&c, me.0 as usize, "read", TableId::Resumes, *row, &[]));
        let Some(row) = barred else { continue };
        let mine = (0..c.rows(TableId::Resumes))
            .any(|row| oracle.allows(&c, me.0 as usize, "read", TableId::Resumes, row, &[]));
        if mine {
            continue;
        }
        let text = scalar_text(&c.cell(TableId::Resumes, row, "content")).unwrap();
        let ask = |word: &str| {
            let state = &mut OfficeState::default();
            let arguments = json!({"query": word});
            office
                .call(state, me, "resume_read", &arguments)
                .unwrap()
                .text()
        };
        let nothing = ask("zyzzyva");
        for word in text.split_whitespace().take(20) {
            assert_eq!(ask(word), nothing, "{word}");
        }
    }
}

/// The comparison can fail: it detects a count of withheld records.
#[test]
#[should_panic(expected = "as Employee")]
fn a_count_of_what_was_withheld_is_found() {
    let told = AccessConfig {
        report_filtered_count: FilteredCount::Always,
        ..settings()[0].clone()
    };
    compare(1, 2, 9, &told);
}

/// An identifier of the same form that no record has.
fn unused(c: &Company, source: TableId, id: &str) -> Option<String> {
    let next = |ch: char| match ch {
        '0'..='8' | 'a'..='y' | 'A'..='Y' => char::from(ch as u8 + 1),
        '9' => '0',
        other => other,
    };
    let unused: String = id.chars().map(next).collect();
    c.find(source, &unused).is_none().then_some(unused)
}

/// The scores and the order of passages do not depend on documents that the caller may not read.
#[test]
fn a_forbidden_document_changes_no_passage() {
    let files = exported(&synthesise(&CompanyConfig::of(80, 3)).unwrap());
    let me = |c: &Company| crate::tools::exactly(c, "Sales", 9);
    let ask = |files: &BTreeMap<String, String>| {
        let c = Arc::new(company(files));
        let office = office(Arc::clone(&c), AccessConfig::default());
        let arguments = json!({"query": "password characters", "top_k": 10});
        office
            .call(
                &mut OfficeState::default(),
                me(&c),
                "document_read",
                &arguments,
            )
            .unwrap()
            .text()
    };
    let path = "Policy_Documents/policy-compensation.txt";
    let head: Vec<&str> = files[path].lines().take(2).collect();
    let text = format!(
        "{}\n1. Other\n1.1 password password\n2. More\n2.1 characters of a password\n",
        head.join("\n")
    );
    let mut other = files.clone();
    other.insert(path.to_owned(), text);
    assert!(ask(&files).contains("policy-password"));
    assert_eq!(ask(&files), ask(&other));
}

/// A thread of other people gets the same reply as one that does not exist.
#[test]
fn an_answer_to_a_thread_of_others_tells_nothing() {
    let c = Arc::new(synthesise(&CompanyConfig::of(160, 21)).unwrap());
    for config in settings() {
        let office = office(Arc::clone(&c), config);
        let mut compared = 0;
        for me in people(&c) {
            let mine = c.id(TableId::Employees, me.0);
            let of =
                |row, field| scalar_text(&c.cell(TableId::Emails, row, field)).unwrap_or_default();
            let others = (0..c.rows(TableId::Emails)).filter(|row| {
                [of(*row, "sender_emp_id"), of(*row, "recipient_emp_id")]
                    .iter()
                    .all(|id| *id != mine)
            });
            let colleague = c.id(TableId::Employees, u32::from(me.0 == 0));
            let ask = |thread: &str| {
                let arguments = json!({"recipient_emp_id": colleague, "subject": "s", "body": "b",
                    "thread_id": thread});
                let tool = "enterprise_mail_system_create";
                let reply = office
                    .call(&mut OfficeState::default(), me, tool, &arguments)
                    .unwrap();
                (reply.refused, reply.text())
            };
            let unknown = ask("THR_20200101_zzzzzz");
            for row in others.take(20) {
                let thread = of(row, "thread_id");
                let joined = (0..c.rows(TableId::Emails)).any(|row| {
                    of(row, "thread_id") == thread
                        && (of(row, "sender_emp_id") == mine || of(row, "recipient_emp_id") == mine)
                });
                if !joined {
                    assert_eq!(ask(&thread), unknown, "{thread}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 300, "{compared}");
    }
}

/// An explanation for a forbidden record equals that for a record that does not exist.
#[test]
fn explanations_tell_nothing_about_forbidden_records() {
    let c = Arc::new(synthesise(&CompanyConfig::of(80, 3)).unwrap());
    let oracle = Oracle::new(&c);
    for hide_existence in [false, true] {
        let config = AccessConfig {
            explain: true,
            hide_existence,
            engine: EngineKind::Native,
            ..AccessConfig::default()
        };
        let office = office(Arc::clone(&c), config);
        let mut compared = 0;
        for me in people(&c) {
            for tool in data_tools() {
                let Some(key) = tool.args.iter().find(|a| a.binding == ArgBinding::Key) else {
                    continue;
                };
                let mut s = Seed(3).stream(tool.name, u64::from(me.0));
                let state = OfficeState::default();
                let mut arguments = probe(&office.view(&state.overlay), &mut s, tool, me).arguments;
                let barred = (0..c.rows(tool.source))
                    .find(|row| !oracle.allows(&c, me.0 as usize, "read", tool.source, *row, &[]));
                let Some(id) = barred.map(|row| c.id(tool.source, row)) else {
                    continue;
                };
                let Some(other) = unused(&c, tool.source, &id) else {
                    continue;
                };
                let mut ask = |id: &str| {
                    arguments[key.name] = json!(id);
                    let about = json!({"tool": tool.name, "arguments": arguments});
                    let state = &mut OfficeState::default();
                    office
                        .call(state, me, "explain_access", &about)
                        .unwrap()
                        .text()
                };
                assert_eq!(ask(&id), ask(&other), "{} {id} {other}", tool.name);
                compared += 1;
            }
        }
        assert!(compared > 300, "{compared}");
    }
}
