"use strict";
// Elements are created one by one and texts are set as text nodes: foreign text is never parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const said = (text) => el("bdi", { dir: "auto" }, text);
const count = (n, one, many) => `${n} ${n === 1 ? one : many || one + "s"}`;

function clock(minutes) {
  const sign = minutes < 0 ? "−" : "";
  const whole = Math.abs(minutes);
  return `${sign}${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
}

async function unpacked(id) {
  if (document.readyState === "loading") await new Promise((whole) => addEventListener("DOMContentLoaded", whole, { once: true }));
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function fold(title, children, open) {
  const list = typeof children === "function" ? null : children;
  const made = el("details", { class: "fold", open: open || false }, el("summary", {}, title), list);
  if (!list) made.addEventListener("toggle", () => made.append(...children()), { once: true });
  return made;
}

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([name, value]) =>
    el("div", {}, el("dt", {}, said(name)), el("dd", {}, said(value)))));
}
