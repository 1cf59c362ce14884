//! Computes the named sections (all if none is named) and writes them as Markdown to standard
//! output; progress goes to standard error.

use anyhow::{Result, ensure};
use replication::{page, plans, section_text};
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    match run(&wanted) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every row holds.
fn run(wanted: &[String]) -> Result<bool> {
    let plans = plans();
    for name in wanted {
        let keys: Vec<&str> = plans.iter().map(|plan| plan.key).collect();
        ensure!(
            keys.contains(&name.as_str()),
            "there is no section `{name}`; there are {}",
            keys.join(", ")
        );
    }
    let mut sections = Vec::new();
    for plan in &plans {
        if wanted.is_empty() || wanted.iter().any(|name| name == plan.key) {
            writeln!(std::io::stderr(), "computing {}", plan.key)?;
            sections.push((plan.compute)()?);
        }
    }
    let text = if wanted.is_empty() {
        page(&sections)
    } else {
        let texts: Vec<String> = sections.iter().map(section_text).collect();
        texts.join("\n")
    };
    std::io::stdout().write_all(text.as_bytes())?;
    let mut holds = true;
    for section in &sections {
        for row in section.missed() {
            holds = false;
            let (what, compared, ours) = (&row.what, &row.compared, &row.ours);
            let key = section.key;
            writeln!(
                std::io::stderr(),
                "MISSED in {key}: {what}: compared with {compared}, ours {ours}"
            )?;
        }
    }
    Ok(holds)
}
