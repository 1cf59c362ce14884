//! The rules of the policies as native predicates.
//!
//! A list of a thousand records needs a thousand decisions, and a task tens of thousands. A policy
//! engine builds entities and sets for each; a predicate reads a few numbers. So the text of the
//! policies is compiled at first use: each policy gives one [`Rule`], and its condition a tree of
//! [`Test`]s. The compiler knows the part of Cedar that the built-in policies use, and refuses
//! everything else, so that a policy is either understood or an error, never misread. A test
//! compares its decisions with Cedar's on random requests of every action.

use super::{
    AccessAction, AccessDecision, AccessEngine, AccessRequest, Act, COMPAT_PSEUDOCODE,
    LEVEL14_READS_ALL, POLICIES, Resource, RuleText,
};
use crate::data::org::Department;
use crate::data::row::EmployeeNo;
use crate::data::tables::TableId;
use crate::data::view::{CompanyView, Person};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One policy.
#[derive(Debug)]
struct Rule {
    text: RuleText,
    /// Actions to which it applies; `None` for all.
    on: Option<Vec<AccessAction>>,
    when: Test,
}

impl Rule {
    /// Whether the rule applies to an action.
    fn speaks(&self, action: AccessAction) -> bool {
        self.on.as_ref().is_none_or(|on| on.contains(&action))
    }
}

/// A condition: what the schema of the policies lets a policy ask, as far as one does.
#[derive(Debug)]
enum Test {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Active,
    /// The principal belongs to one of these departments, a bit for each.
    Department(u32),
    Level(u8),
    /// The principal is this person of the record.
    Is(usize),
    /// The principal is this person of the record, or a manager above, as `in` of Cedar includes both.
    Leads(usize),
    Label(String),
    LabelDepartment,
    LabelLevel,
    Reply,
    InThread,
    ToSelf,
    /// An update changes one of these fields.
    Touches(Vec<String>),
    /// An update changes no other fields than these.
    TouchesOnly(Vec<String>),
}

/// A person of a record, by the place in [`people`](crate::data::tables::Table::people).
fn person(resource: &Resource, place: usize) -> Option<EmployeeNo> {
    match place {
        0 => resource.first,
        _ => resource.second,
    }
}

impl Test {
    fn holds(&self, view: &CompanyView<'_>, me: &Person, request: &AccessRequest<'_>) -> bool {
        let (resource, context) = (&request.resource, request.context);
        match self {
            Self::All(tests) => tests.iter().all(|t| t.holds(view, me, request)),
            Self::Any(tests) => tests.iter().any(|t| t.holds(view, me, request)),
            Self::Not(test) => !test.holds(view, me, request),
            Self::Active => me.active,
            Self::Department(set) => set >> me.department as u32 & 1 == 1,
            Self::Level(least) => me.level >= *least,
            Self::Is(place) => person(resource, *place) == Some(request.principal),
            Self::Leads(place) => person(resource, *place).is_some_and(|person| {
                person == request.principal || view.is_above(request.principal, person)
            }),
            Self::Label(word) => resource.label.attributes().0 == word,
            Self::LabelDepartment => resource.label.attributes().1 == me.department.name(),
            Self::LabelLevel => me.level >= resource.label.attributes().2,
            Self::Reply => context.reply,
            Self::InThread => context.in_thread,
            Self::ToSelf => context.to_self,
            Self::Touches(names) => context.fields.iter().any(|f| names.contains(f)),
            Self::TouchesOnly(names) => context.fields.iter().all(|f| names.contains(f)),
        }
    }
}

/// Compiles a text of policies. An error shows the place that is not understood.
fn compile(text: &str) -> Result<Vec<Rule>, String> {
    let mut reader = Reader(text);
    let mut rules = Vec::new();
    while !reader.token().is_empty() {
        rules.push(reader.policy()?);
    }
    Ok(rules)
}

