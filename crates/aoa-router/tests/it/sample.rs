use aoa_router::Bucket;

#[test]
fn buckets_have_names() {
    sim_core::testkit::check_names::<Bucket>();
    assert_eq!(" na".parse(), Ok(Bucket::Unknown));
    let error = "medium".parse::<Bucket>().unwrap_err();
    assert!(error.contains("easy, middle, hard"), "{error}");
    assert_eq!(Bucket::of(Some(f64::NAN)), Bucket::Unknown);
}
