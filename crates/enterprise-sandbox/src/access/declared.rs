//! The rules of tables that the published data do not have, in the language of the policies.

use crate::source::{TableId, VerbRule, Who};

/// The name of a rule: `contract-read`.
pub(super) fn id(source: TableId, rule: &VerbRule) -> String {
    format!("{}-{}", source.noun().replace(' ', "-"), rule.verb)
}

/// The policy of a rule.
pub(super) fn policy(source: TableId, rule: &VerbRule) -> String {
    let table = source.table();
    let role = table.people.first().map_or("", |(role, _)| role);
    let allowed = rule.allowed.iter().map(|who| match who {
        Who::First => format!("resource.{role} == principal"),
        Who::Of(departments, level) => {
            let names: Vec<String> = departments
                .iter()
                .map(|d| format!("{:?}", d.name()))
                .collect();
            format!(
                "([{}].contains(principal.dept) && principal.level >= {level})",
                names.join(", ")
            )
        }
    });
    let allowed: Vec<String> = allowed.collect();
    format!(
        "\n@id(\"{}\")\n@reason(\"{}\")\npermit (principal, action == Office::Action::\"{}{}\", resource)\nwhen {{ {} }};\n",
        id(source, rule),
        rule.reason,
        rule.verb,
        table.action,
        allowed.join(" || "),
    )
}

/// Entity and actions of a table in the language of the schema.
pub(super) fn types(source: TableId) -> String {
    let table = source.table();
    let (entity, action) = (table.entity, table.action);
    let people: Vec<String> = table
        .people
        .iter()
        .map(|(role, _)| format!("{role}: Employee"))
        .collect();
    let on = |group: &str, context: &str| {
        format!("in [{group}] appliesTo {{ principal: Employee, resource: {entity}{context} }};\n")
    };
    format!(
        "  entity {entity} = {{ {} }};\n  action read{action} {}  action create{action}, delete{action} {}  action update{action} {}",
        people.join(", "),
        on("anyRead", ""),
        on("anyWrite", ""),
        on("anyWrite", ", context: Fields"),
    )
}
