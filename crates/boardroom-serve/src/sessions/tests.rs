use super::*;
use run_engine::plan::RunRequest;
use std::time::Duration;
use tokio::time::advance;

fn registry() -> Registry {
    Registry::new().with_boxed(beer_game::Spec.boxed())
}

const IDLE: Duration = Duration::from_secs(60);

/// A session manager with a folder that closes games after [`IDLE`].
fn hasty(dir: &std::path::Path) -> SessionManager {
    let request = RunRequest {
        environment: "beer-game".to_owned(),
        agent: "mcp".to_owned(),
        episodes: Some(10),
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry(), request).unwrap();
    let folder = Folder::create(&dir.join("games"), plan.clone()).unwrap();
    let limits = SessionLimits::of(10, IDLE);
    SessionManager::new(registry(), plan, ServerMode::Play, limits, Some(folder)).unwrap()
}

/// A long call does not expire its game, and the idle time of the client starts after the call.
#[tokio::test(start_paused = true)]
#[expect(
    clippy::await_holding_lock,
    reason = "the test has one task, which takes no lock while time passes"
)]
async fn a_game_in_use_stays() {
    let dir = tempfile::tempdir().unwrap();
    let sessions = hasty(dir.path());
    let opened = sessions.new_episode(None).value;
    let id = opened["episode_id"].as_str().unwrap();
    let game = sessions.find(id).unwrap();
    let seat = game.seat();
    advance(IDLE).await;
    assert_eq!(sessions.new_episode(None).value["episode"], 1);
    drop(seat);
    // A game is in use between being found and being locked as well.
    advance(IDLE).await;
    assert_eq!(sessions.new_episode(Some(0)).value["rejected"], "given_out");
    drop(game);
    advance(IDLE - Duration::from_millis(1)).await;
    assert_eq!(sessions.new_episode(Some(0)).value["rejected"], "given_out");
    advance(Duration::from_millis(1)).await;
    assert_eq!(sessions.new_episode(Some(0)).value["episode"], 0);
}
