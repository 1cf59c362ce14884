//! `view`: the pages of the real program, over HTTP and as files.

use crate::program::{boardroom, ok, refused, verifies};
use crate::server::{Act, Server, called, said};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A viewer that is being served, ended when it is dropped.
struct Viewer {
    child: Child,
    address: String,
}

impl Viewer {
    fn of(dir: &Path) -> Self {
        let dir = dir.display().to_string();
        let mut command = boardroom(&["view", &dir, "--http", "127.0.0.1:0"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        Self {
            address: address.unwrap().to_owned(),
            child,
        }
    }

    /// Status, headers and body of an answer.
    fn ask(&self, request: &str, host: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_owned())
    }

    fn page(&self, name: &str) -> String {
        let (status, _, body) = self.ask(&format!("GET /{name}"), &self.address);
        assert_eq!(status, 200, "{name}: {body}");
        body
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two policies on the same ten games.
fn runs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for agent in ["sterman", "constant:400"] {
        let out = dir.path().join(agent.replace(':', "-"));
        let out = out.display();
        ok(&format!(
            "run beer-game --preset random --agent {agent} --episodes 3 --out {out}"
        ));
    }
    dir
}

#[test]
fn runs_episodes_and_comparisons_are_served_to_this_machine_alone() {
    let dir = runs();
    let viewer = Viewer::of(dir.path());
    let index = viewer.page("");
    for part in [
        "run.sterman.html",
        "run.constant-400.html",
        "3 of 3",
        ">finished<",
    ] {
        assert!(index.contains(part), "{part}");
    }
    let run = viewer.page("run.sterman.html");
    assert!(
        run.contains("record.sterman.2.html") && run.contains("compare.sterman.constant-400.html")
    );
    let episode = viewer.page("record.sterman.0.html");
    assert!(
        episode.contains("<svg") && episode.contains("week 1 of"),
        "plots and turns"
    );
    assert!(episode.contains("id=\"t0\""), "every input has an address");
    let compared = viewer.page("compare.sterman.constant-400.html");
    assert!(
        compared.contains("#t") && compared.contains("period 1"),
        "they part in the first week"
    );
    assert!(!compared.contains("pairs only"), "all of them");
    assert!(
        viewer
            .page("search.html?q=quantity")
            .contains("<mark>quantity</mark>")
    );

    let (status, head, _) = viewer.ask("GET /index.html", "localhost:1");
    assert_eq!(status, 200);
    let policy = head
        .lines()
        .find(|line| line.starts_with("content-security-policy"))
        .unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(head.contains("x-content-type-options: nosniff"));
    for (request, host, expected) in [
        ("GET /index.html", "evil.example", 403),
        ("POST /index.html", "localhost", 405),
        ("GET /../manifest.json", "localhost", 404),
        ("GET /record.sterman.99.html", "localhost", 404),
        ("GET /run.none.html", "localhost", 404),
    ] {
        assert_eq!(viewer.ask(request, host).0, expected, "{request} {host}");
    }
}

#[test]
fn a_page_shows_what_was_added_to_a_run_in_progress() {
    let dir = runs();
    let path = dir.path().join("sterman/episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&path, format!("{}\n{}", lines[0], &lines[1][..40])).unwrap();
    let viewer = Viewer::of(dir.path());
    assert!(viewer.page("").contains("1 of 3") && viewer.page("").contains(">unfinished<"));
    let mut stream = TcpStream::connect(&viewer.address).unwrap();
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut events = BufReader::new(stream);
    let mut seen = String::new();
    // The stream has begun once its first line is there.
    while !seen.contains(": watching") {
        events.read_line(&mut seen).unwrap();
    }
    std::fs::write(&path, &text).unwrap();
    seen.clear();
    while !seen.contains("event: changed") {
        assert_ne!(
            events.read_line(&mut seen).unwrap(),
            0,
            "the stream ended: {seen}"
        );
    }
    assert!(viewer.page("").contains("3 of 3"));
    assert!(
        viewer
            .page("run.sterman.html")
            .contains("record.sterman.2.html")
    );
}

/// Every page asks whether a folder is verified, and the answer needs all of its files: they are read again
/// only when one of them has changed.
#[test]
fn a_verified_folder_is_read_again_when_a_file_has_changed() {
    let dir = runs();
    let run = dir.path().join("sterman");
    verifies(run.display(), 3);
    let viewer = Viewer::of(dir.path());
    let checked = || {
        let index = viewer.page("");
        let row = index.split("<tr id=\"row-sterman\"").nth(1).unwrap();
        let cell = row.split("data-label=\"checked\">").nth(1).unwrap();
        cell.split('<').next().unwrap().to_owned()
    };
    assert_eq!(checked(), "verified");
    let path = run.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    let write = |text: &str, seconds: u64| {
        std::fs::write(&path, text).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(before + Duration::from_secs(seconds))
            .unwrap();
    };
    // The same length and the same time: nothing says that the folder has changed.
    let altered = text.replacen("sterman", "stermaN", 1);
    assert_eq!(altered.len(), text.len());
    assert_ne!(altered, text);
    write(&altered, 0);
    assert_eq!(checked(), "verified");
    write(&altered, 1);
    assert_eq!(checked(), "altered");
    write(&text, 2);
    assert_eq!(checked(), "verified");
    std::fs::remove_file(run.join("verified.json")).unwrap();
    assert_eq!(checked(), "not verified");
}

/// A model may think for minutes about an episode; and a run that has just ended is not running.
#[test]
fn a_run_is_running_while_a_program_writes_its_folder() {
    let dir = runs();
    let run = dir.path().join("sterman");
    let viewer = Viewer::of(dir.path());
    let shows = |status: &str| {
        let page = viewer.page("run.sterman.html");
        assert!(page.contains(&format!(">{status}, ")), "{status}: {page}");
        let listed = ok(&format!("runs --json {}", dir.path().display()));
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
        let mut listed = listed.as_array().unwrap().iter();
        let entry = listed.find(|run| run["agent"] == "sterman").unwrap();
        assert_eq!(entry["status"], status);
    };
    shows("finished");
    let path = run.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split_inclusive('\n').next().unwrap()).unwrap();
    shows("unfinished");
    let writer = File::open(&run).unwrap();
    writer.lock().unwrap();
    shows("running");
    writer.unlock().unwrap();
    shows("unfinished");
}

/// Questions and interviews have a planned number too, and all commands show the same score.
#[test]
fn interviews_have_the_status_and_the_mean_that_other_commands_show() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("held");
    let shown = run.display();
    ok(&format!(
        "run consulting --agent never-recommends --episodes 3 --out {shown}"
    ));
    let listed = || -> serde_json::Value {
        let text = ok(&format!("runs --json {}", dir.path().display()));
        let all: serde_json::Value = serde_json::from_str(&text).unwrap();
        all[0].clone()
    };
    let viewer = Viewer::of(dir.path());
    let score = listed()["score"].as_f64().unwrap();
    let page = viewer.page("run.held.html");
    assert!(page.contains(">finished, 3 of 3 records"), "{page}");
    let figure = run_engine::words::fine(score);
    assert!(page.contains(&figure), "{figure}: {page}");
    let path = run.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split_inclusive('\n').next().unwrap()).unwrap();
    assert!(
        viewer
            .page("run.held.html")
            .contains(">unfinished, 1 of 3 records")
    );
    assert_eq!(listed()["status"], "unfinished");
}

