// Makes a plain function a candidate of bv-gate.
//
//     import { serve } from "./candidate.cjs"; // or: const { serve } = require("./candidate.cjs");
//     serve(({ a, b }) => a % b);
//
// The function is called with each input, an object, and what it returns or promises is the output. What it
// prints goes to stderr. An exception is answered with its type, its message and the place of the innermost
// frame that is neither Node's nor a package's. JSON has no NaN, Infinity or big integer: they are written as
// they are, so that bv-gate can tell them from null.
const readline = require("node:readline");

exports.serve = async function serve(implementation) {
  const answer = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let text;
    try {
      text = json({ output: (await implementation(JSON.parse(line))) ?? null });
    } catch (error) {
      text = json(exception(error));
    }
    answer(text + "\n");
  }
};

const BARE = "\u0000bare:";

function json(value) {
  const bare = (_, part) => {
    const lossy = typeof part === "number" && (!Number.isFinite(part) || Object.is(part, -0));
    if (!lossy && typeof part !== "bigint") return part;
    return BARE + (Object.is(part, -0) ? "-0" : part);
  };
  return JSON.stringify(value, bare).replace(/"\\u0000bare:([^"]*)"/g, "$1");
}

function exception(error) {
  if (!(error instanceof Error)) return { exception_type: typeof error, exception_msg: String(error) };
  const type = error.name === "Error" ? error.constructor.name : error.name;
  return { exception_type: type, exception_msg: error.message, ...place(error.stack ?? "") };
}

function place(stack) {
  for (const line of stack.split("\n")) {
    const frame = /^ +at (?:async )?(?:(.+) \()?(?:file:\/\/)?([^()]+):(\d+):\d+\)?$/.exec(line);
    if (!frame || /^node:|\/node_modules\//.test(frame[2]) || frame[2] === __filename) continue;
    const name = frame[1]?.replace(/^new /, "").replace(/ \[as .*$/, "").replace(/^Object\./, "");
    return { file: frame[2], line: Number(frame[3]), function: name };
  }
  return {};
}
