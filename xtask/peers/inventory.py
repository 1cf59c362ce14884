"""gym-invmgmt: its serial chain of four stages for 30 periods, with constant orders; its own model."""

import gymnasium
import gym_invmgmt  # noqa: F401 (registers the environments)
import numpy

from lcg import measured, task


def gym_invmgmt_serial():
    env = gymnasium.make("GymInvMgmt/Serial-v0").unwrapped
    orders = numpy.full(env.action_space.shape, 20.0, dtype=env.action_space.dtype)

    def work():
        env.reset(seed=1)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, _ = env.step(orders)
            total += float(reward)
            over = terminated or truncated
        return total

    measured(30, work)


if __name__ == "__main__":
    {"gym-invmgmt": gym_invmgmt_serial}[task()]()
