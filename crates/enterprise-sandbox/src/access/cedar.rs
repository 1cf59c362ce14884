//! Decisions by Cedar on a slice of entities that is built for the request.
//!
//! Three decisions keep this engine fast and independent of the size of the company:
//!
//! 1. Policies are parsed and checked against the schema once. A decision evaluates only those
//!    whose scope includes its action: the cost of Cedar grows with the number of policies.
//! 2. The entities of a request are built anew, 3 to 15 of them, instead of being kept for the
//!    whole company: loading an entity for each of 100,000 people takes seconds, and cloning such a
//!    store for one more entity takes milliseconds.
//! 3. Requests are not validated against the schema, because they are built here from typed values;
//!    tests compare the decisions with those of the native predicates.
//!
//! ```text
//!  principal ── Employee ── parent ──► Department
//!                  │ seat
//!                  ▼
//!                Seat ── parent ──► Seat of the manager ──► ... (the chain)
//!  row ──── Ticket, Issue, ... with owner / sender / handler ──► Employee, as above
//! ```

use crate::access::{AccessAction, AccessDecision, AccessEngine, AccessRequest, Act, RuleText};
use crate::data::row::EmployeeNo;
use crate::data::tables::TableId;
use crate::data::view::CompanyView;
use cedar_policy::{
    ActionConstraint, Authorizer, Context, Effect, Entities, Entity, EntityId, EntityTypeName,
    EntityUid, Policy, PolicyId, PolicySet, Request as CedarRequest, RestrictedExpression, Schema,
    ValidationMode, Validator,
};
use sim_core::ConfigError;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// Policies parsed once and shared.
#[derive(Debug)]
pub struct CedarEngine {
    rules: BTreeMap<String, RuleText>,
    authorizer: Authorizer,
    actions: BTreeMap<AccessAction, Scope>,
    types: BTreeMap<&'static str, EntityTypeName>,
}

/// The entity of an action and the policies that apply to it.
#[derive(Debug)]
struct Scope {
    uid: EntityUid,
    /// The action with its group, as an entity.
    entity: Entity,
    /// The policies whose scope includes it. The others cannot affect the decision, and the
    /// cost of a decision grows with the number of policies.
    policies: PolicySet,
}

/// Maximum length of the parser's message that is shown \[characters\]: the message may quote the
/// text.
const MOST_SHOWN: usize = 600;

pub(super) fn wrong(what: &str, message: impl std::fmt::Display) -> ConfigError {
    let line = message.to_string().replace('\n', "; ");
    let line: String = line.chars().take(MOST_SHOWN).collect();
    ConfigError::new("policies", format!("{what}: {line}"))
}

/// Identifier of the unknown person; no identifier of a record contains a control character.
const NOBODY: &str = "\u{0}";

fn name(view: &CompanyView<'_>, person: EmployeeNo) -> String {
    match person {
        EmployeeNo::NOBODY => NOBODY.to_owned(),
        person => view.id(TableId::Employees, person.0),
    }
}

