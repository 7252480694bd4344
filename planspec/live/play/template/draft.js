"use strict";
// A box for a request in plain words; the questions of the draft, one at a time; the draft, and its text to edit.
// `place` is the element to draw in, `page` has the tasks' names, the model and functions of the page.
const PURPOSES = { draft: "writes a draft", revise: "corrects the draft", question: "compares two plans", judge: "judges plans by the request",
  words: "says the rules in words", again: "writes the words as rules again", cases: "writes plans with verdicts" };
const FORM = { query: "", name: "", like: "", library: "", world: "", drafts: "2" };

async function post(path, message) {
  try {
    const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) });
    return response.ok ? await response.json() : { error: `The request was refused (${response.status}).` };
  } catch {
    return { error: "The connection is lost." };
  }
}

function drafting(place, page) {
  const status = el("p", { class: "draft-status", role: "status" });
  const ask = el("div", {});
  const log = el("ol", { class: "draft-log" });
  const history = el("details", { class: "fold", hidden: true }, el("summary", {}, "What was found"), log);
  const stop = el("button", { type: "button", class: "quiet" }, "Stop");
  const bar = el("div", { class: "draft-bar", hidden: true }, el("span", { class: "turning", "aria-hidden": "true" }), status, stop);
  const warning = el("p", { class: "draft-error", role: "alert", hidden: true });
  const box = page.model ? form() : noModel();
  const head = el("h1", { class: "panel-title" }, "A task from words");
  let [stream, number, since, words, found, timer] = [null, null, 0, "", 0, null];

  place.replaceChildren(el("div", { class: "inside live draft" }, head, box, warning, bar, ask, history));

  function noModel() {
    return el("div", {}, el("p", {}, "A model writes the task, and proofs test what it wrote. This page was started without a model; name one when you start it:"),
      el("pre", { class: "command" }, "planspec play --model openai:model=gpt-5"),
      el("p", { class: "note" }, "Any agent will do, such as ", el("code", {}, "anthropic:model=…"), ", a service of your own (", el("code", {}, "openai:model=…,base_url=…"),
        "), or a program (", el("code", {}, "command:run=…"), "). ", el("code", {}, "planspec agents list"), " names them."));
  }

  function field(name, label, attributes, note) {
    const input = el("input", { id: `draft-${name}`, name, type: "text", value: FORM[name], autocomplete: "off", spellcheck: "false", ...attributes, oninput: (event) => { FORM[name] = event.target.value; } });
    return el("div", { class: "field" }, el("label", { for: `draft-${name}` }, label), input, note ? el("span", { class: "note" }, note) : null);
  }

  function form() {
    const text = el("textarea", { id: "draft-query", name: "query", rows: "6", required: true, dir: "auto", oninput: (event) => { FORM.query = event.target.value; } });
    text.value = FORM.query;
    const like = el("select", { id: "draft-like", name: "like", onchange: (event) => { FORM.like = event.target.value; } },
      el("option", { value: "" }, "nothing: a whole task"), page.names().map((name, n) => el("option", { value: String(n), selected: FORM.like === String(n) }, name)));
    return el("form", { class: "draft-form", onsubmit: (event) => { event.preventDefault(); begin(); } },
      el("label", { for: "draft-query" }, "What is to be planned?"), text,
      el("p", { class: "note" }, "Say what is given, what is to be decided, and what must hold. ", said(page.model), " writes, and proofs test what it wrote."),
      el("div", { class: "fields" },
        field("name", "Name of its file", { required: true, pattern: "[a-z0-9]+(-[a-z0-9]+)*", maxlength: "60", placeholder: "town-walk" }),
        el("div", { class: "field" }, el("label", { for: "draft-like" }, "Builds on the tables of"), like),
        field("drafts", "Drafts to compare", { type: "number", min: "1", max: "9" })),
      fold("Over a library", [el("div", { class: "fields" }, field("library", "Library, by id or path"), field("world", "World, by id or path"))], FORM.library !== ""),
      el("p", {}, el("button", { type: "submit", class: "main" }, "Draft")));
  }

  const fail = (text) => { warning.replaceChildren(said(text)); warning.hidden = !text; };
  const working = (on) => {
    bar.hidden = !on;
    box.hidden = on;
    clearInterval(timer);
    if (on) timer = setInterval(tick, 1000);
    page.busy(on);
  };
  const tick = () => {
    const seconds = Math.round((performance.now() - since) / 1000);
    status.querySelector(".seconds").textContent = seconds > 2 ? ` ${seconds} s` : "";
  };
  const show = (text) => {
    since = performance.now();
    status.replaceChildren(text, el("span", { class: "seconds muted", "aria-hidden": "true" }));
  };

  async function begin() {
    fail("");
    const started = await post("draft", { ...FORM, drafts: Number(FORM.drafts) });
    if (started.error) return fail(started.error);
    number = started.draft;
    [words, found] = [FORM.query, 0];
    log.replaceChildren();
    history.hidden = true;
    ask.replaceChildren(request());
    working(true);
    show("It starts …");
    stream = new EventSource(`draft?draft=${encodeURIComponent(number)}`);
    stream.onmessage = (event) => follow(JSON.parse(event.data));
    stream.onerror = () => end("The connection is lost, and the draft has ended. Its replies are kept: draft the same words under the same name to go on.");
  }

  const request = () => el("blockquote", { class: "query", dir: "auto" }, words);

  stop.addEventListener("click", () => { show("It stops …"); post("stop", { draft: number }); });

  function follow(event) {
    if (event.call) show(`Call ${event.call}: the model ${PURPOSES[event.purpose] || event.purpose} …`);
    else if (event.step) note(event);
    else if (event.question) question(event);
    else if (event.ended) end(event.ended, event.stopped);
    else if (event.finished) finished(event);
  }

  function note(event) {
    found += 1;
    history.hidden = false;
    history.querySelector("summary").textContent = `${count(found, "doubt or mistake", "doubts or mistakes")} went back to the model`;
    log.append(el("li", {}, el("details", {}, el("summary", {}, el("code", {}, event.step), event.draft > 1 ? ` draft ${event.draft}` : event.draft ? "" : " the words as rules",
      el("span", { class: "muted" }, ` ${event.text.split("\n")[0].slice(0, 120)}`)), el("pre", {}, event.text))));
  }

  async function answer(text) {
    show("The answer goes to the model …");
    bar.hidden = false;
    ask.replaceChildren(request());
    const sent = await post("answer", { draft: number, answer: text });
    if (sent.error) end(sent.error);
  }

  // The two plans side by side, with a mark at each row that differs.
  function question(event) {
    bar.hidden = true;
    const plans = event.plans.map((each) => each.plan);
    sameScale(plans);
    const view = { around: frame(plans), span: hours(plans), width: Math.min(place.clientWidth, 620) };
    const other = el("input", { id: "draft-other", type: "text", autocomplete: "off", dir: "auto" });
    const title = el("h2", { tabindex: "-1" }, event.question);
    ask.replaceChildren(request(), el("section", { class: "question", "aria-label": "Question" }, title,
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "What differs" }, el("table", { class: "differs" }, el("thead", {}, el("tr", {}, ["They differ in", ...event.plans.map((each) => each.name)].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, event.differences.map((each) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, said(each.place))), el("td", {}, said(each.first)), el("td", {}, said(each.second))))))),
      el("div", { class: "beside" }, event.plans.map((each) => el("section", {}, el("h3", {}, each.name), planPart(each, each.findings || [], view, `Map of ${each.name}`)))),
      el("form", { class: "answers", onsubmit: (submitted) => { submitted.preventDefault(); if (other.value.trim()) answer(other.value.trim()); else other.focus(); } },
        el("button", { type: "button", class: "main", onclick: () => answer("yes") }, "Yes, both may be"),
        el("div", { class: "field" }, el("label", { for: "draft-other" }, "No. The request means:"), other),
        el("button", { type: "submit" }, "Send"), el("button", { type: "button", class: "quiet", onclick: () => stop.click() }, "Stop"))));
    title.focus();
  }

  function finished(event) {
    if (!event.asks) {
      working(false);
      close();
      if (event.task !== undefined) return page.open(event.task, event.file);
    } else bar.hidden = true;
    const title = el("h2", { tabindex: "-1" }, event.asks ? "Do these rules say what the request says?" : { agreed: "Agreed", open: "Not agreed", budget: "The budget is over" }[event.finished]);
    const list = (name, texts) => ((texts || []).length ? el("section", {}, el("h3", {}, name), el("ul", { class: "texts" }, texts.map((text) => el("li", { dir: "auto" }, text)))) : null);
    ask.replaceChildren(request(), el("section", { class: "question", "aria-label": "The draft" }, title,
      (event.words || []).length ? el("dl", { class: "rules" }, event.words.map(([name, text]) => el("div", {}, el("dt", {}, el("code", {}, said(name))), el("dd", {}, said(text))))) : el("p", { class: "note" }, "The rules were not said in words; read them below."),
      list("Open", event.open), list("Not decided in time", event.undecided), list("Notes", event.notes),
      event.text ? fold("The draft", [el("pre", { class: "text", tabindex: "0" }, event.text)], !(event.words || []).length) : null,
      el("p", { class: "note" }, said(event.summary)), event.error ? el("p", { class: "note" }, event.error) : null,
      event.asks ? el("div", { class: "answers" }, el("button", { type: "button", class: "main", onclick: () => answer("yes") }, "Yes, accept the draft"),
        el("button", { type: "button", onclick: () => answer("no") }, "No, keep it marked as a draft")) : null));
    title.focus();
  }

  function close() {
    if (stream) stream.close();
    stream = null;
  }

  function end(text, stopped) {
    close();
    working(false);
    ask.replaceChildren();
    fail(stopped ? "" : text);
    if (stopped) ask.replaceChildren(el("p", { class: "note", role: "status" }, said(text)));
  }

  return () => { clearInterval(timer); close(); };
}

