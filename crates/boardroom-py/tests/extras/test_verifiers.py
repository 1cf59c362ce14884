"""Rollouts of verifiers with a scripted model on this machine.

The first run fetches the packages of verifiers' own chat program with uv.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("verifiers")

#: Constant orders of 300 in episodes 0 to 3 of seed 7 cost this much.
COSTS = [39589.0, 11931.0, 13430.0, 5394.5]


class Model(BaseHTTPRequestHandler):
    """Orders 300 as often as it may."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [tool["function"]["name"] for tool in asked.get("tools") or []]
        over = self.is_over(asked)
        if "place_order" in names and not over:
            call = {"name": "place_order", "arguments": json.dumps({"quantity": 300})}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{len(asked['messages'])}", "type": "function", "function": call}],
            }
        else:
            message = {"role": "assistant", "content": "Done."}
        ending = "tool_calls" if message.get("tool_calls") else "stop"
        base = {"id": "x", "created": 0, "model": asked["model"]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if asked.get("stream"):
            for number, call in enumerate(message.get("tool_calls", [])):
                call["index"] = number
            pieces = [{"delta": message, "finish_reason": None}, {"delta": {}, "finish_reason": ending}]
            chunks = [{**base, "choices": [{"index": 0, **piece}]} for piece in pieces]
            chunks.append({**base, "choices": [], "usage": usage})
            lines = [json.dumps({**chunk, "object": "chat.completion.chunk"}) for chunk in chunks]
            text = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
            self.answer(text, "text/event-stream")
            return
        choice = {"index": 0, "message": message, "finish_reason": ending}
        whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        self.answer(json.dumps(whole), "application/json")

    @staticmethod
    def is_over(asked) -> bool:
        return sum(message["role"] == "tool" for message in asked["messages"]) >= 25

    def do_GET(self):
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        self.answer(json.dumps(models), "application/json")

    def answer(self, text, kind):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def model():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_rewards_are_those_of_the_program(model, tmp_path):
    record = tmp_path / "records"
    command = [str(Path(sys.executable).parent / "vf-eval"), "boardroom-verifiers"]
    command += ["--env.taskset.environment", "beer-game", "--env.taskset.preset", "random"]
    command += ["--env.taskset.seed", "7", "--env.taskset.episodes", "4"]
    command += ["--env.taskset.record", str(record), "--env.agent.harness.id", "null"]
    command += ["--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich"]
    command += ["--client.base-url", model, "--client.api-key-var", "NO_KEY", "-m", "scripted"]
    command += ["-o", str(tmp_path / "out")]
    environment = {**os.environ, "NO_KEY": "none"}
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = [
        json.loads(line)
        for file in (tmp_path / "out").rglob("traces.jsonl")
        for line in file.read_text().splitlines()
    ]
    records = {}
    for file in record.rglob("episodes.jsonl"):
        for line in file.read_text().splitlines():
            one = json.loads(line)
            records[one["header"]["episode"]] = one["score"]["value"]
    assert [records[episode] for episode in range(4)] == COSTS, ended.stdout[-3000:] + ended.stderr[-3000:]
    assert len(lines) == 4
    assert set(find(lines, "value")) >= set(COSTS)
    rewards = [one for one in find(lines, "unit_score") if isinstance(one, float)]
    assert rewards and all(0.0 < reward < 1.0 for reward in rewards)


def find(value, key):
    """Every value of `key` at any depth."""
    if isinstance(value, dict):
        here = [value[key]] if key in value else []
        return here + [one for inner in value.values() for one in find(inner, key)]
    if isinstance(value, list):
        return [one for inner in value for one in find(inner, key)]
    return []
