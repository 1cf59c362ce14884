use super::*;

const STANDING: RuleParams = RuleParams {
    target: 400.0,
    lead_time: 3.0,
    initial_flow: 100.0,
    initial_position: 700.0,
    supply_line: SupplyLine::InTransit,
};

fn view(d: f64, inventory: f64, backlog: f64, on_order: f64, in_transit: f64) -> RuleInput {
    RuleInput {
        incoming_order: d,
        inventory,
        backlog,
        on_order,
        in_transit,
        unmet: 0.0,
    }
}

/// One hand-computed order a formula.
#[test]
fn formulas_by_hand() {
    let cases: [(&str, RuleInput, f64); 13] = [
        // 150 + (400 - 380) + 7
        ("typical", view(150.0, 380.0, 7.0, 0.0, 0.0), 177.0),
        ("ignore-backorder", view(150.0, 380.0, 7.0, 0.0, 0.0), 170.0),
        // (100 + 100 + 100 + 180) / 4 + 20
        ("smoothing-4", view(180.0, 380.0, 0.0, 0.0, 0.0), 140.0),
        // 100 + (400 - (0 + 210 - 3)) / 4 = 148.25
        ("smoothing:4", view(100.0, 0.0, 3.0, 999.0, 210.0), 148.0),
        // 400 - (0 + 210 - 3) + 100
        ("base-stock", view(100.0, 0.0, 3.0, 999.0, 210.0), 293.0),
        // 100 + 400 - 350 + 300 - 290
        (
            "include-supply-line",
            view(100.0, 350.0, 0.0, 290.0, 0.0),
            160.0,
        ),
        // 100 + 60 / 8 = 107.5
        (
            "slow-adjustment",
            view(100.0, 350.0, 0.0, 290.0, 0.0),
            107.0,
        ),
        // 100 + (300 + 400 - (350 - 20 + 290)) / 8 = 110
        ("order-balance", view(100.0, 350.0, 20.0, 290.0, 0.0), 110.0),
        // 100 + 60 / 8 = 107.5, to even
        (
            "system-dynamics",
            view(100.0, 350.0, 0.0, 290.0, 0.0),
            108.0,
        ),
        // 700 - (350 - 20 + 290)
        ("order-up-to", view(100.0, 350.0, 20.0, 290.0, 0.0), 80.0),
        ("order-up-to:500", view(100.0, 350.0, 20.0, 290.0, 0.0), 0.0),
        // f = .36 * 200 + .64 * 100 = 136; 136 + .26 * (425 - 400 - .34 * 300)
        (
            "sterman",
            view(200.0, 400.0, 0.0, 300.0, 0.0),
            136.0 - 0.26 * 77.0,
        ),
        ("constant:42", view(200.0, 400.0, 0.0, 300.0, 0.0), 42.0),
    ];
    for (name, view, expected) in cases {
        let rule = OrderingRule::from_name(name).unwrap();
        let got = rule.order(&view, &STANDING, &mut RuleMemory::new(100.0));
        assert!(
            (got - expected).abs() < 1e-9,
            "{name}: {got} instead of {expected}"
        );
    }
}

#[test]
fn the_moving_average_forgets_after_its_window() {
    let rule = OrderingRule::from_name("smoothing-4").unwrap();
    let mut memory = RuleMemory::new(100.0);
    let orders: Vec<f64> = (0..5)
        .map(|_| rule.order(&view(500.0, 400.0, 0.0, 0.0, 0.0), &STANDING, &mut memory))
        .collect();
    assert_eq!(orders, [200.0, 300.0, 400.0, 500.0, 500.0]);
}

#[test]
fn order_up_to_reads_both_kinds_of_view_alike() {
    let rule = OrderingRule::from_name("order-up-to:1200").unwrap();
    // before the week: 400 in stock, 200 on order, 100 of it arriving, 300 asked for
    let before = RuleInput {
        unmet: 300.0,
        ..view(300.0, 400.0, 0.0, 200.0, 0.0)
    };
    let after = view(300.0, 200.0, 0.0, 100.0, 0.0);
    let mut memory = RuleMemory::new(100.0);
    assert_eq!(rule.order(&before, &STANDING, &mut memory), 900.0);
    assert_eq!(rule.order(&after, &STANDING, &mut memory), 900.0);
}
