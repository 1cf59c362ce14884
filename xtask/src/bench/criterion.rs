//! Reads the files that criterion writes.

use super::store::Entry;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::time::SystemTime;

/// Part of `benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<serde_json::Value>,
}

/// Part of `estimates.json`.
#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
    median_abs_dev: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// Every figure under `folder` that was written after `began`, by name.
pub(super) fn collect(folder: &Path, began: SystemTime) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(listing) = std::fs::read_dir(&folder) else {
            continue;
        };
        for item in listing {
            let path = item?.path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .file_name()
                .is_some_and(|name| name == "benchmark.json")
                // Beside it lies `base`, the run that criterion compares with.
                && path.parent().is_some_and(|parent| parent.ends_with("new"))
                && std::fs::metadata(&path)?.modified()? >= began
            {
                entries.push(read(&path)?);
            }
        }
    }
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(entries)
}

fn read(path: &Path) -> Result<Entry> {
    let parsed = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let benchmark: Benchmark = serde_json::from_str(&parsed(path)?)
        .with_context(|| format!("{} has an unknown form", path.display()))?;
    let path = path.with_file_name("estimates.json");
    let estimates: Estimates = serde_json::from_str(&parsed(&path)?)
        .with_context(|| format!("{} has an unknown form", path.display()))?;
    let elements = benchmark
        .throughput
        .as_ref()
        .and_then(|throughput| throughput.get("Elements"))
        .and_then(serde_json::Value::as_f64)
        .unwrap_or(1.0);
    let median = estimates.median.point_estimate;
    Ok(Entry {
        id: benchmark.full_id,
        value: median / elements,
        unit: "ns".to_owned(),
        spread: Some(estimates.median_abs_dev.point_estimate / median),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn figures_are_per_element_and_old_ones_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("a_b/c/new");
        std::fs::create_dir_all(&new).unwrap();
        let benchmark = r#"{"group_id":"a/b","full_id":"a/b/c","throughput":{"Elements":4}}"#;
        std::fs::write(new.join("benchmark.json"), benchmark).unwrap();
        let estimates =
            r#"{"median":{"point_estimate":10.0},"median_abs_dev":{"point_estimate":1.0}}"#;
        std::fs::write(new.join("estimates.json"), estimates).unwrap();
        let written = std::fs::metadata(new.join("benchmark.json")).unwrap();
        let (written, hour) = (written.modified().unwrap(), Duration::from_secs(3600));
        let found = collect(folder.path(), written - hour).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].id.as_str(), found[0].value), ("a/b/c", 2.5));
        assert_eq!(found[0].spread, Some(0.1));
        let later = collect(folder.path(), written + hour).unwrap();
        assert!(later.is_empty());
        let nowhere = collect(&folder.path().join("none"), written).unwrap();
        assert!(nowhere.is_empty());
    }
}
