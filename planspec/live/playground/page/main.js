// The page: texts, editors, calls and their answers. Python runs in worker.js.
import { Compartment, EditorState } from "@codemirror/state";
import { autocompletion, completionKeymap, snippet } from "@codemirror/autocomplete";
import { EditorView, drawSelection, hoverTooltip, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { yaml } from "@codemirror/lang-yaml";
import { json } from "@codemirror/lang-json";
import { tags } from "@lezer/highlight";
import { LIMIT, packed, unpacked } from "./link.js";
import { renderConflict, renderProblem, renderSolution, renderValidation, renderVerdict, element } from "./results.js";

const $ = (id) => document.getElementById(id);
const WAIT_MS = 250;

// -- the worker -------------------------------------------------------------------------------------

let asking = false;
let taking = false; // whether a plan is being copied from the result into the answer's editor
let worker = null;
let calls = new Map();
let number = 0;
let ready = false;

function startWorker() {
  ready = false;
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.failed !== undefined) return fail(data.failed);
    if (data.progress !== undefined) return loading(data);
    const call = calls.get(data.id);
    if (call === undefined) return;
    if (data.part !== undefined) return call.onPart(data.part);
    calls.delete(data.id);
    call.done(data.answer);
  };
  worker.onerror = (event) => fail(event.message || "the browser cannot start it");
}

function ask(call, onPart = () => {}) {
  return new Promise((done) => {
    number += 1;
    calls.set(number, { done, onPart });
    worker.postMessage({ id: number, call });
  });
}

function loading({ progress, text, ready: done }) {
  $("progress").value = progress;
  if (text) $("loading-text").textContent = text;
  if (!done) return;
  ready = true;
  $("loading").hidden = true;
  document.body.dataset.ready = "yes";
  openInWorker();
}

function fail(reason) {
  $("loading").hidden = true;
  notice(`planspec could not be loaded: ${reason}`);
  document.body.dataset.failed = "yes";
}

/** Shows a permanent notice above the documents. */
function notice(...content) {
  $("notice").hidden = content.length === 0;
  $("notice").replaceChildren(...content);
}

// -- the project ------------------------------------------------------------------------------------

const about = await (await fetch("playground.json")).json();
const examples = await (await fetch("examples.json")).json();
const project = { example: examples[0], files: new Map(), open: "", task: "", answers: new Map() };
const left = new Map(); // changes of examples that are not shown, by name

function begin(example, changed = {}, answer = null) {
  stop();
  if (!document.body.dataset.failed) notice();
  clearTimeout(waiting);
  edits = new Map(); // pending edits belong to the previous project
  project.example = example;
  project.open = "";
  project.task = example.task;
  project.files = new Map(Object.entries({ ...example.documents, ...changed }));
  project.states = new Map();
  project.problems = [];
  $("example").value = example.id;
  showAnswers(example, answer);
  showTabs();
  show(changed[example.task] === undefined && Object.keys(changed).length ? Object.keys(changed)[0] : example.task);
  clearResult();
  if (ready) openInWorker();
}

async function openInWorker() {
  enable(true);
  const opened = project.files;
  await ask({ verb: "open", files: Object.fromEntries(opened) });
  await check();
}

