//! `cargo xtask tutorials`: runs the commands of the tutorials as they stand on their pages, and takes
//! their pictures again.
//!
//! The model of the first tutorial is a stand-in on this machine, so that no key is needed.

use super::serving::Serving;
use super::{chromium, fetch};
use crate::built::Boardroom;
use crate::command::{output, program, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The pages, below the root.
const PAGES: [&str; 3] = [
    "docs/tutorials/evaluate-a-model.md",
    "docs/tutorials/policy-against-the-optimum.md",
    "docs/tutorials/teach-with-the-beer-game.md",
];

/// The folder of the pictures, below the root.
const PICTURES: &str = "docs/tutorials/pictures";

/// What a page writes where its reader puts the name of a model.
const MODEL: &str = "MODEL";

/// The name of the stand-in.
const STAND_IN: &str = "stand-in";

/// Runs the commands of the tutorials and takes all pictures.
///
/// # Errors
/// If Chromium or Node is missing, a command of a page fails, or a picture cannot be taken.
pub fn pictures(root: &Path) -> Result<()> {
    let browser = chromium()?;
    let scripts = fetch()?;
    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    let boardroom = Boardroom::build(root, work.path())?;
    let home = work.path().join("home");
    std::fs::create_dir(&home).context("cannot make a folder")?;
    let mut texts = Vec::new();
    for page in PAGES {
        let path = root.join(page);
        texts.push(std::fs::read_to_string(&path).with_context(|| page.to_owned())?);
    }
    let prices = texts.iter().find_map(|text| block(text, "toml"));
    let prices = prices.context("no tutorial has a price file")?;
    std::fs::write(home.join("prices.toml"), prices.replace(MODEL, STAND_IN))?;

    let (_model, base) = Serving::model(&mut program(&scripts, "node"))?;
    let call = |line: &str| {
        let words: Vec<String> = line
            .split_whitespace()
            .map(|word| word.replace(MODEL, STAND_IN))
            .collect();
        let mut command = program(&home, boardroom.program());
        command
            .args(words)
            .env("OPENAI_BASE_URL", &base)
            .env("OPENAI_API_KEY", "none");
        command
    };
    let all = texts.iter().flat_map(|text| commands(text));
    let (later, first): (Vec<String>, Vec<String>) =
        all.partition(|line| line.contains("classroom"));
    for line in first.iter().filter(|line| *line != "view") {
        println!("boardroom {line}");
        run(&mut call(line))?;
    }

    // The teacher, and four seats for each of two teams. Nobody else has to reach it.
    let lesson = later.iter().find(|line| line.starts_with("classroom"));
    let lesson = lesson.context("no tutorial opens a classroom")?;
    let local = lesson.replace(" --bind 0.0.0.0", " --port 0");
    let (class, links) = Serving::start(&mut call(&local), 9)?;
    let links: Vec<(String, String)> = links
        .iter()
        .filter_map(|line| {
            let (of, url) = line.trim_end().split_once(": ")?;
            Some((of.to_owned(), url.to_owned()))
        })
        .collect();
    let (viewer, address) = Serving::viewer(&mut call("view"))?;
    let out = root.join(PICTURES);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut node = program(&scripts, "node");
    node.arg("tutorials.mjs").arg(&browser);
    node.arg(work.path().join("profile")).arg(&out);
    node.arg(address).arg(home.join("report.html"));
    let made = output(node.arg(serde_json::to_string(&links)?))?;
    drop((class, viewer));
    let made: Vec<String> = serde_json::from_str(&made).context("tutorials.mjs printed")?;
    for name in &made {
        let used = texts.iter().chain([&readme(root)?]).any(|text| {
            let file = format!("pictures/{name}.png");
            text.contains(&file)
        });
        ensure!(used, "no page shows the picture {name}.png");
    }
    // What the class left behind.
    for line in later.iter().filter(|line| !line.starts_with("classroom")) {
        println!("boardroom {line}");
        run(&mut call(line))?;
    }
    println!("{} pictures in {PICTURES}", made.len());
    Ok(())
}

fn readme(root: &Path) -> Result<String> {
    std::fs::read_to_string(root.join("README.md")).context("README.md")
}

/// The lines of `boardroom` in the shell blocks of a page, without the name of the program and without
/// comments.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in blocks(page, "sh") {
        for line in block.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            found.extend(line.strip_prefix("boardroom ").map(str::to_owned));
        }
    }
    found
}

/// The first block of a page in `language`.
fn block<'a>(page: &'a str, language: &str) -> Option<&'a str> {
    blocks(page, language).next()
}

/// The blocks of a page in `language`.
fn blocks<'a>(page: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let opening = format!("```{language}\n");
    let mut rest = page;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&opening)?;
        let (block, left) = after.split_once("\n```")?;
        rest = left;
        Some(block)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_shell_blocks_alone() {
        let page = "`boardroom no`\n```sh\nexport A=1\nboardroom run a --b   # why\n```\n```text\n\
                    boardroom no\n```\n```sh\nboardroom view\n```\n```toml\nx = 1\n```\n";
        assert_eq!(commands(page), ["run a --b", "view"]);
        assert_eq!(block(page, "toml"), Some("x = 1"));
    }

    /// A picture that no page shows, or a page that shows one that is not there, means that the chore was
    /// not run.
    #[test]
    fn every_picture_is_shown_and_every_shown_picture_is_there() {
        let root = crate::command::workspace_root().unwrap();
        let pages = PAGES.into_iter().chain(["README.md"]);
        let texts: Vec<String> = pages
            .map(|page| std::fs::read_to_string(root.join(page)).unwrap())
            .collect();
        let mut shown: Vec<String> = texts
            .iter()
            .flat_map(|text| text.split("pictures/").skip(1))
            .filter_map(|rest| rest.split_once(".png").map(|(name, _)| name.to_owned()))
            .collect();
        shown.sort();
        let files = std::fs::read_dir(root.join(PICTURES)).unwrap();
        let mut there: Vec<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".png").map(str::to_owned))
            .collect();
        there.sort();
        assert_eq!(shown, there);
    }
}