/// The rest of a text of policies.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    /// The next token: a text in quotation marks, a path such as `resource.owner` or `Office::Action::`,
    /// an operator, or a bracket; empty at the end.
    fn token(&mut self) -> &'a str {
        loop {
            self.0 = self.0.trim_start();
            match self.0.strip_prefix("//") {
                Some(comment) => self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => break,
            }
        }
        let of_path = |c: char| c.is_alphanumeric() || "_.:".contains(c);
        let rest = self.0;
        let length = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.find('"').map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(of_path) {
            rest.find(|c| !of_path(c)).unwrap_or(rest.len())
        } else if ["==", "!=", ">=", "&&", "||"]
            .iter()
            .any(|o| rest.starts_with(o))
        {
            2
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        rest.get(..length).unwrap_or_default()
    }

    fn next(&mut self) -> &'a str {
        let token = self.token();
        self.0 = self.0.strip_prefix(token).unwrap_or_default();
        token
    }

    fn eat(&mut self, token: &str) -> bool {
        let eaten = self.token() == token;
        if eaten {
            self.next();
        }
        eaten
    }

    /// The error that shows the next tokens.
    fn wrong<T>(&self) -> Result<T, String> {
        let shown: String = self.0.trim_start().chars().take(60).collect();
        Err(format!(
            "the native rules do not understand the policies before `{shown}`"
        ))
    }

    fn must(&mut self, tokens: &[&str]) -> Result<(), String> {
        match tokens.iter().all(|token| self.eat(token)) {
            true => Ok(()),
            false => self.wrong(),
        }
    }

    /// A text in quotation marks, without escapes.
    fn text(&mut self) -> Result<&'a str, String> {
        let token = self.next().strip_prefix('"');
        match token.and_then(|t| t.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Ok(text),
            _ => self.wrong(),
        }
    }

    /// The rest of a list in brackets.
    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        self.must(&["]"])?;
        Ok(items)
    }

    fn policy(&mut self) -> Result<Rule, String> {
        self.must(&["@", "id", "("])?;
        let id = self.text()?.to_owned();
        self.must(&[")", "@", "reason", "("])?;
        let reason = self.text()?.to_owned();
        self.must(&[")"])?;
        let forbids = self.eat("forbid");
        if !forbids {
            self.must(&["permit"])?;
        }
        self.must(&["(", "principal", ",", "action"])?;
        let on = match self.next() {
            "," => None,
            "==" => Some(self.action()?),
            "in" if self.eat("[") => Some(self.list(Self::action)?.concat()),
            "in" => Some(self.action()?),
            _ => return self.wrong(),
        };
        if on.is_some() {
            self.must(&[","])?;
        }
        self.must(&["resource", ")"])?;
        let scope = on.as_deref().unwrap_or_default();
        let when = match self.next() {
            ";" => Test::All(Vec::new()),
            clause @ ("when" | "unless") => {
                self.must(&["{"])?;
                let test = self.any(scope)?;
                self.must(&["}", ";"])?;
                match clause {
                    "when" => test,
                    _ => Test::Not(Box::new(test)),
                }
            }
            _ => return self.wrong(),
        };
        let text = RuleText {
            id,
            reason,
            forbids,
        };
        Ok(Rule { text, on, when })
    }

    /// The actions that a name stands for: several tables may share an action, and groups have many.
    fn action(&mut self) -> Result<Vec<AccessAction>, String> {
        self.must(&["Office::Action::"])?;
        let name = self.text()?;
        let named = |a: &AccessAction| a.name().as_deref() == Some(name) || a.group() == name;
        let actions: Vec<_> = AccessAction::all().filter(named).collect();
        match actions.is_empty() {
            true => self.wrong(),
            false => Ok(actions),
        }
    }

    fn any(&mut self, on: &[AccessAction]) -> Result<Test, String> {
        self.joined("||", Test::Any, |reader| reader.all(on))
    }

    fn all(&mut self, on: &[AccessAction]) -> Result<Test, String> {
        self.joined("&&", Test::All, |reader| reader.one(on))
    }

    /// Parts with an operator between them; a single one stands for itself.
    fn joined(
        &mut self,
        operator: &str,
        join: fn(Vec<Test>) -> Test,
        mut part: impl FnMut(&mut Self) -> Result<Test, String>,
    ) -> Result<Test, String> {
        let first = part(self)?;
        if self.token() != operator {
            return Ok(first);
        }
        let mut tests = vec![first];
        while self.eat(operator) {
            tests.push(part(self)?);
        }
        Ok(join(tests))
    }

    fn one(&mut self, on: &[AccessAction]) -> Result<Test, String> {
        let left = self.next();
        Ok(match left {
            "!" => Test::Not(Box::new(self.one(on)?)),
            "(" => {
                let test = self.any(on)?;
                self.must(&[")"])?;
                test
            }
            "[" => {
                let words = self.list(Self::text)?;
                let owned = || words.iter().map(|w| (*w).to_owned()).collect();
                let test = match (self.next(), self.next(), self.next()) {
                    (".contains", "(", "principal.dept") => self.departments(&words)?,
                    (".containsAny", "(", "context.fields") => Test::Touches(owned()),
                    (".containsAll", "(", "context.fields") => Test::TouchesOnly(owned()),
                    _ => return self.wrong(),
                };
                self.must(&[")"])?;
                test
            }
            "principal.active" => Test::Active,
            "context.reply" => Test::Reply,
            "context.inThread" => Test::InThread,
            "context.toSelf" => Test::ToSelf,
            left => match (left, self.next()) {
                ("principal.dept", "==") => {
                    let name = self.text()?;
                    self.departments(&[name])?
                }
                ("principal", "in") => {
                    self.must(&["Office::Department::"])?;
                    let name = self.text()?;
                    self.departments(&[name])?
                }
                ("principal.level", ">=") => match self.next() {
                    "resource.level" => Test::LabelLevel,
                    least => least.parse().map(Test::Level).or_else(|_| self.wrong())?,
                },
                ("resource.label", "==") => Test::Label(self.text()?.to_owned()),
                ("resource.dept", "==") if self.eat("principal.dept") => Test::LabelDepartment,
                (person, "==") if self.eat("principal") => Test::Is(self.role(on, person)?),
                (person, "!=") if self.eat("principal") => {
                    Test::Not(Box::new(Test::Is(self.role(on, person)?)))
                }
                (seat, "in") if self.eat("principal.seat") => match seat.strip_suffix(".seat") {
                    Some(person) => Test::Leads(self.role(on, person)?),
                    None => return self.wrong(),
                },
                _ => return self.wrong(),
            },
        })
    }

    fn departments(&self, names: &[&str]) -> Result<Test, String> {
        let mut set = 0;
        for name in names {
            match Department::ALL.into_iter().find(|d| d.name() == *name) {
                Some(department) => set |= 1 << department as u32,
                None => return self.wrong(),
            }
        }
        Ok(Test::Department(set))
    }

    /// The person of a path such as `resource.owner`, which must be the same in all tables of the scope.
    fn role(&self, on: &[AccessAction], path: &str) -> Result<usize, String> {
        let name = path.strip_prefix("resource.").unwrap_or_default();
        let place = |a: &AccessAction| {
            a.source
                .table()
                .people
                .iter()
                .position(|(role, _)| *role == name)
        };
        let first = on.first().and_then(place);
        let same = first.filter(|_| on.iter().all(|a| place(a) == first));
        same.map_or_else(|| self.wrong(), Ok)
    }
}