/** Returns the file of the task that calls are about: the open one if it is a task, else the last open one, else the first. */
function taskFile() {
  const tasks = [...project.files].filter(([, text]) => /^\s*(?:#[^\n]*\n|\s)*planspec:\s*task\/1/.test(text)).map(([name]) => name);
  project.task = [project.open, project.task, project.example.task].find((file) => tasks.includes(file)) ?? tasks[0];
  return project.task;
}

let waiting = 0;
let edits = new Map();

function edited(file, text) {
  project.files.set(file, text);
  outdate();
  edits.set(file, text);
  clearTimeout(waiting);
  waiting = setTimeout(flush, WAIT_MS);
}

async function flush() {
  clearTimeout(waiting);
  if (!ready || edits.size === 0) return;
  const now = edits;
  edits = new Map();
  for (const [file, text] of now) await ask({ verb: "edit", file, text });
  await check();
}

async function check() {
  const files = project.files;
  const answer = await ask({ verb: "check" });
  if (files !== project.files || edits.size > 0) return;
  project.problems = answer.ok ? answer.ok.diagnostics : answer.diagnostics || [];
  showProblems();
  document.body.dataset.checked = String(Number(document.body.dataset.checked || 0) + 1);
  document.body.dataset.checkSeconds = answer.seconds;
}

// -- editors ----------------------------------------------------------------------------------------

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--comment)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--dim)" },
]);
const base = [
  lineNumbers(), foldGutter(), codeFolding(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(),
  highlightActiveLine(), highlightSelectionMatches(), syntaxHighlighting(colours), EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, ...completionKeymap]),
];

// -- language server --------------------------------------------------------------------------------

/** Returns an editor's position in the protocol's form: lines and UTF-16 units from 0. */
function position(doc, at) {
  const found = doc.lineAt(at);
  return { line: found.number - 1, character: at - found.from };
}

function placeIn(doc, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.to, found.from + character);
}

/** Returns the answer to a request at a position of the current text; null while another call is running. */
async function known(method, file, params) {
  if (!ready || asking) return null;
  await flush();
  const answer = await ask({ verb: "language", method, file, params });
  return answer.ok ?? null;
}

/** Renders the Markdown that the server writes: paragraphs and code. */
function marked(text) {
  const made = element("div", { className: "told" });
  text.split(/^```\w*\n?/m).forEach((part, number) => {
    if (!part.trim()) return;
    if (number % 2) made.append(element("pre", {}, part.trimEnd()));
    else for (const one of part.trim().split(/\n{2,}/)) made.append(element("p", {}, one.replace(/[`*]/g, "")));
  });
  return made;
}

const KINDS = { 2: "method", 3: "function", 5: "property", 6: "variable", 7: "class", 9: "namespace", 10: "property", 12: "constant", 13: "enum", 14: "keyword", 17: "text", 20: "enum", 21: "constant", 22: "class" };

function language(file) {
  const hover = hoverTooltip(async (view, at) => {
    const found = await known("hover", file, { position: position(view.state.doc, at) });
    if (!found) return null;
    const { start, end } = found.range ?? { start: position(view.state.doc, at), end: position(view.state.doc, at) };
    return { pos: placeIn(view.state.doc, start), end: placeIn(view.state.doc, end), above: true, create: () => ({ dom: marked(found.contents.value) }) };
  });
  const complete = async (context) => {
    const word = context.matchBefore(/[\w:]*$/);
    if (!context.explicit && !(word && word.from < word.to) && !/[.[]$/.test(context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos))) return null;
    const found = await known("completion", file, { position: position(context.state.doc, context.pos) });
    if (!found || context.aborted || !found.items.length) return null;
    const options = found.items.map((item, number) => ({
      label: item.label, detail: item.detail, type: KINDS[item.kind], boost: -Math.min(99, number),
      info: item.documentation ? () => marked(item.documentation.value) : undefined,
      apply: item.insertTextFormat === 2 ? snippet(item.textEdit.newText.replace("$0", "${}")) : item.textEdit.newText,
    }));
    return { from: placeIn(context.state.doc, found.items[0].textEdit.range.start), options, validFor: found.isIncomplete ? undefined : /^[\w:]*$/ };
  };
  const define = (view, at) => {
    known("definition", file, { position: position(view.state.doc, at) }).then((found) => {
      const place = Array.isArray(found) ? found[0] : found;
      if (!place || !project.files.has(place.uri)) return;
      show(place.uri);
      const to = placeIn(editor.state.doc, place.range.start);
      editor.dispatch({ selection: { anchor: to }, effects: EditorView.scrollIntoView(to, { y: "center" }) });
      editor.focus();
    });
    return true;
  };
  return [
    hover, autocompletion({ override: [complete] }),
    keymap.of([{ key: "F12", run: (view) => define(view, view.state.selection.main.head) }]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        const at = event.ctrlKey || event.metaKey ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
        return at !== null && define(view, at);
      },
    }),
  ];
}

