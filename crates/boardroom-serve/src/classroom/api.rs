//! The requests of the pages.

use super::room::{Person, Room};
use super::store::Phase;
use super::views;
use crate::replies::{json_response, read, refusal};
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use boardroom_http::{Peer, host, plain_error, receive};
use futures_util::stream::unfold;
use run_engine::error::RunError;
use serde::Deserialize;
use serde_json::{Value, json};
use sim_core::error::one_line;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Longest body of a request \[bytes\].
pub(super) const LONGEST: usize = 1 << 18;

/// Time after which a silent stream is sent an empty comment, so that a lost connection is noticed.
const SILENCE: Duration = Duration::from_secs(10);

/// Changes within this time are sent together.
const TOGETHER: Duration = Duration::from_millis(20);

/// Nothing but this server's own files, and no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a player is told instead of the result of the own team, which is shown when all teams are over.
const OVER: &str = "The game of your team is over.";

/// What a player is told instead of a refusal for other clients, which names a tool that no page has, or counts turns
/// from 0. The page shows for whom the game waits.
const DECIDED: &str = "Your decision is made already.";
const NOT_IN_TURN: &str = "It is not your turn.";
const LATE: &str = "Nothing was done: the game has gone on meanwhile.";

/// What a player is told whose decision was not saved.
const NOT_KEPT: &str = "Your decision counts in this game, but it could not be saved: it is lost if the \
                        server stops.";

type Refusal = (StatusCode, Value);

pub(super) fn router(room: &Arc<Room>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/page.js", get(script))
        .route("/page.css", get(style))
        .route("/api/me", get(me))
        .route("/api/teams/{team}/seats/{seat}", get(seat))
        .route("/api/teams/{team}/seats/{seat}/events", get(seat_events))
        .route("/api/teams/{team}/seats/{seat}/join", post(join))
        .route("/api/teams/{team}/seats/{seat}/act", post(act))
        .route("/api/teacher", get(teacher))
        .route("/api/teacher/events", get(teacher_events))
        .route("/api/teacher/{what}", post(teach))
        .fallback(elsewhere)
        // Bodies have arrived by then, within the limit of the server.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(room), checked))
        .with_state(Arc::clone(room))
}

/// Refuses pages of other sites and requests without a token, receives bodies, and adds the headers of every
/// answer.
async fn checked(State(room): State<Arc<Room>>, request: Request, next: Next) -> Response {
    let mut response = match host::check(request.headers(), room.options.is_open) {
        Ok(()) => pass(&room, request, next).await,
        Err(why) => json_response(StatusCode::FORBIDDEN, &refusal("forbidden", why)),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Passes a request on. For the paths with a token the body arrives first, and then the request waits for its
/// place: neither slow bodies nor many requests of one person delay others.
async fn pass(room: &Room, request: Request, next: Next) -> Response {
    if !request.uri().path().starts_with("/api/") {
        return next.run(request).await;
    }
    let Some(who) = token(request.headers()).and_then(|token| room.person(token)) else {
        let why = refusal("unknown_token", "the link is not one of this classroom");
        return json_response(StatusCode::UNAUTHORIZED, &why);
    };
    // By person: a class sits behind one address, and as one client it would have one share.
    let client = format!("{who:?}");
    if let Some(peer) = request.extensions().get::<Peer>() {
        peer.set_client(&client);
    }
    match receive(request).await {
        Ok(mut request) => {
            let _admitted = room.admission.admit(&client).await;
            request.extensions_mut().insert(who);
            next.run(request).await
        }
        Err(fault) => json_response(fault.status, &plain_error(fault.status, &fault.why)),
    }
}

async fn page() -> Response {
    file("text/html; charset=utf-8", include_str!("page.html"))
}

async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("page.js"))
}

async fn style() -> Response {
    let text = format!("{}{}", pictures::STYLE, include_str!("page.css"));
    file("text/css; charset=utf-8", text)
}

