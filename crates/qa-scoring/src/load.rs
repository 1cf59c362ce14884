//! Reads all native formats.
//!
//! Loaders take bytes or text and return every record or an error; nothing is silently dropped or
//! repaired. Unusual but harmless content is reported as [`Remark`]s next to the records.
//!
//! | format | function |
//! |---|---|
//! | a BizCompass task file, knowledge or application | [`items`] |
//! | a finance set, BizBench or ACE layout | [`items`] |
//! | a BizCompass result file | [`results`] |
//! | predictions: JSON, tables, and the files of other programs | [`score::answers`](crate::score::answers), [`predictions`] |
//! | capability and difficulty of items | [`labels`] |
//! | any JSON array or JSON lines, as objects | [`objects`] |
//! | separated values with a header | [`table`] |
//! | a table as CSV or JSON records | [`rows`] |
//! | a list of paths, by task | [`inventory`] |

mod application;
mod finance;
mod foreign;
mod inventory;
mod knowledge;
mod labels;
mod options;
mod predictions;
mod record;
mod remark;
mod reply_field;
mod result_file;
mod results;
mod rows;
mod table;

pub use inventory::{Absent, Inventory, inventory};
pub use labels::{Labelled, labels};
pub use options::split_options;
pub use predictions::{Answers, Prediction, predictions};
pub use record::objects;
pub(crate) use record::text_of;
pub(crate) use remark::Remarks;
pub use remark::{Remark, RemarkKind};
pub use result_file::{ModelSampling, ResultFile};
pub use results::{ResultRecord, StoredAnswer, is_provider_error, results};
pub use rows::rows;
pub use table::{Row, table};

pub(crate) use predictions::answers;
pub(crate) use record::id_text;
pub(crate) use reply_field::Seen;
pub(crate) use rows::{Cells, bad_cell, cell, flag, folded, needed_number, text};

use crate::error::LoadError;
use crate::item::Item;
use crate::task::Task;

/// Records, and remarks on the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// Every record of the file, in order.
    pub records: Vec<T>,
    /// Unusual content, each kind once with its count.
    pub remarks: Vec<Remark>,
}

/// Reads a task's file.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read: not UTF-8, neither array nor lines, a field
/// absent or of the wrong form.
///
/// ```
/// use qa_scoring::{Task, load};
/// let lines = "\u{feff}{\"ID\": 7, \"sentence\": \"Profit rose.\", \"label\": \"positive\"}";
/// let file = load::items("FPB".parse::<Task>()?, lines.as_bytes())?;
/// assert_eq!(file.records[0].id, "7");
/// assert_eq!(file.remarks.len(), 1); // the byte-order mark
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn items(task: Task, bytes: &[u8]) -> Result<Loaded<Item>, LoadError> {
    match task {
        Task::Knowledge(_, kind) => knowledge::items(kind, bytes),
        Task::Application(task) => application::items(task, bytes),
        Task::Finance(task) => finance::items(task, bytes),
    }
}
