use aoa_router::{Borders, Bucket};

#[test]
fn buckets_have_names() {
    for bucket in Bucket::ALL {
        assert_eq!(bucket.name().parse(), Ok(bucket));
        let json = serde_json::to_string(&bucket).unwrap();
        assert_eq!(json, format!("\"{bucket}\""));
        assert_eq!(serde_json::from_str::<Bucket>(&json).unwrap(), bucket);
    }
    assert_eq!(" na".parse(), Ok(Bucket::Unknown));
    let error = "medium".parse::<Bucket>().unwrap_err();
    assert!(error.contains("easy, middle, hard"), "{error}");
    assert_eq!(Borders::default().bucket(Some(f64::NAN)), Bucket::Unknown);
}
