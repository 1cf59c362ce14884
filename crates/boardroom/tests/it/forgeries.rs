//! Copies of a good folder with one forgery each: `verify` names the check that fails, and its exit
//! code is not 0.

mod unproven;

use crate::program::{call, ok};
use boardroom::Registry;
use run_engine::run_dir::outcome::Check;
use run_engine::verify::verify;
use serde_json::{Value, json};
use sim_core::{Digest, EpisodeRecord, Limits, Seed, Session};
use std::path::{Path, PathBuf};

const PLAYED: &str = "run beer-game --preset random --episodes 12 --json";

/// Unmodified folders, and a place for copies of them.
struct Goods {
    dir: tempfile::TempDir,
}

impl Goods {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Plays a run with the arguments `words` into the folder `name`.
    fn play(&self, name: &str, words: &str) -> PathBuf {
        let path = self.path(name);
        ok(&format!("{words} --out {}", path.display()));
        path
    }

    /// A run of twelve episodes, played by `sterman`.
    fn sterman(&self) -> PathBuf {
        self.play("good", &format!("{PLAYED} --agent sterman --seed 2"))
    }

    /// A copy of `good` with one forgery.
    fn forged(&self, good: &Path, forge: impl FnOnce(&Path)) -> PathBuf {
        let copy = self.path("forged");
        if copy.exists() {
            std::fs::remove_dir_all(&copy).unwrap();
        }
        std::fs::create_dir(&copy).unwrap();
        for entry in std::fs::read_dir(good).unwrap() {
            let from = entry.unwrap().path();
            if from.is_file() {
                std::fs::copy(&from, copy.join(from.file_name().unwrap())).unwrap();
            }
        }
        forge(&copy);
        copy
    }

    /// Every forgery of `good` fails its check.
    fn all(&self, good: &Path, forgeries: Vec<(&str, Check, Forge)>) -> usize {
        let registry = Registry::new();
        let found = verify(&registry, &self.forged(good, |_| {})).unwrap();
        assert!(found.is_sound(), "{found}");
        let count = forgeries.len();
        for (name, check, forge) in forgeries {
            let path = self.forged(good, forge);
            let found = verify(&registry, &path).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(found.failed(check), "{name} must fail {check}:\n{found}");
            assert!(!path.join("verified.json").exists() || check == Check::Stamp);
            let called = call(&["verify", path.to_str().unwrap()]);
            assert_eq!(called.code, 1, "{name}: {}{}", called.out, called.err);
            let told = format!("[{check}]");
            assert!(called.out.contains(&told), "{name}: {}", called.out);
        }
        count
    }
}

type Forge = Box<dyn FnOnce(&Path)>;

fn forge(with: impl FnOnce(&Path) + 'static) -> Forge {
    Box::new(with)
}

fn text(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap()
}

fn write(dir: &Path, name: &str, text: &str) {
    std::fs::write(dir.join(name), text).unwrap();
}

fn manifest(dir: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&text(dir, "manifest.json")).unwrap();
    edit(&mut value);
    write(dir, "manifest.json", &value.to_string());
}

/// Edits the plan, and recomputes its digest with the program's own function.
fn plan(dir: &Path, edit: impl FnOnce(&mut Value)) {
    manifest(dir, |value| {
        edit(&mut value["plan"]);
        value["plan_digest"] = json!(Digest::of(&value["plan"]).unwrap());
    });
}

fn edited(edit: impl FnOnce(&mut Value) + 'static) -> Forge {
    forge(move |dir| plan(dir, edit))
}

