"use strict";
// What an agent did: messages in order, each call under the message that makes it, all of them folded.

function trace(of) {
  const [messages, calls, stages] = [of.messages || [], of.calls || [], of.stages || []];
  const under = new Set(messages.flatMap((message) => message.calls || []));
  const loose = calls.map((_, n) => n).filter((n) => !under.has(n));
  const parts = [];
  if (stages.length) {
    parts.push(fold(count(stages.length, "stage"), () => [el("ol", { class: "trace" }, stages.map(([name, text]) =>
      el("li", {}, el("div", { class: "speaker" }, said(name)), text ? block(text) : null)))]));
  }
  if (messages.length) {
    parts.push(el("ol", { class: "trace" }, messages.filter((message) => message.answers === undefined || !under.has(message.answers))
      .map((message) => el("li", {},
        el("div", { class: "speaker" }, said(message.role + (message.stage ? `, ${message.stage}` : "")), message.spent ? el("span", { class: "muted" }, ` ${message.spent}`) : null),
        message.text ? block(message.text) : null,
        (message.calls || []).map((n) => call(calls[n]))))));
  }
  if (loose.length) parts.push(el("div", {}, messages.length ? el("p", { class: "speaker" }, "Further calls") : null, loose.map((n) => call(calls[n]))));
  if (of.notes) parts.push(fold("Notes", () => [block(of.notes)]));
  if (of.left_out) parts.push(el("p", { class: "note" }, `${count(of.left_out, "further entry", "further entries")} are in the record alone.`));
  return parts;
}

function block(text) {
  return el("pre", { dir: "auto", tabindex: "0" }, text);
}

// A picture that a result brings: small, and large when it is asked for; where the page has it not, its name alone.
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

function call(of) {
  const short = (of.arguments || "").replace(/\s+/g, " ");
  const made = el("details", { class: "call" },
    el("summary", {}, el("code", {}, said(of.name)), " ", el("span", { class: "muted" }, said(short.length > 90 ? `${short.slice(0, 90)}…` : short)),
      of.error ? el("span", { class: "violated" }, " ✗ ", said(of.error)) : null),
    of.stage ? el("p", { class: "speaker" }, said(of.stage)) : null,
    el("h6", {}, "Arguments"), block(of.arguments || "{}"),
    of.result !== undefined ? [el("h6", {}, "Result"), block(of.result)] : el("p", { class: "muted" }, "No result is recorded."));
  if (of.pictures) made.addEventListener("toggle", () => made.append(el("div", { class: "pictures" }, of.pictures.map(picture))), { once: true });
  return made;
}
