use aoa_router::{Borders, Bucket};

#[test]
fn buckets_have_names() {
    sim_core::testkit::check_names::<Bucket>();
    assert_eq!(" na".parse(), Ok(Bucket::Unknown));
    let error = "medium".parse::<Bucket>().unwrap_err();
    assert!(error.contains("easy, middle, hard"), "{error}");
    assert_eq!(Borders::default().bucket(Some(f64::NAN)), Bucket::Unknown);
}