#[test]
fn a_comparison_says_for_how_many_pairs_it_compares_turns() {
    let dir = tempfile::tempdir().unwrap();
    for agent in ["constant:4", "constant:8"] {
        let out = dir.path().join(agent.replace(':', "-"));
        ok(&format!(
            "run beer-game --preset random --set weeks=2 --agent {agent} --episodes 201 --out {}",
            out.display()
        ));
    }
    let viewer = Viewer::of(dir.path());
    let page = viewer.page("compare.constant-4.constant-8.html");
    assert!(page.contains("Turns are compared for the first 200 pairs only."));
    assert_eq!(page.matches(">period 1, input 1<").count(), 200);
    assert_eq!(page.matches(">not compared<").count(), 1);
}

#[test]
fn the_pages_as_files_have_links_that_lead_somewhere_and_no_address_of_another_host() {
    let dir = runs();
    let out = dir.path().join("pages");
    let (from, to) = (dir.path().display(), out.display());
    ok(&format!("view {from} --export {to}"));
    let mut pages = 0;
    for entry in std::fs::read_dir(&out).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        pages += 1;
        assert!(
            text.contains("http-equiv=\"Content-Security-Policy\""),
            "{}",
            path.display()
        );
        for link in text.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.starts_with("data:") {
                assert!(
                    out.join(file).exists(),
                    "{} leads to {link}",
                    path.display()
                );
            }
        }
        // The name space of SVG is not an address that is fetched.
        let spaces = text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(text.matches("://").count(), spaces, "{}", path.display());
    }
    // Index, help, two runs, six records, two comparisons.
    assert_eq!(pages, 12);
    let again = out.display().to_string();
    refused(
        &[
            "view",
            &dir.path().display().to_string(),
            "--export",
            &again,
        ],
        2,
    );
}