fn lines(dir: &Path, name: &str, edit: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = text(dir, name).lines().map(str::to_owned).collect();
    edit(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write(dir, name, &text);
}

fn records(edit: impl FnOnce(&mut Vec<String>) + 'static) -> Forge {
    forge(move |dir| lines(dir, "episodes.jsonl", edit))
}

/// The line that the program writes for a record, if the value is still a record.
fn written(value: &Value) -> String {
    match serde_json::from_value::<EpisodeRecord>(value.clone()) {
        Ok(record) => serde_json::to_string(&record).unwrap(),
        Err(_) => value.to_string(),
    }
}

fn each(dir: &Path, mut edit: impl FnMut(&mut Value)) {
    lines(dir, "episodes.jsonl", |lines| {
        for line in lines {
            let mut value = serde_json::from_str(line).unwrap();
            edit(&mut value);
            *line = written(&value);
        }
    });
}

/// Edits the record of episode 4.
fn record(edit: impl FnOnce(&mut Value) + 'static) -> Forge {
    records(move |lines| {
        let mut value = serde_json::from_str(&lines[4]).unwrap();
        edit(&mut value);
        lines[4] = written(&value);
    })
}

fn header(name: &'static str, value: Value) -> Forge {
    record(move |record| record["header"][name] = value)
}

/// The record in `line` with its inputs changed by `edit` and everything else computed from them by the
/// program.
fn played_otherwise(
    dir: &Path,
    line: &str,
    edit: impl FnOnce(&mut Vec<sim_core::Input>),
) -> String {
    let manifest: Value = serde_json::from_str(&text(dir, "manifest.json")).unwrap();
    let record: EpisodeRecord = serde_json::from_str(line).unwrap();
    let registry = Registry::new();
    let spec = registry.kind(&record.header.environment).unwrap();
    let (config, seed) = (&manifest["plan"]["config"], record.header.seed);
    let case = spec.draw(config, seed, record.header.episode).unwrap();
    let mut inputs: Vec<_> = record
        .entries
        .into_iter()
        .map(|entry| entry.input)
        .collect();
    edit(&mut inputs);
    let mut session = Session::new(case.open().unwrap(), record.header, Limits::default());
    for input in inputs {
        session.apply(input);
    }
    serde_json::to_string(&session.finish().unwrap()).unwrap()
}

#[test]
fn a_forged_plan_is_named() {
    let goods = Goods::new();
    let good = goods.sterman();
    let forgeries = vec![
        (
            "episodes without a new digest",
            Check::Manifest,
            forge(|dir| manifest(dir, |m| m["plan"]["episodes"] = 3.into())),
        ),
        (
            "the best three and no episodes",
            Check::Manifest,
            forge(|dir| {
                plan(dir, |p| p["episodes"] = 0.into());
                lines(dir, "episodes.jsonl", |lines| lines.truncate(3));
            }),
        ),
        (
            "shard 5 of 2",
            Check::Manifest,
            edited(|p| p["shard"] = json!({"index": 5, "count": 2})),
        ),
        (
            "shard 0 of 0",
            Check::Manifest,
            edited(|p| p["shard"] = json!({"index": 0, "count": 0})),
        ),
        (
            "more episodes than can be counted",
            Check::Manifest,
            edited(|p| p["episodes"] = u64::MAX.into()),
        ),
        (
            "another version",
            Check::Manifest,
            edited(|p| p["version"] = 999.into()),
        ),
        (
            "another preset",
            Check::Manifest,
            edited(|p| p["preset"] = "best".into()),
        ),
        (
            "another environment",
            Check::Manifest,
            edited(|p| p["environment"] = "tea-game".into()),
        ),
        (
            "a setting more",
            Check::Manifest,
            edited(|p| p["config"]["easy"] = true.into()),
        ),
        (
            "a setting less",
            Check::Manifest,
            edited(|p| {
                let config = p["config"].as_object_mut().unwrap();
                let first = config.keys().next().unwrap().clone();
                config.remove(&first);
            }),
        ),
        (
            "a suite that is not there",
            Check::Manifest,
            edited(|p| p["suite"] = "mine".into()),
        ),
        (
            "an instance that is none",
            Check::Manifest,
            edited(|p| p["instance"] = json!({"a": 1})),
        ),
        (
            "no tries",
            Check::Manifest,
            edited(|p| p["limits"]["tries_per_period"] = 0.into()),
        ),
        (
            "streams of a policy",
            Check::Manifest,
            edited(|p| p["streams"] = 2.into()),
        ),
        (
            "an agent that is not there",
            Check::Manifest,
            edited(|p| p["agent"] = "genius".into()),
        ),
        (
            "a model without a plan",
            Check::Manifest,
            edited(|p| p["agent"] = "openai:m".into()),
        ),
        (
            "an unknown field",
            Check::Manifest,
            edited(|p| p["note"] = "mine".into()),
        ),
        (
            "a newer form",
            Check::Manifest,
            forge(|dir| manifest(dir, |m| m["schema"] = 99.into())),
        ),
        (
            "a key that stands twice",
            Check::Manifest,
            forge(|dir| {
                let text = text(dir, "manifest.json");
                write(
                    dir,
                    "manifest.json",
                    &text.replacen('{', "{\"schema\": 1,", 1),
                );
            }),
        ),
        (
            "half a manifest",
            Check::Manifest,
            forge(|dir| {
                let text = text(dir, "manifest.json");
                write(dir, "manifest.json", &text[..text.len() / 2]);
            }),
        ),
        (
            "a search that was not made",
            Check::References,
            edited(|p| p["effort"] = "search".into()),
        ),
        (
            "another seed, in the records as well",
            Check::Records,
            forge(|dir| {
                plan(dir, |p| p["seed"] = json!(Seed(3)));
                each(dir, |record| record["header"]["seed"] = json!(Seed(3)));
            }),
        ),
        (
            "other limits",
            Check::Manifest,
            edited(|p| p["limits"]["calls_per_period"] = (-1).into()),
        ),
    ];
    assert!(goods.all(&good, forgeries) >= 20);
}

#[test]
fn a_forged_set_of_records_is_named() {
    let goods = Goods::new();
    let good = goods.sterman();
    let other = goods.play("other", &format!("{PLAYED} --agent sterman --seed 3"));
    let theirs = text(&other, "episodes.jsonl");
    let digest = json!(Digest::of_bytes(b"forged"));
    let forgeries = vec![
        (
            "the best of ten",
            Check::Records,
            forge(|dir| {
                plan(dir, |p| p["episodes"] = 10.into());
                lines(dir, "episodes.jsonl", |lines| {
                    let best = [2, 5, 9].map(|k| lines[k].clone());
                    *lines = best.to_vec();
                });
            }),
        ),
        (
            "one taken from the middle",
            Check::Records,
            records(|lines| drop(lines.remove(5))),
        ),
        (
            "records beyond the plan",
            Check::Records,
            edited(|p| p["episodes"] = 3.into()),
        ),
        (
            "one twice",
            Check::Records,
            records(|lines| lines.push(lines[11].clone())),
        ),
        (
            "a key twice",
            Check::Records,
            records(|lines| lines[4] = lines[4].replacen('{', "{\"schema\":1,", 1)),
        ),
        (
            "a field more",
            Check::Records,
            record(|r| r["note"] = "mine".into()),
        ),
        (
            "a field of an entry more",
            Check::Records,
            record(|r| r["entries"][0]["note"] = 1.into()),
        ),
        (
            "a line that is not a record",
            Check::Records,
            records(|lines| lines[4] = "{}".to_owned()),
        ),
        (
            "an empty line",
            Check::Records,
            records(|lines| lines.insert(4, String::new())),
        ),
        (
            "a record of another run",
            Check::Records,
            records(move |lines| theirs.lines().nth(4).unwrap().clone_into(&mut lines[4])),
        ),
        (
            "all of another run",
            Check::Records,
            forge({
                let theirs = other.join("episodes.jsonl");
                move |dir| {
                    std::fs::copy(theirs, dir.join("episodes.jsonl")).unwrap();
                }
            }),
        ),
        (
            "environment",
            Check::Records,
            header("environment", "edt".into()),
        ),
        ("version", Check::Records, header("version", 0.into())),
        (
            "configuration",
            Check::Records,
            header("config", digest.clone()),
        ),
        (
            "instance",
            Check::Records,
            header("instance", digest.clone()),
        ),
        ("seed", Check::Records, header("seed", json!(Seed(7)))),
        ("episode", Check::Records, header("episode", 5.into())),
        (
            "agent",
            Check::Records,
            header("agent", "openai:genius".into()),
        ),
        ("settings", Check::Records, header("settings", digest)),
        ("method", Check::Records, header("method", "ace".into())),
        (
            "feedback",
            Check::Records,
            header("feedback", "none".into()),
        ),
        ("stream", Check::Records, header("stream", 0.into())),
        ("trial", Check::Records, header("trial", 1.into())),
        (
            "two in each other's place",
            Check::Order,
            records(|lines| lines.swap(3, 4)),
        ),
        ("backwards", Check::Order, records(|lines| lines.reverse())),
    ];
    assert!(goods.all(&good, forgeries) >= 20);
}

#[test]
fn a_forged_record_is_named() {
    let goods = Goods::new();
    let good = goods.sterman();
    let optimal = goods.play("optimal", &format!("{PLAYED} --agent optimal --seed 2"));
    let last = |record: &Value| record["entries"].as_array().unwrap().len() - 1;
    let forgeries = vec![
        (
            "score",
            Check::Replay,
            record(|r| r["score"]["value"] = 1.0.into()),
        ),
        (
            "metric",
            Check::Replay,
            record(|r| {
                let metrics = r["score"]["metrics"].as_object_mut().unwrap();
                *metrics.values_mut().next().unwrap() = 0.5.into();
            }),
        ),
        (
            "a metric less",
            Check::Replay,
            record(|r| {
                let metrics = r["score"]["metrics"].as_object_mut().unwrap();
                let first = metrics.keys().next().unwrap().clone();
                metrics.remove(&first);
            }),
        ),
        (
            "an incident more",
            Check::Replay,
            record(|r| {
                r["score"]["incidents"] = json!([{"code": "a", "period": 0, "note": "b"}]);
            }),
        ),
        (
            "digest of an answer",
            Check::Replay,
            record(|r| r["entries"][3]["reply"] = "00".into()),
        ),
        (
            "period",
            Check::Replay,
            record(|r| r["entries"][3]["period"] = 9.into()),
        ),
        (
            "seat",
            Check::Replay,
            record(|r| r["entries"][3]["seat"] = "wholesaler".into()),
        ),
        (
            "digest of all",
            Check::Replay,
            record(|r| r["digest"] = json!(Digest::of_bytes(b"forged"))),
        ),
        (
            "ending",
            Check::Replay,
            record(|r| r["ending"] = "forfeited".into()),
        ),
        (
            "query",
            Check::Replay,
            record(|r| r["entries"][3]["query"] = 1.into()),
        ),
        (
            "dropped",
            Check::Replay,
            record(|r| r["entries"][3]["dropped"] = 2.into()),
        ),
        (
            "the last entry less",
            Check::Replay,
            record(|r| drop(r["entries"].as_array_mut().unwrap().pop())),
        ),
        (
            "an entry more",
            Check::Replay,
            record(move |r| {
                let entry = r["entries"][last(r)].clone();
                r["entries"].as_array_mut().unwrap().push(entry);
            }),
        ),
        (
            "two entries in each other's place",
            Check::Replay,
            record(|r| r["entries"].as_array_mut().unwrap().swap(3, 4)),
        ),
        (
            "an input",
            Check::Replay,
            record(|r| r["entries"][3]["input"] = json!({"act": {"quantity": 1}})),
        ),
        (
            "actions of another policy under this one's name",
            Check::Decisions,
            forge({
                let theirs = optimal.join("episodes.jsonl");
                move |dir| {
                    std::fs::copy(theirs, dir.join("episodes.jsonl")).unwrap();
                    each(dir, |r| r["header"]["agent"] = "sterman".into());
                }
            }),
        ),
        (
            "another policy's name",
            Check::Decisions,
            forge(|dir| {
                plan(dir, |p| p["agent"] = "order-up-to".into());
                each(dir, |r| r["header"]["agent"] = "order-up-to".into());
            }),
        ),
        (
            "an input, all digests made anew",
            Check::Decisions,
            forge(|dir| {
                let line = text(dir, "episodes.jsonl")
                    .lines()
                    .nth(4)
                    .unwrap()
                    .to_owned();
                let forged = played_otherwise(dir, &line, |inputs| {
                    inputs[3] = sim_core::Input::Act(json!({"quantity": 1}))
                });
                lines(dir, "episodes.jsonl", |lines| lines[4] = forged);
            }),
        ),
        (
            "a game that was not played to its end, all digests made anew",
            Check::Replay,
            forge(|dir| {
                let line = text(dir, "episodes.jsonl")
                    .lines()
                    .nth(4)
                    .unwrap()
                    .to_owned();
                let forged = played_otherwise(dir, &line, |inputs| inputs.truncate(5));
                lines(dir, "episodes.jsonl", |lines| lines[4] = forged);
            }),
        ),
    ];
    assert!(goods.all(&good, forgeries) >= 19);
}

#[test]
fn forged_references_are_named() {
    let goods = Goods::new();
    let play = "run pricing --episodes 3 --agent cost-plus --reference search --json";
    let good = goods.play("good", play);
    let reference = |edit: fn(&mut Value)| {
        forge(move |dir| {
            lines(dir, "references.jsonl", |lines| {
                let mut value = serde_json::from_str(&lines[1]).unwrap();
                edit(&mut value);
                lines[1] = value.to_string();
            });
        })
    };
    let forgeries = vec![
        (
            "an optimum",
            Check::References,
            reference(|line| line["reference"]["optimum"] = 0.25.into()),
        ),
        (
            "a status",
            Check::References,
            reference(|line| {
                let proven = line["reference"]["status"] == "proven";
                line["reference"]["status"] = if proven { "best-known" } else { "proven" }.into();
            }),
        ),
        (
            "a baseline",
            Check::References,
            reference(|line| line["reference"]["baseline"] = 0.125.into()),
        ),
        (
            "an effort",
            Check::References,
            reference(|line| line["effort"] = "quick".into()),
        ),
        (
            "an instance",
            Check::References,
            reference(|line| line["instance"] = json!(Digest::of_bytes(b"forged"))),
        ),
        (
            "two in each other's place",
            Check::References,
            forge(|dir| {
                lines(dir, "references.jsonl", |lines| {
                    let [mut a, mut b]: [Value; 2] =
                        [0, 1].map(|k| serde_json::from_str(&lines[k]).unwrap());
                    std::mem::swap(&mut a["instance"], &mut b["instance"]);
                    (lines[0], lines[1]) = (a.to_string(), b.to_string());
                });
            }),
        ),
        (
            "one less",
            Check::References,
            forge(|dir| lines(dir, "references.jsonl", |lines| drop(lines.pop()))),
        ),
        (
            "one twice",
            Check::References,
            forge(|dir| {
                lines(dir, "references.jsonl", |lines| {
                    lines.push(lines[0].clone())
                })
            }),
        ),
        (
            "a key twice",
            Check::References,
            forge(|dir| {
                lines(dir, "references.jsonl", |lines| {
                    lines[0] = lines[0].replacen('{', "{\"effort\":\"search\",", 1);
                });
            }),
        ),
        (
            "references of a run that asks for none",
            Check::References,
            edited(|p| p["effort"] = "quick".into()),
        ),
    ];
    assert!(goods.all(&good, forgeries) >= 10);
}

/// A stamp is valid for one state of one folder only.
#[test]
fn a_forged_stamp_is_named_and_tables_say_what_is_known() {
    let goods = Goods::new();
    let good = goods.sterman();
    let other = goods.play("other", &format!("{PLAYED} --agent order-up-to --seed 2"));
    let (a, b) = (good.display(), other.display());
    let compared = || crate::program::json(&format!("compare {a} {b} --json"));
    assert_eq!(compared()["first"]["verified"], "not verified");
    ok(&format!("verify {a} {b}"));
    assert_eq!(compared()["first"]["verified"], "verified");
    let page = goods.path("page.html");
    ok(&format!("report {a} {b} -o {}", page.display()));
    let html = std::fs::read_to_string(&page).unwrap();
    assert_eq!(html.matches(">verified</td>").count(), 2);
    assert!(
        ok(&format!("export {a}"))
            .lines()
            .skip(1)
            .all(|row| row.contains(",verified,"))
    );

    let theirs = other.join("verified.json");
    let forgeries = vec![
        (
            "a stamp of another folder",
            Check::Stamp,
            forge(move |dir| {
                std::fs::copy(theirs, dir.join("verified.json")).unwrap();
            }),
        ),
        (
            "a score behind the stamp",
            Check::Stamp,
            record(|r| r["score"]["value"] = 1.0.into()),
        ),
        (
            "a stamp that is none",
            Check::Stamp,
            forge(|dir| write(dir, "verified.json", "{\"schema\": 1}")),
        ),
    ];
    goods.all(&good, forgeries);

    let altered = std::fs::read_to_string(good.join("episodes.jsonl")).unwrap() + "\n";
    std::fs::write(good.join("episodes.jsonl"), &altered[..altered.len() - 1]).unwrap();
    assert_eq!(
        compared()["first"]["verified"],
        "verified",
        "the same bytes"
    );
    plan(&good, |p| p["seed"] = json!(Seed(3)));
    assert_eq!(compared_of(&good, &other), "altered");
    // A `resume` that finds nothing to do keeps the stamp; one that writes removes it.
    ok(&format!("resume {b}"));
    assert!(other.join("verified.json").exists());
    lines(&other, "episodes.jsonl", |lines| drop(lines.pop()));
    ok(&format!("resume {b}"));
    assert!(!other.join("verified.json").exists());
}

fn compared_of(one: &Path, other: &Path) -> Value {
    let line = format!(
        "export {} -o {}",
        one.display(),
        other.with_extension("csv").display()
    );
    ok(&line);
    let table = std::fs::read_to_string(other.with_extension("csv")).unwrap();
    let column = table
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "verified");
    let row = table.lines().nth(1).unwrap();
    row.split(',').nth(column.unwrap()).unwrap().into()
}
