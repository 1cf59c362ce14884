"""Episodes stepped together over numpy arrays, without any framework."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boardroom import _native
from boardroom._encode import dumps, whole

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Autoreset = Literal["next_step", "same_step", "disabled"]
RewardKind = Literal["scaled", "raw", "score"]

#: Numbers from this size on stand for "no limit".
_NO_LIMIT = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Field:
    """One number of an observation or an action."""

    index: int
    name: str
    unit: str
    low: float
    high: float
    #: Typical size: what becomes 1.0 in a scaled observation.
    scale: float
    #: Of an action: what 1.0 stands for in a scaled one (-1.0 stands for ``low``).
    useful: float
    #: ``real``, ``whole`` or ``choice``.
    kind: str


@dataclass(frozen=True)
class Reference:
    """What the scores of one episode are measured against."""

    optimum: float | None
    bound: float | None
    baseline: float | None
    #: ``proven``, ``bound``, ``best-known`` or ``none``.
    status: str
    method: str
    #: Where a given score lies: ``ratio``, ``regret``, ``normalised``, ``unit``; empty without one.
    placed: dict[str, float]


def reference(
    environment: str,
    *,
    preset: str | None = None,
    settings: dict[str, Any] | None = None,
    seed: int = 0,
    episode: int = 0,
    value: float | None = None,
    search: bool = False,
) -> Reference:
    """The reference of an episode; with ``value`` also where this score lies.

    ``search=True`` allows a search of seconds to minutes. ``placed["normalised"]`` is 0 at the baseline
    and 1 at the reference; ``placed["unit"]`` is 0.5 and 1, and nears 0 without a flat part.
    Where the baseline is as good as the reference, it is 1 for both and 0 for what is worse.
    """
    seed, episode = whole(seed, "seed", 0), whole(episode, "episode", 0)
    game = _native.Game(environment, preset, dumps(settings or {}), seed, episode, "reference")
    return _reference(environment, game.config(), seed, episode, value, search)


def _reference(
    environment: str,
    config: str,
    seed: int,
    episode: int,
    value: float | None = None,
    search: bool = False,
) -> Reference:
    found = json.loads(_native.reference(environment, config, seed, episode, value, search))
    return Reference(**found["reference"], placed=found["placed"] or {})


def _check_shape(name: str, got: tuple[int, ...], lanes: int, width: int) -> None:
    """Refuses an array of another shape than one row for each lane.

    Numbers are read in memory order, so an array of as many numbers in another shape would give the numbers of
    one lane to another. A row may be a number where it has one, and the only row may stand alone.
    """
    fits: list[tuple[int, ...]] = [(lanes, width)]
    if width == 1:
        fits.append((lanes,))
    if lanes == 1:
        fits.append((width,))
        if width == 1:
            fits.append(())
    if got not in fits:
        raise ValueError(f"{name} have the shape {got}, wanted {(lanes, width)}")


class Lanes:
    """``lanes`` episodes of one environment, stepped together.

    Lane ``k`` of seed ``s`` plays episode ``k`` of seed ``s``, as ``boardroom run --seed s`` numbers them,
    then ``k + lanes``, ``k + 2 * lanes`` and so on.

    With ``scale`` (the default) observations are divided by the typical size of their field and cut off at
    20, and actions from -1 to 1 stand for ``low`` to ``useful`` of their field. The undiscounted rewards of an
    episode sum to an affine function of its score: with ``reward="raw"`` to ``sign * score``, with
    ``"scaled"`` (the default) to ``sign * score / reward_scale``, with ``"score"`` to the normalised score,
    which is 0 at the baseline and 1 at the reference of the episode.
    """

    def __init__(
        self,
        environment: str,
        lanes: int = 1,
        *,
        preset: str | None = None,
        settings: dict[str, Any] | None = None,
        autoreset: Autoreset = "next_step",
        scale: bool = True,
        reward: RewardKind = "scaled",
    ) -> None:
        lanes = whole(lanes, "lanes", 1)
        self._adopt(
            _native.Lanes(environment, preset, dumps(settings or {}), lanes, autoreset, scale, reward)
        )

    def _adopt(self, native: _native.Lanes) -> None:
        self._native = native
        told = json.loads(native.layout())
        layout = told["layout"]
        self.environment: str = told["environment"]
        self.version: int = told["version"]
        self.autoreset: Autoreset = told["autoreset"]
        self.scale: bool = told["numbers"]["scale"]
        self.reward: RewardKind = told["numbers"]["reward"]
        self.lanes: int = layout["lanes"]
        self.horizon: int = layout["horizon"]
        #: What one step earns, in one sentence.
        self.reward_about: str = layout["reward"]["about"]
        self.reward_sign: float = layout["reward"]["sign"]
        self.reward_scale: float = layout["reward"]["scale"]
        self.largest_scaled: float = told["largest_scaled"]
        self.maximise: bool = told["sense"] == "maximise"
        #: Fields of an observation and of an action by name.
        self.fields = _fields(layout["observation"])
        self.action_fields = _fields(layout["action"])
        self.observation_size = len(self.fields)
        self.action_size = len(self.action_fields)
        #: Slope and last summand of the rewards of each lane, where they are normalised scores.
        self._slope: Doubles = np.ones(self.lanes)
        self._last: Doubles = np.zeros(self.lanes)
        self._references: dict[tuple[int, int], Reference] = {}

    @property
    def config(self) -> dict[str, Any]:
        """The whole configuration."""
        return dict(json.loads(self._native.config()))

    def observation_bounds(self) -> tuple[Floats, Floats]:
        """Smallest and largest observation."""
        low = np.array([field.low for field in self.fields.values()], np.float32)
        high = np.array([field.high for field in self.fields.values()], np.float32)
        if self.scale:
            # Rounded as the observations are, which are multiplied: a quotient may lie one digit lower.
            factor = np.float32(1) / np.array([field.scale for field in self.fields.values()], np.float32)
            most = np.float32(self.largest_scaled)
            with np.errstate(over="ignore"):
                return np.clip(low * factor, -most, most), np.clip(high * factor, -most, most)
        return np.where(low <= -_NO_LIMIT, -np.inf, low), np.where(high >= _NO_LIMIT, np.inf, high)

    def action_bounds(self) -> tuple[Floats, Floats]:
        """Smallest and largest action."""
        fields = self.action_fields.values()
        if self.scale:
            return -np.ones(len(fields), np.float32), np.ones(len(fields), np.float32)
        low = np.array([field.low for field in fields], np.float32)
        return low, np.array([field.high for field in fields], np.float32)

    @property
    def choices(self) -> list[int] | None:
        """Number of alternatives of each field, if the action is made of alternatives only."""
        fields = list(self.action_fields.values())
        if all(field.kind == "choice" for field in fields):
            return [int(field.high) + 1 for field in fields]
        return None

    # Resets ---------------------------------------------------------------------------------------

    def reset(self, seed: int | Sequence[int]) -> Floats:
        """Begins the episodes of ``seed`` and returns their first observations.

        A sequence gives every lane a run of its own: it plays episodes 0, 1, 2 ... of its seed.
        """
        if isinstance(seed, (int, np.integer)):
            self._native.reset(whole(seed, "seed", 0))
        else:
            self._native.reset_each([whole(one, "seed", 0) for one in seed])
        return self._begun(np.ones(self.lanes, np.bool_))

    def reset_lanes(self, mask: Flags, episodes: Sequence[int] | None = None) -> Floats:
        """The lanes of ``mask`` begin the episodes with these numbers, or their next ones."""
        mask = np.ascontiguousarray(mask, np.bool_)
        if mask.shape != (self.lanes,):
            raise ValueError(f"the mask has the shape {mask.shape}, wanted {(self.lanes,)}")
        numbers = None if episodes is None else [whole(one, "episode", 0) for one in episodes]
        self._native.reset_lanes(mask, numbers)
        return self._begun(mask)

    def _begun(self, mask: Flags) -> Floats:
        if self.reward == "score":
            self._normalise(mask)
        return self.observe()

    def _normalise(self, mask: Flags) -> None:
        seeds, episodes = self._native.episodes()
        for lane in np.flatnonzero(mask):
            key = (int(seeds[lane]), int(episodes[lane]))
            if key not in self._references:
                self._references[key] = _reference(self.environment, self._native.config(), *key)
            found = self._references[key]
            best = found.optimum if found.optimum is not None else found.bound
            if best is None or found.baseline is None or (best - found.baseline) * self._up() <= 0:
                raise ValueError(
                    f"reward='score' needs a reference that is better than the baseline; episode {key[1]} "
                    f"of seed {key[0]} has {found}"
                )
            gain = best - found.baseline
            self._slope[lane] = self.reward_sign / gain
            self._last[lane] = -found.baseline / gain

    def _up(self) -> float:
        return 1.0 if self.maximise else -1.0

    def observe(self) -> Floats:
        """The observation of every lane."""
        obs = np.empty((self.lanes, self.observation_size), np.float32)
        self._native.observe(obs)
        return obs

    # Steps ----------------------------------------------------------------------------------------

    def step(self, actions: npt.ArrayLike) -> tuple[Floats, Doubles, Flags]:
        """One action per lane; returns observations, rewards and which episodes ended in this step."""
        obs = np.empty((self.lanes, self.observation_size), np.float32)
        rewards = np.empty(self.lanes)
        ended = np.empty(self.lanes, np.bool_)
        self.step_into(actions, obs, rewards, ended)
        return obs, rewards, ended

    def step_into(
        self, actions: npt.ArrayLike, obs: Floats, rewards: Doubles, ended: Flags
    ) -> int:
        """The same into arrays of the caller; returns the number of episodes that ended."""
        given = np.asarray(actions, np.float32)
        # Before `ascontiguousarray`, which makes a row of a single number.
        _check_shape("actions", given.shape, self.lanes, self.action_size)
        given = np.ascontiguousarray(given)
        _check_shape("observations", obs.shape, self.lanes, self.observation_size)
        count: int
        if self.reward != "score":
            count = self._native.step(given, obs, rewards, ended)
            return count
        over = np.array([self._native.is_over(lane) for lane in range(self.lanes)])
        count = self._native.step(given, obs, rewards, ended)
        rewards *= self._slope
        rewards += np.where(ended, self._last, 0.0)
        begun = ended if self.autoreset == "same_step" else over
        if self.autoreset != "disabled" and begun.any():
            self._normalise(begun)
        return count

    def final_observations(self) -> Floats:
        """The last observations of the episodes that ended, where lanes reset in the same step."""
        obs = np.zeros((self.lanes, self.observation_size), np.float32)
        self._native.final_observations(obs)
        return obs

    def finals(self) -> tuple[Doubles, npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
        """Scores, lengths and numbers of the episodes that ended in the last step.

        Only the entries of lanes that ended have a meaning.
        """
        return self._native.finals()

    def clipped(self) -> npt.NDArray[np.uint32]:
        """How many numbers of the actions were outside of ``low`` to ``high`` of their field and were clipped,
        in the whole of each episode that ended in the last step."""
        return self._native.clipped()

    @property
    def episode_seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of the run of each lane."""
        return self._native.episodes()[0]

    @property
    def episodes(self) -> npt.NDArray[np.uint64]:
        """The number of the episode that each lane plays."""
        return self._native.episodes()[1]

    def score_of(self, lane: int = 0) -> float:
        """The score of a lane so far, in the unit of the environment."""
        value = self._native.value(self._lane(lane))
        assert value is not None
        return value

    def _lane(self, lane: int) -> int:
        if not 0 <= lane < self.lanes:
            raise IndexError(f"there are {self.lanes} lanes, {lane} is not one")
        return int(lane)

    def reference_of(self, lane: int = 0, *, search: bool = False) -> Reference:
        """The reference of the episode that a lane plays, and where its score so far lies."""
        seeds, episodes = self._native.episodes()
        key = (int(seeds[self._lane(lane)]), int(episodes[lane]))
        return _reference(
            self.environment, self._native.config(), *key, value=self.score_of(lane), search=search
        )

    def policy_score(self, policy: str, seed: int, episode: int) -> float:
        """The score of a built-in policy (``order-up-to``, ``constant:400``) in an episode, as in a run."""
        seed, episode = whole(seed, "seed", 0), whole(episode, "episode", 0)
        return _native.policy_score(self.environment, self._native.config(), seed, episode, policy)

    def action_value(self, action: npt.ArrayLike) -> Any:
        """The typed action that the vector of one lane stands for."""
        given = np.asarray(action, np.float32)
        _check_shape("actions", given.shape, 1, self.action_size)
        return json.loads(self._native.action_value(np.ascontiguousarray(given).reshape(-1)))

    def record(self, lane: int = 0, agent: str = "own:python") -> dict[str, Any]:
        """The record of the episode that a lane plays: ``boardroom verify`` accepts it."""
        return dict(json.loads(self._native.record(self._lane(lane), agent)))

    def named(self, observation: Floats) -> dict[str, float]:
        """One observation by field, in units."""
        size = [field.scale if self.scale else 1.0 for field in self.fields.values()]
        numbers = np.asarray(observation, np.float64).reshape(-1) * size
        return dict(zip(self.fields, numbers.tolist(), strict=True))

    # Copies ---------------------------------------------------------------------------------------

    def state(self) -> bytes:
        """Everything, as bytes: the episode of every lane and its actions so far (JSON text)."""
        return self._native.snapshot()

    def restore(self, state: bytes) -> None:
        """Becomes the lanes of ``state``, which continue identically; their scaling, rewards and resets too."""
        self._adopt(_native.Lanes.restore(state))
        if self.reward == "score":
            self._normalise(np.ones(self.lanes, np.bool_))

    def copy(self) -> Lanes:
        """An independent copy that continues identically."""
        other = Lanes.__new__(Lanes)
        other.__dict__.update(self.__dict__)
        other._native = self._native.fork()
        other._slope, other._last = self._slope.copy(), self._last.copy()
        return other

    def __deepcopy__(self, _memo: Any) -> Lanes:
        return self.copy()

    def __getstate__(self) -> bytes:
        return self.state()

    def __setstate__(self, state: bytes) -> None:
        self.restore(state)


def _fields(fields: list[dict[str, Any]]) -> dict[str, Field]:
    return {
        field["name"]: Field(
            index=index,
            **{key: field[key] for key in ("name", "unit", "low", "high", "scale", "useful", "kind")},
        )
        for index, field in enumerate(fields)
    }
