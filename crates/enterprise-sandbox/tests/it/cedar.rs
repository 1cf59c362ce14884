//! Cedar against the native predicates, and policies of one's own.

use crate::access::compare;
use crate::support::{paper, small};
use enterprise_sandbox::Config;
use enterprise_sandbox::access::{
    Access, AccessAction, AccessConfig, AccessEngine, AccessRequest, Act, CedarEngine,
    NativeEngine, POLICIES, RequestContext, Resource, SCHEMA,
};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::overlay::Overlay;
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::search::SearchIndex;
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
use enterprise_sandbox::tools::office::{Office, OfficeState};
use serde_json::json;
use sim_core::testkit::{full_or_all, small_or_full};
use std::sync::Arc;

/// Compares Cedar, the native predicates and the oracle on `count` random triples; returns how many were allowed.
fn with_cedar(c: &Company, count: u64, seed: u64) -> u64 {
    let policies = CedarEngine::new(&POLICIES, &SCHEMA).unwrap();
    compare(c, count, seed, |i, view, request, native| {
        let decided = policies.decide(view, request);
        assert_eq!(decided, *native, "triple {i}: {request:?}");
    })
}

#[test]
fn cedar_native_and_oracle_agree() {
    for (c, seed) in [(small(), 1), (paper(), 2)] {
        let allowed = with_cedar(&c, 8_000, seed);
        assert!(allowed > 1_500 && allowed < 6_500, "{allowed}");
    }
}

/// A million triples with `SLOW_TESTS=all`, which take minutes; else a fiftieth of them.
#[test]
fn slow_a_million_triples() {
    let c = paper();
    let triples = small_or_full(2_000, full_or_all(20_000, 1_000_000));
    let allowed = with_cedar(&c, triples, 77);
    assert!(allowed > triples / 10, "{allowed} of {triples}");
    println!("{triples} triples agree, {allowed} allowed");
}

/// The words and scopes of the rules are those of the policies.
#[test]
fn native_rules_have_the_texts_and_scopes_of_the_policies() {
    for (level14_reads_all, compat_pseudocode) in
        [(false, false), (true, false), (false, true), (true, true)]
    {
        let config = AccessConfig {
            level14_reads_all,
            compat_pseudocode,
            ..AccessConfig::default()
        };
        let cedar = CedarEngine::new(&config.policy_text(), &SCHEMA).unwrap();
        let native = NativeEngine::new(level14_reads_all, compat_pseudocode);
        assert_eq!(native.rules(), cedar.rules());
        for source in TableId::ALL {
            for act in Act::ALL {
                let action = AccessAction::new(act, source);
                assert_eq!(
                    native.rules_for(action),
                    cedar.rules_for(action),
                    "{action:?}"
                );
            }
        }
    }
}

