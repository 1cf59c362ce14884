"""Plots a game from its record.

    python plot_records.py runs/mine game.svg     # the first record of `boardroom run`
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


# %% A record holds the inputs of an episode. Played again, they give the data of every picture.
def pictures(folder: str | None) -> tuple[dict, list[dict]]:
    """A record and its pictures."""
    if folder is None:
        record = record_of_a_rule()
        return record, boardroom.plots(record, preset="random")
    run = Path(folder)
    config = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["plan"]["config"]
    with (run / "episodes.jsonl").open(encoding="utf-8") as lines:
        record = json.loads(next(lines))
    return record, boardroom.plots(record, settings={"": config})


# %%
if __name__ == "__main__":
    record, found = pictures(sys.argv[1] if len(sys.argv) > 1 else None)
    for picture in found:
        print(f"{picture['name']}: {picture['title']} ({picture['shape']['form']})")
    title = f"{record['header']['environment']}; score {record['score']['value']:,.0f}"
    file = Path(sys.argv[2] if len(sys.argv) > 2 else "game.svg")
    file.write_text(boardroom.draw(found, title=title), encoding="utf-8")