// The schedules of a rule get one scale in all plans, so that their bars are comparable.
function sameScale(plans) {
  const all = plans.flatMap((plan) => plan.schedules || []);
  for (const rule of new Set(all.map((each) => each.rule))) {
    const same = all.filter((each) => each.rule === rule);
    const [low, high] = [Math.min(...same.map((each) => each.low)), Math.max(...same.map((each) => each.high))];
    const ticks = [...new Map(same.flatMap((each) => each.ticks || [])).entries()].sort(([a], [b]) => a - b);
    for (const each of same) Object.assign(each, { low, high, ticks });
  }
}

// The text of a drafted task, which is saved to its file; the panel below follows the file.
function editing(task, file, opened) {
  let before = "";
  const area = el("textarea", { id: "editor", class: "editor", spellcheck: "false", rows: "18", disabled: true, "aria-describedby": "editor-note" });
  const note = el("span", { class: "note", id: "editor-note", role: "status" });
  const save = el("button", { type: "button", class: "main", disabled: true }, "Save");
  const fresh = () => { save.disabled = area.value === before; note.textContent = save.disabled ? "" : "not saved"; };
  const write = async () => {
    const text = area.value;
    const saved = await post("save", { task, text, before });
    if (!saved.error) before = text;
    fresh();
    note.textContent = saved.error || (save.disabled ? "saved" : "not saved");
  };
  area.addEventListener("input", fresh);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!save.disabled) write();
  });
  save.addEventListener("click", write);
  fetch(`text?task=${task}`).then((response) => (response.ok ? response.text() : Promise.reject())).then((text) => {
    before = area.value = text;
    area.disabled = false;
  }).catch(() => { note.textContent = "The file cannot be read."; });
  return el("div", { class: "inside live editing" }, el("details", { class: "fold", open: opened }, el("summary", {}, "Text of ", said(file)),
    el("label", { class: "unseen", for: "editor" }, `Text of ${file}`), area, el("p", { class: "draft-bar" }, save, note)));
}
