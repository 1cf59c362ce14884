//! The enterprise office through the program: companies, tasks, policies.

use crate::program::{boardroom, call, json, names, ok, refused};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

const SMALL: &str = "--preset small";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn show(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_company_is_made_from_a_seed_and_made_again_from_its_file() {
    let dir = folder();
    let file = dir.path().join("company.json");
    let made = json(&format!(
        "office generate {SMALL} --set company.seed=9 -o {} --json",
        show(&file)
    ));
    assert_eq!(made["employees"], 50);
    assert_eq!(made["roles"]["Associate"], 20);
    assert_eq!(made["roles"]["Director"], 5);
    assert_eq!(made["rows"]["emails"], 473);
    let kept: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(kept["digest"], made["digest"]);
    assert_eq!(kept["company"]["seed"], 9);
    let text = ok(&format!("office generate {SMALL} --set company.seed=9"));
    names(
        &text,
        &["50 people", "2025-06-30", made["digest"].as_str().unwrap()],
    );
    // The file may be used wherever a company is expected.
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    ok(&format!("office export {} -o {}", show(&file), show(&a)));
    ok(&format!(
        "office export {SMALL} --set company.seed=9 -o {}",
        show(&b)
    ));
    let read = |root: &Path| fs::read(root.join("Enterprise_mail_system/emails.json")).unwrap();
    assert_eq!(read(&a), read(&b));
}

#[test]
fn generate_says_what_is_wrong() {
    for (words, facts) in [
        (
            &["--set", "company.employees=12"][..],
            ["company.employees", "12"],
        ),
        (&["--set", "company.staff=12"], ["`staff`", "employees"]),
        (&["--preset", "huge"], ["`huge`", "paper"]),
    ] {
        let all = [&["office", "generate"], words].concat();
        names(&refused(&all, 2), &facts);
    }
}

/// The printed policies can be changed and given back.
#[test]
fn the_rules_in_force_are_printed_as_policies() {
    let built_in = ok(&format!("office generate {SMALL} --policies"));
    assert_eq!(built_in, *enterprise_sandbox::access::POLICIES);
    let own = built_in.replacen("sender or recipient", "the two people of a mail", 1);
    let setting = format!("access.policies={own}");
    let words = ["office", "generate", "--set", &setting, "--policies"];
    let printed = call(&words);
    // Only Cedar decides by policies of one's own.
    if cfg!(feature = "cedar") {
        assert_eq!((printed.code, printed.out), (0, own), "{}", printed.err);
    } else {
        assert_eq!(printed.code, 2, "{}", printed.err);
        names(&printed.err, &["access.policies", "--features cedar"]);
    }
    refused(&["office", "generate", "--policies", "--json"], 2);
}

/// A server plays in an imported company too, on threads of its own.
#[cfg(feature = "mcp")]
fn a_server_plays_in(company: &str, digest: &str) {
    let setting = format!("imported={digest}");
    let mut server = boardroom(&["serve", "office", "--office", company, "--set", &setting])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let client = serde_json::json!({"name": "client", "version": "1"});
    let requests = [
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client,
        }}),
        serde_json::json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "new_episode", "arguments": {},
        }}),
    ];
    let lines = requests.map(|request| format!("{request}\n")).concat();
    let mut input = server.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let told = server.wait_with_output().unwrap();
    names(
        &String::from_utf8_lossy(&told.stdout),
        &["episode_id", "You are the assistant"],
    );
}