/** Returns the quick fixes of a document's diagnostics, by the positions where these begin. */
async function mending(file) {
  const nowhere = { line: 0, character: 0 };
  const found = (await known("codeAction", file, { range: { start: nowhere, end: nowhere } })) ?? [];
  const made = new Map();
  for (const action of found) {
    const { line, character } = action.diagnostics[0].range.start;
    const name = `${line}:${character}`;
    made.set(name, [...(made.get(name) ?? []), { name: action.title, apply: (view) => mend(view, action.edit.changes[file] ?? []) }]);
  }
  return made;
}

function mend(view, edits) {
  const { doc } = view.state;
  view.dispatch({ changes: edits.map((edit) => ({ from: placeIn(doc, edit.range.start), to: placeIn(doc, edit.range.end), insert: edit.newText })) });
}

function documentState(file, text) {
  return EditorState.create({
    doc: text,
    extensions: [
      base, lintGutter(), file.endsWith(".yaml") ? [yaml(), ...language(file)] : [],
      EditorView.contentAttributes.of({ "aria-label": file, spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) edited(file, update.state.doc.toString());
      }),
    ],
  });
}

const editor = new EditorView({ parent: $("editor") });
const answerLanguage = new Compartment();
const answerEditor = new EditorView({
  parent: $("answer"),
  state: EditorState.create({
    extensions: [base, EditorView.updateListener.of((update) => { if (update.docChanged) outdate(); }), answerLanguage.of(json()), EditorView.contentAttributes.of({ "aria-label": "Answer as JSON", spellcheck: "false", tabindex: "0" })],
  }),
});

function show(file) {
  if (project.open && project.states.has(project.open)) project.states.set(project.open, editor.state);
  taskFile();
  project.open = file;
  taskFile();
  const own = project.example.documents[file] === undefined && !project.example.tables.includes(file);
  $("revert").textContent = own ? "Remove" : "Reset";
  $("revert").title = own ? "Take this file out of the project" : "The document as the example has it";
  if (!project.states.has(file)) project.states.set(file, documentState(file, project.files.get(file)));
  editor.setState(project.states.get(file));
  for (const tab of $("tabs").querySelectorAll("[role=tab]")) {
    const chosen = tab.dataset.file === file;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  underline();
}

function replaceText(file, text) {
  show(file);
  const before = editor.state.doc.toString();
  if (before !== text) editor.dispatch({ changes: { from: 0, to: before.length, insert: text } });
}

/** Returns the offset of a line and a column in the editor's text, both from 1, the column in characters. */
function offset(doc, line, column) {
  if (line > doc.lines) return doc.length;
  const found = doc.line(Math.max(1, line));
  let at = 0;
  for (const char of found.text) {
    if (column <= 1) break;
    column -= 1;
    at += char.length;
  }
  return found.from + at;
}

async function underline() {
  const file = project.open;
  const own = project.problems.filter((problem) => problem.file === file);
  const mends = own.length ? await mending(file) : new Map();
  if (project.open !== file) return;
  const doc = editor.state.doc;
  const found = own.map((problem) => {
    const from = offset(doc, problem.line, problem.column);
    const to = Math.max(from, offset(doc, problem.end_line, problem.end_column));
    return { from, to, severity: problem.severity, message: problem.message, renderMessage: () => renderProblem(problem, goTo),
      actions: (() => { const { line, character } = position(doc, from); return mends.get(`${line}:${character}`); })() };
  });
  editor.dispatch(setDiagnostics(editor.state, found.sort((a, b) => a.from - b.from)));
}

function goTo(file, line, column) {
  if (!project.files.has(file)) return;
  show(file);
  const at = offset(editor.state.doc, line, column);
  editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  editor.focus();
}

// -- tabs -------------------------------------------------------------------------------------------

const shortName = (file) => file.split("/").pop();

function showTabs() {
  const tabs = [...project.files.keys()].map((file) => {
    const tab = element("button", { type: "button", role: "tab", title: file, className: "tab" }, shortName(file));
    tab.dataset.file = file;
    tab.setAttribute("aria-controls", "editor");
    tab.onclick = () => show(file);
    return tab;
  });
  const tables = project.example.tables.filter((file) => !project.files.has(file));
  $("tables").hidden = tables.length === 0;
  $("tables").replaceChildren(element("option", { value: "" }, tables.length === 1 ? "1 table" : `${tables.length} tables`),
    ...tables.map((file) => element("option", { value: file }, shortName(file))));
  $("tabs").replaceChildren(...tabs);
}

$("tables").onchange = async (event) => {
  const file = event.target.value;
  const { files } = project;
  const answer = ready ? await ask({ verb: "read", file }) : {};
  if (files !== project.files || !answer.ok) return;
  project.files.set(file, answer.ok.text);
  showTabs();
  show(file);
};

$("tabs").addEventListener("keydown", (event) => {
  const tabs = [...$("tabs").querySelectorAll("[role=tab]")];
  const at = tabs.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || step === undefined) return;
  event.preventDefault();
  const next = tabs[(at + step + tabs.length) % tabs.length];
  show(next.dataset.file);
  next.focus();
});

