//! The pages that are told of changes, and what their streams are sent.

use axum::body::Bytes;
use boardroom_http::{Latest, lock};
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// Streams of one token: a page has one, and one that lost its connection may have another for a while.
const STREAMS: usize = 8;

/// Age up to which a text is sent to further streams: the text of a seat has the time that is left for a turn.
const FRESH: Duration = Duration::from_millis(100);

/// The page of a seat or of the teacher.
#[derive(Debug)]
pub(super) struct Page {
    /// Its streams.
    pub(super) streams: Latest,
    pub(super) text: SharedText,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            streams: Latest::new(STREAMS),
            text: SharedText::default(),
        }
    }
}

/// A text that is rendered once for all streams that are sent it: rendering takes much longer than sending.
#[derive(Debug, Default)]
pub(super) struct SharedText(Mutex<Option<Rendered>>);

#[derive(Debug)]
struct Rendered {
    /// The change after which it was rendered.
    change: u64,
    at: Instant,
    text: Bytes,
}

impl SharedText {
    /// The text after change number `change`, which must be read before.
    pub(super) fn after(&self, change: u64, render: impl FnOnce() -> String) -> Bytes {
        // Who comes meanwhile waits for this one's text.
        let mut last = lock(&self.0);
        let known = last
            .as_ref()
            .filter(|known| known.change >= change && known.at.elapsed() < FRESH);
        if let Some(known) = known {
            return known.text.clone();
        }
        let at = Instant::now();
        let text = Bytes::from(render());
        *last = Some(Rendered {
            change,
            at,
            text: text.clone(),
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_text_is_rendered_once_for_each_change_and_again_when_it_is_old() {
        let text = SharedText::default();
        let is = |change, render: &'static str| text.after(change, || render.to_owned());
        assert_eq!(is(1, "a"), "a");
        assert_eq!(is(1, "not rendered"), "a");
        assert_eq!(is(2, "b"), "b");
        // A stream that looked before the change.
        assert_eq!(is(1, "not rendered"), "b");
        tokio::time::advance(FRESH).await;
        assert_eq!(is(2, "c"), "c");
    }
}
