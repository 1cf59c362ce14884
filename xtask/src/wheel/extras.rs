//! The extras of the Python package, each with its framework in an environment of its own.

use super::{PACKAGE, install};
use crate::command::{program, run};
use crate::python::Environment;
use anyhow::Result;
use std::path::Path;

/// The extras that have tests of their own; `gym` and `zoo` are tested with the package.
pub const EXTRAS: [&str; 5] = ["inspect", "openenv", "ray", "sb3", "verifiers"];

/// Installs the framework of an extra, then the wheel, and runs the tests of the extra; for `sb3` also the
/// training of PPO, where `ppo` says so.
pub(super) fn check(root: &Path, name: &str, wheel: &Path, ppo: bool) -> Result<()> {
    let tests = root.join(PACKAGE).join("tests/extras");
    let folder = root.join("target/python").join(name);
    let environment = Environment::make(folder, &tests.join(format!("{name}.txt")))?;
    install(root, &environment, wheel)?;
    println!("tests of the extra `{name}`");
    let mut pytest = program(&tests, environment.python());
    // Warnings of the frameworks are not ours; a hanging server must not hang the chore.
    pytest.args(["-m", "pytest", "-q", "-rs", "-W", "default"]);
    pytest.arg(format!("test_{name}.py"));
    if name == "sb3" && ppo {
        pytest.arg("test_ppo.py");
    }
    // inspect, verifiers and ray start programs that they find on the path.
    let mut folders = vec![environment.programs()];
    folders.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    pytest.env("PATH", std::env::join_paths(folders)?);
    run(&mut pytest)
}
