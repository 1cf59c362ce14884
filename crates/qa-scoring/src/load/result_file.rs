//! Where a published result file lies, and what its path says.

use crate::task::{Domain, QuestionType, Task};
use std::fmt;

/// How a model was sampled; what is not known is absent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct ModelSampling {
    /// Temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// Share of the probability from which tokens are drawn, 0 to 1.
    pub top_p: Option<f64>,
}

impl fmt::Display for ModelSampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |v| v.to_string());
        write!(
            f,
            "T {}, top-p {}",
            shown(self.temperature),
            shown(self.top_p)
        )
    }
}

/// A published result file, by the names of its folders.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultFile {
    /// The task.
    pub task: Task,
    /// The model's folder.
    pub model: String,
    /// Temperature and top-p.
    pub sampling: ModelSampling,
}

impl ResultFile {
    /// The file of a path such as
    /// `Econ/single/llama3-8b-instruct/tem0.8/top_k0.95/evaluation/questions_eval.json`; the folder
    /// `top_k` holds top-p. `None` for other paths.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        let [
            ..,
            domain,
            kind,
            model,
            temperature,
            top_p,
            "evaluation",
            "questions_eval.json",
        ] = parts.as_slice()
        else {
            return None;
        };
        let domain = Domain::ALL
            .into_iter()
            .find(|it| it.folder().eq_ignore_ascii_case(domain))?;
        let kind = QuestionType::ALL.into_iter().find(|it| {
            <&str>::from(it).eq_ignore_ascii_case(kind) || it.folder().eq_ignore_ascii_case(kind)
        })?;
        let top_p = top_p
            .strip_prefix("top_k")
            .or_else(|| top_p.strip_prefix("top_p"))?;
        Some(Self {
            task: Task::Knowledge(domain, kind),
            model: (*model).to_owned(),
            sampling: ModelSampling {
                temperature: Some(temperature.strip_prefix("tem")?.parse().ok()?),
                top_p: Some(top_p.parse().ok()?),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_task_model_and_sampling() {
        let path = "data/Econ/single/llama3-8b/tem0.8/top_k0.95/evaluation/questions_eval.json";
        let file = ResultFile::of_path(path).unwrap();
        assert_eq!(
            file.task,
            Task::Knowledge(Domain::Econ, QuestionType::Single)
        );
        assert_eq!(file.model, "llama3-8b");
        assert_eq!(file.sampling.to_string(), "T 0.8, top-p 0.95");
        for (part, other) in [
            ("Econ", "Law"),
            ("tem0.8", "0.8"),
            ("top_k", "k"),
            ("_eval", ""),
        ] {
            assert_eq!(
                ResultFile::of_path(&path.replace(part, other)),
                None,
                "{other}"
            );
        }
        assert_eq!(ModelSampling::default().to_string(), "T ?, top-p ?");
    }
}