#[test]
fn policies_of_ones_own_are_checked_and_used() {
    let c = small();
    let overlay = Overlay::default();
    let view = CompanyView::new(&c, &overlay, ActiveMeans::FlagAndDate);
    let closed = POLICIES.replace(
        "permit (principal, action in [Office::Action::\"readPost\", Office::Action::\"readOverflow\"], resource);",
        "permit (principal, action == Office::Action::\"readOverflow\", resource);",
    );
    assert_ne!(closed, *POLICIES);
    let own = Access::new(AccessConfig {
        policies: Some(closed),
        ..AccessConfig::default()
    })
    .unwrap();
    let usual = Access::new(AccessConfig::default()).unwrap();
    let somebody = (0..50)
        .map(EmployeeNo)
        .find(|p| view.person(*p).unwrap().active)
        .unwrap();
    assert!(usual.may_read(&view, somebody, TableId::Posts, 3));
    assert!(!own.may_read(&view, somebody, TableId::Posts, 3));
    assert!(own.may_read(&view, somebody, TableId::Overflow, 3));
    for (find, replace, said) in [
        ("resource.owner.seat", "resource.owner.saet", "saet"),
        ("@id(\"email-read\")", "@id(\"email-update\")", "share"),
        ("@id(\"email-read\")", "", "no @id"),
        (
            "permit (principal, action == Office::Action::\"readEmail\"",
            "permit (principal, action == Office::Action::\"reedEmail\"",
            "reedEmail",
        ),
        (
            "unless { principal.active };",
            "unless { principal.active",
            "not readable",
        ),
    ] {
        let text = POLICIES.replacen(find, replace, 1);
        assert_ne!(text, *POLICIES);
        let wrong = AccessConfig {
            policies: Some(text),
            ..AccessConfig::default()
        };
        let error = Access::new(wrong).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn a_policy_that_the_agent_is_told_has_words() {
    let mut config = Config {
        access: AccessConfig {
            policies: Some(POLICIES.replacen("@reason(\"sender or recipient\")", "", 1)),
            ..AccessConfig::default()
        },
        ..Config::default()
    };
    config.check().unwrap();
    config.show_rules = true;
    let error = config.check().unwrap_err();
    assert_eq!(error.place, "access.policies");
    assert!(error.to_string().contains("email-"), "{error}");
    config.access.policies = Some(POLICIES.clone());
    config.check().unwrap();
}

/// With the built-in rules, a search looks at the mails of the caller alone. With policies of one's own it asks about
/// every mail that has one of the words.
#[test]
fn searches_find_the_same_mails_by_both_ways() {
    let c = small();
    let office = |policies: Option<String>| {
        let config = AccessConfig {
            policies,
            ..AccessConfig::default()
        };
        let access = Arc::new(Access::new(config).unwrap());
        Office::new(Arc::clone(&c), access, Arc::new(SearchIndex::new()))
    };
    let (short, long) = (office(None), office(Some((*POLICIES).clone())));
    let (mut found, mut written) = (0, 0);
    for who in (0..c.rows(TableId::Employees)).step_by(3).map(EmployeeNo) {
        for query in ["budget review", "plan", "release deadline zebra"] {
            let search = |office: &Office| {
                let mut state = OfficeState::default();
                // Refused for people who have left.
                let send = json!({"recipient_emp_id": c.id(TableId::Employees, 0), "subject": "Zebra", "body": "Run"});
                let sent = office.call(&mut state, who, "enterprise_mail_system_create", &send);
                assert!(sent.is_ok(), "{sent:?}");
                let ask = json!({"query": query});
                office.call(&mut state, who, "enterprise_mail_system_read", &ask)
            };
            let (short, long) = (search(&short), search(&long));
            assert_eq!(format!("{short:?}"), format!("{long:?}"), "{who:?} {query}");
            found += usize::from(format!("{short:?}").contains("email_id"));
            written += usize::from(format!("{short:?}").contains("Zebra"));
        }
    }
    assert!(found > written && written > 5, "{found} {written}");
}

/// Both engines decide equally for the unknown person who represents an unknown id.
#[test]
fn both_engines_agree_about_records_of_strangers() {
    let c = small();
    let overlay = Overlay::default();
    let view = CompanyView::new(&c, &overlay, ActiveMeans::FlagAndDate);
    let cedar = CedarEngine::new(&POLICIES, &SCHEMA).unwrap();
    let native = NativeEngine::new(false, false);
    let (mut allowed, mut refused) = (0, 0);
    for row in 0..c.rows(TableId::Employees) {
        for action in AccessAction::all().filter(|a| a.act != Act::Create) {
            let file = c.id(TableId::Files, 0);
            let (known, _) = file.split_once(':').unwrap();
            for id in ["unknown".to_owned(), format!("{known}:none")] {
                let context = RequestContext::default();
                let request = AccessRequest {
                    principal: EmployeeNo(row),
                    act: action.act,
                    resource: Resource::absent(&view, action.source, &id),
                    context: &context,
                };
                let decision = native.decide(&view, &request);
                assert_eq!(cedar.decide(&view, &request), decision, "{action:?} {id}");
                allowed += u32::from(decision.allow);
                refused += u32::from(!decision.allow);
            }
        }
    }
    assert!(allowed > 100 && refused > 100, "{allowed} {refused}");
}

/// The parser reports every wrong escape with a copy of the text.
#[test]
fn policy_text_with_many_escapes_is_refused_before_it_is_parsed() {
    let policy = |escapes: usize| {
        format!(
            "@id(\"own\") permit (principal, action == Office::Action::\"readPost\", resource)\n\
             when {{ \"{}\" == \"a\" }};",
            "\\n".repeat(escapes)
        )
    };
    assert!(CedarEngine::new(&policy(100), &SCHEMA).is_ok());
    for escapes in [201, 1_000] {
        let error = CedarEngine::new(&policy(escapes), &SCHEMA).unwrap_err();
        assert_eq!(error.place, "policies");
        assert!(error.message.contains("too many escapes"), "{error}");
    }
}
