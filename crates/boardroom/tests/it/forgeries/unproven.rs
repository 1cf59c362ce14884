//! Folders that are not forged, or cannot be proven, and what `verify` and the tables print for
//! them.

use super::{Goods, PLAYED, lines, plan, text, write};
use crate::program::{call, names, ok};
use boardroom::Registry;
use run_engine::run_dir::outcome::{Check, Verified};
use run_engine::verify::verify;
use std::path::Path;

/// A manifest may name an endless file such as a device: it is not read.
#[cfg(unix)]
#[test]
fn a_script_that_is_a_device_is_not_read() {
    let goods = Goods::new();
    let good = goods.sterman();
    let forged = goods.forged(&good, |dir| {
        plan(dir, |p| p["agent"] = "script:/dev/zero".into())
    });
    let path = forged.to_str().unwrap();
    assert_eq!(call(&["verify", path]).code, 1);
    assert_eq!(call(&["resume", path]).code, 2);
    for words in [
        &[
            "run",
            "beer-game",
            "--instance",
            "/dev/zero",
            "--agent",
            "sterman",
        ][..],
        &["run", "beer-game", "--agent", "script:/dev/zero"],
        &["run", "beer-game", "--agent", "replay:/dev/zero"],
    ] {
        assert_eq!(call(words).code, 2, "{words:?}");
    }
}

/// No episode was played, so no instance is needed.
#[test]
fn references_of_a_run_without_records_draw_no_instances() {
    let goods = Goods::new();
    let play = "run pricing --episodes 3 --agent cost-plus --reference search --json";
    let good = goods.play("good", play);
    let empty = goods.forged(&good, |dir| {
        plan(dir, |p| p["episodes"] = 10_000_000.into());
        write(dir, "episodes.jsonl", "");
        write(dir, "references.jsonl", "");
    });
    let found = verify(&Registry::new(), &empty).unwrap();
    assert!(found.is_sound(), "{found}");
    assert!(found.proven.iter().all(|it| it.check != Check::References));
}

/// Verifying a folder with one shard of a run proves nothing about the other shards.
#[test]
fn the_other_shards_are_not_called_proven() {
    let goods = Goods::new();
    let words = format!("{PLAYED} --agent sterman --seed 2 --shard 1/3");
    let found = verify(&Registry::new(), &goods.play("good", &words)).unwrap();
    assert!(found.is_sound(), "{found}");
    let mut left = found.unproven.iter();
    assert!(
        left.any(|left| left.why.contains("shard 1 of 3")),
        "{found}"
    );
}

/// A policy that knows hidden state is marked in every table that names it.
#[test]
fn an_oracle_is_marked_in_every_table() {
    let goods = Goods::new();
    let play = |agent: &str| {
        let words = format!("run procurement --episodes 3 --agent {agent} --json");
        goods.play(agent, &words)
    };
    let (fair, oracle) = (play("greedy"), play("optimal"));
    let (fair, oracle) = (fair.display(), oracle.display());
    for words in ["list", "describe procurement"] {
        let text = ok(words);
        let mut lines = text.lines().map(str::trim_start);
        let marked = lines.any(|line| {
            let line = line.trim_start_matches("policy ");
            line.starts_with("optimal") && line.contains("[knows hidden state")
        });
        assert!(marked, "{words}: {text}");
    }
    let compared = ok(&format!("compare {fair} {oracle}"));
    names(&compared, &["optimal (knows hidden state)"]);
    assert!(
        !compared.contains("greedy (knows hidden state)"),
        "{compared}"
    );
    for (path, marked) in [(fair.to_string(), "false"), (oracle.to_string(), "true")] {
        let table = ok(&format!("export {path}"));
        let names = table.lines().next().unwrap();
        let at = names.split(',').position(|name| name == "oracle");
        let row = table.lines().nth(1).unwrap();
        assert_eq!(row.split(',').nth(at.unwrap()), Some(marked), "{table}");
    }
}

/// The folder of an interrupted run is not reported as a forgery, and never as complete.
#[test]
fn a_part_is_said_to_be_one() {
    let goods = Goods::new();
    let good = goods.sterman();
    let said = |dir: &Path| -> Verified {
        let found = verify(&Registry::new(), dir).unwrap();
        assert!(found.is_sound(), "{found}");
        let whole = |left: &run_engine::run_dir::outcome::Unproven| left.check == Check::Records;
        assert!(found.unproven.iter().any(whole), "{found}");
        found
    };
    let short = goods.forged(&good, |dir| {
        lines(dir, "episodes.jsonl", |lines| lines.truncate(9));
    });
    let found = said(&short);
    assert_eq!(
        (found.records, found.planned, found.missing()),
        (9, Some(12), 3)
    );
    let part = ok(&format!("verify {}", short.display()));
    assert!(part.starts_with("9 of 12 records "), "{part}");
    let torn = goods.forged(&good, |dir| {
        let text = text(dir, "episodes.jsonl");
        write(dir, "episodes.jsonl", &text[..text.len() - 20]);
    });
    let found = said(&torn);
    assert!(found.torn > 0 && found.records == 11);
    ok(&format!("resume {}", torn.display()));
    assert_eq!(text(&torn, "episodes.jsonl"), text(&good, "episodes.jsonl"));
}

/// The last line names what cannot be proven.
#[test]
fn the_last_line_says_what_is_proven_and_what_is_not() {
    let goods = Goods::new();
    let script = goods.path("moves.jsonl");
    std::fs::write(&script, "{\"quantity\": 400}\n".repeat(200)).unwrap();
    let played = goods.play(
        "scripted",
        &format!(
            "run beer-game --episodes 1 --json --agent script:{}",
            script.display()
        ),
    );
    let found = |dir: &Path| {
        let found = verify(&Registry::new(), dir).unwrap();
        let text = ok(&format!("verify {}", dir.display()));
        assert_eq!(text.lines().last().unwrap(), found.claims());
        found
    };
    let decisions = |found: &Verified| {
        let proven = found
            .proven
            .iter()
            .filter(|it| it.check == Check::Decisions);
        let unproven = found
            .unproven
            .iter()
            .filter(|it| it.check == Check::Decisions);
        (proven.count(), unproven.count())
    };
    let name = script.display().to_string();
    let with = found(&played);
    assert_eq!(decisions(&with), (1, 0), "{with}");
    names(&with.claims(), &[format!("script:{name}")]);
    std::fs::remove_file(&script).unwrap();
    let without = found(&played);
    assert_eq!(decisions(&without), (0, 1), "{without}");
    std::fs::write(played.join("notes.txt"), "mine").unwrap();
    names(&found(&played).claims(), &["notes.txt"]);
}
