// Search and cart of a folder of pages: without a server, and without a request to any.
"use strict";
(() => {
  const here = document.currentScript.dataset;
  const KEY = `planspec-cart-${here.city}`;
  const FIELDS = { booking: ["ticket", "time", "people", "note"], reservation: ["day", "time", "people", "note"], hotels: ["hotel", "nights", "rooms", "note"], ways: ["from", "to", "mode", "day", "time", "people"] };
  const made = (tag, text, parent) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const held = () => {
    try {
      const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(found) ? found : [];
    } catch {
      return [];
    }
  };
  const keep = (items) => {
    try {
      localStorage.setItem(KEY, JSON.stringify(items));
      return true;
    } catch {
      return false;
    }
  };

  const panel = () => {
    const form = made("form");
    form.className = "export-panel";
    form.style.cssText = "display:flex;flex-wrap:wrap;gap:10px 14px;align-items:end;padding:18px 24px;border-top:4px solid var(--accent);background:var(--soft);color:var(--ink);font:15px/1.4 var(--body)";
    for (const name of FIELDS[here.kind]) {
      const label = made("label", name[0].toUpperCase() + name.slice(1), form);
      label.style.cssText = "display:grid;gap:2px;font-size:13px";
      const input = made("input", "", label);
      input.name = name;
      input.maxLength = 200;
      if (name === "mode") input.value = here.page.replace(/^.*\/|\.html$/g, "");
      input.size = name === "note" ? 30 : 12;
      input.style.cssText = "font:inherit;font-size:15px;padding:6px 8px;color:var(--ink);background:var(--paper);border:1px solid var(--faint);max-width:100%";
    }
    const button = made("button", "Put into the cart", form);
    button.style.cssText = "font:700 15px/1 var(--body);padding:11px 18px;border:0;color:var(--accent-ink);background:var(--accent);cursor:pointer";
    const said = made("output", "", form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const told = [...new FormData(form)].filter(([, value]) => value.trim() !== "").map(([name, value]) => [name, String(value).trim()]);
      const item = { page: here.page, title: document.title, day: here.day, told };
      said.textContent = keep([...held(), item]) ? "It is in your cart." : "This browser keeps nothing for pages from a folder.";
    });
    document.body.append(form);
  };

  const cart = (list) => {
    const items = held();
    list.replaceChildren();
    if (items.length === 0) made("p", "Nothing is in the cart yet. The pages of tickets, tables, hotels and ways have a form at their end.", list);
    items.forEach((item, number) => {
      const box = made("article", "", list);
      const link = made("a", String(item.title), made("h2", "", box));
      link.href = /^[a-z-]+\/[\w-]+\.html$/.test(item.page) ? item.page : "index.html";
      if (item.day) made("p", String(item.day), box);
      for (const [name, value] of Array.isArray(item.told) ? item.told : []) made("p", `${name}: ${value}`, box);
      const button = made("button", "Remove", box);
      button.addEventListener("click", () => {
        keep(held().filter((_, other) => other !== number));
        cart(list);
      });
    });
  };

  // Letters without capitals and accents, so that "cibreo" finds Cibrèo.
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  const search = (form, list) => {
    const find = () => {
      const words = plain(form.elements.q.value).split(/\s+/).filter(Boolean);
      const found = words.length === 0 ? [] : window.PAGES.filter((page) => words.every((word) => plain(page.words).includes(word)));
      list.replaceChildren();
      made("p", words.length === 0 ? "Type a word or two." : `${found.length} of ${window.PAGES.length} pages have these words${found.length > 100 ? "; the first 100 are" : ""}${found.length ? ":" : "."}`, list);
      for (const page of found.slice(0, 100)) {
        const line = made("p", "", list);
        made("a", page.title, line).href = page.path;
        if (page.note) made("span", ` ${page.note}`, line);
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      find();
    });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked !== null) form.elements.q.value = asked; // else what somebody typed while the scripts came stays
    find();
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (here.kind in FIELDS) panel();
    if (here.kind === "cart") cart(document.getElementById("found"));
    if (here.kind === "search") search(document.getElementById("search"), document.getElementById("found"));
  });
})();
