//! Replies and prompts, word for word where the source has a layout.

use econ_envs::procurement::config::{Horizon, Wording};
use econ_envs::procurement::{Config, Procurement, Spec};
use serde_json::{Value, json};
use sim_core::{
    EnvironmentSpec, NoteLimits, ToolAdapter, ToolEnvironment, ToolInterface, ToolReply, WithNotes,
};
use std::sync::Arc;

fn market(config: &Config) -> Procurement {
    let instance = Spec.suite("paper", config).unwrap().remove(0);
    Spec.begin(Arc::new(instance)).unwrap()
}

fn adapter() -> WithNotes {
    WithNotes::new(
        Box::new(ToolAdapter::new(market(&Config::basic()))),
        NoteLimits::default(),
    )
}

fn read(adapter: &mut WithNotes, tool: &str) -> String {
    adapter.call(tool, &json!({})).text().to_owned()
}

/// The paper's menu (appendix F.1.6), line by line.
#[test]
fn the_menu_is_printed_as_in_the_paper() {
    let menu = read(&mut adapter(), "get_equipment_information");
    assert_eq!(
        menu.lines().collect::<Vec<_>>(),
        [
            "- Offer_1: [additional upfront cost $19.47] $17.69 for 1 unit of A1 and 1 unit of B2",
            "- Offer_2: [minimum order quantity 2] $10.68 for 2 units of B1",
            "- Offer_3: [minimum order quantity 3] $12.49 for 1 unit of C1 and 1 unit of B3",
            "- Offer_4: $1.38 for 2 units of B2, 1 unit of A4, and 1 unit of B1",
            "- Offer_5: [additional upfront cost $9.39] $19.61 for 2 units of B4",
            "- Offer_6: [additional upfront cost $7.83] $10.14 for 1 unit of C2",
            "- Offer_7: [additional upfront cost $14.08] $17.73 for 2 units of A3",
            "- Offer_8: [additional upfront cost $18.45] $5.12 for 1 unit of C4",
            "- Offer_9: $11.74 for 3 units of B3",
            "- Offer_10: [additional upfront cost $17.44] $10.67 for 5 units of A4",
            "- Offer_11: $18.42 for 1 unit of C3 and 2 units of B2",
            "- Offer_12: $18.50 for 2 units of A2",
        ]
    );
}

/// The paper's history (appendix F.1.5), and what it looks like when a plan is not allowed.
#[test]
fn the_history_is_printed_as_in_the_paper() {
    let mut adapter = adapter();
    assert_eq!(read(&mut adapter, "get_previous_purchase_data"), "");
    let submit = |adapter: &mut WithNotes, plan: &str| {
        adapter.call("submit_purchase_plan", &json!({ "purchase_plan": plan }))
    };
    let reply = submit(
        &mut adapter,
        "{'Offer_4': 1, 'Offer_9': 1, 'Offer_11': 1, 'Offer_12': 1}",
    );
    assert!(matches!(reply, ToolReply::PeriodOver { .. }));
    submit(
        &mut adapter,
        "{\"Offer_2\": 1, \"Offer_12\": 9, \"Offer_1\": 0}",
    );
    adapter.forfeit_period();
    assert_eq!(read(&mut adapter, "get_attempt_number"), "3");
    assert_eq!(read(&mut adapter, "get_budget"), "109.98");
    assert_eq!(
        read(&mut adapter, "get_previous_purchase_data"),
        "Attempt 0:\n\
         Purchase plan proposed: {'Offer_4': 1, 'Offer_9': 1, 'Offer_11': 1, 'Offer_12': 1, \
         'Offer_1': 0, 'Offer_2': 0, 'Offer_3': 0, 'Offer_5': 0, 'Offer_6': 0, 'Offer_7': 0, \
         'Offer_8': 0, 'Offer_10': 0}\n\
         Purchase plan results: supports 4.67 workers and incurs cost of 50.04\n\
         \n\
         Attempt 1:\n\
         Purchase plan proposed: {'Offer_2': 1, 'Offer_12': 9, 'Offer_1': 0, 'Offer_3': 0, \
         'Offer_4': 0, 'Offer_5': 0, 'Offer_6': 0, 'Offer_7': 0, 'Offer_8': 0, 'Offer_9': 0, \
         'Offer_10': 0, 'Offer_11': 0}\n\
         Purchase plan results: the plan is not allowed and buys nothing:\n\
         quantity 1 for Offer_2 is insufficient, at least 2 needed\n\
         total cost 166.50 exceeds the budget of 109.98\n\
         \n\
         Attempt 2:\n\
         No purchase plan was submitted"
    );
}

