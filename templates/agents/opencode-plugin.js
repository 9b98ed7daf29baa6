// memfs for OpenCode: tells memfs what happens in a session and puts what memfs recalls beside
// the prompt that it is for. It decides nothing itself and keeps nothing. Whatever goes wrong in
// here, OpenCode goes on as if memfs were not installed.

import { spawn } from "node:child_process";

const PROGRAM = @PROGRAM@;
const LIMIT_MS = 10_000;
const MOST_BYTES = 1_000_000;

/** Runs one hook of memfs and returns its context; empty for none, and for any trouble. */
function ask(event, fields) {
  return new Promise((resolve) => {
    let child;
    try {
      child = spawn(PROGRAM, ["hook", event, "--client", "opencode"], {
        cwd: fields.cwd || undefined,
        stdio: ["pipe", "pipe", "ignore"],
      });
    } catch {
      return resolve("");
    }
    let output = "";
    const limit = setTimeout(() => child.kill(), LIMIT_MS);
    const finish = (text) => {
      clearTimeout(limit);
      resolve(text);
    };
    child.on("error", () => finish(""));
    child.stdin.on("error", () => {});
    child.stdout.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => {
      output += piece;
      if (output.length > MOST_BYTES) child.kill();
    });
    child.on("close", () => finish(contextIn(output)));
    child.stdin.end(JSON.stringify({ event, ...fields }));
  });
}

function contextIn(output) {
  try {
    const { context } = JSON.parse(output);
    return typeof context === "string" ? context : "";
  } catch {
    return "";
  }
}

function wordsOf(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n");
}

export const MemfsPlugin = async ({ client, directory, worktree }) => {
  const cwd = directory || worktree || "";
  const begun = new Set();
  const nested = new Set();
  const compacted = new Set();
  let count = 0;

  const fieldsOf = (session) => ({ session_id: session, cwd, is_nested: nested.has(session) });

  /** Asks once for each session, and once more after its history was compacted. */
  const brief = async (session) => {
    if (begun.has(session) || nested.has(session)) return "";
    begun.add(session);
    const source = compacted.delete(session) ? "compact" : "startup";
    return ask("session-start", { ...fieldsOf(session), source });
  };

  const summaryOf = async (session) => {
    try {
      const { data } = await client.session.messages({ path: { id: session } });
      const last = (data || []).filter(({ info }) => info.summary === true).at(-1);
      return last ? wordsOf(last.parts) : "";
    } catch {
      return "";
    }
  };

  const insert = (output, text) => {
    if (!text) return;
    count += 1;
    output.parts.push({
      id: `prt_memfs${Date.now().toString(36)}${count}`,
      sessionID: output.message.sessionID,
      messageID: output.message.id,
      type: "text",
      text,
      synthetic: true,
    });
  };

  const happened = {
    "session.created": async ({ info }) => {
      if (info.parentID) nested.add(info.id);
    },
    "session.idle": async ({ sessionID }) => {
      await ask("stop", fieldsOf(sessionID));
    },
    "session.compacted": async ({ sessionID }) => {
      begun.delete(sessionID);
      compacted.add(sessionID);
      const summary = await summaryOf(sessionID);
      await ask("post-compact", { ...fieldsOf(sessionID), summary });
    },
    "session.deleted": async ({ info }) => {
      await ask("session-end", fieldsOf(info.id));
      for (const known of [begun, nested, compacted]) known.delete(info.id);
    },
  };

  return {
    event: async ({ event }) => {
      try {
        await happened[event.type]?.(event.properties);
      } catch {
        // An event in a shape that this file does not know is passed over.
      }
    },
    "chat.message": async (input, output) => {
      try {
        const session = input.sessionID;
        const prompt = wordsOf(output.parts);
        const turn = output.message.id;
        const [opening, recalled] = await Promise.all([
          brief(session),
          ask("prompt", { ...fieldsOf(session), turn_id: turn, prompt }),
        ]);
        insert(output, opening);
        insert(output, recalled);
      } catch {
        // The prompt goes on without memory.
      }
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      try {
        await ask("pre-compact", fieldsOf(sessionID));
      } catch {
        // So does a compaction.
      }
    },
  };
};
