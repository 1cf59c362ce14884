"""Lets verifiers play groups of rollouts against `boardroom serve`, with a model that orders 300.

Usage: python3 rollouts.py URL OUT

Prints one JSON object: the rollouts in the order of `traces.jsonl`, each with its episode, its value, its
reward and its errors. The model is a server in the language of OpenAI in this process: it opens the episode
that the prompt names, orders 300 until the game is over, and stops.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ORDER = 300
ROLLOUTS = 2


def text(message):
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content


def decide(messages):
    """The next tool call, or None at the end of the game."""
    replies = [text(message) for message in messages if message["role"] == "tool"]
    if not replies:
        prompt = next(text(message) for message in messages if message["role"] == "user")
        return "new_episode", {"episode": int(re.search(r"episode (\d+)", prompt).group(1))}
    if "The episode is over" in replies[-1]:
        return None
    opened = re.search(r"episode_id: (\w+)", replies[0]).group(1)
    return "place_order", {"episode_id": opened, "quantity": ORDER}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        call = decide(body["messages"])
        message = {"role": "assistant", "content": "The game is over." if call is None else None}
        if call is not None:
            name, arguments = call
            function = {"name": name, "arguments": json.dumps(arguments)}
            number = len(body["messages"])
            message["tool_calls"] = [
                {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            ]
        end = "stop" if call is None else "tool_calls"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        common = {"id": "chat", "created": 0, "model": body["model"]}
        if body.get("stream"):
            parts = [
                {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
                {"choices": [], "usage": usage},
            ]
            lines = [
                json.dumps({**common, "object": "chat.completion.chunk", **part}) for part in parts
            ]
            answer = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
            kind = "text/event-stream"
        else:
            choice = {"index": 0, "message": message, "finish_reason": end}
            answer = json.dumps(
                {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
            )
            kind = "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


def main():
    url, out = sys.argv[1:]
    here = pathlib.Path(__file__).parent
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    programs = pathlib.Path(sys.executable).parent
    words = [str(programs / "vf-eval"), "--model", "orders-300", "-r", str(ROLLOUTS)]
    words += ["--env.taskset.id", "verifiers_taskset", "--env.taskset.task.tools.url", url]
    words += ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"]
    words += ["--client.base-url", f"http://127.0.0.1:{model.server_port}/v1"]
    words += ["--client.api-key-var", "ROLLOUTS_KEY", "--no-push", "--no-rich"]
    words += ["-o", out, "--run.dir", "rollouts"]
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(here),
        "ROLLOUTS_KEY": "none",
    }
    subprocess.run(words, check=True, env=environment, stdout=sys.stderr)
    rollouts = []
    with open(f"{out}/rollouts/traces.jsonl", encoding="utf-8") as lines:
        for line in lines:
            for trace in json.loads(line)["traces"]:
                rollouts.append(
                    {
                        "episode": trace["task"]["data"]["episode"],
                        "value": trace["metrics"].get("value"),
                        "reward": trace["rewards"],
                        "errors": [error["message"] for error in trace.get("errors", [])],
                    }
                )
    print(json.dumps({"rollouts": rollouts}))


main()
