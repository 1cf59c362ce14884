//! A failure below HTTP: its causes, from the outside to the inside.

/// The failure and the failures that caused it, from the outside to the inside.
fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// All causes of a failure in one line.
pub(super) fn chain(error: &reqwest::Error) -> String {
    causes(error)
        .map(ToString::to_string)
        // Libraries often repeat the inner cause in their own words.
        .reduce(|message, text| match message.contains(&text) {
            true => message,
            false => format!("{message}: {text}"),
        })
        .unwrap_or_default()
}

/// The innermost cause of a failure, without the number that the system gives it.
pub(super) fn reason(error: &reqwest::Error) -> String {
    let text = causes(error).last().map(ToString::to_string);
    let text = text.unwrap_or_default();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Whether the operating system reported the failure, such as a refused connection.
pub(super) fn is_of_the_system(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.raw_os_error().is_some())
    })
}
