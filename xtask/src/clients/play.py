"""Plays games as a client of the Python SDK.

Usage: python3 play.py VERSION GAMES http URL
       python3 play.py VERSION GAMES stdio PROGRAM ARGUMENT..

VERSION is the protocol that must be spoken, GAMES a file with the calls of one game a line, each
`{"tool": .., "arguments": ..}`. Prints one JSON object: what was agreed, which tools there are, and
for each game which calls were refused (their numbers, from 0) and what the last answer said.
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

# A busy machine may take long to answer; a server that is gone must not hold us up for good.
PATIENCE_SECONDS = 120

# The SDK is told an era, not a version: the newest one with a handshake, or one without.
MODES = {LATEST_HANDSHAKE_VERSION: "legacy", LATEST_MODERN_VERSION: LATEST_MODERN_VERSION}


async def play(client, tools, calls):
    opening = (await client.call_tool("new_episode", {})).structured_content
    standing = opening
    refused = []
    for number, call in enumerate(calls):
        arguments = {**call["arguments"], "episode_id": opening["episode_id"]}
        if "turn" in tools[call["tool"]].input_schema["properties"]:
            arguments["turn"] = standing["turn"]
        answer = await client.call_tool(call["tool"], arguments)
        standing = answer.structured_content
        if not answer.content[0].text:
            raise ValueError(f"call {number} was answered with an empty text")
        if answer.is_error:
            refused.append(number)
    return {"episode": opening["episode"], "refused": refused, "end": standing}


async def play_all(version, games, server):
    mode = MODES[version]
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        return {
            "protocol": client.protocol_version,
            "tools": sorted(tools),
            "games": [await play(client, tools, calls) for calls in games],
        }


def main():
    version, games, transport, *rest = sys.argv[1:]
    with open(games, encoding="utf-8") as lines:
        games = [json.loads(line) for line in lines]
    if transport == "http":
        server = rest[0]
    else:
        server = StdioServerParameters(command=rest[0], args=rest[1:])
    print(json.dumps(asyncio.run(play_all(version, games, server))))


main()
