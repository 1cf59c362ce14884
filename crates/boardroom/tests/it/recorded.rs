//! A real, small model plays five environments and answers questions, with tool calls and with calls as JSON in the
//! text. `cargo xtask live-llm --record` made the recordings; here each run is played again from its recording, without
//! a server, and must give the same records. `INSTA_UPDATE=always` writes the records again.

use crate::models::summary;
use crate::program::without_saving;
use std::path::Path;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/smollm2");

#[test]
fn a_real_model_plays_again_from_its_recording() {
    let dir = tempfile::tempdir().unwrap();
    let list = std::fs::read_to_string(format!("{GOLDEN}/runs.txt")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut played = 0;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (name, words) = line.split_once(": ").unwrap();
        for (form, more) in [("tools", ""), ("emulate", "--weaker emulate")] {
            let name = format!("{name}-{form}");
            let (golden, out) = (format!("{GOLDEN}/{name}"), dir.path().join(&name));
            let line = format!(
                "{words} {more} --agent replay:{golden} --json --out {}",
                out.display()
            );
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut command = without_saving(&words);
            command.current_dir(&root);
            let found = summary(&command.output().unwrap());
            assert_eq!(found["failed"], 0, "{name}");
            let records = |dir: &Path| std::fs::read_to_string(dir.join("episodes.jsonl")).unwrap();
            // As insta does it: a new metric, say, is in the records of replies that were recorded before it.
            if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
                std::fs::write(format!("{golden}/episodes.jsonl"), records(&out)).unwrap();
            }
            let expected = records(Path::new(&golden));
            assert!(!expected.is_empty(), "{name}");
            assert_eq!(records(&out), expected, "{name}");
            played += 1;
        }
    }
    assert_eq!(played, 12);
}
