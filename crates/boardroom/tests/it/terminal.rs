//! A person at a terminal: the program runs in a pseudo-terminal, with a script as the keyboard.

use crate::program::{boardroom, json, verifies};
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};
use std::path::Path;

/// Time-out for one answer \[ms\], long enough for a busy machine.
const PATIENCE: u64 = 60_000;

fn sit_down(line: &str) -> PtySession {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = boardroom(&words);
    command.env("TERM", "xterm");
    spawn_command(command, Some(PATIENCE)).unwrap()
}

/// The exit code of a program that has no more output.
fn leave(mut terminal: PtySession) -> i32 {
    terminal.exp_eof().unwrap();
    match terminal.process().wait().unwrap() {
        WaitStatus::Exited(_, code) => code,
        other => panic!("{other:?}"),
    }
}

/// Orders 400 in every week from `first` up to `last`; the expected answer is the next week's
/// opening.
fn order(terminal: &mut PtySession, first: u32, last: u32) {
    for week in first..=last {
        terminal
            .exp_string(&format!("== week {week} of 25 =="))
            .unwrap();
        terminal.exp_string("> ").unwrap();
        terminal.send_line("place_order 400").unwrap();
        terminal.exp_string("Enter confirms, n cancels: ").unwrap();
        terminal.send_line("").unwrap();
    }
}

#[test]
fn a_game_at_a_terminal_is_completed_verified_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play beer-game --out {out}");

    let mut terminal = sit_down(&line);
    // A terminal gets a fresh screen for every turn.
    terminal.exp_string("\x1b[2J").unwrap();
    terminal.exp_string("== week 1 of 25 ==").unwrap();
    terminal.send_line("help").unwrap();
    terminal.exp_string("* place_order <quantity>").unwrap();
    terminal.exp_string("help, quit").unwrap();
    terminal.send_line("plase_order 400").unwrap();
    terminal
        .exp_string("there is no `plase_order`; type one of:")
        .unwrap();
    terminal.send_line("place_order 4000").unwrap();
    terminal.exp_string("n cancels: ").unwrap();
    terminal.send_line("n").unwrap();
    terminal.exp_string("taken back").unwrap();
    terminal.send_line("place_order 400").unwrap();
    terminal.exp_string("n cancels: ").unwrap();
    terminal.send_line("").unwrap();
    order(&mut terminal, 2, 4);
    terminal.exp_string("== week 5 of 25 ==").unwrap();
    terminal.send_line("quit").unwrap();
    assert_eq!(leave(terminal), 130);

    let mut terminal = sit_down(&line);
    order(&mut terminal, 5, 25);
    terminal.exp_string("The game is over.").unwrap();
    terminal.exp_string("score 9,200 cost").unwrap();
    assert_eq!(leave(terminal), 0);

    verifies(&out, 1);
    assert!(!Path::new(&out).join("progress/0.jsonl").exists());
    let policy = dir.path().join("policy").to_str().unwrap().to_owned();
    json(&format!(
        "run beer-game --agent constant:100 --episodes 1 --json --out {policy}"
    ));
    let compared = json(&format!("compare {policy} {out} --json"));
    let other = &compared["others"][0];
    assert_eq!(
        (&other["shared"], &other["agent"]),
        (&1.into(), &"human".into())
    );
    assert_eq!(other["mean"], 9200.0);
    // One game of a person gives a score, but no ranking.
    assert_eq!(other["verdict"], "not distinguishable");
}

/// The end of input (Ctrl-D) is a way to leave, and loses no finished week.
#[test]
fn the_end_of_input_leaves_the_game_to_go_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play beer-game --out {out}");
    let mut terminal = sit_down(&line);
    order(&mut terminal, 1, 1);
    terminal.exp_string("== week 2 of 25 ==").unwrap();
    terminal.exp_string("> ").unwrap();
    terminal.send_control('d').unwrap();
    assert_eq!(leave(terminal), 130);
    let mut terminal = sit_down(&line);
    terminal.exp_string("== week 2 of 25 ==").unwrap();
    terminal.send_line("quit").unwrap();
    assert_eq!(leave(terminal), 130);
}

/// Ctrl-C ends the program at the first press, at every place where it waits, and loses no finished week.
#[test]
fn one_ctrl_c_ends_the_game_wherever_it_waits() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play beer-game --out {out}");
    let presses: [&dyn Fn(&mut PtySession); 4] = [
        // Before the first decision.
        &|_| {},
        // In the middle of a line.
        &|terminal| {
            terminal.send("place_or").unwrap();
            terminal.flush().unwrap();
        },
        // Where a decision has to be confirmed.
        &|terminal| {
            terminal.send_line("place_order 400").unwrap();
            terminal.exp_string("n cancels: ").unwrap();
        },
        // After a week, and after help and a mistake.
        &|terminal| {
            terminal.send_line("place_order 400").unwrap();
            terminal.exp_string("n cancels: ").unwrap();
            terminal.send_line("").unwrap();
            terminal.exp_string("== week 2 of 25 ==").unwrap();
            terminal.exp_string("> ").unwrap();
            terminal.send_line("help").unwrap();
            terminal.exp_string("help, quit").unwrap();
            terminal.send_line("place_order -1").unwrap();
            terminal.exp_string("try again").unwrap();
        },
    ];
    for press in presses {
        let mut terminal = sit_down(&line);
        terminal.exp_string("== week 1 of 25 ==").unwrap();
        press(&mut terminal);
        terminal.send_control('c').unwrap();
        let hint = format!("`boardroom play beer-game --out {out}` continues it");
        terminal.exp_string(&hint).unwrap();
        assert_eq!(leave(terminal), 130);
    }
    let mut terminal = sit_down(&line);
    terminal.exp_string("== week 2 of 25 ==").unwrap();
    terminal.send_control('c').unwrap();
    assert_eq!(leave(terminal), 130);
}

/// Ctrl-D where a decision has to be confirmed leaves the game; it does not ask again.
#[test]
fn one_ctrl_d_ends_the_game_at_a_question() {
    let mut terminal = sit_down("play beer-game");
    terminal.exp_string("== week 1 of 25 ==").unwrap();
    terminal.send_line("400").unwrap();
    terminal.exp_string("n cancels: ").unwrap();
    terminal.send_control('d').unwrap();
    assert_eq!(leave(terminal), 130);
}
