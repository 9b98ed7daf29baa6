// Plays a session with the TypeScript SDK's client, and prints what came back as JSON.
//   node session.mjs STEPS.json stdio COMMAND [ARGUMENT...]
//   node session.mjs STEPS.json http URL TOKEN
// A step is {"method", "params"}; "$N.key" in a param is a key of the structured answer to step N.
// Forms are answered with yes; {"form": "..."} entries tell that there was one.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [steps, way, ...rest] = process.argv.slice(2);

function transport() {
  if (way === "http") {
    const [url, token] = rest;
    const headers = { Authorization: `Bearer ${token}` };
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  }
  const [command, ...args] = rest;
  return new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
}

const forms = [];
const client = new Client(
  { name: "session-player", version: "1.0" },
  { capabilities: { elicitation: {} } },
);
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  forms.push(request.params.message);
  return { action: "accept", content: { decision: "yes" } };
});

const results = [];

function filled(value) {
  if (Array.isArray(value)) return value.map(filled);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]));
  }
  const named = typeof value === "string" ? value.match(/^\$(\d+)\.(\w+)$/) : null;
  return named ? results[Number(named[1])].structuredContent[named[2]] : value;
}

await client.connect(transport());
for (const { method, params } of JSON.parse(readFileSync(steps, "utf-8"))) {
  try {
    const request = { method, params: filled(params ?? {}) };
    results.push(await client.request(request, ResultSchema.passthrough()));
  } catch (error) {
    results.push({ error: { code: error.code, message: error.message } });
  }
}
await client.close();
process.stdout.write(`${JSON.stringify({ results, forms })}\n`);
