"""The Beer Game of the paper in plain Python, from its description alone: the twin of the fast one.

Four stages; orders take one week upstream, goods two weeks downstream. The retailer is played, the others order what
they were asked for plus what their stock lacks, with the mean of the last one or four weeks as the estimate.
"""

from __future__ import annotations

import gymnasium
import numpy as np

WEEKS = 25


class Stage:
    def __init__(self) -> None:
        self.inventory = 400.0
        self.backlog = 0.0
        self.slips = [100.0]
        self.inbound = [100.0, 100.0]
        self.recent = [100.0] * 4
        self.asked = 0.0
        self.received = 0.0
        self.on_order = 0.0
        self.ordered = 0.0

    def serve(self, asked: float) -> float:
        self.received = self.inbound.pop(0)
        self.asked = asked
        stock, owed = self.inventory + self.received, self.backlog + asked
        shipped = min(stock, owed)
        self.inventory, self.backlog = stock - shipped, owed - shipped
        return shipped

    def wish(self, window: int) -> float:
        self.recent = [*self.recent[1:], self.asked]
        estimate = sum(self.recent[-window:]) / window
        return float(int(max(0.0, estimate + 400.0 - self.inventory + self.backlog)))


class BeerGame:
    """One game; `step` takes the retailer's order and gives the cost of the week."""

    def __init__(self, demand: list[float], window: int) -> None:
        self.demand, self.window = demand, window
        self.stages = [Stage() for _ in range(4)]
        self.week = 0

    def step(self, order: float) -> float:
        asked = self.demand[self.week]
        for number, stage in enumerate(self.stages):
            shipped = stage.serve(asked if number == 0 else stage.slips.pop(0))
            if number > 0:
                self.stages[number - 1].inbound.append(shipped)
        for number, stage in enumerate(self.stages):
            wish = float(round(min(max(order, 0.0), 5000.0))) if number == 0 else stage.wish(self.window)
            stage.ordered = wish
            if number < 3:
                self.stages[number + 1].slips.append(wish)
            else:
                stage.inbound.append(wish)
        self.week += 1
        retailer = self.stages[0]
        return max(200.0, 0.5 * retailer.inventory) + retailer.backlog


class Env(gymnasium.Env):
    """The twin as a Gymnasium environment with drawn steps of demand, for the comparison of speed."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        week, high = self.np_random.integers(1, 11), float(self.np_random.integers(200, 501))
        demand = [100.0 if k + 1 < week else high for k in range(WEEKS)]
        self.game = BeerGame(demand, 1)
        return self._seen(), {}

    def _seen(self):
        stage = self.game.stages[0]
        return np.array([self.game.week, stage.inventory, stage.backlog, stage.asked], np.float32)

    def step(self, action):
        cost = self.game.step((float(action[0]) + 1.0) * 750.0)
        return self._seen(), -cost / 400.0, self.game.week >= WEEKS, False, {}