/// The built-in policies, [`LEVEL14_READS_ALL`] and [`COMPAT_PSEUDOCODE`].
#[expect(
    clippy::expect_used,
    reason = "the texts are a part of this crate, and each test of the rules compiles them"
)]
static RULES: LazyLock<[Vec<Rule>; 3]> = LazyLock::new(|| {
    [POLICIES.as_str(), LEVEL14_READS_ALL, COMPAT_PSEUDOCODE]
        .map(|text| compile(text).expect("built-in policies can be compiled"))
});

/// The place of an action among all pairs of a table and an act. A decision looks its rules up by
/// number: a search in a map costs as much as the rules.
fn place(action: AccessAction) -> usize {
    action.source as usize * Act::ALL.len() + action.act as usize
}

/// The built-in rules as native code.
///
/// Cloning copies a small table. Use [`Access`](super::Access) unless you want the predicates
/// alone, for instance to count what each person may read in a large company.
#[derive(Debug, Clone)]
pub struct NativeEngine {
    /// The rules that are on.
    rules: Vec<&'static Rule>,
    /// Those of each action by its [place](place): two to four, where all rules would be sixty.
    table: Vec<Vec<&'static Rule>>,
}

impl NativeEngine {
    /// The rules, with the optional ones enabled or disabled.
    ///
    /// The arguments are the settings of the same names in [`AccessConfig`](super::AccessConfig).
    #[must_use]
    pub fn new(level14_reads_all: bool, compat_pseudocode: bool) -> Self {
        let on = [true, level14_reads_all, compat_pseudocode];
        let texts = RULES.iter().zip(on).filter(|(_, on)| *on);
        let rules: Vec<&Rule> = texts.flat_map(|(rules, _)| rules).collect();
        let speaking = |action| rules.iter().copied().filter(|r| r.speaks(action)).collect();
        let of = |source| Act::ALL.map(|act| speaking(AccessAction::new(act, source)));
        let table = TableId::ALL.into_iter().flat_map(of).collect();
        Self { rules, table }
    }

