//! Reads labels: which capability a question needs, and how hard it is.
//!
//! `boardroom qa label` writes such files. Reports, papers, scores and the router read them here, so a file
//! means the same to all of them.

use qa_scoring::load;
use qa_scoring::load::Remark;
pub use qa_scoring::taxonomy::{Labels, label_of};
use run_engine::error::RunError;
use run_engine::files::regular;
use std::path::Path;

/// Reads a file of labels.
///
/// # Errors
/// When the file cannot be read, or a line of it is not a label; says which.
pub fn read_labels(path: &Path) -> Result<Labels, RunError> {
    Ok(read_with_remarks(path)?.0)
}

/// Reads a file of labels, with what was odd about it.
pub(crate) fn read_with_remarks(path: &Path) -> Result<(Labels, Vec<Remark>), RunError> {
    let bytes = regular::json_bytes(path, regular::MOST_DATA).map_err(RunError::file(path))?;
    let loaded = load::labels(&bytes).map_err(RunError::in_file(path))?;
    let records = loaded.records.into_iter();
    let labels = records.map(|record| (record.id, record.label)).collect();
    Ok((labels, loaded.remarks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use qa_scoring::taxonomy::Capability;

    fn read(text: &str) -> Result<Labels, RunError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        std::fs::write(&path, text).unwrap();
        read_labels(&path)
    }

    #[test]
    fn a_name_is_found_always_and_an_identifier_where_there_is_one_task() {
        let labels = read(
            "{\"id\": \"finance/FinCode:3\", \"capability\": \"domain knowledge\", \"difficulty\": 2}\n\
             {\"id\": \"4\", \"capability\": null, \"difficulty\": 9}\n",
        )
        .unwrap();
        let difficulty = |name: &str, id: &str, only: bool| {
            label_of(&labels, name, id, only).and_then(|label| label.difficulty)
        };
        for only in [true, false] {
            assert_eq!(difficulty("finance/FinCode:3", "3", only), Some(2.0));
            assert_eq!(difficulty("finance/FinCode:5", "5", only), None);
        }
        assert_eq!(difficulty("finance/FinCode:4", "4", true), Some(9.0));
        assert_eq!(difficulty("finance/FinCode:4", "4", false), None);
        let first = labels.get("finance/FinCode:3").unwrap();
        assert_eq!(first.capability, Some(Capability::DomainKnowledge));
    }

    #[test]
    fn a_fault_is_named_with_its_file() {
        for text in ["not a label", "{\"id\": 1, \"difficulty\": 11}"] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, RunError::Usage(_)), "{error:?}");
            assert!(error.to_string().contains("labels.jsonl"), "{error}");
        }
        let error = read_labels(Path::new("nowhere.jsonl")).unwrap_err();
        assert!(matches!(error, RunError::File { .. }), "{error:?}");
    }
}