#[test]
fn an_exported_company_comes_back_the_same_and_can_be_played() {
    let dir = folder();
    let (out, back) = (dir.path().join("out"), dir.path().join("back"));
    let made = json(&format!("office generate {SMALL} --json"));
    let written = json(&format!("office export {SMALL} -o {} --json", show(&out)));
    assert!(written["files"].as_u64().unwrap() > 30);
    assert!(
        out.join("Human_Resource_Management/Employees/employees.json")
            .exists()
    );
    // A folder with content is not changed.
    let err = refused(
        &["office", "export", "--preset", "small", "-o", show(&out)],
        2,
    );
    names(&err, &[show(&out)]);

    fs::write(out.join("notes.pdf"), "x").unwrap();
    let report = json(&format!(
        "office import {} -o {} --strict --json",
        show(&out),
        show(&back)
    ));
    assert_eq!(report["digest"], made["digest"]);
    assert_eq!(report["sources"]["employees"]["imported"], 50);
    assert_eq!(report["unknown_files"], serde_json::json!(["notes.pdf"]));
    let text = ok(&format!("office import {}", show(&back)));
    names(&text, &["digest ", "employees"]);

    // An imported company is played by its digest.
    let digest = made["digest"].as_str().unwrap();
    let forgotten = format!(
        "run office {SMALL} --office {} --agent null --episodes 1 --no-save",
        show(&back)
    );
    let called = call(&forgotten.split(' ').collect::<Vec<_>>());
    assert_eq!(called.code, 0, "{}", called.err);
    names(
        &called.err,
        &["was not used", &format!("imported={digest}")],
    );
    let record = dir.path().join("run");
    let run = json(&format!(
        "run office --office {} --set imported={digest} --agent oracle --episodes 4 --out {} --json",
        show(&back),
        show(&record)
    ));
    assert_eq!(run["score"]["mean"], 1.0, "{run}");
    ok(&format!(
        "verify {} --office {}",
        show(&record),
        show(&back)
    ));
    let (record, back) = (show(&record), show(&back));
    #[cfg(feature = "mcp")]
    a_server_plays_in(back, digest);
    // What is missing is an option of the command, which says nothing of the folder.
    for command in [
        vec!["verify", record],
        vec!["report", record, "-o", show(&dir.path().join("r.html"))],
        vec!["replay", record],
        vec!["office", "score", record],
    ] {
        let err = refused(&command, 2);
        names(&err, &["imported", "--office DIR"]);
        assert!(!err.contains("Spec::"), "{err}");
    }
    // The folders behind it are checked all the same.
    let sound = dir.path().join("sound");
    let sound = show(&sound);
    ok(&format!(
        "run office {SMALL} --agent null --episodes 1 --out {sound}"
    ));
    let called = call(&["verify", record, sound]);
    assert_eq!(called.code, 2, "{}", called.err);
    names(&called.err, &[record, "--office DIR"]);
    let lines: Vec<&str> = called.out.lines().collect();
    assert!(lines[0].starts_with(&format!("{record}: ")), "{lines:?}");
    assert!(
        lines[1..]
            .iter()
            .all(|l| l.starts_with(&format!("{sound}: "))),
        "{lines:?}"
    );
    assert!(Path::new(sound).join("verified.json").exists());
    // The digest is longer than what is shown of a value.
    let proven = ok(&format!("verify {record} --office {back}"));
    let shown = proven.split("imported = \"").nth(1).unwrap();
    assert!(
        shown
            .split_once('"')
            .is_some_and(|(value, _)| digest.starts_with(value.trim_end_matches('…'))),
        "{proven}"
    );
}

/// A company file holds settings, so the message says with which options `run` plays in that company.
#[test]
fn a_company_file_in_place_of_a_folder_is_answered_with_its_settings() {
    let dir = folder();
    let file = dir.path().join("acme.json");
    ok(&format!(
        "office generate --preset small --set company.seed=7 -o {}",
        show(&file)
    ));
    let err = refused(&["run", "office", "--office", show(&file)], 2);
    names(&err, &["acme.json", "folder", "company file"]);
    let options = err.split('`').nth(1).unwrap();
    let options = options.strip_prefix("boardroom run office ").unwrap();
    let drawn = json(&format!("generate office {options} --seed 3"));
    let wanted = json("generate office --preset small --set company.seed=7 --seed 3");
    assert_eq!(drawn["instance"], wanted["instance"], "{err}");
    let other = dir.path().join("other.json");
    fs::write(&other, "{}").unwrap();
    for command in [
        vec!["run", "office", "--office", show(&other)],
        vec!["office", "import", show(&file)],
    ] {
        names(&refused(&command, 2), &["is a file", "folder"]);
    }
}