    /// The rules that apply to a request of a person.
    fn that_hold<'a>(
        &'a self,
        view: &'a CompanyView<'_>,
        me: &'a Person,
        request: &'a AccessRequest<'_>,
    ) -> impl Iterator<Item = &'static Rule> + 'a {
        let action = AccessAction::new(request.act, request.resource.source);
        let rules = self.table.get(place(action)).into_iter().flatten().copied();
        rules.filter(move |rule| rule.when.holds(view, me, request))
    }
}

impl AccessEngine for NativeEngine {
    fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision {
        let (mut permits, mut forbids) = (Vec::new(), Vec::new());
        // A principal without a record is nobody: no rule applies, the global `inactive` included,
        // and the list of rules stays empty.
        if let Some(me) = view.person(request.principal) {
            for rule in self.that_hold(view, &me, request) {
                let list = if rule.text.forbids {
                    &mut forbids
                } else {
                    &mut permits
                };
                list.push(Cow::Borrowed(rule.text.id.as_str()));
            }
        }
        // `forbid` wins over any number of permits, and no rule at all means no.
        let allow = forbids.is_empty() && !permits.is_empty();
        let mut rules = if allow { permits } else { forbids };
        rules.sort_unstable();
        AccessDecision { allow, rules }
    }

    fn allows(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> bool {
        let Some(me) = view.person(request.principal) else {
            return false;
        };
        let mut permitted = false;
        for rule in self.that_hold(view, &me, request) {
            if rule.text.forbids {
                return false;
            }
            permitted = true;
        }
        permitted
    }

    fn rules(&self) -> Vec<RuleText> {
        texts(&self.rules)
    }

    fn rules_for(&self, action: AccessAction) -> Vec<RuleText> {
        let rules = self.table.get(place(action));
        // A rule for all actions speaks of every pair in the table, also of those that are no action.
        rules
            .filter(|_| action.name().is_some())
            .map_or_else(Vec::new, |rules| texts(rules))
    }
}

/// Rules in words, by name.
fn texts(rules: &[&Rule]) -> Vec<RuleText> {
    let mut texts: Vec<RuleText> = rules.iter().map(|rule| rule.text.clone()).collect();
    texts.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the compiler does not know is an error: a policy that it misread would open or close records.
    #[test]
    fn policies_outside_the_known_part_are_refused() {
        let policy = |scope: &str, condition: &str| {
            format!(
                "@id(\"a\") @reason(\"b\") permit (principal, {scope}, resource) when {{ {condition} }};"
            )
        };
        let read = "action == Office::Action::\"readTicket\"";
        assert_eq!(
            compile(&policy(read, "resource.handler == principal")).map(|r| r.len()),
            Ok(1)
        );
        for condition in [
            "",
            "true",
            "resource.owner == principal",
            "resource.handler == resource.raisedBy",
            "resource.handler in principal",
            "resource.handler.seat in principal.seat in principal.seat",
            "principal.level >= 300",
            "principal.level > 10",
            "principal.dept == \"Kitchen\"",
            "principal.dept == \"H\\\"R\"",
            "[\"Sales\"].containsAll(principal.dept)",
            "principal.active && ",
            "(principal.active",
            "principal.active }; when { principal.active",
            "\"open",
        ] {
            assert!(compile(&policy(read, condition)).is_err(), "{condition}");
        }
        for scope in [
            "action == Office::Action::\"readKitchen\"",
            "action in []",
            "action, resource",
            "action == Office::Action::\"readTicket\", resource",
        ] {
            assert!(
                compile(&policy(scope, "principal.active")).is_err(),
                "{scope}"
            );
        }
        // The roles of tables differ: the author of a post is no attribute of a ticket.
        let both = "action in [Office::Action::\"readTicket\", Office::Action::\"readPost\"]";
        assert!(compile(&policy(both, "resource.author == principal")).is_err());
    }
}
