"""Gymnasium environments (extra ``gym``).

Every environment that has a form as numbers has an id, which importing this module registers:
``gymnasium.make("boardroom/BeerGame-v0", preset="random")``, also with ``gymnasium.make_vec``. Without the
import, ``gymnasium.make("boardroom.gym:boardroom/BeerGame-v0")`` does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from boardroom._extra import missing

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise missing("gym", error) from error

from boardroom._lanes import Autoreset, Field, Floats, Lanes, RewardKind

#: Environments with a form as numbers, and their ids.
IDS = {
    "beer-game": "BeerGame-v0",
    "ceo": "Ceo-v0",
    "edt": "Edt-v0",
    "office": "Office-v0",
    "pricing": "Pricing-v0",
    "procurement": "Procurement-v0",
    "scheduling": "Scheduling-v0",
}


def register() -> None:
    """Registers all ids."""
    for environment, name in IDS.items():
        if f"boardroom/{name}" in gymnasium.registry:
            continue
        gymnasium.register(
            id=f"boardroom/{name}",
            entry_point="boardroom.gym:Env",
            vector_entry_point="boardroom.gym:_vector",
            kwargs={"environment": environment},
            order_enforce=False,
        )


def _vector(num_envs: int, environment: str, **options: Any) -> VectorEnv:
    return VectorEnv(environment, num_envs, **options)


def observation_space(lanes: Lanes) -> spaces.Box:
    """The space of one observation."""
    low, high = lanes.observation_bounds()
    return spaces.Box(low, high, dtype=np.float32)


def action_space(lanes: Lanes) -> spaces.Space[Any]:
    """The space of one action: a box, or numbers of alternatives."""
    choices = lanes.choices
    if choices is None:
        low, high = lanes.action_bounds()
        return spaces.Box(low, high, dtype=np.float32)
    if len(choices) == 1:
        return spaces.Discrete(choices[0])
    return spaces.MultiDiscrete(choices)


def _restored(lanes: Lanes, state: bytes) -> Lanes:
    """The lanes of ``state``, which must have the spaces and the resets of ``lanes``."""
    found = lanes.copy()
    found.restore(state)
    for name in ("environment", "lanes", "autoreset", "scale", "fields", "action_fields"):
        wanted, given = getattr(lanes, name), getattr(found, name)
        if wanted != given:
            if isinstance(wanted, dict):
                wanted, given = len(wanted), len(given)
            raise ValueError(f"the state has other {name} ({given}) than this environment ({wanted})")
    return found


def _fresh_seed(generator: np.random.Generator) -> int:
    return int(generator.integers(0, 2**63))


class Env(gymnasium.Env[Any, Any]):
    """One episode at a time; see :class:`boardroom.Lanes` for scaling and rewards.

    ``reset(seed=s)`` begins episode 0 of seed ``s``, and every further ``reset()`` the next episode of the
    same run. ``reset(options={"episode": k})`` begins episode ``k``. The horizon of a task is part of it, so
    its end is ``terminated``; ``truncated`` is always false.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        environment: str,
        preset: str | None = None,
        *,
        settings: dict[str, Any] | None = None,
        scale: bool = True,
        reward: RewardKind = "scaled",
        render_mode: str | None = None,
    ) -> None:
        self.lanes = Lanes(
            environment,
            1,
            preset=preset,
            settings=settings,
            autoreset="disabled",
            scale=scale,
            reward=reward,
        )
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.render_mode = render_mode
        # As `gymnasium.make` would set it, so that checkers can make this environment in every render mode.
        self.spec = deepcopy(gymnasium.spec(f"boardroom/{IDS[environment]}"))
        self.spec.kwargs.update(
            preset=preset, settings=deepcopy(settings), scale=scale, reward=reward, render_mode=render_mode
        )
        self.observation_space = observation_space(self.lanes)
        self.action_space = action_space(self.lanes)
        self._begun = False
        self._last: Floats | None = None
        self._scratch()

    def _scratch(self) -> None:
        self._reward = np.zeros(1)
        self._ended = np.zeros(1, np.bool_)

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of an observation by name."""
        return self.lanes.fields

    def named(self, observation: Floats) -> dict[str, float]:
        """An observation by field, in units."""
        return self.lanes.named(observation)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed)
        options = dict(options or {})
        episode = options.pop("episode", None)
        if options:
            raise ValueError(f"unknown options {sorted(options)}; there is 'episode'")
        if seed is not None or not self._begun:
            obs = self.lanes.reset(seed if seed is not None else _fresh_seed(self.np_random))
            self._begun = True
            if episode:
                obs = self.lanes.reset_lanes(np.ones(1, np.bool_), [episode])
        else:
            number = None if episode is None else [episode]
            obs = self.lanes.reset_lanes(np.ones(1, np.bool_), number)
        self._last = obs[0]
        info = {
            "seed": int(self.lanes.episode_seeds[0]),
            "episode": int(self.lanes.episodes[0]),
        }
        return obs[0], info

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        obs = np.empty(self.lanes.observation_size, np.float32)
        given = np.asarray(action, np.float32)
        if not self.lanes.step_into(given, obs, self._reward, self._ended):
            self._last = obs
            return obs, float(self._reward[0]), False, False, {}
        self._last = obs
        scores, lengths, episodes = self.lanes.finals()
        info = {
            "score": {
                "value": float(scores[0]),
                "length": int(lengths[0]),
                "episode": int(episodes[0]),
                "clipped": int(self.lanes.clipped()[0]),
            }
        }
        return obs, float(self._reward[0]), True, False, info

    def render(self) -> Any:
        """The last observation in units, one line a field."""
        if self.render_mode is None or self._last is None:
            return None
        named = self.named(self._last).items()
        return "\n".join(f"{name}: {value:g} {self.fields[name].unit}".rstrip() for name, value in named)

    def state(self) -> bytes:
        """The running episode as bytes."""
        return self.lanes.state()

    def restore(self, state: bytes) -> Floats:
        """Continues the episode of ``state``, of an environment with these spaces; returns its observation."""
        self.lanes = _restored(self.lanes, state)
        self._begun = True
        obs: Floats = self.lanes.observe()[0]
        self._last = obs
        return obs

    def record(self, agent: str = "own:python") -> dict[str, Any]:
        """The record of the episode, which ``boardroom verify`` accepts."""
        return self.lanes.record(0, agent)


class VectorEnv(gymnasium.vector.VectorEnv[Floats, Any, npt.NDArray[Any]]):
    """Many episodes at once; see :class:`boardroom.Lanes` for scaling, rewards and episodes.

    ``autoreset`` is ``"next_step"`` (default), ``"same_step"`` or ``"disabled"`` (then
    ``reset(options={"reset_mask": mask})`` begins the next episodes of some lanes). With ``copy=False`` every
    step writes to the same arrays.
    """

    def __init__(
        self,
        environment: str,
        num_envs: int,
        *,
        preset: str | None = None,
        settings: dict[str, Any] | None = None,
        autoreset: Autoreset = "next_step",
        scale: bool = True,
        reward: RewardKind = "scaled",
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError("a vector environment renders nothing")
        self.lanes = Lanes(
            environment,
            num_envs,
            preset=preset,
            settings=settings,
            autoreset=autoreset,
            scale=scale,
            reward=reward,
        )
        self.num_envs = num_envs
        self.copy = copy
        self.render_mode = None
        self.single_observation_space = observation_space(self.lanes)
        self.single_action_space = action_space(self.lanes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode[autoreset.upper()]}
        self._begun = False
        self._arrays()

    def _arrays(self) -> None:
        count = self.num_envs
        self._obs = np.zeros((count, self.lanes.observation_size), np.float32)
        self._rewards = np.zeros(count)
        self._ended = np.zeros(count, np.bool_)
        self._truncated = np.zeros(count, np.bool_)

    @property
    def episode_seeds(self) -> npt.NDArray[np.uint64]:
        """The seed of the run of each lane."""
        return self.lanes.episode_seeds

    @property
    def episodes(self) -> npt.NDArray[np.uint64]:
        """The number of the episode that each lane plays."""
        return self.lanes.episodes

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        episodes = options.pop("episodes", None)
        if options:
            raise ValueError(f"unknown options {sorted(options)}; there are 'reset_mask' and 'episodes'")
        if mask is not None and (seed is not None or not self._begun):
            raise ValueError("a mask resets lanes that have begun: the first reset, or one with a seed, is of all lanes")
        if seed is None and not self._begun:
            super().reset(seed=None)
            seed = _fresh_seed(self.np_random)
        if seed is not None:
            if isinstance(seed, (int, np.integer)):
                super().reset(seed=int(seed))
                obs = self.lanes.reset(int(seed))
            else:
                # Not handed on: Gymnasium's own generator takes one number.
                if any(one is None for one in seed):
                    raise ValueError("a list of seeds has one number for each lane")
                obs = self.lanes.reset([int(one) for one in seed if one is not None])
            self._begun = True
            if episodes is not None:
                obs = self.lanes.reset_lanes(np.ones(self.num_envs, np.bool_), episodes)
        else:
            every = np.ones(self.num_envs, np.bool_)
            obs = self.lanes.reset_lanes(every if mask is None else mask, episodes)
        present = np.ones(self.num_envs, np.bool_)
        info = {
            "seed": self.lanes.episode_seeds,
            "_seed": present,
            "episode_number": self.lanes.episodes,
            "_episode_number": present.copy(),
        }
        return obs, info

    def step(
        self, actions: Any
    ) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        if self.copy:
            self._obs = np.empty_like(self._obs)
            self._rewards = np.empty_like(self._rewards)
            self._ended = np.empty_like(self._ended)
            self._truncated = np.zeros_like(self._truncated)
        count = self.lanes.step_into(actions, self._obs, self._rewards, self._ended)
        info = self._ends() if count else {}
        return self._obs, self._rewards, self._ended, self._truncated, info

    def _ends(self) -> dict[str, Any]:
        scores, lengths, episodes = self.lanes.finals()
        ended = self._ended.copy()
        told: dict[str, Any] = {}
        figures: dict[str, npt.NDArray[Any]] = {
            "score": scores,
            "length": lengths,
            "episode_number": episodes,
            "clipped": self.lanes.clipped(),
        }
        for name, numbers in figures.items():
            told[name] = np.where(ended, numbers, numbers.dtype.type(0))
            told[f"_{name}"] = ended
        if self.lanes.autoreset != "same_step":
            return told
        return {
            "final_obs": self.lanes.final_observations(),
            "_final_obs": ended,
            "final_info": told,
            "_final_info": ended,
        }

    def state(self) -> bytes:
        """The running episodes as bytes."""
        return self.lanes.state()

    def restore(self, state: bytes) -> Floats:
        """Continues the episodes of ``state``, of environments with these spaces; returns their observations."""
        self.lanes = _restored(self.lanes, state)
        self._begun = True
        return self.lanes.observe()

    def record(self, lane: int = 0, agent: str = "own:python") -> dict[str, Any]:
        """The record of the episode that a lane plays, which ``boardroom verify`` accepts."""
        return self.lanes.record(lane, agent)


register()
