//! The features that this program was built with.

use std::sync::LazyLock;

/// Name of each feature, and whether this program has it.
pub const FEATURES: [(&str, bool); 4] = [
    ("tls", cfg!(feature = "tls")),
    ("mcp", cfg!(feature = "mcp")),
    ("view", cfg!(feature = "view")),
    ("cedar", cfg!(feature = "cedar")),
];

/// The text of `boardroom --version` after the name: the version and the features, in one line.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let named = |wanted: bool| {
        let names = FEATURES.iter().filter(|(_, on)| *on == wanted);
        names.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let number = env!("CARGO_PKG_VERSION");
    match (named(true), named(false)) {
        (with, off) if off.is_empty() => format!("{number} (with {with})"),
        (with, off) if with.is_empty() => format!("{number} (without {off})"),
        (with, off) => format!("{number} (with {with}; without {off})"),
    }
});
