//! Built-in players of a typed environment.

use crate::environment::{Environment, Seat};
use crate::error::ConfigError;
use crate::seed::Seed;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// A player that decides from observations alone.
pub trait Policy<E: Environment>: Send {
    /// The decision for what is seen.
    fn act(&mut self, observation: &E::Observation) -> E::Action;

    /// Hears what came of the decision.
    fn learn(&mut self, feedback: &E::Feedback) {
        let _ = feedback;
    }
}

/// What a policy is made from.
#[derive(Debug, Clone, Copy)]
pub struct PolicyContext<'a, I> {
    /// The instance to be played. Only a policy that is marked clairvoyant may read what an agent
    /// cannot know.
    pub instance: &'a I,
    /// The seat it will play.
    pub seat: &'a Seat,
    /// Chance of its own.
    pub seed: Seed,
    /// What stood behind the colon of its name (`constant:400`).
    pub argument: Option<&'a str>,
}

impl<I> PolicyContext<'_, I> {
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

/// A policy by name, with how to make it.
pub struct PolicySpec<E: Environment, I> {
    /// What is known about it.
    pub about: PolicyAbout,
    make: Arc<Make<E, I>>,
}

/// What `list` and `describe` say of a policy.
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
    /// Whether it knows what an agent cannot (the demand to come, hidden parameters).
    pub clairvoyant: bool,
    /// Whether it draws lots.
    pub random: bool,
}

impl<E: Environment, I> PolicySpec<E, I> {
    /// A policy that needs no argument, is honest and draws no lots; see the other methods.
    pub fn new<P, F>(name: &'static str, about: &'static str, make: F) -> Self
    where
        P: Policy<E> + 'static,
        F: Fn(PolicyContext<'_, I>) -> Result<P, ConfigError> + Send + Sync + 'static,
    {
        let make = move |making: PolicyContext<'_, I>| {
            make(making).map(|policy| Box::new(policy) as Box<dyn Policy<E>>)
        };
        Self {
            about: PolicyAbout {
                name,
                about,
                argument: None,
                example: None,
                clairvoyant: false,
                random: false,
            },
            make: Arc::new(make),
        }
    }

    /// It takes an argument of this form, for example `example`.
    #[must_use]
    pub fn argument(mut self, form: &'static str, example: &'static str) -> Self {
        self.about.argument = Some(form);
        self.about.example = Some(example);
        self
    }

    /// It knows what an agent cannot.
    #[must_use]
    pub fn clairvoyant(mut self) -> Self {
        self.about.clairvoyant = true;
        self
    }

    /// It draws lots.
    #[must_use]
    pub fn random(mut self) -> Self {
        self.about.random = true;
        self
    }

    /// Makes the policy.
    ///
    /// # Errors
    /// When the argument is missing, unwanted or wrong, or the instance does not suit it.
    pub fn make(&self, making: PolicyContext<'_, I>) -> Result<Box<dyn Policy<E>>, ConfigError> {
        if let (None, Some(extra)) = (self.about.argument, making.argument) {
            return Err(ConfigError::new(
                "agent",
                format!(
                    "policy `{}` takes no argument, got `{extra}`",
                    self.about.name
                ),
            ));
        }
        (self.make)(making)
    }
}

impl<E: Environment, I> fmt::Debug for PolicySpec<E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySpec")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}
