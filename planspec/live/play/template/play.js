"use strict";
// The page of `planspec play`: a list of tasks, and the panel of one, redrawn when its files change.
(() => {
  const list = document.getElementById("tasks");
  const place = document.getElementById("panel-place");
  const lost = document.getElementById("lost");
  const names = JSON.parse(list.dataset.names);
  let stream = null;
  let last = null;

  const opened = () => [...place.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  const draw = () => {
    if (last === null) return;
    const [open, at] = [opened(), scrollY];
    place.replaceChildren(panel(last, place.clientWidth || innerWidth));
    for (const summary of place.querySelectorAll("summary")) if (open.includes(summary.textContent)) summary.parentElement.open = true;
    scrollTo(0, at);
    const bad = (last.mistakes || []).some((one) => one.severity === "error") || (last.claims || []).some((one) => one.held === "fails") || (last.judged && last.judged.status === "fail");
    document.title = `${last.waiting ? "… " : bad ? "✗ " : "✓ "}${last.title || last.task}`;
  };
  const choose = (number) => {
    if (stream) stream.close();
    [...list.querySelectorAll("button")].forEach((one, n) => one.setAttribute("aria-pressed", String(n === number)));
    last = null;
    place.replaceChildren(el("p", { class: "empty" }, "Reading …"));
    stream = new EventSource(`events?task=${number}`);
    stream.onmessage = (event) => { lost.hidden = true; last = JSON.parse(event.data); draw(); };
    stream.onerror = () => { lost.hidden = false; };
    stream.onopen = () => { lost.hidden = true; };
    history.replaceState(null, "", `#${encodeURIComponent(names[number])}`);
  };
  if (names.length > 1) {
    list.append(...names.map((name, n) => el("button", { type: "button", onclick: () => choose(n) }, said(name))));
  } else list.hidden = true;
  addEventListener("resize", () => draw());
  choose(Math.max(0, names.indexOf(decodeURIComponent(location.hash.slice(1)))));
})();
