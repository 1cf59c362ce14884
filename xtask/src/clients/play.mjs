// Plays games as a client of the TypeScript SDK.
//
// Usage: node play.mjs VERSION GAMES http URL
//        node play.mjs VERSION GAMES stdio PROGRAM ARGUMENT..
//
// As play.py, in and out. The older package knows only the protocol with a handshake, so each
// version is spoken by the package that was made for it.

import { readFileSync } from "node:fs";

const [version, file, transport, ...rest] = process.argv.slice(2);
const games = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));

// A busy machine may take long to answer; a server that is gone must not hold us up for good.
const patience = { timeout: 120_000 };

async function connected() {
  const info = { name: "boardroom-clients", version: "1" };
  if (version === "2025-11-25") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const http = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(info);
    let agreed;
    const line = way(StdioClientTransport, http.StreamableHTTPClientTransport);
    // The client tells the transport what was agreed, and nobody else.
    const tell = line.setProtocolVersion?.bind(line);
    line.setProtocolVersion = (said) => {
      agreed = said;
      tell?.(said);
    };
    await client.connect(line, patience);
    return { client, agreed: () => agreed, call: (call) => client.callTool(call, undefined, patience) };
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { versionNegotiation: { mode: { pin: version } } });
  await client.connect(way(StdioClientTransport, StreamableHTTPClientTransport), patience);
  const agreed = () => client.getNegotiatedProtocolVersion();
  return { client, agreed, call: (call) => client.callTool(call, patience) };
}

function way(Stdio, Http) {
  if (transport === "http") return new Http(new URL(rest[0]));
  return new Stdio({ command: rest[0], args: rest.slice(1) });
}

async function play(calls) {
  const opening = (await call({ name: "new_episode", arguments: {} })).structuredContent;
  let standing = opening;
  const refused = [];
  for (const [number, { tool, arguments: given }] of calls.entries()) {
    const wanted = { ...given, episode_id: opening.episode_id };
    if ("turn" in tools.get(tool).inputSchema.properties) wanted.turn = standing.turn;
    const answer = await call({ name: tool, arguments: wanted });
    standing = answer.structuredContent;
    if (!answer.content[0].text) throw new Error(`call ${number} was answered with an empty text`);
    if (answer.isError) refused.push(number);
  }
  return { episode: opening.episode, refused, end: standing };
}

const { client, agreed, call } = await connected();
const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
const played = [];
for (const calls of games) played.push(await play(calls));
console.log(JSON.stringify({ protocol: agreed(), tools: [...tools.keys()].sort(), games: played }));
await client.close();
