//! Built-in policies of a typed environment.

use crate::environment::{Environment, Seat};
use crate::error::ConfigError;
use crate::score::Effort;
use crate::seed::Seed;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Decides from observations.
pub trait Policy<E: Environment>: Send {
    /// The action for `observation`.
    fn act(&mut self, observation: &E::Observation) -> E::Action;

    /// Receives the feedback of the last action. The default ignores it.
    fn learn(&mut self, feedback: &E::Feedback) {
        let _ = feedback;
    }
}

/// The inputs from which a policy is made.
#[derive(Debug, Clone, Copy)]
pub struct PolicyContext<'a, I> {
    /// The instance to be played. Only a policy that is marked as an oracle may read the parts that
    /// an agent cannot see.
    pub instance: &'a I,
    /// The seat that the policy plays.
    pub seat: &'a Seat,
    /// Seed of the policy's own random draws.
    pub seed: Seed,
    /// The work that an oracle may spend on its plan: that of the reference of the run.
    pub effort: Effort,
    /// The text after the colon of its name (`400` in `constant:400`).
    pub argument: Option<&'a str>,
}

impl<'a, I> PolicyContext<'a, I> {
    /// A context without an argument, with the effort of a quick reference.
    #[must_use]
    pub fn new(instance: &'a I, seat: &'a Seat, seed: Seed) -> Self {
        Self {
            instance,
            seat,
            seed,
            effort: Effort::Quick,
            argument: None,
        }
    }

    /// The argument as a number.
    ///
    /// # Errors
    /// When it is present and not a finite number.
    pub fn number(&self) -> Result<Option<f64>, ConfigError> {
        self.argument
            .map(|text| match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(ConfigError::new(
                    "agent",
                    format!("`{text}` is not a number"),
                )),
            })
            .transpose()
    }
}

type Make<E, I> =
    dyn Fn(PolicyContext<'_, I>) -> Result<Box<dyn Policy<E>>, ConfigError> + Send + Sync;

/// A named policy and the function that makes it.
pub struct PolicySpec<E: Environment, I> {
    /// Name, description and properties.
    pub about: PolicyAbout,
    make: Arc<Make<E, I>>,
}

/// Description of a policy, as `list` and `describe` print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyAbout {
    /// Name on the command line (`order-up-to`).
    pub name: &'static str,
    /// One line: how it decides and what it knows beforehand.
    pub about: &'static str,
    /// Form of its argument (`<n>`), where it takes one.
    pub argument: Option<&'static str>,
    /// An argument that works (`400`), where it takes one.
    pub example: Option<&'static str>,
    /// Whether it is an oracle: it knows state that is hidden from agents (future demand, hidden
    /// parameters).
    pub oracle: bool,
    /// Whether it draws random numbers.
    pub random: bool,
}

impl<E: Environment, I> PolicySpec<E, I> {
    /// A policy without an argument that knows no hidden state and draws no random numbers; the
    /// other methods change this.
    pub fn new<P, F>(name: &'static str, about: &'static str, make: F) -> Self
    where
        P: Policy<E> + 'static,
        F: Fn(PolicyContext<'_, I>) -> Result<P, ConfigError> + Send + Sync + 'static,
    {
        let make = move |context: PolicyContext<'_, I>| {
            make(context).map(|policy| Box::new(policy) as Box<dyn Policy<E>>)
        };
        Self {
            about: PolicyAbout {
                name,
                about,
                argument: None,
                example: None,
                oracle: false,
                random: false,
            },
            make: Arc::new(make),
        }
    }

    /// Adds an argument of the given form; `example` is a valid one.
    #[must_use]
    pub fn argument(mut self, form: &'static str, example: &'static str) -> Self {
        self.about.argument = Some(form);
        self.about.example = Some(example);
        self
    }

    /// Marks it as an oracle (knows hidden state).
    #[must_use]
    pub fn oracle(mut self) -> Self {
        self.about.oracle = true;
        self
    }

    /// Marks it as random: it draws random numbers from its seed.
    #[must_use]
    pub fn random(mut self) -> Self {
        self.about.random = true;
        self
    }

    /// Makes the policy.
    ///
    /// # Errors
    /// When the argument is missing, unwanted or wrong, or the instance does not suit it.
    pub fn make(&self, context: PolicyContext<'_, I>) -> Result<Box<dyn Policy<E>>, ConfigError> {
        // Refused and not ignored: the name in a report would promise a setting that nothing used.
        if let (None, Some(extra)) = (self.about.argument, context.argument) {
            return Err(ConfigError::new(
                "agent",
                format!(
                    "policy `{}` takes no argument, got `{extra}`",
                    self.about.name
                ),
            ));
        }
        (self.make)(context)
    }
}

impl<E: Environment, I> fmt::Debug for PolicySpec<E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySpec")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}