#[test]
fn import_repairs_fills_and_sets_aside() {
    let dir = folder();
    let people = dir.path().join("Human Resource Management/Employees");
    fs::create_dir_all(&people).unwrap();
    let person = |id: &str, boss: Value| {
        serde_json::json!({
            "emp_id": id, "Name": format!("Person {id}"), "email": format!("{id}@x.example"),
            "category": "Finance", "Level": "FI10", "DOJ": "14-03-2016", "DOL": "Present",
            "Salary": "84000", "Age": "34", "Performance Rating": "4", "Marital Status": "Single",
            "Gender": "Female", "is_valid": "TRUE", "reportees": [], "reports_to": boss,
            "Total Casual Leaves": "8", "Remaining Casual Leaves": "3", "Total Sick Leaves": "10",
            "Remaining Sick Leaves": "10", "Total Vacation Leaves": "15",
            "Remaining Vacation Leaves": "6", "Total Leaves Taken": "14", "description": "d",
            "Experience": "e", "skills": "Budgeting, SQL", "index": "7"
        })
    };
    let rows = serde_json::json!([
        person("emp_1", Value::Null),
        person("emp_2", "emp_77".into()),
        person("emp_1", Value::Null),
    ]);
    fs::write(people.join("employees.json"), rows.to_string()).unwrap();
    let report = json(&format!("office import {} --json", show(dir.path())));
    assert_eq!(report["sources"]["employees"]["imported"], 2);
    assert_eq!(report["unknown_columns"], serde_json::json!({}));
    assert_eq!(report["repairs_by_rule"]["dangling_manager"], 1);
    assert_eq!(report["quarantined"][0]["rule"], "duplicate_id");
    let err = refused(&["office", "import", "--strict", show(dir.path())], 1);
    assert!(err.contains("duplicate_id"), "{err}");
    // Sources that the folder does not have have no row in a file, and the number of those that were made.
    let filled = format!("office import {} --fill upstream", show(dir.path()));
    let report = json(&format!("{filled} --json"));
    let emails = &report["sources"]["emails"];
    assert_eq!(emails["rows"], 0);
    assert_ne!(emails["made"], 0);
    let text = ok(&filled);
    let emails = format!("({} made)", emails["made"]);
    assert!(
        text.lines()
            .any(|l| l.starts_with("emails ") && l.ends_with(&emails)),
        "{text}"
    );
    // Columns of another form are refused too.
    let other = folder();
    let mut person = person("emp_1", Value::Null);
    let fields = person.as_object_mut().unwrap();
    let manager = fields.remove("reports_to").unwrap_or_default();
    fields.insert("manager_id".to_owned(), manager);
    fields.insert("team".to_owned(), "A".into());
    fs::write(
        other.path().join("employees.json"),
        serde_json::json!([person]).to_string(),
    )
    .unwrap();
    let err = refused(&["office", "import", "--strict", show(other.path())], 1);
    names(&err, &["`reports_to`", "`team`"]);
    let text = ok(&format!("office import {}", show(other.path())));
    names(&text, &["`reports_to`", "`team`"]);
    let filled = json(&format!(
        "office import {} --fill lite --json",
        show(dir.path())
    ));
    assert!(
        filled["filled"]
            .as_array()
            .unwrap()
            .contains(&"policy_documents".into())
    );

    // Not a company, not JSON, not a folder.
    let empty = folder();
    let err = refused(&["office", "import", show(empty.path())], 2);
    assert!(err.contains("employees.json"), "{err}");
    fs::write(people.join("employees.json"), "{").unwrap();
    let err = refused(&["office", "import", show(dir.path())], 2);
    names(&err, &["employees.json", "JSON"]);
    let err = refused(&["office", "import", "/no/such/folder"], 2);
    assert!(err.contains("/no/such/folder"), "{err}");
}

