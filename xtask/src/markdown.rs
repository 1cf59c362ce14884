//! The parts of Markdown that the checks need.

use anyhow::{Result, bail, ensure};

/// The command in the fenced block that follows the comment `<!-- command: NAME -->`.
///
/// ```
/// let readme = "<!-- command: run -->\n```sh\ncargo run --example beer_game\n```\n";
/// let command = xtask::markdown::marked_command(readme, "run").unwrap();
/// assert_eq!(command, "cargo run --example beer_game");
/// ```
///
/// # Errors
/// If there is no such comment or more than one, no fenced block right below it, or not exactly
/// one line in the block.
pub fn marked_command(text: &str, name: &str) -> Result<String> {
    let mark = format!("<!-- command: {name} -->");
    let mut rest = text.split(&mark).skip(1);
    let Some(after) = rest.next() else {
        bail!("no comment `{mark}`")
    };
    ensure!(rest.next().is_none(), "more than one comment `{mark}`");
    let mut lines = after.trim_start().lines();
    let opens = lines.next().is_some_and(|line| line.starts_with("```"));
    ensure!(opens, "no fenced block below `{mark}`");
    let mut block = Vec::new();
    let mut closed = false;
    for line in lines {
        if line.trim_end() == "```" {
            closed = true;
            break;
        }
        if !line.trim().is_empty() {
            block.push(line.trim());
        }
    }
    ensure!(closed, "the block below `{mark}` is not closed");
    let [command] = block.as_slice() else {
        bail!(
            "the block below `{mark}` holds {} lines instead of one",
            block.len()
        );
    };
    Ok((*command).to_owned())
}

/// The lines of prose with their numbers from 1: fenced blocks are left out, code spans are
/// blanked.
pub fn prose(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start();
        if fence.starts_with("```") || fence.starts_with("~~~") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then(|| (index + 1, without_code_spans(line)))
    })
}

fn without_code_spans(line: &str) -> String {
    let mut parts = line.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => text.push_str(after),
            // An unmatched backtick opens no span.
            None => text.push_str(code),
        }
    }
    text
}

/// The code spans of a text, outside fenced blocks.
#[must_use]
pub fn code_spans(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut spans = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            spans.extend(line.split('`').skip(1).step_by(2));
        }
    }
    spans
}

/// The targets of the links in a line of prose: `[text](target)` and `[name]: target`.
#[must_use]
pub fn link_targets(line: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for after in line.split("](").skip(1) {
        let inner = after.split(')').next().unwrap_or_default();
        // A title may follow the target: [text](target "title").
        targets.extend(inner.split_whitespace().next().map(unbracketed));
    }
    if let Some((name, target)) = line.trim_start().split_once("]: ")
        && name.starts_with('[')
    {
        targets.extend(target.split_whitespace().next().map(unbracketed));
    }
    targets
}

fn unbracketed(target: &str) -> String {
    target.trim_matches(['<', '>']).to_owned()
}

/// The anchors of the headings of a text, as GitHub makes them: lower case, punctuation dropped,
/// spaces as hyphens, `-1` and so on for a repeated heading.
#[must_use]
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let repeats = anchors
            .iter()
            .filter(|known| {
                **known == slug
                    || known.strip_prefix(&slug).is_some_and(|rest| {
                        rest.strip_prefix('-')
                            .is_some_and(|n| n.parse::<u32>().is_ok())
                    })
            })
            .count();
        anchors.push(if repeats == 0 {
            slug
        } else {
            format!("{slug}-{repeats}")
        });
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_and_faults_are_named() {
        let good = "# X\n<!-- command: run -->\n\n```sh\ncargo run\n```\n";
        assert_eq!(marked_command(good, "run").unwrap(), "cargo run");
        let cases = [
            ("", "no comment"),
            ("<!-- command: run -->\ncargo run\n", "no fenced block"),
            ("<!-- command: run -->\n```\ncargo run\n", "not closed"),
            ("<!-- command: run -->\n```\n```\n", "holds 0 lines"),
            ("<!-- command: run -->\n```\na\nb\n```\n", "holds 2 lines"),
            (&good.repeat(2), "more than one"),
        ];
        for (text, expected) in cases {
            let error = marked_command(text, "run").unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn links_are_found_outside_code() {
        let text = "see [a](x.md) and `[b](no.md)` and ![c](y.png \"title\")\n\
                    ```\n[d](no.md)\n```\n[e]: <z.md>\n[f](g.md#h) an odd ` tick [i](j.md)";
        let found: Vec<(usize, String)> = prose(text)
            .flat_map(|(n, line)| link_targets(&line).into_iter().map(move |t| (n, t)))
            .collect();
        let expected = [
            (1, "x.md"),
            (1, "y.png"),
            (5, "z.md"),
            (6, "g.md#h"),
            (6, "j.md"),
        ];
        assert_eq!(found, expected.map(|(n, t)| (n, t.to_owned())));
    }

    #[test]
    fn anchors_follow_the_headings() {
        let text =
            "# The House\n## Why not `X`, Y?\n```\n# no heading\n```\n## Data\n### Data\n#tag";
        assert_eq!(
            anchors(text),
            ["the-house", "why-not-x-y", "data", "data-1"]
        );
    }

    #[test]
    fn code_spans_are_listed() {
        assert_eq!(
            code_spans("`a.json` and `b/`\n```\n`c`\n```\n"),
            ["a.json", "b/"]
        );
    }
}
