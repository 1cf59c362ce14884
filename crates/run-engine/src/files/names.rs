//! Names of files that several modules use.

/// Name of the file that makes a folder a run.
pub const MANIFEST: &str = "manifest.json";

/// Name of the plan file in the folder of a sweep; a folder with this file is one.
pub const SWEEP: &str = "sweep.toml";

/// Name of the file that makes a folder that of a search.
pub const SEARCH: &str = "search.json";

/// Name of the file that says what was found.
pub const EVOLVED: &str = "evolved.json";

/// Name of the file with the instruction that was found.
pub const INSTRUCTION: &str = "instruction.txt";
