//! What the pages are sent.

use super::plots;
use super::room::Room;
use super::store::{Phase, Place};
use crate::sessions::{PeriodRow, add, merge};
use serde_json::{Map, Value, json};
use sim_core::Seat;

/// What the page of a seat shows.
pub(super) fn of_seat(room: &Room, team: usize, seat: usize) -> Value {
    // Copied out, so that the room is not locked while games are asked for their state.
    let (phase, limit, places) = {
        let stored = room.stored();
        let places = stored.teams.get(team).cloned().unwrap_or_default();
        (stored.phase, stored.limit, places)
    };
    let (Some(id), Some(of)) = (room.id(team, seat), room.teams.get(team)) else {
        return Value::Null;
    };
    let own = places.get(seat);
    let seat = own.map(|place| place.seat.clone());
    let waiting = room.sessions.waiting_for(&of.game.id);
    let players = places.iter().map(|place| player(room, place, &waiting));
    let mut view = common(room, phase, limit);
    merge(
        &mut view,
        json!({
            "team": team + 1,
            "seat": seat,
            "name": own.and_then(|place| place.name.clone()),
            "players": players.collect::<Vec<_>>(),
        }),
    );
    if let Some(state) = room.sessions.seat_state(id) {
        let tools = state.tools.iter().map(|spec| {
            json!({"name": spec.name, "about": spec.description, "kind": spec.kind,
                "arguments": spec.arguments})
        });
        let tools: Vec<Value> = tools.collect();
        let name = seat.unwrap_or_default();
        let rows = [(Seat(name.into()), state.rows)];
        let plots = plots::of_seats(&rows, room.sessions.unit());
        let [(_, rows)] = rows;
        merge(
            &mut view,
            json!({
                "over": false,
                "turn": state.period.index,
                "of": state.period.total,
                "decided": state.decided,
                "plots": plots,
                "rows": rows,
            }),
        );
        // Nobody sees a game that has not begun.
        if phase != Phase::Lobby {
            merge(
                &mut view,
                json!({
                    "rules": state.rules,
                    "opening": state.opening,
                    "observation": state.observation,
                    "tools": tools,
                }),
            );
        }
        let is_due = waiting.contains(&state.seat);
        if let Some(limit) = limit.filter(|_| is_due && phase == Phase::Running) {
            let left = room.left(team, limit).unwrap_or_default();
            let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            add(&mut view, "left_ms", left.into());
        }
    } else {
        add(&mut view, "over", true.into());
        // In place of the game, which is over for this seat.
        add(&mut view, "debrief", debrief(room, team));
    }
    view
}

/// What the teacher's page shows of the classroom, without the games.
pub(super) fn of_room(room: &Room) -> Value {
    let (phase, limit) = {
        let stored = room.stored();
        (stored.phase, stored.limit)
    };
    let models = room.options.models.as_ref();
    let mut view = common(room, phase, limit);
    merge(
        &mut view,
        json!({
            "unsaved_why": room.fault(),
            "bot": room.options.bot,
            "stand_in": room.options.stand_in,
            "policies": room.policies(),
            "models": models.map_or(&[][..], |models| models.names()),
            "optimum": room.optimum.get(),
        }),
    );
    // A curve of one team compares nothing; the team's own plots show it.
    if room.teams.len() > 1 {
        let teams = (1..).zip(&room.teams);
        let teams = teams.map(|(number, team)| (number, room.sessions.rows(&team.game.id)));
        let plots = plots::of_teams(teams, room.sessions.unit());
        add(&mut view, "plots", json!(plots));
    }
    view
}