function showProblems() {
  underline();
  for (const tab of $("tabs").querySelectorAll("[role=tab]")) {
    const own = project.problems.filter((problem) => problem.file === tab.dataset.file);
    tab.classList.toggle("wrong", own.some((problem) => problem.severity === "error"));
    tab.title = own.length ? `${tab.dataset.file}: ${own.length === 1 ? "1 mistake" : `${own.length} mistakes`}` : tab.dataset.file;
  }
  const rows = project.problems.map((problem) => {
    const code = element("button", { type: "button", className: "code", title: `Explain ${problem.code}` }, problem.code);
    code.onclick = () => explain(problem.code);
    const place = element("button", { type: "button", className: "problem" }, `${problem.message} `, element("span", { className: "dim" }, `${shortName(problem.file)}:${problem.line}`));
    place.onclick = () => goTo(problem.file, problem.line, problem.column);
    return element("li", { className: problem.severity }, code, place);
  });
  $("problems").replaceChildren(...(rows.length ? [element("ul", {}, ...rows)] : [element("p", { className: "fine" }, "No mistakes found")]));
}

async function explain(code) {
  if (!ready || asking) return;
  const answer = await ask({ verb: "explain", code });
  if (!answer.ok) return;
  const { slug, why, wrong, right } = answer.ok;
  delete $("result").dataset.verb;
  $("result").replaceChildren(element("h3", {}, `${code} ${slug}`), element("p", {}, why), element("p", { className: "dim" }, "Wrong"), element("pre", {}, wrong),
    element("p", { className: "dim" }, "Right"), element("pre", {}, right));
}

// -- answers ----------------------------------------------------------------------------------------

function showAnswers(example, answer) {
  project.answers = new Map(Object.entries(example.answers).map(([name, plan]) => [name, JSON.stringify(plan, null, 2)]));
  const same = answer === null ? undefined : [...project.answers.keys()].find((name) => project.answers.get(name) === answer);
  if (answer !== null && same === undefined) project.answers.set("yours", answer);
  showAnswerChoice(answer === null ? [...project.answers.keys()][0] : (same ?? "yours"));
}

function showAnswerChoice(name) {
  $("answer-choice").replaceChildren(...[...project.answers.keys()].map((key) => element("option", { value: key }, key)));
  $("answer-choice").hidden = project.answers.size < 2;
  if (name !== undefined) $("answer-choice").value = name;
  setAnswer(name === undefined ? "{}" : project.answers.get(name));
}

function setAnswer(text) {
  answerEditor.dispatch({ changes: { from: 0, to: answerEditor.state.doc.length, insert: text } });
}