#[test]
fn tools_stand_in_the_order_of_the_source_and_two_answer_once() {
    let mut adapter = adapter();
    let names: Vec<String> = adapter
        .tools()
        .iter()
        .map(|tool| tool.name.clone())
        .collect();
    assert_eq!(
        names,
        [
            "get_previous_purchase_data",
            "get_equipment_information",
            "get_budget",
            "get_attempt_number",
            "write_notes",
            "read_notes",
            "submit_purchase_plan",
        ]
    );
    for (tool, again) in names.iter().zip([false, false, true, true]) {
        assert!(!adapter.call(tool, &json!({})).is_rejected());
        assert_eq!(
            !adapter.call(tool, &json!({})).is_rejected(),
            again,
            "{tool}"
        );
    }
    let mut config = Config::basic();
    config.rules.read_once = false;
    assert!(
        market(&config)
            .tools()
            .iter()
            .all(|tool| !tool.once_per_period)
    );
}

#[test]
fn odd_plans_are_answered_and_change_nothing() {
    let mut adapter = adapter();
    let before = adapter.snapshot();
    let check = |adapter: &mut WithNotes, plan: Value, code: &str, says: &str| {
        let reply = adapter.call("submit_purchase_plan", &json!({ "purchase_plan": plan }));
        let ToolReply::Rejected { code: got, message } = &reply else {
            panic!("{plan} is accepted: {reply:?}")
        };
        assert_eq!(got, code, "{plan}");
        assert!(message.contains(says), "{plan}: {message}");
        assert_eq!(adapter.snapshot(), before);
    };
    for (plan, code, says) in [
        (
            json!("{'Offer_12': -40, 'Offer_10': 30}"),
            "negative_copies",
            "Offer_12",
        ),
        (json!("{'Offer_1': 0.5}"), "fractional_copies", "`0.5`"),
        (json!("{'Offer_1': NaN}"), "fractional_copies", "`NaN`"),
        (json!("{'Offer_1': Infinity}"), "too_many_copies", "1000000"),
        (json!("{'Offer_1': 1e300}"), "too_many_copies", "1000000"),
        (json!("{'Offer_1': 1000001}"), "too_many_copies", "1000001"),
        (json!("{'Offer_1': True}"), "not_a_number", "`True`"),
        (json!("{'Offer_1': '2'}"), "not_a_number", "'2'"),
        (json!("{'Offer_1': None}"), "not_a_number", "None"),
        (json!("{'Offer_1': {}}"), "not_a_number", "a mapping"),
        (
            json!("{'Offer_13': 1}"),
            "unknown_offer",
            "Offer_1 to Offer_12",
        ),
        (json!("{'Offer_01': 1}"), "unknown_offer", "`Offer_01`"),
        (json!("{'': 1}"), "unknown_offer", "``"),
        (json!("```{'Offer_1': 1}```"), "unreadable_mapping", "```"),
        (json!("[1]"), "not_a_mapping", "a list"),
        (json!(5), "not_a_mapping", "`5`"),
        (json!({"Offer_1": -1}), "negative_copies", "-1"),
        (
            json!("x".repeat(1_000_000)),
            "mapping_too_long",
            "1000000 bytes",
        ),
    ] {
        check(&mut adapter, plan, code, says);
    }
    let missing = adapter.call("submit_purchase_plan", &json!({}));
    assert_eq!(
        missing.text(),
        "argument `purchase_plan` is missing; it must be a string that holds a dictionary"
    );
    // What means the same is the same.
    for plan in [
        json!("{'Offer_2': 2.0,}"),
        json!({"Offer_2": 2}),
        json!("{\\\"Offer_2\\\": 2}"),
    ] {
        let reply = adapter
            .fork()
            .call("submit_purchase_plan", &json!({ "purchase_plan": plan }));
        assert_eq!(reply.action(), Some(&json!({"Offer_2": 2})), "{plan}");
    }
}

#[test]
fn prompts_say_what_the_variant_tells_and_no_more() {
    let system = |wording, horizon| {
        let mut config = Config::basic();
        (config.rules.wording, config.rules.horizon) = (wording, horizon);
        market(&config).briefing().system
    };
    let plain = system(Wording::Standard, Horizon::Hidden);
    assert!(plain.contains("reasoning") && !plain.contains("100"));
    assert!(!system(Wording::WithoutReasoning, Horizon::Hidden).contains("reasoning"));
    let known = system(Wording::Standard, Horizon::Known);
    assert!(known.starts_with(&plain) && known.contains("100 attempts"));
    let goal = system(Wording::Standard, Horizon::KnownWithGoal);
    assert!(goal.starts_with(&known) && goal.contains("judged by the best plan"));
    // Effectiveness is what is to be found out: no prompt, no tool names a number of it.
    let tools = serde_json::to_string(&market(&Config::basic()).tools()).unwrap();
    assert!(!tools.contains("effective"));
}
