//! Where golden files are.

use serde_json::Value;
use std::path::Path;

/// A golden file: from the crate, else from the folder beside the repository, else skipped.
pub(crate) fn read(name: &str) -> Option<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = here.join("../../../shared/golden");
    let places = [
        here.join("tests/golden").join(name),
        shared.join("beer_edt").join(name),
        shared.join("optima").join(name),
    ];
    let Some(place) = places.iter().find(|place| place.exists()) else {
        eprintln!("SKIPPED: no file {name} in tests/golden or in shared/golden");
        return None;
    };
    Some(serde_json::from_str(&std::fs::read_to_string(place).unwrap()).unwrap())
}

/// The crate's copies are those of the shared folder, where that exists.
#[test]
fn copies_are_faithful() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = here.join("../../../shared/golden");
    if !shared.exists() {
        eprintln!("SKIPPED: no folder shared/golden beside the repository");
        return;
    }
    let mut compared = 0;
    for entry in std::fs::read_dir(here.join("tests/golden")).unwrap() {
        let copy = entry.unwrap().path();
        let name = copy.file_name().unwrap();
        let originals = ["beer_edt", "optima"].map(|folder| shared.join(folder).join(name));
        if let Some(original) = originals.iter().find(|original| original.exists()) {
            assert_eq!(
                std::fs::read(&copy).unwrap(),
                std::fs::read(original).unwrap()
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 5);
}