/// What the teacher's page shows of a team.
pub(super) fn of_team(room: &Room, team: usize) -> Value {
    let places = room.stored().teams.get(team).cloned().unwrap_or_default();
    let Some(of) = room.teams.get(team) else {
        return Value::Null;
    };
    let waiting = room.sessions.waiting_for(&of.game.id);
    let seats = places.iter().enumerate().map(|(seat, place)| {
        let mut view = player(room, place, &waiting);
        add(&mut view, "token", place.token.clone().into());
        let fault = room.asked.fault((team, seat));
        let fault = fault.map(|(turn, why)| json!({"turn": turn, "why": why}));
        add(&mut view, "fault", fault.into());
        view
    });
    let period = room.sessions.period(&of.game.id);
    let played = room.sessions.rows(&of.game.id);
    let mut view = json!({
        "team": team + 1,
        "seats": seats.collect::<Vec<_>>(),
        "over": period.is_none(),
        "turn": period.map(|period| period.index),
        "of": period.and_then(|period| period.total),
        "rows": rows(&played),
        "plots": plots::of_seats(&played, room.sessions.unit()),
    });
    if period.is_none() {
        add(&mut view, "result", result(room, team));
    }
    view
}

/// What a team learns at the end: everybody's curves, the result, and what the reference would have done. All
/// teams play one episode, so nobody sees it before the last game is over: it shows the demand of all
/// periods.
fn debrief(room: &Room, team: usize) -> Value {
    if !room.is_over() {
        return json!({"waits_for": "teams"});
    }
    let game = room.teams.get(team).map(|team| team.game.id.as_str());
    let optimum = room.optimum.get();
    let played = room.sessions.rows(game.unwrap_or_default());
    json!({
        "rows": rows(&played),
        "plots": plots::of_seats(&played, room.sessions.unit()),
        "result": result(room, team),
        "optimum": optimum,
        "waits_for": optimum.is_none().then_some("solver"),
    })
}

fn result(room: &Room, team: usize) -> Value {
    let game = room.teams.get(team).map(|team| team.game.id.as_str());
    let end = room.sessions.status(game.unwrap_or_default()).value;
    let mut result = end.get("result").cloned().unwrap_or_default();
    let metrics = end.pointer("/score/metrics").cloned().unwrap_or_default();
    add(&mut result, "metrics", metrics);
    add(
        &mut result,
        "closed_by",
        end.get("closed_by").cloned().into(),
    );
    result
}

/// Solves what the reference policy would have done in the same episode, and tells the pages.
pub(super) fn solve(room: &Room) {
    // Once for all teams, who play the same episode; the search may take minutes.
    room.optimum.get_or_init(|| {
        let played = room.sessions.reference_play(room.options.episode);
        // Null and not absent, so that pages stop waiting for a solver where there is none.
        played.map_or(Value::Null, |(seats, result)| {
            let plots = plots::of_optimum(&seats, room.sessions.unit());
            json!({"rows": rows(&seats), "plots": plots, "result": result})
        })
    });
    room.tell(None);
}

fn common(room: &Room, phase: Phase, limit: Option<u64>) -> Value {
    let plan = room.sessions.plan();
    json!({
        "environment": plan.environment,
        "about": room.sessions.about(),
        "preset": plan.preset,
        "unit": room.sessions.unit(),
        "phase": phase,
        "limit": limit,
        "teams": room.teams.len(),
        "unencrypted": room.options.is_open,
        "unsaved": room.fault().is_some(),
        "goes_on_unsaved": room.goes_on_unsaved(),
    })
}

fn player(room: &Room, place: &Place, waiting: &[Seat]) -> Value {
    let bot = place.bot.as_deref();
    json!({
        "seat": place.seat,
        "name": place.name,
        "bot": bot,
        "model": bot.is_some_and(|bot| room.is_model(bot)),
        // A seat that nobody waits for has decided, or has no part in this period.
        "decided": waiting.iter().all(|seat| seat.name() != place.seat),
    })
}

fn rows(seats: &[(Seat, Vec<PeriodRow>)]) -> Value {
    let all = seats.iter();
    let all: Map<String, Value> = all
        .map(|(seat, rows)| (seat.name().to_owned(), json!(rows)))
        .collect();
    all.into()
}
