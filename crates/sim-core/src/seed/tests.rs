use super::*;
use proptest::prelude::*;

fn stream() -> Stream {
    Seed(42).stream("test", 0)
}

/// A change of any of these moves every published number: bump the version of every environment.
#[test]
fn value_stability() {
    let drawn = |f: &mut dyn FnMut(&mut Stream) -> String| {
        let mut s = stream();
        (0..4).map(|_| f(&mut s)).collect::<Vec<_>>().join(" ")
    };
    let pinned = [
        (
            drawn(&mut |s| s.bits().to_string()),
            "14036314754387962345 5724335661558234602 3601669864259992362 5026961662294403999",
        ),
        (drawn(&mut |s| s.below(1000).to_string()), "760 310 195 272"),
        (
            drawn(&mut |s| s.between(-50, 50).to_string()),
            "26 -19 -31 -23",
        ),
        (
            drawn(&mut |s| s.unit().to_string()),
            "0.7609101475198884 0.3103168580148842 0.19524691457031274 0.2725121377630467",
        ),
        (
            drawn(&mut |s| s.normal().to_string()),
            "-0.6258846460563282 -0.09292062537158276 0.01200453856716867 1.1648884769667593",
        ),
        (
            drawn(&mut |s| s.exponential().to_string()),
            "1.4309158459031668 0.3715230013764325 0.21721977478796947 0.318157964286046",
        ),
        (drawn(&mut |s| s.geometric(0.2).to_string()), "7 2 1 2"),
    ];
    for (got, want) in pinned {
        assert_eq!(got, want);
    }
    let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
    stream().shuffle(&mut items);
    assert_eq!(items, [7, 4, 3, 0, 5, 1, 2, 6]);
    assert_eq!(
        Seed(42).child("episode", 3),
        Seed(13_098_852_355_559_298_415)
    );
}

#[test]
fn streams_differ_by_seed_name_and_index() {
    let first = |seed, name, index| Seed(seed).stream(name, index).bits();
    let all = [
        first(1, "a", 0),
        first(2, "a", 0),
        first(1, "b", 0),
        first(1, "a", 1),
    ];
    for (i, x) in all.iter().enumerate() {
        assert!(all.iter().skip(i + 1).all(|y| x != y));
    }
}

/// Moments of 20,000 draws against theory, within five standard errors.
#[test]
fn distributions_have_their_moments() {
    let mean = |f: &mut dyn FnMut(&mut Stream) -> f64| {
        let mut s = stream();
        (0..20_000).map(|_| f(&mut s)).sum::<f64>() / 20_000.0
    };
    let close = |got: f64, want: f64, sd: f64| {
        let error = 5.0 * sd / 20_000_f64.sqrt();
        assert!((got - want).abs() < error, "{got} is not {want} +- {error}");
    };
    close(mean(&mut |s| s.unit()), 0.5, 0.289);
    close(mean(&mut |s| s.normal()), 0.0, 1.0);
    close(mean(&mut |s| s.normal().powi(2)), 1.0, 1.415);
    close(mean(&mut |s| s.exponential()), 1.0, 1.0);
    close(mean(&mut |s| s.geometric(0.25) as f64), 4.0, 3.465);
    close(
        mean(&mut |s| f64::from(u8::from(s.weighted(&[1.0, 0.0, 3.0]) == Some(2)))),
        0.75,
        0.434,
    );
}

proptest! {
    #[test]
    fn draws_stay_in_range(seed: u64, bound in 1_u64.., low: i64, span in 0_i64..1_000_000) {
        let mut s = Seed(seed).stream("range", 1);
        prop_assert!(s.below(bound) < bound);
        let high = low.saturating_add(span);
        let drawn = s.between(low, high);
        prop_assert!((low..=high).contains(&drawn));
        prop_assert!((0.0..1.0).contains(&s.unit()));
        prop_assert!(s.geometric(0.3) >= 1);
        prop_assert!(s.exponential() >= 0.0);
        prop_assert!(s.normal().is_finite());
    }
}

/// Generators can switch from one to the other without changing any number.
#[test]
fn draws_of_a_type_are_the_same_draws() {
    let table = ["a", "b", "c"];
    let (mut wide, mut narrow) = (stream(), stream());
    for high in 0..50_u32 {
        let drawn = wide.between(3, i64::from(high));
        assert_eq!(i64::from(narrow.between_u32(3, high)), drawn);
        assert_eq!(Some(&narrow.pick_from(&table)), wide.pick(&table));
    }
    let all = (0..1_000).map(|_| narrow.between_u32(u32::MAX - 1, u32::MAX));
    assert_eq!(all.min(), Some(u32::MAX - 1));
}

#[test]
fn orders_are_drawn_and_repeatable() {
    let first = Seed(1).order(0, 20);
    assert_eq!(first, Seed(1).order(0, 20));
    assert_ne!(first, Seed(1).order(1, 20));
    let mut sorted = first;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..20).collect::<Vec<_>>());
}

/// The hash of one block against the general one, with lengths on both sides of the limit.
#[test]
fn a_block_filled_by_hand_has_the_hash_of_the_hasher() {
    for len in 0..70_usize {
        let name = "n".repeat(len);
        let (seed, length) = (7_u64.to_le_bytes(), (len as u64).to_le_bytes());
        let index = 9_u64.to_le_bytes();
        let text = parts(&seed, b"stream", &length, &name, &index).concat();
        let plain: [u8; 32] = Sha256::digest(&text).into();
        let by_hand = message(Seed(7), b"stream", &name, 9).map(|block| digest(&block));
        let fits = text.len() <= 55;
        assert_eq!(by_hand, fits.then_some(plain), "{len} letters");
        assert_eq!(Seed(7).key(b"stream", &name, 9), plain);
    }
}
