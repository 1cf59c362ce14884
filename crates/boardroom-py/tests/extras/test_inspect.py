"""A scripted model plays through inspect_ai, without a network."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import boardroom
from boardroom._program import program

pytest.importorskip("inspect_ai")

from inspect_ai import Task  # noqa: E402
from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.scorer import match  # noqa: E402

import boardroom.inspect  # noqa: E402

QUESTIONS = Path(__file__).parents[4] / "fixtures/qa"


def model(*calls):
    """A model that repeats these calls, one for each reply."""
    said = iter(())

    def reply(*_given) -> ModelOutput:
        nonlocal said
        call = next(said, None)
        if call is None:
            said = iter(calls)
            call = next(said)
        if isinstance(call, str):
            output = ModelOutput.from_content("mockllm/model", call)
        else:
            output = ModelOutput.for_tool_call("mockllm/model", *call)
        # Without `usage` the scripted model counts tokens with a file that it downloads.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def order(quantity):
    return model(("place_order", {"quantity": quantity}))


def log_of(tmp_path, task, player, **options):
    logs = evaluate(task, model=player, display="none", log_dir=str(tmp_path), **options)
    assert [log.status for log in logs] == ["success"], logs[0].error
    return logs[0]


def scores(log, name="value"):
    every = {(one.metadata["episode"], one.epoch): one.scores for one in log.samples}
    return [every[key]["score_of_the_record"].value[name] for key in sorted(every)]


def test_the_game_of_the_paper_has_no_regret(tmp_path):
    log = log_of(tmp_path, boardroom.inspect.task_for("beer-game", preset="paper", episodes=1), order(400))
    assert scores(log) == [9200.0] and scores(log, "regret") == [0.0] and scores(log, "unit") == [1.0]


def test_scores_are_those_of_the_program_and_compare_alike(tmp_path):
    """Tasks are found by name, as `inspect eval boardroom/beer_game` does."""
    options = {"task_args": {"preset": "random", "seed": 7, "episodes": 4}}
    logs = {
        quantity: log_of(tmp_path, "boardroom/beer_game", order(quantity), **options)
        for quantity in (300, 250)
    }
    assert scores(logs[300]) == [39589.0, 11931.0, 13430.0, 5394.5]
    runs = []
    for quantity in (300, 250):
        run = tmp_path / f"constant{quantity}"
        play = ["run", "beer-game", "--preset", "random", "--seed", "7", "--episodes", "4"]
        told(*play, "--agent", f"constant:{quantity}", "--out", str(run))
        runs.append(str(run))
        records = [json.loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]
        assert scores(logs[quantity]) == [record["score"]["value"] for record in records]
    ours = json.loads(told("compare", "--json", *(folder(log, tmp_path) for log in logs.values())))
    native = json.loads(told("compare", "--json", *runs))
    for key in ("difference", "ci95", "shared_instances"):
        assert find(ours, key) == find(native, key) != [], key


def folder(log, tmp_path):
    """The run folder of a log, which verifies."""
    made = str(boardroom.inspect.runs(log.location, tmp_path / "runs" / Path(log.location).stem))
    told("verify", made)
    return made


def told(*words):
    out = subprocess.run([program(), *words], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    return out.stdout


def find(value, key):
    """Every value of `key` at any depth."""
    if isinstance(value, dict):
        here = [value[key]] if key in value else []
        return here + [one for inner in value.values() for one in find(inner, key)]
    if isinstance(value, list):
        return [one for inner in value for one in find(inner, key)]
    return []


def test_epochs_play_every_episode_again(tmp_path):
    task = boardroom.inspect.task_for("beer-game", preset="random", seed=7, episodes=2)
    log = log_of(tmp_path, task, order(300), epochs=2)
    assert scores(log) == [39589.0, 39589.0, 11931.0, 11931.0]
    other = log_of(tmp_path, task, order(250), epochs=2)
    compared = json.loads(told("compare", "--json", folder(log, tmp_path), folder(other, tmp_path)))
    # Two epochs are two trials of each episode.
    assert compared["first"]["episodes"] == 4 and compared["others"][0]["shared_instances"] == 2


def test_a_log_without_episodes_and_one_of_two_games_have_no_run(tmp_path):
    question = Task(dataset=[Sample(input="2 + 2?", target="4")], scorer=match())
    log = log_of(tmp_path, question, model("4"))
    with pytest.raises(ValueError, match="no sample has the record"):
        boardroom.inspect.runs(log, tmp_path / "run")
    logs = [
        log_of(tmp_path, boardroom.inspect.task_for("beer-game", preset="random", seed=seed, episodes=1), order(300))
        for seed in (7, 8)
    ]
    logs[0].samples += logs[1].samples
    with pytest.raises(ValueError, match="2 runs"):
        boardroom.inspect.runs(logs[0], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_answers_are_scored_by_the_program(tmp_path):
    """The four questions of the sample: a model that always says `positive` is right twice."""
    items = json.loads((QUESTIONS / "application/FPB.json").read_text())
    questions = [Sample(id=item["ID"], input=item["sentence"], target=item["label"]) for item in items]
    log = log_of(tmp_path, Task(dataset=questions, scorer=match()), model("positive"), epochs=2)
    file = tmp_path / "answers.jsonl"
    assert boardroom.inspect.predictions(log.location, file) == 4
    words = ["score", "application/FPB", "--predictions", str(file), "--gold", str(QUESTIONS), "--json"]
    report = json.loads(told(*words))
    assert find(report, "outcomes")[0] == {"right": 2, "wrong": 2}, report


def test_a_model_that_stops_forfeits_the_rest(tmp_path):
    task = boardroom.inspect.task_for("beer-game", preset="paper", episodes=1, nudges=1)
    log = log_of(tmp_path, task, model("I am done."))
    record = json.loads(log.samples[0].scores["score_of_the_record"].metadata["record"])
    assert record["ending"] == "forfeited"


def test_a_limit_of_inspect_forfeits_the_rest(tmp_path):
    task = boardroom.inspect.task_for("beer-game", preset="paper", episodes=1)
    log = log_of(tmp_path, task, order(400), message_limit=12)
    assert log.samples[0].limit is not None
    assert scores(log)[0] > 9200.0


@pytest.mark.parametrize("environment", boardroom.environments())
def test_every_environment_has_a_task(tmp_path, environment):
    """A model without a call: the episode is forfeited, scored and recorded."""
    name = environment.replace("-", "_")
    log = log_of(tmp_path, f"boardroom/{name}", model("No."), task_args={"episodes": 1, "nudges": 0})
    assert len(scores(log)) == 1
    again = read_eval_log(log.location)
    assert again.eval.task.endswith(name)
