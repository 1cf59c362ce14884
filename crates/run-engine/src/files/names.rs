//! Names of files that several modules use.

/// Name of the file that makes a folder a run.
pub const MANIFEST: &str = "manifest.json";

/// Name of the plan file in the folder of a sweep; a folder with this file is one.
pub const SWEEP: &str = "sweep.toml";
