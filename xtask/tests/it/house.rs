//! One test for all rules, because reading the repository takes longer than checking it.

use xtask::{command, project::Project, tidy};

#[test]
fn the_house_is_tidy() {
    let project = Project::read(&command::workspace_root().unwrap()).unwrap();
    let mut broken = String::new();
    for check in tidy::CHECKS {
        for finding in (check.run)(&project) {
            broken.push_str(&format!("{}: {finding}\n", check.name));
        }
    }
    assert!(broken.is_empty(), "see `cargo xtask tidy`:\n{broken}");
}

#[test]
fn the_repository_is_read_whole() {
    let project = Project::read(&command::workspace_root().unwrap()).unwrap();
    for path in [
        "Cargo.toml",
        "xtask/src/main.rs",
        "crates/sim-core/src/lib.rs",
        "LICENSE",
    ] {
        assert!(
            project.text(path).is_some_and(|text| !text.is_empty()),
            "{path}"
        );
    }
    let core = &project.packages["sim-core"];
    assert!(core.dependencies.contains("serde") && core.dev_dependencies.contains("proptest"));
    assert!(!core.reaches.contains("proptest") && !core.reaches.contains("sim-core"));
    assert!(
        core.reaches.contains("serde_core"),
        "indirect dependencies are followed"
    );
    assert!(project.packages["beer-game"].reaches.contains("sim-core"));
    assert!(project.packages["xtask"].folder == "xtask");
}
