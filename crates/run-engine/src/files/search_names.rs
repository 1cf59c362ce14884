//! Names of the files of a search for an instruction.

/// Name of the file that makes a folder that of a search.
pub const SEARCH: &str = "search.json";

/// Name of the file that says what was found.
pub const EVOLVED: &str = "evolved.json";

/// Name of the file with the instruction that was found.
pub const INSTRUCTION: &str = "instruction.txt";