fn file(kind: &'static str, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

async fn elsewhere() -> Response {
    let value = refusal("not_found", "there is nothing here");
    json_response(StatusCode::NOT_FOUND, &value)
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?;
    // Its own pages send the token in one way only, unlike the clients of `serve`.
    Some(header.strip_prefix("Bearer ")?.trim())
}

fn forbidden() -> Refusal {
    let why = "this token does not open that";
    (StatusCode::FORBIDDEN, refusal("forbidden", why))
}

/// The team and the seat of a path, for the person whose seat it is.
fn own(room: &Room, who: Person, (team, seat): (&str, &str)) -> Result<(usize, usize), Refusal> {
    let number = team
        .parse::<usize>()
        .ok()
        .and_then(|team| team.checked_sub(1));
    let place = number.and_then(|number| {
        let seats = &room.teams.get(number)?.seats;
        let seat = seats.iter().position(|known| known.name() == seat)?;
        Some((number, seat))
    });
    // Also for paths that do not exist, so that a token reveals nothing about other teams.
    let place = place.ok_or_else(forbidden)?;
    match who {
        Person::Player(team, seat) if (team, seat) == place => Ok(place),
        _ => Err(forbidden()),
    }
}

fn only_teacher(who: Person) -> Result<(), Refusal> {
    match who {
        Person::Teacher => Ok(()),
        Person::Player(..) => Err(forbidden()),
    }
}

/// Runs `work` on a blocking thread: games are behind locks, and turns are brought to the disk.
async fn away(
    room: Arc<Room>,
    work: impl FnOnce(&Room) -> Result<Value, Refusal> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || work(&room)).await;
    match done {
        Ok(Ok(value)) => json_response(StatusCode::OK, &value),
        Ok(Err((status, value))) => json_response(status, &value),
        Err(_) => {
            let value = refusal("failed", "the request failed");
            json_response(StatusCode::INTERNAL_SERVER_ERROR, &value)
        }
    }
}

fn failed(error: &RunError) -> Refusal {
    let value = refusal("refused", error.to_string());
    (StatusCode::BAD_REQUEST, value)
}

fn unreadable(why: String) -> Refusal {
    (StatusCode::BAD_REQUEST, refusal("bad_request", why))
}

/// The owner of the request's token, which `pass` has found.
type Caller = Extension<Person>;

async fn me(State(room): State<Arc<Room>>, Extension(who): Caller) -> Response {
    away(room, move |room| {
        Ok(match who {
            Person::Teacher => json!({"role": "teacher"}),
            Person::Player(team, seat) => {
                let seats = room.teams.get(team).map(|team| team.seats.as_slice());
                let name = seats.and_then(|seats| seats.get(seat));
                json!({"role": "player", "team": team + 1,
                    "seat": name.map(sim_core::Seat::name)})
            }
        })
    })
    .await
}

type OfSeat = Path<(String, String)>;

