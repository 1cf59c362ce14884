//! Backends without a model: for tests, baselines and people.

use crate::backend::{AgentBackend, Structured};
use crate::error::{AgentError, ErrorClass};
use crate::reply::Reply;
use crate::request::Request;
use async_trait::async_trait;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers from a list in order, and stores the requests, so that a test can read them.
///
/// # Example
/// ```
/// use agent_client::backends::Scripted;
/// use agent_client::{AgentBackend, AgentError, Message, ModelRole, Request, Slot};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let script = Scripted::texts(["yes"]);
/// let request = Request::new(ModelRole::Agent, Slot::new("q1"), vec![Message::user("Sure?")]);
/// assert_eq!(script.ask(request.clone()).await.map(|reply| reply.said.text), Ok("yes".to_owned()));
/// assert_eq!(script.asked(), [request.clone()]);
/// // After the end of the list every request is an error of class `setup`.
/// assert!(script.ask(request).await.is_err());
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Scripted {
    replies: Mutex<VecDeque<Result<Reply, AgentError>>>,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// A backend that gives these replies in this order.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().map(Ok).collect()),
            asked: Mutex::default(),
        }
    }

    /// A backend that gives these texts in this order.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::new(texts.into_iter().map(Reply::text))
    }

    /// Adds an answer at the end of the list.
    ///
    /// An `Err` is given to the request at its place, for tests of failures.
    pub fn push(&self, answer: Result<Reply, AgentError>) {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.push_back(answer);
    }

    /// The requests so far.
    ///
    /// They include requests that got an error, also those after the end of the list.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }
}

#[async_trait]
impl AgentBackend for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        let count = {
            // Stored first, so that a test sees the request for which there was no reply.
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push(request);
            asked.len()
        };
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        // An error and not an empty reply: a test that asks more often than its script expects
        // fails here.
        replies.pop_front().unwrap_or_else(|| {
            Err(AgentError::new(
                ErrorClass::Setup,
                format!("the script ends before request {count}"),
            ))
        })
    }
}

/// The function of a [`Func`].
type Answering = dyn Fn(&Request) -> Result<Reply, AgentError> + Send + Sync;

/// Answers by a closure, which sees the whole request.
///
/// # Example
/// ```
/// use agent_client::backends::Func;
/// use agent_client::{AgentBackend, Message, ModelRole, Reply, Request, Slot};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), agent_client::AgentError> {
/// // Always orders what the chat was last asked for.
/// let echo = Func::new("echo", |request| match request.messages.last() {
///     Some(Message::User { text }) => Ok(Reply::text(text.clone())),
///     _ => Ok(Reply::text("")),
/// });
/// let chat = vec![Message::user("400")];
/// let reply = echo.ask(Request::new(ModelRole::Agent, Slot::new("week1"), chat)).await?;
/// assert_eq!(reply.said.text, "400");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Func {
    name: String,
    structured: Structured,
    answer: Arc<Answering>,
}

impl Func {
    /// A backend called `name` that answers with `answer`.
    pub fn new(
        name: impl Into<String>,
        answer: impl Fn(&Request) -> Result<Reply, AgentError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            structured: Structured::Prompt,
            answer: Arc::new(answer),
        }
    }

    /// The same backend with another way of asking for JSON.
    ///
    /// The default is [`Structured::Prompt`]: the schema is part of the system message.
    #[must_use]
    pub fn asked_for_json(mut self, structured: Structured) -> Self {
        self.structured = structured;
        self
    }
}

impl fmt::Debug for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Func").field(&self.name).finish()
    }
}

#[async_trait]
impl AgentBackend for Func {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        (self.answer)(&request)
    }

    fn structured(&self) -> Structured {
        self.structured
    }
}
