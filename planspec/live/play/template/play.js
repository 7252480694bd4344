"use strict";
// The page of `planspec play`: a list of tasks, the panel of one, redrawn when its files change, and drafts.
(() => {
  const list = document.getElementById("tasks");
  const place = document.getElementById("panel-place");
  const lost = document.getElementById("lost");
  const names = JSON.parse(list.dataset.names);
  const drafted = new Set(JSON.parse(list.dataset.drafted));
  const model = JSON.parse(list.dataset.model);
  const content = el("div", {});
  let [stream, last, leave, isBusy] = [null, null, null, false];

  const opened = () => [...content.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  const draw = () => {
    if (last === null) return;
    const [open, at] = [opened(), scrollY];
    content.replaceChildren(panel(last, place.clientWidth || innerWidth));
    for (const summary of content.querySelectorAll("summary")) if (open.includes(summary.textContent)) summary.parentElement.open = true;
    scrollTo(0, at);
    const bad = (last.mistakes || []).some((one) => one.severity === "error") || (last.claims || []).some((one) => one.held === "fails") || (last.judged && last.judged.status === "fail");
    document.title = `${last.waiting ? "… " : bad ? "✗ " : "✓ "}${last.title || last.task}`;
  };
  const press = (chosen) => [...list.querySelectorAll("button")].forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
  // A draft ends if its page is left, which needs a person's consent.
  const mayLeave = () => !isBusy || confirm("The draft is not finished. Stop it?");
  const quit = () => {
    if (!mayLeave()) return false;
    if (leave) leave();
    if (stream) stream.close();
    [leave, stream, last, isBusy] = [null, null, null, false];
    return true;
  };
  const choose = (number, isNew = false) => {
    if (!quit()) return;
    press(list.querySelectorAll(".task")[number]);
    content.replaceChildren(el("p", { class: "empty" }, "Reading …"));
    place.replaceChildren(...[drafted.has(number) ? editing(number, `${names[number]}.task.yaml`, isNew) : null, content].filter(Boolean));
    stream = new EventSource(`events?task=${number}`);
    stream.onmessage = (event) => { lost.hidden = true; last = JSON.parse(event.data); draw(); };
    stream.onerror = () => { lost.hidden = false; };
    stream.onopen = () => { lost.hidden = true; };
    history.replaceState(null, "", `#${encodeURIComponent(names[number])}`);
  };
  const button = (name, n) => el("button", { type: "button", class: "task", onclick: () => choose(n) }, said(name));
  const page = {
    model,
    names: () => names,
    busy: (on) => { isBusy = on; },
    open: (number, file) => {
      if (names[number] === undefined) list.insertBefore(button(names[number] = file.replace(/\.task\.yaml$/, ""), number), make);
      drafted.add(number);
      choose(number, true);
    },
  };
  const write = () => {
    if (!quit()) return;
    press(make);
    lost.hidden = true;
    document.title = "A task from words";
    history.replaceState(null, "", "#");
    leave = drafting(place, page);
  };
  const make = el("button", { type: "button", class: "make", onclick: write }, "A task from words …");
  list.append(...names.map(button), make);
  addEventListener("resize", () => draw());
  addEventListener("beforeunload", (event) => { if (isBusy) event.preventDefault(); });
  if (names.length) choose(Math.max(0, names.indexOf(decodeURIComponent(location.hash.slice(1)))));
  else write();
})();
