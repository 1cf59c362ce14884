//! The text of `describe method`.

use agent_client::AgentError;
use agent_client::method::{METHODS, MethodSpec};
use run_engine::error::RunError;
use std::fmt::Write as _;

/// One method with its settings, or all of them.
///
/// # Errors
/// When there is no method of this name.
pub fn describe_method(name: Option<&str>) -> Result<String, RunError> {
    let names = match name {
        Some(name) => vec![name],
        None => METHODS.map(|method| method.name).to_vec(),
    };
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    for name in names {
        let spec: MethodSpec = name
            .parse()
            .map_err(|e: AgentError| RunError::usage(e.message))?;
        let _ = match METHODS.iter().find(|method| method.name == name) {
            Some(method) => writeln!(
                out,
                "{name}  {}\n  deliberator {}, memory {}, requests for a question: {}",
                method.about, method.deliberator, method.memory, method.cost
            ),
            None => writeln!(out, "{name}  a deliberator and a memory by name"),
        };
        for setting in spec.setting_list() {
            let _ = writeln!(
                out,
                "  {} = {}: {} ({})",
                setting.key, setting.default, setting.about, setting.kind
            );
        }
        out.push('\n');
    }
    out.push_str("`--method-set KEY=VALUE` changes a setting; a plan file has `method_set = { KEY = VALUE }`\n");
    Ok(out)
}
