"""A taskset of verifiers: one task per episode, whose tools are those of a running `boardroom serve`.

The address of the server is that of the toolset (`--env.taskset.task.tools.url`). The model opens the
episode of its task; the reward is asked from the server's host side, which no tool of the model has.
"""

import json
import urllib.parse
import urllib.request

import verifiers.v1 as vf

EPISODES = 4


class EpisodeData(vf.TaskData):
    episode: int


class Boardroom(vf.Toolset[vf.ToolsetConfig]):
    TOOL_PREFIX = None


class EpisodeTaskConfig(vf.TaskConfig):
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class EpisodeTask(vf.Task[EpisodeData, vf.State, EpisodeTaskConfig]):
    @classmethod
    def toolsets(cls, config):
        return [Boardroom(config.tools)]

    def result(self, trace):
        calls = [call for said in trace.assistant_messages for call in said.tool_calls or []]
        ids = [json.loads(call.arguments).get("episode_id") for call in calls]
        body = json.dumps({"episode_id": next(filter(None, ids))}).encode()
        host = urllib.parse.urljoin(self.config.tools.url, "/host/status")
        request = urllib.request.Request(host, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["result"]

    @vf.reward
    async def unit_score(self, trace: vf.Trace) -> float:
        return self.result(trace)["unit_score"]

    @vf.metric
    async def value(self, trace: vf.Trace) -> float:
        return self.result(trace)["value"]


class EpisodesConfig(vf.TasksetConfig):
    task: EpisodeTaskConfig = EpisodeTaskConfig()


class Episodes(vf.Taskset[EpisodeTask, EpisodesConfig]):
    def load(self):
        for episode in range(EPISODES):
            prompt = f"Open episode {episode} with new_episode and play it to its end."
            yield EpisodeTask(EpisodeData(prompt=prompt, episode=episode), self.config.task)


__all__ = ["Episodes"]
