//! One task of the enterprise office from the request to the verdict, then the drivers on many.
//!
//! ```text
//!   company (seed) ─► task (seed, number) ─► desk: tools in the persona's name ─► answer | refuse
//!                            │                                                        │
//!                            └── plan, expected changes and facts ──► verdict ◄───────┘
//! ```
//!
//! Run with: `cargo run --release -p enterprise-sandbox --example office_task`
#![allow(clippy::print_stdout, reason = "an example prints")]

use enterprise_sandbox::tasks::Category;
use enterprise_sandbox::tasks::TaskEnd;
use enterprise_sandbox::tasks::right;
use enterprise_sandbox::{Config, Spec};
use serde_json::json;
use sim_core::testkit::play;
use sim_core::{
    DynEnvironmentSpec, EnvironmentSpec, Episode, Seed, ToolAdapter, ToolEnvironment as _,
};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let spec = Spec::default();
    for category in [Category::Search, Category::Crud, Category::Unanswerable] {
        print!("{}", one(&spec, category)?);
    }
    print!("{}", drivers(&spec, 40)?);
    Ok(())
}

/// The first task of a category: what is asked, the calls that do it, and the score.
fn one(spec: &Spec, category: Category) -> Result<String, Box<dyn Error>> {
    let config = Config::of(200);
    let instance = (0..200)
        .map(|index| EnvironmentSpec::generate(spec, &config, Episode::of_run(Seed(5), index)))
        .find(|drawn| drawn.as_ref().is_ok_and(|i| i.task.category == category))
        .ok_or("no such task")??;
    let task = instance.task.clone();
    let mut desk = ToolAdapter::new(spec.begin(Arc::new(instance))?);
    let mut text = format!(
        "{:?}, asked by {}\n{}\n\n",
        category,
        task.persona,
        desk.briefing().opening
    );
    let attempt = right(&task);
    for (tool, arguments) in &attempt.calls {
        let reply = desk.call(tool, arguments);
        text += &format!("> {tool} {arguments}\n{}\n", shortened(reply.text()));
    }
    let (tool, arguments) = match attempt.ending {
        TaskEnd::Answer { text, facts } => ("answer", json!({"text": text, "facts": facts})),
        TaskEnd::Refusal { class, reason } => ("refuse", json!({"class": class, "reason": reason})),
        TaskEnd::None => return Err("the plan has no end".into()),
    };
    desk.call(tool, &arguments);
    text += &format!("> {tool} {arguments}\nscore {}\n\n", desk.score()?.value());
    Ok(text)
}

fn shortened(reply: &str) -> String {
    let mut text: String = reply.chars().take(300).collect();
    if text.len() < reply.len() {
        text += " ..";
    }
    text
}

/// Drivers without a model on the same tasks.
fn drivers(spec: &Spec, episodes: u64) -> Result<String, Box<dyn Error>> {
    let config = spec.configure(Some("small"), &[])?;
    let mut text = format!("mean success on {episodes} tasks in an office of fifty\n");
    for driver in ["oracle", "chatty", "greedy", "random", "snoop", "null"] {
        let (mut success, mut grade, mut denied) = (0.0, 0.0, 0.0);
        for index in 0..episodes {
            let case = DynEnvironmentSpec::draw(spec, &config, Seed(1), index)?;
            let score = play(spec, &*case, driver)?.score;
            let metric = |name: &str| score.metrics().get(name).copied().unwrap_or(0.0);
            success += score.value() / episodes as f64;
            grade += metric("grade") / episodes as f64;
            denied += metric("denied_calls") / episodes as f64;
        }
        text +=
            &format!("{driver:<8} success {success:.2}  grade {grade:.1}  denied {denied:.1}\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_task_can_be_done_and_the_drivers_differ() {
        let spec = Spec::default();
        for category in [Category::Search, Category::Crud, Category::Unanswerable] {
            let text = one(&spec, category).unwrap();
            assert!(text.contains("score 1\n"), "{text}");
        }
        let text = drivers(&spec, 10).unwrap();
        assert!(text.contains("oracle   success 1.00"), "{text}");
        assert!(text.contains("null     success 0.00"), "{text}");
    }
}
