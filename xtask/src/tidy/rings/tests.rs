use super::*;

fn planted(files: &[(&str, &str)]) -> Project {
    let mut project = Project::default().with_package("edt", |_| ());
    for (path, text) in files {
        project = project.with(&format!("crates/edt/src/{path}.rs"), text);
    }
    project
}

fn sizes(files: &[(&str, &str)]) -> (Vec<usize>, Vec<usize>) {
    let project = planted(files);
    let edges = Modules::read(&project, "crates/edt").edges();
    let sizes = |rings: Vec<Ring>| rings.iter().map(Ring::len).collect();
    (
        sizes(graph::rings(&edges)),
        sizes(graph::between_folders(&edges)),
    )
}

const RING: &[(&str, &str)] = &[
    ("a", "use crate::b::B; pub struct A;"),
    ("b", "use super::c::{self, C as See}; pub struct B;"),
    ("c", "pub struct C; fn f() { crate::d::g(); }"),
    ("d", "use {std::fmt, crate::{e::E, a::A}}; pub fn g() {}"),
    ("e", "pub struct E;"),
];

#[test]
fn a_ring_of_four_files_is_found_and_three_are_permitted() {
    assert_eq!(sizes(RING), (vec![4], vec![]));
    let findings = check(&planted(RING));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].place, "crates/edt");
    assert!(
        findings[0].message.contains("a + b + c + d"),
        "{findings:?}"
    );
    let mut three = RING.to_vec();
    three[1].1 = "use super::{c::C, d}; use crate::d::g; pub struct B;";
    three[2].1 = "pub struct C;";
    assert_eq!(sizes(&three), (vec![3], vec![]));
    assert_eq!(check(&planted(&three)), []);
}

#[test]
fn names_passed_on_count_for_the_file_that_defines_them() {
    // Through the facade `plan`, a chain of two, and all names of a file.
    let (files, _) = sizes(&[
        ("lib", "pub use plan::Plan;"),
        ("plan", "pub use inner::{Deep as Plan}; pub use many::*;"),
        ("plan/inner", "use crate::reader::read; pub struct Deep;"),
        ("plan/many", "pub enum Many { One }"),
        (
            "reader",
            "use crate::Plan; use crate::plan::Many; pub fn read() {}",
        ),
    ]);
    assert_eq!(files, [2]);
}

#[test]
fn tests_comments_and_other_packages_do_not_count() {
    let none = (vec![], vec![]);
    assert_eq!(
        sizes(&[
            ("lib", "mod a; #[cfg(test)] mod tests; mod b;"),
            (
                "a",
                "use b::B; use ::b::B; #[cfg(test)] mod tests { use crate::b::B; }"
            ),
            (
                "b",
                "use crate::a::A; // use crate::b::B;\npub(in crate::a) fn f() {}"
            ),
            ("tests", "use crate::a::A;"),
            ("main", "use crate::a::A;"),
        ]),
        none
    );
    // Code after an item under `#[cfg(test)]` counts again.
    let (files, _) = sizes(&[
        ("a", "#[cfg(test)] use x::Y; use crate::b::B;"),
        ("b", "use crate::a::A;"),
    ]);
    assert_eq!(files, [2]);
}

#[test]
fn rings_between_folders_are_found_without_a_ring_of_files() {
    let files = [
        ("config", "mod draw; pub mod range;"),
        ("config/draw", "use crate::plan::Plan;"),
        ("config/range", "pub struct Range;"),
        ("plan", "pub struct Plan;"),
        ("plan/read", "use crate::config::range::Range;"),
    ];
    assert_eq!(sizes(&files), (vec![], vec![2]));
    let findings = check(&planted(&files));
    assert_eq!(findings.len(), 1);
    assert!(
        findings[0].message.contains("config + plan"),
        "{findings:?}"
    );
    // A folder and its own parent, or a folder and a single file, are not two folders.
    let files = [
        ("plan", "use self::read::R; pub struct Plan;"),
        (
            "plan/read",
            "use super::Plan; use crate::config::C; pub struct R;",
        ),
        ("config", "use crate::plan::read::R; pub struct C;"),
    ];
    assert_eq!(sizes(&files), (vec![3], vec![]));
}
