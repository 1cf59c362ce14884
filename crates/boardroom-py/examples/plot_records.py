"""Plots stock and orders of a game from its record (needs matplotlib).

    python plot_records.py runs/mine/episodes.jsonl plot.png     # records of `boardroom run`
"""

# %%
import json
import sys
from pathlib import Path

import numpy as np

import boardroom


def record_of_a_rule() -> dict:
    """A game in which the retailer orders 300 each week."""
    lanes = boardroom.Lanes("beer-game", preset="random", scale=False, autoreset="disabled")
    ended = np.zeros(1, bool)
    lanes.reset(7)
    while not ended.all():
        _, _, ended = lanes.step([[300.0]])
    return lanes.record(agent="policy:constant")


# %% A record holds the inputs of an episode; played again they give everything that was seen.
def courses(record: dict, preset: str = "random") -> dict[str, list[float]]:
    head = record["header"]
    game = boardroom.Game(head["environment"], preset=preset, seed=head["seed"], episode=head["episode"])
    seen: dict[str, list[float]] = {"inventory": [], "backlog": [], "last_order": []}
    for entry in record["entries"]:
        action = entry.get("action") or entry["input"].get("act")
        if action is None:
            continue
        game.act(action)
        for name, course in seen.items():
            course.append(float(game.observation[name]))
    return seen


# %%
if __name__ == "__main__":
    if len(sys.argv) > 1:
        record = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()[0])
    else:
        record = record_of_a_rule()
    seen = courses(record)
    print({name: course[:5] for name, course in seen.items()}, "score", record["score"]["value"])
    try:
        import matplotlib
    except ImportError:
        sys.exit("pip install matplotlib draws this")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    for name, course in seen.items():
        axes.step(range(1, len(course) + 1), course, where="post", label=name.replace("_", " "))
    axes.set(xlabel="week", ylabel="units", title=f"cost {record['score']['value']:,.0f}")
    axes.legend()
    figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "game.png", dpi=120)