async fn seat(
    State(room): State<Arc<Room>>,
    Extension(who): Caller,
    Path((team, seat)): OfSeat,
) -> Response {
    away(room, move |room| {
        let (team, seat) = own(room, who, (&team, &seat))?;
        Ok(views::of_seat(room, team, seat))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    #[serde(default)]
    name: String,
}

async fn join(
    State(room): State<Arc<Room>>,
    Extension(who): Caller,
    Path((team, seat)): OfSeat,
    body: Bytes,
) -> Response {
    away(room, move |room| {
        let (team, seat) = own(room, who, (&team, &seat))?;
        let wanted = read::<Join>(&body).map_err(unreadable)?;
        room.join(team, seat, &wanted.name)
            .map_err(|e| failed(&e))?;
        Ok(views::of_seat(room, team, seat))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Act {
    tool: String,
    #[serde(default)]
    arguments: Value,
    turn: Option<u64>,
}

async fn act(
    State(room): State<Arc<Room>>,
    Extension(who): Caller,
    Path((team, seat)): OfSeat,
    body: Bytes,
) -> Response {
    away(room, move |room| {
        let (team, seat) = own(room, who, (&team, &seat))?;
        let wanted = read::<Act>(&body).map_err(unreadable)?;
        let phase = room.stored().phase;
        if phase != Phase::Running {
            let why = match phase {
                Phase::Lobby => "the game has not begun",
                _ if room.fault().is_some() => {
                    "the game is paused, because decisions cannot be saved at the moment"
                }
                _ => "the teacher has paused the game",
            };
            return Err((StatusCode::CONFLICT, refusal("paused", why)));
        }
        if let Some(bot) = room.bot((team, seat)) {
            let who = if room.is_model(&bot) {
                "model"
            } else {
                "policy"
            };
            let why = format!("a {who} plays this seat; join to take it over");
            return Err((StatusCode::CONFLICT, refusal("not_yours", why)));
        }
        let id = room.id(team, seat).unwrap_or_default();
        let answer = room
            .sessions
            .call(id, &wanted.tool, wanted.arguments, wanted.turn);
        let not_kept = answer.value.get("not_kept");
        let is_kept = not_kept.is_none_or(Value::is_null);
        let sealed = answer.value.get("sealed").cloned();
        let is_over = answer.value.get("over") == Some(&Value::Bool(true));
        let rejected = answer.value.get("rejected").and_then(Value::as_str);
        let text = match (&sealed, answer.value.get("reply")) {
            // First of all: a player must know that a decision may be lost.
            _ if !is_kept => NOT_KEPT.into(),
            // The reply repeats the decision, which stands in no answer before the others have decided.
            (Some(_), _) => Value::Null,
            (None, Some(reply)) => reply.clone(),
            (None, None) if is_over => OVER.into(),
            (None, None) => match rejected {
                Some("sealed") => DECIDED.into(),
                Some("not_your_turn") => NOT_IN_TURN.into(),
                Some("wrong_turn") => LATE.into(),
                _ => answer.text.into(),
            },
        };
        let told = json!({
            "error": answer.error,
            "text": text,
            "rejected": rejected,
            "sealed": sealed.filter(|_| is_kept),
            "kept": is_kept,
        });
        room.note_faults();
        if !answer.error {
            room.tell(Some(team));
        }
        Ok(told)
    })
    .await
}

async fn teacher(State(room): State<Arc<Room>>, Extension(who): Caller) -> Response {
    away(room, move |room| {
        only_teacher(who)?;
        let teams = (0..room.teams.len()).map(|team| views::of_team(room, team));
        let teams: Vec<Value> = teams.collect();
        Ok(json!({"room": views::of_room(room), "teams": teams}))
    })
    .await
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Teach {
    team: Option<usize>,
    seat: Option<String>,
    policy: Option<String>,
    /// The time limit for a decision \[s\]; null for none.
    #[serde(default)]
    seconds: Value,
    /// Whether the class goes on although it cannot be saved.
    #[serde(default)]
    unsaved: bool,
}

async fn teach(
    State(room): State<Arc<Room>>,
    Extension(who): Caller,
    Path(what): Path<String>,
    body: Bytes,
) -> Response {
    away(room, move |room| {
        only_teacher(who)?;
        let wanted = read::<Teach>(&body).map_err(unreadable)?;
        let team = wanted.team.and_then(|team| team.checked_sub(1));
        let team = team.filter(|team| *team < room.teams.len());
        let no_team = || unreadable("`team` must be the number of a team, from 1".to_owned());
        let done = match what.as_str() {
            "start" => room.go_on(wanted.unsaved),
            "pause" => room.pause(),
            "limit" => room.set_limit(time_limit(&wanted.seconds)?),
            "bot" => {
                let team = team.ok_or_else(no_team)?;
                let seats = room.teams.get(team).map_or(&[][..], |team| &team.seats);
                let name = wanted.seat.unwrap_or_default();
                let seat = seats.iter().position(|seat| seat.name() == name);
                let no_seat = || unreadable("`seat` must be a seat of the game".to_owned());
                room.set_bot(team, seat.ok_or_else(no_seat)?, wanted.policy.as_deref())
            }
            "end" => {
                room.end(team.ok_or_else(no_team)?);
                Ok(())
            }
            _ => {
                let why = "there is /api/teacher/start, pause, limit, bot and end";
                return Err(unreadable(why.to_owned()));
            }
        };
        done.map_err(|e| failed(&e))?;
        Ok(views::of_room(room))
    })
    .await
}

/// A time limit for a decision \[s\]; null and 0 are none.
fn time_limit(seconds: &Value) -> Result<Option<u32>, Refusal> {
    if seconds.is_null() {
        return Ok(None);
    }
    let whole = seconds.as_u64().and_then(|s| u32::try_from(s).ok());
    match whole {
        Some(whole) => Ok((whole > 0).then_some(whole)),
        None => Err(unreadable(format!(
            "the time limit must be a whole number of seconds from 1 to {}, or null for none, not `{}`",
            u32::MAX,
            one_line(&seconds.to_string(), 60)
        ))),
    }
}

async fn seat_events(
    State(room): State<Arc<Room>>,
    Extension(who): Caller,
    Path((team, seat)): OfSeat,
) -> Response {
    let place = match own(&room, who, (&team, &seat)) {
        Ok(place) => place,
        Err((status, value)) => return json_response(status, &value),
    };
    let of = room.teams.get(place.0);
    let Some((of, page)) = of.and_then(|of| Some((of, of.pages.get(place.1)?))) else {
        let (status, value) = forbidden();
        return json_response(status, &value);
    };
    let (changed, lost) = (of.changed.subscribe(), page.streams.enter());
    stream(Arc::clone(&room), changed, lost, move |room| {
        let of = room.teams.get(place.0)?;
        let change = *of.changed.borrow();
        let render = || event("seat", &views::of_seat(room, place.0, place.1));
        Some(of.pages.get(place.1)?.text.after(change, render))
    })
}

async fn teacher_events(State(room): State<Arc<Room>>, Extension(who): Caller) -> Response {
    if let Err((status, value)) = only_teacher(who) {
        return json_response(status, &value);
    }
    let changed = room.changed.subscribe();
    let mut sent: Vec<Option<u64>> = vec![None; room.teams.len()];
    let lost = room.page.streams.enter();
    stream(Arc::clone(&room), changed, lost, move |room| {
        let change = *room.changed.borrow();
        let of_room = || event("room", &views::of_room(room));
        let mut texts = vec![room.page.text.after(change, of_room)];
        for ((number, team), sent) in room.teams.iter().enumerate().zip(&mut sent) {
            let change = *team.changed.borrow();
            // Of many teams mostly one has changed, and what did not change is not written again.
            if sent.replace(change) != Some(change) {
                let of_team = || event("team", &views::of_team(room, number));
                texts.push(team.text.after(change, of_team));
            }
        }
        Some(texts.concat().into())
    })
}

fn event(name: &str, data: &Value) -> String {
    // JSON has no line ends of its own, so it is one line of data.
    format!("event: {name}\ndata: {data}\n\n")
}

/// Server-sent events: what `write` returns now and after every change, until the stream has `lost` its place
/// to later ones of the same token.
fn stream(
    room: Arc<Room>,
    mut changed: watch::Receiver<u64>,
    lost: oneshot::Receiver<()>,
    write: impl FnMut(&Room) -> Option<Bytes> + Send + 'static,
) -> Response {
    // A new stream begins with everything as it is now.
    changed.mark_changed();
    let events = unfold(
        (room, changed, lost, write),
        |(room, mut changed, mut lost, mut write)| async move {
            let news = tokio::select! {
                _ = &mut lost => return None,
                news = tokio::time::timeout(SILENCE, changed.changed()) => news,
            };
            let (text, write) = match news {
                Err(_) => (Bytes::from_static(b": still here\n\n"), write),
                // The room is gone.
                Ok(Err(_)) => return None,
                Ok(Ok(())) => {
                    // What a stream is sent costs much more than the stream. One that is lost meanwhile, as in a
                    // flood, is sent nothing.
                    tokio::select! {
                        _ = &mut lost => return None,
                        () = tokio::time::sleep(TOGETHER) => {}
                    }
                    // Before the text is written, so that a change during the writing is sent next.
                    changed.mark_unchanged();
                    let of = Arc::clone(&room);
                    // The writer goes to the thread and comes back: it remembers what it has sent.
                    let written = tokio::task::spawn_blocking(move || (write(&of), write));
                    let (text, write) = written.await.ok()?;
                    (text?, write)
                }
            };
            Some((Ok::<_, Infallible>(text), (room, changed, lost, write)))
        },
    );
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/event-stream");
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