$("answer-choice").onchange = (event) => setAnswer(project.answers.get(event.target.value));

function takePlan(plan, name) {
  project.answers.set(name, JSON.stringify(plan, null, 2));
  taking = true;
  showAnswerChoice(name);
  taking = false;
}

// -- calls ------------------------------------------------------------------------------------------


function enable(on) {
  for (const id of ["verify", "solve", "validate", "why", "format"]) $(id).disabled = !on || !ready;
  $("stop").disabled = !asking;
}

/** Notes once that the shown answer is about earlier texts. */
function outdate() {
  const shown = $("result");
  if (asking || taking || !shown.dataset.verb || shown.querySelector(".outdated")) return;
  shown.prepend(element("p", { className: "outdated" }, "The texts have changed since this was asked."));
}

function clearResult() {
  delete $("result").dataset.verb;
  delete $("result").dataset.drawn;
  $("result").replaceChildren(element("p", { className: "hint" },
    "Judge the answer, look for the best plan, or prove that there is only one. Everything runs in this page."));
}

async function question(verb, words, further, render, then = () => {}) {
  if (!ready || asking) return;
  const file = taskFile();
  if (file === undefined) {
    $("result").replaceChildren(element("p", { className: "wrong" }, "The project has no task: a document that begins with “planspec: task/1”."));
    return;
  }
  asking = true;
  enable(false);
  const began = performance.now();
  const busy = element("p", { className: "busy" }, words);
  const sofar = element("div", {});
  $("result").replaceChildren(busy, sofar);
  const clock = setInterval(() => { busy.dataset.seconds = `${((performance.now() - began) / 1000).toFixed(0)} s`; }, 500);
  const known = { backends: {}, proofs: [] };
  try {
    await flush();
    const answer = await ask({ verb, file, ...further }, (part) => {
      if (part.proved) Object.assign(known.backends, part.proved);
      if (part.proof) known.proofs.push(part.proof);
      if (part.doing) busy.firstChild.textContent = { smt: "Z3 proves …", sat: "CaDiCaL proves …", proof: "A proof is made and checked …" }[part.doing];
      if (Object.keys(known.backends).length) sofar.replaceChildren(renderValidation(known, takePlan));
    });
    const seconds = (performance.now() - began) / 1000;
    $("result").dataset.verb = verb;
    delete $("result").dataset.drawn;
    $("result").dataset.seconds = seconds.toFixed(2);
    if (answer.diagnostics) {
      $("result").replaceChildren(element("p", { className: "wrong" }, "The task has mistakes:"), ...answer.diagnostics.map((one) => renderProblem(one, goTo)));
    } else if (answer.error !== undefined) {
      $("result").replaceChildren(element("p", { className: answer.undecided ? "undecided" : "wrong" }, answer.error));
      if (answer.fault) $("result").append(element("pre", {}, answer.fault));
    } else {
      $("result").replaceChildren(render(answer.ok), element("p", { className: "dim" }, `${shortName(file)}, ${seconds.toFixed(2)} s in this browser`));
      then(file, answer.ok);
    }
  } finally {
    clearInterval(clock);
    asking = false;
    enable(true);
  }
}

const frameAddress = () => `panel.html#${document.documentElement.dataset.look}`;

/** Draws a plan below the result when the worker has sent it. */
async function draw(file, answer) {
  const place = $("result").lastElementChild;
  const made = await ask({ verb: "draw", file, answer });
  if (!made.ok || !made.ok.plan || $("result").lastElementChild !== place) return;
  const frame = element("iframe", { src: frameAddress(), title: "The plan, drawn", className: "drawn" });
  window.addEventListener("message", function onMessage(event) {
    if (!frame.isConnected && frame.contentWindow === null) return window.removeEventListener("message", onMessage);
    if (event.source !== frame.contentWindow || event.origin !== location.origin) return;
    if (event.data.drawing) frame.contentWindow.postMessage(made.ok, location.origin);
    if (event.data.height) { frame.style.height = `${event.data.height + 2}px`; $("result").dataset.drawn = "yes"; }
  });
  $("result").append(frame);
}

