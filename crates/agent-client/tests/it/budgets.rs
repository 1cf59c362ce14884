//! Costs: the cap holds at any concurrency, and costs are counted by role.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::client::{Client, Shared};
use agent_client::ledger::CostLedger;
use agent_client::money::{Money, PriceBook};
use agent_client::{AgentBackend as _, ErrorClass, ModelRole, Slot};
use serde_json::json;
use std::sync::Arc;

fn shared(cap: &str) -> Shared {
    let prices = "[models.test-model]\ninput = 1000\noutput = 2000\n";
    Shared {
        ledger: Some(CostLedger::new(Some(cap.parse().unwrap()))),
        prices: Some(Arc::new(PriceBook::parse(prices).unwrap())),
        ..Shared::default()
    }
}

fn dollars(text: &str) -> Money {
    text.parse().unwrap()
}

#[tokio::test]
async fn the_cap_holds_at_concurrency_32() {
    // A reply costs 100 * 0.001 + 10 * 0.002 = 0.12 dollars, at worst about 0.2 + 0.1.
    let server = Server::start(|_, _| Act::json(200, &completion("ok"))).await;
    let mut settings = settings(&server);
    settings.dialect.max_tokens = Some(50);
    let shared = shared("3");
    let client = Client::new(settings, &shared).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..200 {
        let client = client.clone();
        tasks.spawn(async move {
            let mut ask = request();
            ask.slot = Slot::new("n").child("", n);
            client.ask(ask).await
        });
    }
    let (mut answered, mut refused) = (0_u32, 0);
    while let Some(result) = tasks.join_next().await {
        match result.unwrap() {
            Ok(_) => answered += 1,
            Err(e) => {
                assert_eq!(e.class, ErrorClass::Budget, "{e}");
                assert_eq!(e.attempts, 0);
                refused += 1;
            }
        }
    }
    let spending = shared.ledger.unwrap().spending();
    assert_eq!(server.hits() as u32, answered);
    assert_eq!(answered + refused, 200);
    assert!(spending.spent <= dollars("3"), "{}", spending.spent);
    // The rest is less than the maximum cost of one request.
    assert!(
        spending.spent.plus(dollars("0.35")) > dollars("3"),
        "{}",
        spending.spent
    );
    assert_eq!(spending.in_flight, 0);
}

#[tokio::test]
async fn a_higher_cap_goes_on_where_the_first_ended() {
    let server = Server::start(|_, _| Act::json(200, &completion("ok"))).await;
    let mut settings = settings(&server);
    settings.dialect.max_tokens = Some(50);
    let first = shared("0.3");
    let client = Client::new(settings.clone(), &first).unwrap();
    client.ask(request()).await.unwrap();
    assert_eq!(
        client.ask(request()).await.unwrap_err().class,
        ErrorClass::Budget
    );
    let second = shared("1");
    let ledger = second.ledger.clone().unwrap();
    ledger.carry(&first.ledger.unwrap().spending());
    let client = Client::new(settings, &second).unwrap();
    client.ask(request()).await.unwrap();
    assert_eq!(ledger.spending().spent, dollars("0.24"));
    let total = ledger.spending().total();
    assert_eq!(total.cost, dollars("0.24"));
    assert_eq!((total.requests, total.replayed), (2, 1));
}

#[tokio::test]
async fn roles_have_accounts_of_their_own() {
    let server = Server::start(|n, _| {
        let mut body = completion("ok");
        body["usage"]["prompt_tokens"] = json!(10 * (n + 1));
        body["usage"]["total_tokens"] = json!(10 * (n + 1) + 10);
        Act::json(200, &body)
    })
    .await;
    let shared = shared("100");
    let client = Client::new(settings(&server), &shared).unwrap();
    for role in [ModelRole::Agent, ModelRole::Judge, ModelRole::Agent] {
        let mut ask = request();
        ask.role = role;
        client.ask(ask).await.unwrap();
    }
    let spending = shared.ledger.unwrap().spending();
    let tokens = |role| spending.roles[&role].usage.input;
    assert_eq!(
        (tokens(ModelRole::Agent), tokens(ModelRole::Judge)),
        (40, 20)
    );
    assert_eq!(spending.roles[&ModelRole::Agent].requests, 2);
    // (10 + 20 + 30) * 0.001 + 3 * 10 * 0.002.
    assert_eq!(spending.total().cost, dollars("0.12"));
}

#[tokio::test]
async fn a_cap_without_a_price_is_refused_at_once() {
    let server = Server::start(|_, _| Act::Hang).await;
    let shared = Shared {
        prices: None,
        ..shared("1")
    };
    let error = Client::new(settings(&server), &shared).unwrap_err();
    assert_eq!(error.class, ErrorClass::Setup);
    assert!(error.message.contains("price of `test-model`"), "{error}");
}
