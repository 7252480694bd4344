// Python in a worker: loads Pyodide, the packages and planspec from the folder of this file, and forwards calls.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const SITE = "/site";
let session = null;

/** Fetches a whole file and reports the number of bytes of each part. */
async function fetched(name, onProgress) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: the server answers ${answer.status}`);
  const reader = answer.body.getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    onProgress(value.length);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

async function load() {
  const about = await (await fetch(new URL("playground.json", import.meta.url))).json();
  const total = Object.values(about.loads).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const onProgress = (more) => {
    loaded += more;
    postMessage({ progress: Math.min(0.7, 0.7 * loaded / total), text: loaded < total ? `Loading, ${(loaded / 1e6).toFixed(0)} of ${(total / 1e6).toFixed(0)} MB` : "Unpacking" });
  };
  const packed = ["python/packages.zip", "python/planspec.zip"].map((name) => fetched(name, onProgress));
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  onProgress(["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
    .reduce((sum, name) => sum + about.loads[`pyodide/${name}`], 0));
  for (const archive of packed) python.unpackArchive(await archive, "zip", { extractDir: SITE });
  postMessage({ progress: 0.8, text: "Starting planspec" });
  python.runPython(`
import os, sys
sys.path.insert(0, "${SITE}")
sys.dont_write_bytecode = True
os.environ["PLANSPEC_CACHE"] = ""
os.chdir("${SITE}/planspec/tasks")
`);
  postMessage({ progress: 0.85, text: "Starting planspec" });
  session = python.runPython(`
from pathlib import Path
from planspec.live.playground.session import PlaygroundSession
PlaygroundSession(Path.cwd())
`);
  postMessage({ progress: 1, ready: true });
}

const loading = load().catch((error) => postMessage({ failed: String(error.message || error) }));

onmessage = async ({ data }) => {
  await loading;
  if (session === null) return;
  const { id, call } = data;
  try {
    const answer = session.answer(JSON.stringify(call), (part) => postMessage({ id, part: JSON.parse(part) }));
    postMessage({ id, answer: JSON.parse(answer) });
  } catch (error) {
    const lines = String(error.message || error).trim().split("\n");
    postMessage({ id, answer: { error: `a fault of planspec: ${lines[lines.length - 1]}`, fault: lines.join("\n") } });
  }
};