const links = { goTo, has: (file) => project.files.has(file), takePlan };
const drawn = (file, made) => { if (made.plan !== null && made.status !== "undelivered") draw(file, answerEditor.state.doc.toString()); };
$("verify").onclick = () => question("verify", "Judging …", { answer: answerEditor.state.doc.toString() }, (made) => renderVerdict(made, links), drawn);
$("solve").onclick = () => question("solve", "Searching for the best plan …", { backend: $("backend").value }, (made) => renderSolution(made, links), drawn);
$("validate").onclick = () => question("validate", "Proving …", {}, (made) => renderValidation(made, takePlan));
$("why").onclick = () => question("why", "Searching for conflicts …", { backend: $("backend").value }, (made) => renderConflict(made, links));
$("stop").onclick = stop;

function stop() {
  if (!asking) return;
  worker.terminate();
  const open = [...calls.values()];
  calls = new Map();
  $("loading").hidden = false;
  $("loading-text").textContent = "Starting anew";
  startWorker();
  for (const call of open) call.done({ error: "stopped", undecided: true });
}

$("format").onclick = async () => {
  if (!ready || asking) return;
  await flush();
  const file = project.open;
  const answer = await ask({ verb: "format", file });
  if (answer.ok) replaceText(file, answer.ok.text);
};

$("revert").onclick = async () => {
  const file = project.open;
  const first = project.example.documents[file];
  if (first !== undefined) return replaceText(file, first);
  const written = project.files.get(file).trim().split("\n").length > 2 && !project.example.tables.includes(file);
  if (written && !confirm(`Remove ${shortName(file)}? What is written in it is lost.`)) return;
  project.files.delete(file);
  project.states.delete(file);
  edits.delete(file);
  project.open = "";
  showTabs();
  show(project.example.task);
  if (!ready) return;
  await ask({ verb: "edit", file, text: null });
  await check();
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); $("verify").click(); }
  if (event.key === "Escape" && asking) stop();
  if (event.key.toLowerCase() === "f" && event.altKey && event.shiftKey) { event.preventDefault(); $("format").click(); }
}, true);

// -- files, links, looks ----------------------------------------------------------------------------

$("new-file").onclick = () => { $("file-wrong").hidden = true; $("file-name").value = ""; $("file-dialog").showModal(); };
$("file-form").addEventListener("submit", (event) => {
  if (event.submitter.value !== "add") return;
  const name = $("file-name").value.trim();
  const wrong = !/^[\w][\w./-]*\.(yaml|csv)$/.test(name) || name.includes("..") ? "A name ends in .yaml or .csv, such as trip.task.yaml."
    : project.files.has(name) ? "There is a file of this name." : "";
  if (wrong) {
    event.preventDefault();
    $("file-wrong").hidden = false;
    $("file-wrong").textContent = wrong;
    return;
  }
  const kind = ["library", "world"].find((one) => name.includes(`.${one}.`)) || "task";
  const text = name.endsWith(".csv") ? "" : `planspec: ${kind}/1\nid: ${shortName(name).split(".")[0]}\n`;
  project.files.set(name, text);
  edited(name, text);
  showTabs();
  show(name);
  editor.dispatch({ selection: { anchor: text.length } });
  $("file-dialog").addEventListener("close", () => editor.focus(), { once: true });
});

/** Returns the changes of the project to its example, which links contain and reloads restore. */
function changes(withTables) {
  const changed = Object.fromEntries([...project.files].filter(([file, text]) => project.example.documents[file] !== text));
  if (!withTables) for (const file of project.example.tables) delete changed[file];
  return { example: project.example.id, files: changed, answer: answerEditor.state.doc.toString() };
}

const KEPT = "planspec-project";
window.addEventListener("pagehide", () => {
  left.delete(project.example.id);
  try { sessionStorage.setItem(KEPT, JSON.stringify({ ...changes(true), left: [...left.values()] })); } catch { /* storage may be full or forbidden */ }
});