/// Only files inside the folder are read, and nothing that could block is opened.
#[cfg(unix)]
#[test]
fn import_follows_no_link_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let dir = folder();
    let (out, secret) = (dir.path().join("out"), dir.path().join("secret.txt"));
    ok(&format!("office export {SMALL} -o {}", show(&out)));
    fs::write(&secret, "the key").unwrap();
    let policies = out.join("Policy_Documents");
    // Links inside the folder and a pipe do no harm.
    let policy = fs::read_dir(&policies).unwrap().next().unwrap().unwrap();
    symlink(policy.path(), policies.join("twin.txt")).unwrap();
    symlink(&policies, out.join("folder.txt")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(out.join("pipe.json"))
        .status();
    assert!(pipe.unwrap().success());
    let report = json(&format!("office import {} --json", show(&out)));
    assert_eq!(
        report["unknown_files"],
        serde_json::json!(["folder.txt", "pipe.json"])
    );
    for target in [secret.as_path(), Path::new("../../secret.txt")] {
        let link = policies.join("other.txt");
        symlink(target, &link).unwrap();
        let err = refused(&["office", "import", show(&out)], 2);
        assert!(err.contains("other.txt"), "{err}");
        let err = refused(&["--office", show(&out), "list"], 2);
        assert!(err.contains("other.txt"), "{err}");
        fs::remove_file(link).unwrap();
    }
}

/// The user can stop the drawing of tasks, however long one task takes.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_drawing_of_tasks() {
    for signal in ["-INT", "-TERM"] {
        let dir = folder();
        let (instances, out) = (dir.path().join("instances"), dir.path().join("tasks"));
        let mut child = boardroom(&[
            "office",
            "tasks",
            "--preset",
            "small",
            "--count",
            "100000000",
            "--instances",
            show(&instances),
            "-o",
            show(&out),
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
        // When the first task exists, the program handles signals.
        while !instances.join("000000.json").exists() {
            assert!(child.try_wait().unwrap().is_none());
            std::thread::yield_now();
        }
        let killed = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
    }
}

#[test]
fn sizes_of_a_run_are_checked_before_anything_is_made() {
    for (setting, place) in [
        ("tasks.pool=1000000", "tasks.pool"),
        ("tasks.tries=4294967295", "tasks.tries"),
        ("tasks.domains={\"swe\":1e12}", "tasks.domains.swe"),
        ("company.employees=4000000000", "company.employees"),
    ] {
        let words = ["run", "office", "--set", setting, "--agent", "null"];
        let err = refused(&words, 2);
        assert!(err.contains(place), "{setting}: {err}");
    }
    let deep = format!("access.policies=\"{}\"", "(".repeat(100_000));
    let err = refused(&["run", "office", "--set", &deep, "--agent", "null"], 2);
    assert!(err.contains("access.policies"), "{err}");
}

/// The published files, if they are available: the counts that they are known to have.
#[test]
fn the_published_files_are_imported() {
    let root = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/upstream/office"
    ));
    if !root.exists() {
        eprintln!("SKIPPED: {} is not there", root.display());
        return;
    }
    let report = json(&format!("office import {} --json", show(root)));
    for (source, rows) in [
        ("employees", 1_260),
        ("customers", 90),
        ("products", 1_351),
        ("sales", 13_510),
        ("support_chats", 1_000),
        ("tickets", 163),
        ("posts", 971),
        ("clients", 400),
        ("vendors", 400),
    ] {
        assert_eq!(report["sources"][source]["imported"], rows, "{source}");
    }
    assert_eq!(report["repairs"].as_array().unwrap().len(), 28);
    assert_eq!(report["findings"]["email_collisions"], 6);
    assert_eq!(report["findings"]["dangling_keys"], 0);
}

