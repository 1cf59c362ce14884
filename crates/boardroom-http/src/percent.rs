//! Paths and queries as text.

/// A path with `%41` and the like as text; `None` if it is not one.
///
/// ```
/// use boardroom_http::decoded;
/// assert_eq!(decoded("a%20b%C3%A9").as_deref(), Some("a bé"));
/// for wrong in ["a%2", "%ff", "%+4"] {
///     assert_eq!(decoded(wrong), None);
/// }
/// ```
#[must_use]
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(16 * digit()? + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The first value of a name in a query, as text; as it stands if it cannot be decoded.
///
/// ```
/// use boardroom_http::query_value;
/// let query = "a=1&id=my+game%2F1&id=2";
/// assert_eq!(query_value(query, "id").as_deref(), Some("my game/1"));
/// assert_eq!(query_value(query, "b"), None);
/// ```
#[must_use]
pub fn query_value(query: &str, name: &str) -> Option<String> {
    let mut fields = query.split('&').filter_map(|field| field.split_once('='));
    let (_, value) = fields.find(|(held, _)| *held == name)?;
    // Before it is decoded: a `%2B` is a plus and not a space.
    let text = value.replace('+', " ");
    Some(decoded(&text).unwrap_or(text))
}