function keptProject() {
  try { return JSON.parse(sessionStorage.getItem(KEPT)); } catch { return null; }
}

$("share").onclick = async () => {
  const made = await packed(changes(false));
  const address = new URL(`#p=${made}`, location.href).href;
  const fits = address.length <= LIMIT;
  $("share-size").textContent = fits
    ? `The link holds what you changed and the answer: ${address.length.toLocaleString("en")} of at most ${LIMIT.toLocaleString("en")} characters. Tables are left out. Nothing is sent anywhere.`
    : `The project is too large for a link: it would have ${address.length.toLocaleString("en")} characters, and at most ${LIMIT.toLocaleString("en")} are safe in browsers and chats.`;
  $("share-link").value = fits ? address : "";
  $("share-copy").disabled = !fits;
  if (fits) history_(address);
  $("share-dialog").showModal();
};
const history_ = (address) => globalThis.history.replaceState(null, "", address);
$("share-copy").onclick = async () => {
  $("share-link").select();
  try { await navigator.clipboard.writeText($("share-link").value); $("share-copy").textContent = "Copied"; } catch { document.execCommand("copy"); }
};
$("share-close").onclick = () => { $("share-copy").textContent = "Copy"; $("share-dialog").close(); };

const looks = ["auto", "light", "dark"];
function look(name) {
  document.documentElement.dataset.look = name;
  $("theme").title = `Look: ${name}`;
  for (const frame of document.querySelectorAll(".drawn")) frame.src = frameAddress();
  try { localStorage.setItem("look", name); } catch { /* storage may be forbidden */ }
}
$("theme").onclick = () => look(looks[(looks.indexOf(document.documentElement.dataset.look) + 1) % looks.length]);
let kept = null;
try { kept = localStorage.getItem("look"); } catch { /* storage may be forbidden */ }
look(looks.includes(kept) ? kept : "auto");

// -- begin ------------------------------------------------------------------------------------------

const groups = new Map();
for (const example of examples) {
  const group = { starters: "To begin with", examples: "Puzzles and plans" }[example.suite] || "Trips through cities";
  if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
  groups.get(group).append(element("option", { value: example.id }, `${example.id}: ${example.title}`));
}
$("example").append(...groups.values());
$("example").onchange = (event) => {
  history_(location.pathname + location.search);
  left.set(project.example.id, changes(true));
  const example = examples.find((one) => one.id === event.target.value);
  const before = left.get(example.id);
  begin(example, before?.files, before?.answer);
  if (!before || !Object.keys(before.files).length) return;
  const anew = element("button", { type: "button", id: "anew" }, "Begin anew");
  anew.onclick = () => begin(example);
  notice("What you wrote in this example is back. ", anew);
};
$("version").textContent = `planspec ${about.planspec}, Z3 ${about.packages["z3-solver"]}, CaDiCaL by python-sat ${about.packages["python-sat"]}.`;

async function fromAddress(first = false) {
  const found = /^#p=([\w-]+)$/.exec(location.hash);
  const named = /^#e=([\w-]+)$/.exec(location.hash);
  if (named) return begin(examples.find((one) => one.id === named[1]) || examples[0]);
  if (!found) {
    const before = first ? keptProject() : null;
    for (const one of before?.left ?? []) left.set(one.example, one);
    const example = before && examples.find((one) => one.id === before.example);
    return example ? begin(example, before.files, before.answer) : begin(examples[0]);
  }
  const shared = await unpacked(found[1]);
  const example = shared && examples.find((one) => one.id === shared.example);
  if (!example) {
    begin(examples[0]);
    notice(shared ? "The link is of an example that this playground does not have." : "The link is cut off or damaged: it holds no project.");
    return;
  }
  begin(example, shared.files, shared.answer);
}
window.addEventListener("hashchange", () => fromAddress());
if (location.protocol !== "file:") startWorker();
await fromAddress(true);
