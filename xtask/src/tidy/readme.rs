//! The README's two commands.

use super::Finding;
use crate::fresh::COMMANDS;
use crate::markdown::marked_command;
use crate::project::Project;

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let Some(readme) = project.text("README.md") else {
        return vec![Finding::new("README.md", "is missing")];
    };
    let mut findings = Vec::new();
    for name in COMMANDS {
        match marked_command(readme, name) {
            Err(error) => findings.push(Finding::new("README.md", error.to_string())),
            Ok(command) if !command.starts_with("cargo ") => {
                let message = format!("`{command}` needs more than cargo: start it with `cargo`");
                findings.push(Finding::new("README.md", message));
            }
            Ok(_) => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_without_its_commands_is_found() {
        let run = "<!-- command: run -->\n```sh\ncargo run --example beer_game\n```\n";
        let test = "<!-- command: test -->\n```sh\ncargo test\n```\n";
        let findings = |text: &str| check(&Project::default().with("README.md", text)).len();
        assert_eq!(findings(&format!("{run}{test}")), 0);
        assert_eq!(findings(run), 1);
        assert_eq!(findings(""), 2);
        assert_eq!(
            findings(&format!("{run}{}", test.replace("cargo test", "make test"))),
            1
        );
        assert_eq!(check(&Project::default()).len(), 1);
    }
}