/// The attributes of a person that policies can use.
fn card(
    seat: EntityUid,
    level: u8,
    department: &str,
    active: bool,
) -> [(String, RestrictedExpression); 4] {
    [
        ("seat", RestrictedExpression::new_entity_uid(seat)),
        ("level", RestrictedExpression::new_long(i64::from(level))),
        (
            "dept",
            RestrictedExpression::new_string(department.to_owned()),
        ),
        ("active", RestrictedExpression::new_bool(active)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}

/// The entity types that are not records.
const TYPES: [&str; 3] = ["Department", "Seat", "Employee"];

fn type_of(action: AccessAction) -> &'static str {
    match action.source {
        // A file or an issue is created in a repository, so the rule applies to the repository.
        TableId::Files | TableId::Issues if action.act == Act::Create => "Repository",
        source => source.table().entity,
    }
}

/// Whether the scope of a policy includes an action of this group.
fn speaks(constraint: &ActionConstraint, action: &EntityUid, group: &str) -> bool {
    match constraint {
        ActionConstraint::Any => true,
        ActionConstraint::Eq(one) => one == action,
        ActionConstraint::In(list) => list
            .iter()
            .any(|a| a == action || a.id().unescaped() == group),
    }
}

impl CedarEngine {
    /// Parses policies and schema and checks every policy against the schema.
    ///
    /// # Errors
    /// When a text is too long, nested too deeply or cannot be parsed, a policy has no unique
    /// `@id`, or a policy uses a name that the schema does not define.
    pub fn new(policies: &str, schema: &str) -> Result<Self, ConfigError> {
        check(policies)?;
        check(schema)?;
        let (schema, _) =
            Schema::from_cedarschema_str(schema).map_err(|e| wrong("schema not readable", e))?;
        let parsed = PolicySet::from_str(policies).map_err(|e| wrong("not readable", e))?;
        let mut named: Vec<Policy> = Vec::new();
        let mut rules = BTreeMap::new();
        // The parser numbers policies in the order of the text; here they are identified by `@id`.
        for policy in parsed.policies() {
            let id = policy
                .annotation("id")
                .ok_or_else(|| wrong("a policy has no @id", policy.to_string()))?
                .to_owned();
            let text = RuleText {
                id: id.clone(),
                reason: policy.annotation("reason").unwrap_or_default().to_owned(),
                forbids: policy.effect() == Effect::Forbid,
            };
            if rules.insert(id.clone(), text).is_some() {
                return Err(wrong("two policies share an @id", id));
            }
            named.push(policy.new_id(PolicyId::new(&id)));
        }
        let policies =
            PolicySet::from_policies(named).map_err(|e| wrong("not a set of policies", e))?;
        let result = Validator::new(schema).validate(&policies, ValidationMode::Strict);
        if let Some(error) = result.validation_errors().next() {
            return Err(wrong("does not fit the schema", error));
        }
        let mut types = BTreeMap::new();
        for name in TYPES
            .into_iter()
            .chain(TableId::ALL.map(|s| s.table().entity))
        {
            let full = EntityTypeName::from_str(&format!("Office::{name}"))
                .map_err(|e| wrong("type name", e))?;
            types.insert(name, full);
        }
        let action_type =
            EntityTypeName::from_str("Office::Action").map_err(|e| wrong("type", e))?;
        let named_action =
            |name: &str| EntityUid::from_type_name_and_id(action_type.clone(), EntityId::new(name));
        let mut actions = BTreeMap::new();
        for action in AccessAction::all() {
            let uid = named_action(&action.name().unwrap_or_default());
            let group = action.group();
            let speaking = policies
                .policies()
                .filter(|p| speaks(&p.action_constraint(), &uid, group))
                .cloned();
            let policies = PolicySet::from_policies(speaking)
                .map_err(|e| wrong("not a set of policies", e))?;
            let groups = std::iter::once(named_action(group)).collect();
            let entity = Entity::new_no_attrs(uid.clone(), groups);
            let scope = Scope {
                uid,
                entity,
                policies,
            };
            actions.insert(action, scope);
        }
        Ok(Self {
            rules,
            authorizer: Authorizer::new(),
            actions,
            types,
        })
    }

    fn uid(&self, kind: &str, id: &str) -> Option<EntityUid> {
        let name = self.types.get(kind)?.clone();
        Some(EntityUid::from_type_name_and_id(name, EntityId::new(id)))
    }

    /// Builds the slice of entities that a decision needs: the principal and the people of the row with
    /// their managers, and the row itself. Policies cannot reach any other entity, so the slice gives the
    /// same decision as all entities of the company, and its size does not grow with the company.
    fn slice(
        &self,
        view: &CompanyView<'_>,
        request: &AccessRequest<'_>,
    ) -> Option<(Vec<Entity>, EntityUid)> {
        let mut entities = Vec::with_capacity(16);
        let mut seen = BTreeSet::new();
        let resource = &request.resource;
        let people = [Some(request.principal), resource.first, resource.second];
        for person in people.into_iter().flatten() {
            self.person(view, person, &mut entities, &mut seen)?;
        }
        let action = AccessAction::new(request.act, resource.source);
        let kind = type_of(action);
        let id = match resource.row {
            Some(row) => view.id(resource.source, row),
            // A planned record has no identifier yet.
            None => "new".to_owned(),
        };
        let uid = self.uid(kind, &id)?;
        let mut attributes: Vec<(String, RestrictedExpression)> = Vec::new();
        // The names of the attributes are those of the schema.
        let people = resource.source.table().people.iter();
        for ((role, _), person) in people.zip([resource.first, resource.second]) {
            if let Some(person) = person {
                let uid = self.uid("Employee", &name(view, person))?;
                attributes.push((
                    (*role).to_owned(),
                    RestrictedExpression::new_entity_uid(uid),
                ));
            }
        }
        if kind == "PolicyDoc" {
            let (label, dept, level) = resource.label.attributes();
            for (name, text) in [("label", label), ("dept", dept)] {
                let value = RestrictedExpression::new_string(text.to_owned());
                attributes.push((name.to_owned(), value));
            }
            let level = RestrictedExpression::new_long(level.into());
            attributes.push(("level".to_owned(), level));
        }
        let parents = std::iter::empty().collect();
        entities.push(Entity::new(uid.clone(), attributes.into_iter().collect(), parents).ok()?);
        Some((entities, uid))
    }

    /// Adds a person, and a `Seat` for the person and for each manager above. Seats form the chain, so
    /// that a policy can ask `principal.seat in` without giving people the departments of their
    /// managers.
    fn person(
        &self,
        view: &CompanyView<'_>,
        person: EmployeeNo,
        entities: &mut Vec<Entity>,
        seen: &mut BTreeSet<EmployeeNo>,
    ) -> Option<()> {
        // The owner of records that do not exist is in no department and below every level.
        let about = match person {
            EmployeeNo::NOBODY => None,
            person => Some(view.person(person)?),
        };
        let id = name(view, person);
        let uid = self.uid("Employee", &id)?;
        if entities.iter().all(|e| e.uid() != uid) {
            let seat = self.uid("Seat", &id)?;
            let department = about.map_or("", |about| about.department.name());
            let (level, active) = about.map_or((0, false), |about| (about.level, about.active));
            let attributes = card(seat, level, department, active);
            let parents = about.and_then(|_| self.uid("Department", department));
            let parents = parents.into_iter().collect();
            entities.push(Entity::new(uid, attributes.into_iter().collect(), parents).ok()?);
        }
        // `seen` ends the walk where chains meet, and also in a cycle of managers in imported data.
        let mut at = Some(person);
        while let Some(here) = at.filter(|p| seen.insert(*p)) {
            let seat = self.uid("Seat", &name(view, here))?;
            let manager = view.manager(here);
            let above = manager.and_then(|m| self.uid("Seat", &name(view, m)));
            entities.push(Entity::new_no_attrs(seat, above.into_iter().collect()));
            at = manager;
        }
        Some(())
    }

    /// The context of a request, with exactly the attributes that the schema gives its action.
    fn context(request: &AccessRequest<'_>) -> Option<Context> {
        let c = request.context;
        let fields = || {
            let names = c
                .fields
                .iter()
                .cloned()
                .map(RestrictedExpression::new_string);
            ("fields".to_owned(), RestrictedExpression::new_set(names))
        };
        let flag = |name: &str, on| (name.to_owned(), RestrictedExpression::new_bool(on));
        let pairs = match (request.act, request.resource.source) {
            (Act::Create, TableId::Emails) => {
                vec![flag("reply", c.reply), flag("inThread", c.in_thread)]
            }
            (Act::Create, TableId::Employees) => vec![flag("toSelf", c.to_self)],
            (Act::Update, TableId::Employees) => vec![fields(), flag("toSelf", c.to_self)],
            (Act::Update, _) => vec![fields()],
            _ => return Some(Context::empty()),
        };
        Context::from_pairs(pairs).ok()
    }

    /// Decides a request by the policies whose scope includes the action; `None` if it cannot be expressed.
    fn ask(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> Option<AccessDecision> {
        let action = AccessAction::new(request.act, request.resource.source);
        let scope = self.actions.get(&action)?;
        let (mut entities, resource) = self.slice(view, request)?;
        entities.push(scope.entity.clone());
        let entities = Entities::from_entities(entities, None).ok()?;
        let principal = self.uid(
            "Employee",
            &view.id(TableId::Employees, request.principal.0),
        )?;
        let asked = CedarRequest::new(
            principal,
            scope.uid.clone(),
            resource,
            Self::context(request)?,
            None,
        )
        .ok()?;
        let response = self
            .authorizer
            .is_authorized(&asked, &scope.policies, &entities);
        let allow = response.decision() == cedar_policy::Decision::Allow;
        let mut rules: Vec<Cow<'static, str>> = response
            .diagnostics()
            .reason()
            .map(|id| Cow::Owned(id.to_string()))
            .collect();
        rules.sort_unstable();
        Some(AccessDecision { allow, rules })
    }
}

impl AccessEngine for CedarEngine {
    fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision {
        // A request that cannot be expressed (an unknown action or principal) is refused.
        self.ask(view, request).unwrap_or(AccessDecision {
            allow: false,
            rules: Vec::new(),
        })
    }

    fn rules(&self) -> Vec<RuleText> {
        self.rules.values().cloned().collect()
    }

    fn rules_for(&self, action: AccessAction) -> Vec<RuleText> {
        let Some(scope) = self.actions.get(&action) else {
            return Vec::new();
        };
        let speaks = |rule: &&RuleText| scope.policies.policy(&PolicyId::new(&rule.id)).is_some();
        self.rules.values().filter(speaks).cloned().collect()
    }
}

// ---------------------------------------------------------------- limits
//
// Limits on policy text, checked before parsing: the parser and the later checks recurse into nested
// expressions, so a deeply nested text would overflow the stack and end the program.

/// Longest policy text (bytes).
const MOST_BYTES: usize = 256 * 1024;
/// Deepest nesting of brackets.
const MOST_NESTED: usize = 32;
/// Maximum number of operators in one policy. A chain of operators (`a && b && ..`, `!!a`, `a.b.c`,
/// `if .. else if ..`) gives an expression whose depth equals its length.
const MOST_OPERATORS: usize = 200;

/// Maximum number of escapes in strings. The parser reports every invalid one with a copy of the
/// text.
const MOST_ESCAPES: usize = 200;

/// Words that combine expressions.
const WORDS: [&str; 5] = ["if", "has", "like", "in", "is"];

/// Checks length, nesting and operators of a text of policies or of a schema.
pub(super) fn check(text: &str) -> Result<(), ConfigError> {
    if text.len() > MOST_BYTES {
        let message = format!("{} bytes; at most {MOST_BYTES} are allowed", text.len());
        return Err(wrong("too long", message));
    }
    let (mut depth, mut operators, mut line) = (0usize, 0usize, 1usize);
    let mut escapes = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            // Brackets and operators in comments and strings do not nest anything.
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => {
                            escapes += 1;
                            chars.next();
                        }
                        '\n' => line += 1,
                        _ => {}
                    }
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            // No expression continues after the end of a policy, even if brackets are still open.
            ';' => operators = 0,
            '!' | '&' | '|' | '=' | '<' | '>' | '+' | '-' | '*' | '.' => {
                operators += 1;
                // `&&`, `||`, `==`, `!=`, `<=` and `>=` are one operator.
                chars.next_if(|next| *next == '=' || (*next == c && matches!(c, '&' | '|')));
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                operators += usize::from(WORDS.contains(&word.as_str()));
            }
            _ => {}
        }
        if depth > MOST_NESTED {
            let message = format!("line {line}: brackets more than {MOST_NESTED} deep");
            return Err(wrong("nested too deeply", message));
        }
        if escapes > MOST_ESCAPES {
            let message = format!("line {line}: more than {MOST_ESCAPES} escapes in strings");
            return Err(wrong("too many escapes", message));
        }
        if operators > MOST_OPERATORS {
            let message = format!("line {line}: more than {MOST_OPERATORS} operators in a policy");
            return Err(wrong("nested too deeply", message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{CedarEngine, POLICIES, SCHEMA};
    use super::*;

    fn policy(condition: &str) -> String {
        format!(
            "@id(\"own\") permit (principal, action == Office::Action::\"readPost\", resource)\n\
             when {{ {condition} }};"
        )
    }

    /// The parser accepts or refuses each of these texts without ending the program.
    #[test]
    fn the_deepest_texts_that_pass_are_harmless() {
        let level = |n: usize| format!("{}true{}", "(".repeat(n), ")".repeat(n));
        let texts = [
            level(MOST_NESTED - 1),
            format!("true{}", " && true".repeat(MOST_OPERATORS - 2)),
            format!("true{}", " || true".repeat(MOST_OPERATORS - 2)),
            format!("{}true", "!".repeat(MOST_OPERATORS - 2)),
            format!("1{} == 1", " + 1".repeat(MOST_OPERATORS - 3)),
            format!("1{} == 1", " - -1".repeat(MOST_OPERATORS / 2 - 3)),
            format!("principal{}", ".seat".repeat(MOST_OPERATORS - 2)),
            format!(
                "{}true",
                "if true then true else ".repeat(MOST_OPERATORS - 2)
            ),
            format!(
                "{}true{}",
                "(true && !(".repeat(MOST_NESTED / 2 - 1),
                "))".repeat(MOST_NESTED / 2 - 1)
            ),
            format!(
                "{}true{}",
                "[".repeat(MOST_NESTED - 1),
                "]".repeat(MOST_NESTED - 1)
            ),
            format!(
                "{}true{}",
                "{a:".repeat(MOST_NESTED - 1),
                "}".repeat(MOST_NESTED - 1)
            ),
        ];
        let mut read = 0;
        for text in texts {
            let text = policy(&text);
            check(&text).unwrap();
            read += u32::from(CedarEngine::new(&text, &SCHEMA).is_ok());
        }
        assert!(read >= 4, "{read}");
    }

    #[test]
    fn long_and_nested_texts_are_refused_before_they_are_parsed() {
        check(&POLICIES).unwrap();
        check(&SCHEMA).unwrap();
        let open = "(".repeat(100_000);
        let texts = [
            policy(&format!("{open}true{}", ")".repeat(100_000))),
            open.clone(),
            policy(&"[".repeat(100_000)),
            policy(&"{a: ".repeat(50_000)),
            policy(&format!("true{}", " && true".repeat(20_000))),
            policy(&format!("{}true", "!".repeat(100_000))),
            policy(&format!("principal{}", ".seat".repeat(20_000))),
            policy(&format!("{}true", "if true then true else ".repeat(5_000))),
            "x".repeat(10_000_000),
            format!("// {}", "(".repeat(10_000_000)),
        ];
        for text in texts {
            for (policies, schema) in [
                (text.as_str(), SCHEMA.as_str()),
                (POLICIES.as_str(), text.as_str()),
            ] {
                let error = CedarEngine::new(policies, schema).unwrap_err();
                assert_eq!(error.place, "policies");
                assert!(error.message.len() < 200, "{error}");
            }
        }
        // Brackets in strings and comments do not count.
        let quoted = policy(&format!(
            "\"{}\" == \"a\" // {}\n",
            "(".repeat(90),
            "!".repeat(900)
        ));
        check(&quoted).unwrap();
    }
}
