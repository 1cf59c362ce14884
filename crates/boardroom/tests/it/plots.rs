//! The plots of every environment that the program offers.

use boardroom::Registry;
use sim_core::testkit::check_plots;

/// An environment that is added to the registry has plots as well: at least two for an episode of each preset.
#[test]
fn every_environment_of_the_registry_has_at_least_two_plots() {
    let registry = Registry::new();
    let mut checked = Vec::new();
    // What is said has no plots for an episode; a run of questions or interviews has.
    let kinds = registry.kinds();
    for kind in kinds.filter(|kind| kind.default_cast().is_empty()) {
        let policies = kind.policy_list();
        let policy = policies.iter().find(|policy| !policy.random).unwrap();
        let name = match policy.example {
            Some(example) => format!("{}:{example}", policy.name),
            None => policy.name.to_owned(),
        };
        let plots = check_plots(kind, &name).unwrap_or_else(|e| panic!("{e}"));
        assert!(plots.len() >= 2, "{}", kind.name());
        checked.push(kind.name());
    }
    assert!(checked.len() >= 10, "{checked:?}");
}
