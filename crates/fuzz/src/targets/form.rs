//! Forms: decisions that a person wrote on paper.

use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict};
use anyhow::Result;
use boardroom::Registry;
use boardroom::form;
use sim_core::{Digest, Header, Limits, Seed, Session};

/// Forms.
pub const FORM: Target = Target {
    name: "form",
    about: "forms that a person filled in",
    weight: 1,
    open: forms,
};

/// Environments whose decisions are short, with a preset.
const GAMES: [&str; 5] = ["beer-game", "ceo", "edt", "pricing", "procurement"];

fn session(registry: &Registry, name: &str) -> Option<Session> {
    let kind = registry.kind(name).ok()?;
    let config = kind.configure(None, &[]).ok()?;
    let case = kind.draw(&config, Seed(1), 0).ok()?;
    let header = Header {
        environment: name.to_owned(),
        version: kind.version(),
        config: Digest::of_bytes(b""),
        instance: case.digest(),
        seed: Seed(1),
        episode: 0,
        agent: "human".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    };
    Some(Session::new(case.open().ok()?, header, Limits::default()))
}

fn forms() -> Result<Opened> {
    let registry = Registry::new();
    let mut seeds = Vec::new();
    for name in GAMES {
        let Some(session) = session(&registry, name) else {
            continue;
        };
        let form = form::write(&session);
        let filled =
            |content: &str| form.replace("```answer ", &format!("```\n{content}\n```answer "));
        // In place: the line of a box, then its content.
        let boxed = |content: &str| {
            let mut text = String::new();
            for line in form.lines() {
                text.push_str(line);
                text.push('\n');
                if line.starts_with("```answer ") {
                    text.push_str(content);
                    text.push('\n');
                }
            }
            text
        };
        for text in [
            form.clone(),
            filled("5"),
            boxed("5"),
            boxed("A: 5\nB: 2.5"),
            boxed("1, 2"),
        ] {
            seeds.push(
                Bundle::default()
                    .with("kind", name)
                    .with("form", text)
                    .write(),
            );
        }
    }
    Ok(Opened::new(seeds, move |input| {
        let Some(bundle) = Bundle::read(input) else {
            return Verdict::Refused;
        };
        let Some(session) = session(&registry, &bundle.text("kind")) else {
            return Verdict::Refused;
        };
        match form::read(&session, &bundle.text("form")) {
            Ok(input) => {
                let _ = form::check(&session, &input);
                Verdict::Played
            }
            Err(_) => Verdict::Refused,
        }
    }))
}
