//! Two tool sets, one engine.

use crate::support::paper;
use crate::tools::{first, id, office, someone};
use enterprise_sandbox::access::AccessConfig;
use enterprise_sandbox::office::{Code, OfficeState};
use enterprise_sandbox::source::TableId;
use serde_json::{Value, json};
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
