"use strict";
// The trace of an agent: messages in order, each call folded under the message that makes it; if times are known, each
// with a bar for its start and duration.

function trace(of) {
  const [messages, calls, stages, requests] = [of.messages || [], of.calls || [], of.stages || [], of.requests || []];
  const whole = of.times ? of.times.seconds : 0;
  const under = new Set(messages.flatMap((message) => message.calls || []));
  const loose = calls.map((_, n) => n).filter((n) => !under.has(n));
  const parts = of.times ? [timesPart(of)] : [];
  if (stages.length) {
    parts.push(fold(count(stages.length, "stage"), () => [el("ol", { class: "trace" }, stages.map(([name, text]) =>
      el("li", {}, el("div", { class: "speaker" }, said(name)), text ? block(text) : null)))]));
  }
  if (messages.length) {
    parts.push(el("ol", { class: "trace" }, messages.filter((message) => message.answers === undefined || !under.has(message.answers))
      .map((message) => el("li", {},
        speakerLine(message.role + (message.stage ? `, ${message.stage}` : ""), message, whole),
        message.text ? block(message.text) : null,
        (message.calls || []).map((n) => call(calls[n], whole))))));
  }
  if (requests.length) {
    parts.push(fold(`${messages.length ? "Further requests" : "Requests"} to models: ${requests.length}`, () => [el("ol", { class: "trace" }, requests.map((request) =>
      el("li", {}, speakerLine(request.name, request, whole))))], true));
  }
  if (loose.length) parts.push(el("div", {}, messages.length ? el("p", { class: "speaker" }, "Further calls") : null, loose.map((n) => call(calls[n], whole))));
  if (of.notes) parts.push(fold("Notes", () => [block(of.notes)]));
  if (of.left_out) parts.push(el("p", { class: "note" }, `${count(of.left_out, "further entry", "further entries")} are only in the record.`));
  return parts;
}

// Speaker, cost and time of a message.
function speakerLine(name, of, whole) {
  return el("div", { class: "speaker timed-line" }, el("span", {}, said(name), of.spent ? el("span", { class: "muted" }, ` ${of.spent}`) : null), timed(of.time, whole, "model"));
}

function duration(seconds) {
  if (seconds < 0.0005) return "under 1 ms";
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(Math.round(seconds) / 60)} min ${String(Math.round(seconds) % 60).padStart(2, "0")} s`;
}

function timeBar(parent, [start, seconds], whole, kind, y, height) {
  const part = (share) => `${(100 * Math.min(1, share / whole)).toFixed(3)}%`;
  // even the shortest bar is visible; one that starts at the very end protrudes slightly
  parent.append(svg("svg", { x: part(start), y, width: part(Math.max(seconds, 0.004 * whole)), height, overflow: "visible" },
    svg("rect", { class: kind, width: "100%", height, rx: 1.5 })));
}

function timed(time, whole, kind) {
  if (!time || !whole) return null;
  const picture = svg("svg", { class: "time-bar", "aria-hidden": "true", focusable: "false" }, svg("rect", { class: "ground", width: "100%", height: 10, rx: 2 }));
  timeBar(picture, time, whole, kind, 0, 10);
  return el("span", { class: "timed" }, picture, el("span", { class: "took" }, duration(time[1]), el("span", { class: "muted" }, ` at ${time[0].toFixed(time[0] < 9.95 ? 2 : 1)} s`)));
}

// The use of an attempt's time: requests and calls on one line each, to scale.
function timesPart(of) {
  const { seconds, model = [0, 0], tools = [0, 0], usd } = of.times;
  const rest = seconds - model[1] - tools[1];
  const told = [model[0] ? `${duration(model[1])} in ${count(model[0], "request")} to models` : null, tools[0] ? `${duration(tools[1])} in ${count(tools[0], "tool call")}` : null,
    rest > 0.0005 ? `${duration(rest)} else` : null].filter(Boolean);
  const rows = [["models", "model", [...(of.messages || []), ...(of.requests || [])]], ["tools", "tool", of.calls || []]]
    .map(([name, kind, some]) => [name, kind, some.map((one) => one.time).filter(Boolean)]).filter(([, , some]) => some.length);
  return el("div", { class: "times" }, el("p", { class: "note" }, `${duration(seconds)} in all: ${told.join(", ")}`, usd === undefined || usd === null ? "." : `; ${usd.toFixed(4)} USD.`),
    el("div", { class: "lanes" }, rows.map(([name, kind, some], n) => {
      const last = n === rows.length - 1;
      const picture = svg("svg", { class: `strip lane-strip${last ? " last" : ""}`, "aria-hidden": "true", focusable: "false" });
      secondLines(picture, seconds, last);
      for (const time of some) timeBar(picture, time, seconds, kind, 4, 18);
      return el("div", { class: "lane" }, el("span", { class: "lane-name" }, name), picture);
    })));
}

function secondLines(picture, seconds, named) {
  const power = 10 ** Math.floor(Math.log10(Math.max(seconds, 1e-6) / 2));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => seconds / one <= 6);
  for (let n = 0; n * step <= seconds * 1.0001; n += 1) {
    const at = `${((100 * n * step) / seconds).toFixed(3)}%`;
    const text = n && n * step < 0.9995 ? `${Math.round(1e5 * n * step) / 100} ms` : `${Math.round(100 * n * step) / 100} s`;
    picture.append(svg("line", { class: "hour", x1: at, x2: at, y1: 0, y2: 26 }));
    if (named) picture.append(svg("text", { x: at, y: 38, "text-anchor": n === 0 ? "start" : n * step > 0.97 * seconds ? "end" : "middle" }, text));
  }
}

function block(text) {
  return el("pre", { dir: "auto", tabindex: "0" }, text);
}

// A picture in a result: small, and enlarged on request; only its name if the page does not contain it.
function picture(of) {
  const kept = document.getElementById(`p${of.sha256}`);
  const place = kept ? `data:${kept.dataset.media};base64,${kept.textContent}` : typeof pictureUrl === "function" ? pictureUrl(of.sha256) : null;
  if (!place) return el("p", { class: "muted" }, said(of.title), ` (picture ${of.sha256.slice(0, 12)}, in the run's folder)`);
  const shown = el("img", { src: place, alt: of.title, loading: "lazy" });
  const made = el("button", { type: "button", class: "picture", "aria-expanded": "false", title: of.title, onclick: () => {
    made.setAttribute("aria-expanded", String(made.classList.toggle("large")));
  } }, shown, el("span", {}, said(of.title)));
  return made;
}

function call(of, whole) {
  const short = (of.arguments || "").replace(/\s+/g, " ");
  const made = el("details", { class: "call" },
    el("summary", {}, el("span", { class: "timed-line" }, el("span", {}, el("code", {}, said(of.name)), " ", el("span", { class: "muted" }, said(short.length > 90 ? `${short.slice(0, 90)}…` : short)),
      of.error ? el("span", { class: "violated" }, " ✗ ", said(of.error)) : null), timed(of.time, whole, "tool"))),
    of.stage ? el("p", { class: "speaker" }, said(of.stage)) : null,
    el("h6", {}, "Arguments"), block(of.arguments || "{}"),
    of.result !== undefined ? [el("h6", {}, "Result"), block(of.result)] : el("p", { class: "muted" }, "No result is recorded."));
  if (of.pictures) made.addEventListener("toggle", () => made.append(el("div", { class: "pictures" }, of.pictures.map(picture))), { once: true });
  return made;
}