#[test]
fn what_a_model_writes_stays_text() {
    const HOSTILE: &str =
        "<script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[2J\u{0}\u{202e}</pre>";
    let server = Server::acting(|_, _| {
        let mut reply = called(&json!({"quantity": 100}));
        let long = format!("{HOSTILE}{}", "y".repeat(100_000));
        reply["choices"][0]["message"]["content"] = Value::from(long);
        Act::Answer(reply)
    });
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("model");
    let line = format!(
        "run beer-game --agent openai:mock --episodes 1 --set weeks=4 --out {}",
        out.display()
    );
    let output = server.run(&line);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let pages = dir.path().join("pages");
    ok(&format!(
        "view {} --export {}",
        dir.path().display(),
        pages.display()
    ));
    let text = std::fs::read_to_string(pages.join("record.model.0.html")).unwrap();
    assert!(text.contains("&lt;script&gt;alert(1)"), "it is shown");
    assert!(text.contains(&"y".repeat(100_000)), "all of it");
    for raw in ["<script>alert", "<img src", "\u{1b}", "\u{0}", "\u{202e}"] {
        assert!(!text.contains(raw), "{raw:?}");
    }
    assert_eq!(text.matches("<script>").count(), 1, "the page's own");
    assert!(text.contains("tokens"), "what the turn cost");
    let times = std::fs::read_to_string(out.join("times.jsonl")).unwrap();
    let first: Value = serde_json::from_str(times.lines().next().unwrap()).unwrap();
    // Tokens of the request and of the reply, then the time of the answer.
    let expected = format!("tokens, {} s", seconds(first["ms"].as_u64().unwrap()));
    assert!(text.contains(&expected), "{expected}");
}

/// Milliseconds as seconds with at most two decimals.
fn seconds(ms: u64) -> String {
    let text = format!("{:.2}", (ms as f64 / 10.0).round() / 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[test]
fn questions_and_interviews_have_plots() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    ok(&format!(
        "run consulting --agent ideal --episodes 2 --out {}",
        out("interviews")
    ));
    let model = Server::acting(|_, _| Act::Answer(said("Final answer: positive")));
    let asked = model.run(&format!(
        "run qa --task FPB --data {}/../../fixtures/qa --limit 2 --agent openai:mock --out {}",
        env!("CARGO_MANIFEST_DIR"),
        out("questions")
    ));
    assert!(asked.status.success(), "{asked:?}");
    let labels = dir.path().join("labels.jsonl");
    let label = |id: &str, difficulty: u8| {
        format!(
            "{{\"id\":\"{id}\",\"capability\":\"Numerical Calculation\",\"difficulty\":{difficulty}}}\n"
        )
    };
    let text = label("application/FPB:1", 2) + &label("application/FPB:2", 9);
    std::fs::write(&labels, text).unwrap();
    let pages = dir.path().join("pages");
    ok(&format!(
        "view {} --labels {} --export {}",
        dir.path().display(),
        labels.display(),
        pages.display()
    ));
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    let questions = page("run.questions.html");
    for title in [
        "Mean score by task",
        "Answers by task",
        "by capability and difficulty",
    ] {
        assert!(questions.contains(title), "{title}");
    }
    let interviews = page("run.interviews.html");
    for title in ["Mean of each mark", "Mark by case"] {
        assert!(interviews.contains(title), "{title}");
    }
    let record = page("record.interviews.0.html");
    for title in ["Facts of the case", "Mark of each judge"] {
        assert!(record.contains(title), "{title}");
    }
}

#[test]
fn only_loopback_addresses_and_folders_that_exist_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().display().to_string();
    refused(&["view", &there, "--http", "0.0.0.0:0"], 2);
    refused(&["view", &format!("{there}/none")], 2);
}
