//! Runs of models: `verify` derives the stored records again from the stored calls and names each
//! forgery.

mod episodes;
mod items;

use crate::program::call;
use run_engine::run_dir::outcome::Check;
use serde_json::{Value, json};
use sim_core::Digest;
use std::path::{Path, PathBuf};

type Forge = Box<dyn Fn(&Path)>;

fn forge(with: impl Fn(&Path) + 'static) -> Forge {
    Box::new(with)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).unwrap();
        }
    }
}

/// The output of `verify` for a valid folder.
fn sound(path: &Path) -> String {
    let called = call(&["verify", path.to_str().unwrap()]);
    assert_eq!(called.code, 0, "{}{}", called.out, called.err);
    called.out
}

/// Checks that every forgery of `good` is refused by the check that is named with it.
fn refuse_all(good: &Path, forgeries: Vec<(&str, Check, Forge)>) {
    sound(good);
    let dir = tempfile::tempdir().unwrap();
    for (number, (name, check, forge)) in forgeries.into_iter().enumerate() {
        let path: PathBuf = dir.path().join(number.to_string());
        copy(good, &path);
        forge(&path);
        let called = call(&["verify", path.to_str().unwrap()]);
        assert_eq!(called.code, 1, "{name}: {}{}", called.out, called.err);
        let named = format!("[{check}]");
        assert!(called.out.contains(&named), "{name}: {}", called.out);
        assert!(!called.err.contains("panicked"), "{name}: {}", called.err);
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn values(path: &Path) -> Vec<Value> {
    let lines = text(path);
    let read = |line: &str| serde_json::from_str(line).unwrap();
    lines.lines().map(read).collect()
}

fn write(path: &Path, values: &[Value]) {
    let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
    std::fs::write(path, lines).unwrap();
}

/// Changes the values of the lines of `file`.
fn lines(file: &'static str, change: impl Fn(&mut Vec<Value>) + 'static) -> Forge {
    forge(move |dir| {
        let path = dir.join(file);
        let mut all = values(&path);
        let before = all.clone();
        change(&mut all);
        assert_ne!(all, before, "{file} was not forged");
        write(&path, &all);
    })
}

/// Replaces a piece of text in `file`, once.
fn replace(file: &'static str, from: &'static str, to: &'static str) -> Forge {
    forge(move |dir| {
        let path = dir.join(file);
        let before = text(&path);
        assert!(before.contains(from), "{file} does not hold {from}");
        std::fs::write(path, before.replacen(from, to, 1)).unwrap();
    })
}

/// Changes the plan `name` of the manifest and recomputes its digest.
fn planned(name: &'static str, change: impl Fn(&mut Value) + 'static) -> Forge {
    forge(move |dir| {
        let path = dir.join("manifest.json");
        let mut manifest: Value = serde_json::from_str(&text(&path)).unwrap();
        change(&mut manifest[name]);
        manifest["plan_digest"] = json!(Digest::of(&manifest[name]).unwrap());
        std::fs::write(&path, manifest.to_string()).unwrap();
    })
}

/// Several forgeries at once.
fn all(forgeries: Vec<Forge>) -> Forge {
    forge(move |dir| {
        for forge in &forgeries {
            forge(dir);
        }
    })
}

/// A forgery in which the model gave another answer: changes the text of the reply in call `line`.
fn said(calls: &mut [Value], line: usize, text: &str) {
    calls[line]["answer"]["choices"][0]["message"]["content"] = json!(text);
}
