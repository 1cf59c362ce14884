//! Storage of answers and memories.

use agent_client::method::ItemRecord;
use qa_scoring::grade::Grade;
use run_engine::error::RunError;
use serde_json::Value;

/// Stores answers and memories: in the folder of a run, or, if a run is repeated to compare it with its
/// folder, in working memory.
pub(crate) trait Keep: Send + Sync {
    /// Stores an answered item.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep(&self, record: &ItemRecord, grade: &Grade) -> Result<(), RunError>;

    /// What the stream `name` had learnt when it was interrupted.
    ///
    /// # Errors
    /// When it cannot be read.
    fn snapshot(&self, name: &str) -> Result<Option<Value>, RunError>;

    /// Stores what the stream `name` has learnt.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep_snapshot(&self, name: &str, snapshot: &Value) -> Result<(), RunError>;
}
