"""The Beer Game in five minutes: numpy alone is needed."""

# %%
import numpy as np

import boardroom

print(boardroom.environments())

# %% Four games at once. Lane k of seed 7 plays episode k of seed 7, as `boardroom run --seed 7` does.
lanes = boardroom.Lanes("beer-game", 4, preset="random", scale=False, reward="raw", autoreset="disabled")
obs = lanes.reset(seed=7)
print("fields:", ", ".join(f"{field.name} [{field.unit}]" for field in lanes.fields.values()))

# %% Everyone orders what was asked of them last week.
incoming = lanes.fields["incoming_order"].index
total = np.zeros(4)
ended = np.zeros(4, bool)
while not ended.all():
    obs, rewards, ended = lanes.step(obs[:, [incoming]])
    total += rewards
print("cost of each game:", (-total).round(1).tolist())

# %% How good is that? The reference says what no play can undercut, and what a simple rule pays.
for lane in range(4):
    found = lanes.reference_of(lane)
    print(f"episode {lane}: cost {lanes.score_of(lane):,.1f}, baseline {found.baseline:,.1f}, "
          f"{found.status} {found.optimum or found.bound:,.1f}, normalised {found.placed['normalised']:.2f}")

# %% The same game with text and tools, as a language model plays it.
game = boardroom.Game("beer-game", preset="random", seed=7)
messages, tools = game.reset()
print(messages[1]["content"].splitlines()[0])
turn = game.step([{"id": "1", "name": "place_order", "arguments": {"quantity": 100}}])
print(turn.messages[0]["content"].splitlines()[0])