#[test]
fn tasks_are_those_that_a_run_plays() {
    let dir = folder();
    let file = dir.path().join("tasks.jsonl");
    let instances = dir.path().join("instances");
    let summary = json(&format!(
        "office tasks {SMALL} --count 100 --seed 3 -o {} --instances {} --json",
        show(&file),
        show(&instances)
    ));
    assert_eq!(summary["categories"]["search"], 65);
    assert_eq!(summary["categories"]["crud"], 30);
    assert_eq!(summary["categories"]["unanswerable"], 5);
    let tasks = lines(&file);
    assert_eq!(tasks.len(), 100);
    // The same tasks again, to standard output.
    let again = ok(&format!("office tasks {SMALL} --count 100 --seed 3"));
    assert_eq!(again, fs::read_to_string(&file).unwrap());
    let files = fs::read_dir(&instances).unwrap().count();
    assert_eq!(files, 100);
    for number in [0, 57] {
        let instance = instances.join(format!("{number:06}.json"));
        let run = json(&format!(
            "run office --instance {} --agent oracle --episodes 1 --json",
            show(&instance)
        ));
        assert_eq!(run["score"]["mean"], 1.0);
        let drawn = ok(&format!("generate office {SMALL} --seed 3"));
        let drawn: Value = serde_json::from_str(&drawn).unwrap();
        let kept: Value = serde_json::from_str(&fs::read_to_string(&instance).unwrap()).unwrap();
        assert_eq!(kept["instance"]["task"], tasks[number]);
        assert_eq!(kept == drawn, number == 0);
    }
    // If nothing can be drawn, the exit code is not 0.
    let called = call(&[
        "office",
        "tasks",
        "--preset",
        "small",
        "--set",
        "tasks.templates=[\"remove_product\"]",
        "--set",
        "tasks.tries=3",
        "--count",
        "2",
    ]);
    assert_eq!(called.code, 1, "{}", called.err);
    names(&called.err, &["2 of 2 tasks"]);
    let err = refused(&["office", "tasks", "--set", "tasks.search=4"], 2);
    assert!(err.contains("tasks.search"), "{err}");
}

#[test]
fn wordings_come_from_their_file_and_lost_values_are_refused() {
    let dir = folder();
    let path = |name: &str| -> PathBuf { dir.path().join(name) };
    let draw = |more: &str, out: &Path| -> Value {
        json(&format!(
            "office tasks {SMALL} --count 3 --seed 3 -o {} --json {more}",
            show(out)
        ))
    };
    let (plain, worded, wordings) = (path("plain"), path("worded"), path("wordings.json"));
    draw("", &plain);
    fs::write(&wordings, "{}").unwrap();
    let summary = draw(&format!("--wordings {}", show(&wordings)), &worded);
    assert_eq!(summary["reworded"], 0);
    assert_eq!(fs::read(&plain).unwrap(), fs::read(&worded).unwrap());
    let err = refused(
        &[
            "office",
            "tasks",
            "--preset",
            "small",
            "--rephrase",
            "oracle",
        ],
        2,
    );
    assert!(err.contains("openai:MODEL"), "{err}");
    fs::write(&wordings, "[]").unwrap();
    let words = [
        "office",
        "tasks",
        "--preset",
        "small",
        "--wordings",
        show(&wordings),
    ];
    let err = refused(&words, 2);
    names(&err, &[show(&wordings)]);
}

/// Starts a model that rewords every other request correctly and drops the values of the rest;
/// returns its address.
fn polite_model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let mut out = stream.try_clone().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut length, mut line) = (0, String::new());
            while line != "\r\n" {
                line.clear();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let asked = body["messages"][1]["content"].as_str().unwrap();
            let said = if number % 2 == 0 {
                format!("I would be grateful for this: {asked}")
            } else {
                "Could you please do the usual thing for me?".to_owned()
            };
            let reply = serde_json::json!({
                "choices": [{"index": 0, "finish_reason": "stop",
                    "message": {"role": "assistant", "content": said}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10}
            });
            let text = reply.to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = text.len();
            out.write_all(format!("{head}\r\ncontent-length: {length}\r\n\r\n{text}").as_bytes())
                .unwrap();
        }
    });
    base
}

