"""Games with text and tools."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import boardroom


def order(quantity, number=0):
    return {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "place_order", "arguments": json.dumps({"quantity": quantity})},
    }


def test_a_scripted_game_of_the_paper():
    """Constant orders of 400 cost 9,200 in the paper's game; boardroom run says the same."""
    game = boardroom.Game("beer-game", preset="paper", seed=7)
    messages, tools = game.reset()
    assert [message["role"] for message in messages] == ["system", "user"]
    names = {tool["function"]["name"] for tool in tools}
    assert "place_order" in names
    for tool in tools:
        assert tool["function"]["parameters"]["additionalProperties"] is False
    while not game.done:
        turn = game.step({"role": "assistant", "tool_calls": [order(400)]})
        assert turn.messages[0]["tool_call_id"] == "c0"
    assert turn.done and turn.info["score"]["value"] == score_of("constant:400")
    assert turn.reward == game.reference().placed["unit"]
    with pytest.raises(ValueError, match="over"):
        game.step([order(1)])


def score_of(policy):
    return boardroom.Lanes("beer-game", preset="paper").policy_score(policy, 7, 0)


def test_refusals_are_told_and_change_nothing():
    game = boardroom.Game("beer-game")
    game.reset()
    before = game.observation
    for call in (
        {"id": "1", "name": "place_order", "arguments": "{not json"},
        {"id": "2", "name": "place_order", "arguments": {"quantity": -5}},
        {"id": "3", "name": "no_such_tool", "arguments": {}},
    ):
        turn = game.step([call])
        assert turn.info["rejected"] == 1 and not turn.done
        assert turn.messages[0]["tool_call_id"] == call["id"] and turn.messages[0]["content"]
        assert game.observation == before


def test_calls_after_the_end_of_a_turn_are_dropped_and_answered():
    game = boardroom.Game("beer-game")
    game.reset()
    turn = game.step([order(100, 0), order(200, 1)])
    assert game.period[0] == 1
    assert [message.get("tool_call_id") for message in turn.messages[:2]] == ["c0", "c1"]
    assert "dropped" in str(game.record()["entries"])


def test_a_game_is_a_value():
    game = boardroom.Game("beer-game", preset="random", seed=3)
    game.reset()
    for quantity in (100, 250, 400):
        game.step([order(quantity)])
    for other in (
        game.copy(),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
        boardroom.Game.restore(json.loads(json.dumps(game.state()))),
    ):
        assert other.observation == game.observation and other.record() == game.record()
        other.step([order(50)])
        assert other.period[0] == game.period[0] + 1
        other.reset()
        assert other.period[0] == 0


def test_seats_play_in_turn():
    game = boardroom.Game("beer-game", preset="classic")
    assert len(game.seats) == 4
    seen = []
    for _ in range(4):
        seen.append(game.seat)
        game.act({"quantity": 4})
    assert seen == game.seats and game.period[0] == 1
    assert list(game.seen) == game.seats


def test_every_environment_can_be_forfeited():
    for environment in boardroom.environments():
        game = boardroom.Game(environment, seed=1)
        messages, tools = game.reset()
        assert messages[0]["content"] and tools is not None
        for _ in range(3):
            if not game.done:
                game.forfeit()
        assert isinstance(game.score["value"], float | int)


def test_splits_share_no_seed():
    train = {task["seed"] for task in boardroom.tasks("beer-game", 100)}
    held_out = {task["seed"] for task in boardroom.tasks("beer-game", 100, split="eval")}
    assert len(train) == len(held_out) == 100 and not train & held_out
    with pytest.raises(ValueError, match="split"):
        boardroom.tasks("beer-game", 1, split="test")


def test_pictures_are_data():
    game = boardroom.Game("beer-game", preset="random", seed=3)
    while not game.done:
        game.act({"quantity": 200})
    pictures = game.plots()
    assert pictures and {"name", "title", "x", "y", "shape"} <= set(pictures[0])
    assert boardroom.plots(game.record(), preset="random") == pictures
    drawn = boardroom.draw(pictures, title="a < b")
    assert drawn.startswith("<svg") and "<title>a &lt; b</title>" in drawn
    assert all(picture["title"] in drawn for picture in pictures)
    assert boardroom.draw(pictures[0]).count("<svg") == 1
    with pytest.raises(ValueError, match="nothing to draw"):
        boardroom.draw([])
    with pytest.raises(ValueError, match="instance"):
        boardroom.plots(game.record(), preset="stationary")


def test_references_and_versions():
    found = boardroom.reference("beer-game", preset="paper", value=9200.0)
    assert found.status in ("proven", "bound", "best-known") and 0 < found.placed["unit"] <= 1
    assert set(boardroom.versions()["environments"]) == set(boardroom.environments())
    assert boardroom.describe("edt")["presets"]
