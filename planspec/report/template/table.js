"use strict";
// The table of tasks: rows expand in place by mouse, keyboard or address, and can be filtered.
(() => {
  const able = typeof DecompressionStream === "function";
  let runs = null;

  async function open(row, place) {
    const inside = el("td", { colspan: String(row.cells.length) }, el("p", { class: "empty" }, "Unpacking…"));
    const panel = el("tr", { class: "panel", id: `panel-${place}` }, inside);
    row.after(panel);
    try {
      runs = runs || (await unpacked("runs"));
      const task = await unpacked(`d${place}`);
      inside.replaceChildren(taskPanel(task, runs, inside.clientWidth || 800));
    } catch (error) {
      inside.replaceChildren(el("p", { class: "failed" }, able ? `The details cannot be read: ${error}` : "This browser cannot unpack the details; a newer one can."));
    }
  }

  function toggle(row, place, button) {
    const shown = document.getElementById(`panel-${place}`);
    if (shown) shown.remove();
    button.setAttribute("aria-expanded", shown ? "false" : "true");
    if (shown) button.removeAttribute("aria-controls");
    else button.setAttribute("aria-controls", `panel-${place}`);
    return shown ? null : open(row, place);
  }

  for (const row of document.querySelectorAll(".tasks tbody > tr")) {
    const place = row.id.slice(5);
    const head = row.cells[0];
    const button = el("button", { type: "button", class: "opener", "aria-expanded": "false" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => toggle(row, place, button));
    head.append(button);
  }

  for (const section of document.querySelectorAll("main section")) {
    const find = section.querySelector(".find");
    if (!find) continue;
    const [text, outcome, found] = [find.querySelector("input"), find.querySelector("select"), find.querySelector(".found")];
    const rows = [...section.querySelectorAll(".tasks tbody > tr")].map((row) => [row, row.cells[0].textContent.toLowerCase()]);
    find.hidden = false;
    const narrow = () => {
      const wanted = text.value.trim().toLowerCase();
      let left = 0;
      for (const [row, name] of rows) {
        row.hidden = !(name.includes(wanted) && (!outcome.value || row.dataset.outcome === outcome.value));
        const panel = document.getElementById(`panel-${row.id.slice(5)}`);
        if (panel) panel.hidden = row.hidden;
        left += row.hidden ? 0 : 1;
      }
      found.textContent = left === rows.length ? count(left, "task") : `${left} of ${count(rows.length, "task")}`;
    };
    find.addEventListener("input", narrow);
    narrow();
  }

  function follow() {
    const row = /^#task-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!row) return;
    const button = row.querySelector(".opener");
    if (button.getAttribute("aria-expanded") === "false") button.click();
    row.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();
})();