#[test]
fn a_model_words_requests_anew_once_and_loses_no_value() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let wordings = path("wordings.json");
    let draw = |out: &Path, base: Option<&str>| -> Value {
        let line = format!(
            "office tasks {SMALL} --count 6 --seed 3 --wordings {} -o {} --json",
            show(&wordings),
            show(out)
        );
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if base.is_some() {
            words.extend(["--rephrase", "openai:mock"]);
        }
        let mut command = boardroom(&words);
        command.env("OPENAI_BASE_URL", base.unwrap_or("http://127.0.0.1:1"));
        command.env("OPENAI_API_KEY", "sk-test-0123456789abcdefghij");
        let output = command.output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{err}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (first, again) = (path("first"), path("again"));
    let summary = draw(&first, Some(&polite_model()));
    let reworded = summary["reworded"].as_u64().unwrap();
    let tasks = lines(&first);
    let polite = tasks.iter().filter(|t| {
        t["instruction"]
            .as_str()
            .unwrap()
            .starts_with("I would be grateful")
    });
    assert_eq!(polite.count() as u64, reworded);
    assert!((3..6).contains(&reworded), "some lose a value: {reworded}");
    for task in &tasks {
        for value in task["slots"].as_object().unwrap().values() {
            let instruction = task["instruction"].as_str().unwrap();
            assert!(instruction.contains(value.as_str().unwrap()), "{task}");
        }
    }
    // From the file, without a model: the same bytes.
    draw(&again, None);
    assert_eq!(fs::read(&first).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn records_of_others_are_read() {
    let dir = folder();
    let (from, to) = (
        dir.path().join("theirs.jsonl"),
        dir.path().join("ours.jsonl"),
    );
    let records = [
        r#"{"timestamp": "2025-01-01", "messages": [{"role": "user", "content": "Who is Ada?"}, {"role": "assistant", "content": "emp_1"}]}"#,
        r#"{"emp_id": "emp_7", "task": "Find it", "ground_truth": "x", "subtasks": [{"subtask": "look", "tools": [{"tool_name": "get_product", "tool_arguments": {"product_id": "P"}, "tool_output": "found"}]}]}"#,
    ];
    fs::write(&from, records.join("\n")).unwrap();
    let forms = json(&format!(
        "office tasks --records {} -o {} --json",
        show(&from),
        show(&to)
    ));
    assert_eq!(forms, serde_json::json!({"generator": 1, "message_log": 1}));
    let read = lines(&to);
    assert_eq!(read[0]["instruction"], "Who is Ada?");
    assert_eq!(read[1]["calls"][0]["tool"], "get_product");
    fs::write(&from, "{\"a\": 1}").unwrap();
    let err = refused(&["office", "tasks", "--records", show(&from)], 2);
    names(&err, &[show(&from), "record 0"]);
}

#[test]
fn every_driver_plays_and_they_stand_in_order() {
    let mean = |agent: &str| {
        let run = json(&format!(
            "run office {SMALL} --agent {agent} --episodes 100 --seed 1 --json"
        ));
        assert_eq!((&run["failed"], &run["agent"]), (&0.into(), &agent.into()));
        assert_eq!(run["reference"]["optimum"], 1.0);
        assert!(run["metrics"]["fact_f1"]["mean"].is_number());
        run["score"]["mean"].as_f64().unwrap()
    };
    let [oracle, null, random, greedy, snoop, chatty] =
        ["oracle", "null", "random", "greedy", "snoop", "chatty"].map(mean);
    assert_eq!((oracle, null), (1.0, 0.0));
    assert!(greedy > random && random >= null, "{greedy} {random}");
    assert!(
        chatty > greedy && chatty < oracle && snoop < greedy,
        "{chatty} {snoop}"
    );
}

/// Scores of 0 and 1 have the interval of a share in every command, never one of width zero.
#[test]
fn every_command_gives_the_interval_of_a_share() {
    let dir = folder();
    let path = |name: &str| show(&dir.path().join(name)).to_owned();
    let play = |agent: &str| {
        json(&format!(
            "run office {SMALL} --agent {agent} --episodes 8 --seed 3 --json --out {}",
            path(agent)
        ))
    };
    // Wilson's intervals of 0 and 8 of 8.
    let ends = [[0.0, 0.3244], [0.6756, 1.0]];
    let near = |found: &Value, wanted: [f64; 2]| {
        let pairs = found.as_array().unwrap().iter().zip(wanted);
        let near = pairs.map(|(found, wanted)| (found.as_f64().unwrap() - wanted).abs() < 1e-4);
        assert!(
            near.clone().all(|near| near) && near.count() == 2,
            "{found}"
        );
    };
    for (agent, ends) in ["null", "oracle"].into_iter().zip(ends) {
        let run = play(agent);
        near(&run["score"]["ci95"], ends);
        assert_eq!(run["score_range"], serde_json::json!([0.0, 1.0]));
    }
    let both = format!("{} {}", path("null"), path("oracle"));
    let compared = json(&format!("compare {both} --json"));
    near(&compared["first"]["mean_ci95"], ends[0]);
    near(&compared["others"][0]["mean_ci95"], ends[1]);
    let out = path("report.html");
    ok(&format!("report {both} -o {out}"));
    let page = std::fs::read_to_string(out).unwrap();
    names(
        &page,
        &[
            "0.00 (8 episodes, 0.00 to 0.32)",
            "1.00 (8 episodes, 0.68 to 1.00)",
        ],
    );
    let text = ok(&format!(
        "run office {SMALL} --agent null --episodes 8 --seed 3"
    ));
    names(
        &text,
        &["score: success (0 to 1)", "95 % interval 0 to 0.3244"],
    );
}

#[test]
fn the_switches_of_the_ablations_are_settings() {
    for setting in [
        "access.enforcement=off",
        "access.enforcement=advisory",
        "surface=fine",
        "distractors=true",
        "show_rules=true",
        "plan=order",
        "company.dirt=upstream",
        "access.hide_existence=true",
        "access.engine=native",
    ] {
        let run = json(&format!(
            "run office {SMALL} --set {setting} --agent oracle --episodes 3 --json"
        ));
        assert_eq!(run["score"]["mean"], 1.0, "{setting}");
    }
    let err = refused(&["run", "office", "--set", "surface=wide"], 2);
    assert!(err.contains("surface"), "{err}");
}

#[test]
fn trials_of_a_pool_of_tasks_give_pass_k() {
    let dir = folder();
    let run = dir.path().join("run");
    ok(&format!(
        "run office {SMALL} --set tasks.pool=6 --episodes 24 --agent random --out {} --json",
        show(&run)
    ));
    let score = json(&format!("office score {} --json", show(&run)));
    let all = &score["groups"][0];
    assert_eq!((&all["episodes"], &all["tasks"]), (&24.into(), &6.into()));
    let pass: Vec<f64> = serde_json::from_value(all["pass"].clone()).unwrap();
    assert_eq!(pass.len(), 4);
    assert!(pass.windows(2).all(|w| w[0] >= w[1]), "{pass:?}");
    assert_eq!(all["success"].as_f64().unwrap(), pass[0]);
    let by = |by: &str| -> u64 {
        let groups = score["groups"].as_array().unwrap().iter();
        groups
            .filter(|g| g["by"] == by)
            .map(|g| g["episodes"].as_u64().unwrap())
            .sum()
    };
    for kind in ["domain", "category", "difficulty", "level"] {
        assert_eq!(by(kind), 24, "{kind}");
    }
    let text = ok(&format!("office score {}", show(&run)));
    names(&text, &["pass^k", "search"]);
    let other = dir.path().join("other");
    ok(&format!(
        "run beer-game --agent random --episodes 1 --out {} --json",
        show(&other)
    ));
    let err = refused(&["office", "score", show(&other)], 2);
    names(&err, &["office"]);
}

#[test]
fn figures_of_tasks_are_printed_and_all_mistakes_fail() {
    let dir = folder();
    let tasks = dir.path().join("tasks.jsonl");
    ok(&format!(
        "office tasks {SMALL} --count 40 -o {}",
        show(&tasks)
    ));
    let read = json(&format!(
        "office stats {SMALL} --tasks {} --json",
        show(&tasks)
    ));
    let drawn = json(&format!("office stats {SMALL} --count 40 --play --json"));
    assert_eq!(read["steps"], drawn["steps"]);
    assert_eq!(drawn["tasks"], 40);
    let played = &drawn["played"];
    assert_eq!(played["policies"]["oracle"], 1.0);
    assert_eq!(played["policies"]["null"], 0.0);
    assert_eq!(played["policies"]["snoop"], 0.0);
    assert!(played["mutations"].as_u64().unwrap() > 200);
    assert_eq!(played["mutations_passed"], 0);
    assert!(played["rewordings"].as_u64().unwrap() > 10);
    assert_eq!(played["rewordings_failed"], 0);
    let text = ok(&format!("office stats {SMALL} --tasks {}", show(&tasks)));
    names(&text, &["40 tasks", "steps", "templates", "wording"]);
    fs::write(&tasks, "{}\n").unwrap();
    let err = refused(
        &[
            "office",
            "stats",
            "--preset",
            "small",
            "--tasks",
            show(&tasks),
        ],
        2,
    );
    names(&err, &[show(&tasks), "line 1"]);
}

#[test]
fn tasks_become_training_data_in_the_forms_of_the_paper() {
    let dir = folder();
    let data = dir.path().join("data");
    let made = json(&format!(
        "office train {SMALL} --count 10 --pairs 14 -o {} --json",
        show(&data)
    ));
    assert_eq!(
        made,
        serde_json::json!({"sft_train": 8, "sft_test": 2, "dpo_train": 14})
    );
    for (name, count) in [("sft-train.jsonl", 8), ("sft-test.jsonl", 2)] {
        let examples = lines(&data.join(name));
        assert_eq!(examples.len(), count);
        for e in &examples {
            let roles: Vec<&Value> = e["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|m| &m["role"])
                .collect();
            assert_eq!(roles, ["system", "user", "assistant"]);
        }
    }
    let train = lines(&data.join("sft-train.jsonl"));
    for pair in lines(&data.join("dpo-train.jsonl")) {
        assert_ne!(pair["chosen"], pair["rejected"]);
        // The prompt and the chosen reply are those of a training example.
        assert!(train.iter().any(|e| {
            e["messages"][0] == pair["prompt"][0]
                && e["messages"][1] == pair["prompt"][1]
                && e["messages"][2] == pair["chosen"][0]
        }));
    }
}

#[test]
fn a_key_given_twice_is_refused_in_every_file_of_the_office() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let edit = |file: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(file, text.replacen(from, to, 1)).unwrap();
    };
    let company = path("company.json");
    ok(&format!("office generate {SMALL} -o {}", show(&company)));
    edit(&company, "\"version\":", "\"version\": 1, \"version\":");
    refused(&["office", "tasks", show(&company), "--count", "1"], 2);
    let tasks = path("tasks.jsonl");
    ok(&format!(
        "office tasks {SMALL} --count 1 -o {}",
        show(&tasks)
    ));
    let stats = format!("office stats {SMALL} --tasks {}", show(&tasks));
    edit(&tasks, "\"slots\":{", "\"slots\":{\"a\":\"1\",");
    ok(&stats);
    edit(&tasks, "\"slots\":{", "\"slots\":{\"a\":\"2\",");
    refused(&stats.split_whitespace().collect::<Vec<_>>(), 2);
    let wordings = path("wordings.json");
    fs::write(&wordings, r#"{"a": "1", "a": "2"}"#).unwrap();
    let line = format!(
        "office tasks {SMALL} --count 1 --wordings {}",
        show(&wordings)
    );
    refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
}
