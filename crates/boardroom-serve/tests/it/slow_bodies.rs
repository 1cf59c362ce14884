//! One person who is slow delays nobody in a class.

use crate::classroom::School;
use serde_json::json;
use std::time::Duration;

/// Slow bodies and streams of one person do not delay the orders of others.
#[test]
fn nobody_waits_for_slow_bodies() {
    let dir = tempfile::tempdir().unwrap();
    let school = School::open(&dir.path().join("school"), "classic", 1, None);
    let player = school.player(1, "retailer");
    player.join(&school);
    school.teach("start", &json!({}));
    let _held = school
        .server
        .slow_bodies(&format!("{}/act", player.path), &player.token);
    let path = format!("{}/events", player.path);
    // One after the other, as pages are loaded again: the last one is the page that is open.
    let open = |_| {
        let mut stream = school.server.events(&path, &player.token);
        stream.begins();
        stream
    };
    let mut streams: Vec<_> = (0..20).map(open).collect();
    let began = std::time::Instant::now();
    player.order(&school, 4, 0);
    assert!(
        // The bodies are given up after 10 s.
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    streams[19].until(|seen| seen["turn"] == 1);
    assert!(streams[0].ends(), "a page has one stream");
}
