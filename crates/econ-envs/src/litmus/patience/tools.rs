//! Tools and prompts for language models: the tool `answer`, and answers in prose.

use super::action::Action;
use super::env::Patience;
use super::observation::{Feedback, Observation};
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::tool::known_arguments;
use sim_core::{
    ActionError, Environment as _, PeriodCount, Prompt, ToolInterface, ToolKind, ToolOutput,
    ToolSpec,
};

impl ToolInterface for Patience {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        vec![
            ToolSpec::new(
                "answer",
                ToolKind::Action,
                "Answers the question with the letter of the option you choose.",
            )
            .with(
                "choice",
                json!({
                    "type": "string",
                    "enum": ["A", "B"],
                    "description": "The letter of the option."
                }),
            ),
        ]
    }

    fn briefing(&self) -> Prompt {
        let system = "You are asked to choose between two options. Think it over between \
                      <reasoning> tags first, then write the letter of your choice, A or B and \
                      nothing else, between <answer> tags; or call the tool answer."
            .to_owned();
        let Observation {
            amount,
            delay,
            now_first,
            ..
        } = self.observe();
        let now = "$100 now".to_owned();
        let later = format!("${amount:.2} in {delay}");
        let (a, b) = if now_first {
            (now, later)
        } else {
            (later, now)
        };
        let opening = format!("Which of these would you rather have?\nA: {a}\nB: {b}");
        Prompt {
            system,
            opening,
            reminder: "Please answer with A or B.".to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.question(),
            total: Some(self.questions()),
            unit: "question",
        }
    }

    fn get(&self, tool: &str, _arguments: &Value) -> Result<ToolOutput, ActionError> {
        Err(ActionError::unknown_tool(tool, &["answer"]))
    }

    fn read_call(&self, _tool: &str, arguments: &Value) -> Result<Action, ActionError> {
        known_arguments(arguments, &["choice"])?;
        let choice = arguments.get("choice").unwrap_or(&Value::Null);
        choice
            .as_str()
            .and_then(|letter| self.of_letter(letter))
            .ok_or_else(|| {
                ActionError::bad_arguments(format!(
                    "`choice` must be \"A\" or \"B\", not `{}`",
                    clip(&choice.to_string())
                ))
            })
    }

    /// Any text is an answer. A single letter between the tags is a choice; all other text is unreadable
    /// and counts as later.
    fn read_text(&self, text: &str) -> Option<Result<Action, ActionError>> {
        let inside = text
            // The last one, because a model may quote the form of an answer while it thinks.
            .rsplit_once("<answer>")
            .and_then(|(_, rest)| rest.split_once("</answer>"))
            .map(|(inside, _)| inside.trim());
        Some(Ok(inside
            .and_then(|letter| self.of_letter(letter))
            .unwrap_or(Action::Unreadable)))
    }

    fn feedback_text(&self, _: &Feedback) -> String {
        "Noted.".to_owned()
    }

    fn feedback_value<'a>(&self, _: &'a Feedback) -> Option<&'a ()> {
        None
    }
}

impl Patience {
    /// The answer that a letter means in this question.
    fn of_letter(&self, letter: &str) -> Option<Action> {
        let now_first = self.observe().now_first;
        match letter {
            "A" if now_first => Some(Action::Now),
            "B" if !now_first => Some(Action::Now),
            "A" | "B" => Some(Action::Later),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::patience::{Config, Instance};
    use std::sync::Arc;

    #[test]
    fn answers_in_prose() {
        let config = Config {
            repeats: 1,
            every: 20,
        };
        let mut run = Patience::new(Arc::new(Instance { config })).unwrap();
        assert!(
            run.briefing()
                .opening
                .ends_with("A: $100 now\nB: $105.00 in one month")
        );
        let read = |run: &Patience, text: &str| run.read_text(text).unwrap().unwrap();
        assert_eq!(
            read(&run, "<reasoning>x</reasoning><answer> A </answer>"),
            Action::Now
        );
        assert_eq!(read(&run, "<answer>B</answer>"), Action::Later);
        for text in [
            "A",
            "<answer>A or B</answer>",
            "<answer>a</answer>",
            "<answer>A",
            "",
        ] {
            assert_eq!(read(&run, text), Action::Unreadable, "{text}");
        }
        run.step(&Action::Now).unwrap();
        assert!(
            run.briefing()
                .opening
                .ends_with("A: $105.00 in one month\nB: $100 now")
        );
        assert_eq!(read(&run, "<answer>A</answer>"), Action::Later);
    }
}
