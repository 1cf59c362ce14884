//! Two tool sets, one engine.

use crate::support::paper;
use crate::tools::{first, id, office, someone};
use enterprise_sandbox::access::AccessConfig;
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::tools::office::{Code, OfficeState};
use enterprise_sandbox::tools::{COMPACT, FINE};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn other_names_for_one_tool_are_one_engine() {
    let c = paper();
    let office = office(Arc::clone(&c), AccessConfig::default());
    let me = someone(&c, "Sales", 12);
    let my_id = id(&c, me);
    let ask = |tool: &str, args: Value| {
        office
            .call(&mut OfficeState::default(), me, tool, &args)
            .unwrap()
    };
    let product = c.id(TableId::Products, 5);
    assert_eq!(
        first(&ask("get_product", json!({"product_id": product}))),
        first(&ask("products_read", json!({"product_id": product}))),
    );
    let threads = ask("list_my_email_threads", json!({"emp_id": my_id}));
    assert_eq!(threads.refused, None);
    let other = id(&c, someone(&c, "Finance", 9));
    let stolen = ask("list_my_email_threads", json!({"emp_id": other}));
    assert_eq!(stolen.refused, Some(Code::AccessDenied));
    let mut state = OfficeState::default();
    let forged = json!({"sender_emp_id": other, "recipient_emp_id": my_id,
                        "conversation_id": "c-1", "text": "hello"});
    let reply = office
        .call(&mut state, me, "send_message", &forged)
        .unwrap();
    assert_eq!(reply.refused, Some(Code::AccessDenied));
    assert!(state.audit[0].impersonation);
    assert!(state.overlay.is_empty());
}

#[test]
fn twins_stand_where_the_table_says() {
    let social = ["create", "read", "update", "delete"];
    let twins = social
        .iter()
        .flat_map(|op| {
            [
                (
                    format!("enterprise_social_platform_{op}"),
                    format!("social_platform_{op}"),
                ),
                (format!("inazuma_overflow_{op}"), format!("overflow_{op}")),
            ]
        })
        .chain([("llm".to_owned(), "llm_call".to_owned())]);
    for (name, twin) in twins {
        let fine = FINE.iter().find(|t| t.name == name).unwrap();
        let compact = COMPACT.iter().find(|t| t.name == twin).unwrap();
        assert_eq!(
            (fine.op, fine.source),
            (compact.op, compact.source),
            "{name}"
        );
        assert_eq!(fine.args.len(), compact.args.len(), "{name}");
    }
}

#[test]
fn names_of_tools_are_unique() {
    let names: BTreeSet<_> = FINE.iter().chain(COMPACT.iter()).map(|t| t.name).collect();
    assert_eq!(names.len(), FINE.len() + COMPACT.len());
    assert_eq!((FINE.len(), COMPACT.len()), (72, 59));
}
