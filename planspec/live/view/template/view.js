"use strict";
// The page of `planspec view`: all attempts of some runs in one list, a map of failures, and one or two open attempts.
const pictureUrl = (sha256) => `picture?sha256=${sha256}`;
(() => {
  const HIGH = 30; // height of a row in pixels
  const STATES = ["pass", "fail", "undelivered"];
  const [TASK, REPEAT, STATUS, HARD, OF_HARD, SOFT, OF_SOFT, RULES, BOUNDARY, SECONDS, USD, TOKENS, CALLS, TURNS, OFFSET, RETRY, RUN] = Array.from({ length: 17 }, (_, n) => n);
  const by = (id) => document.getElementById(id);
  const [list, space, pane, found, opened] = [by("rows"), by("space"), by("window"), by("found"), by("open")];
  let runs = [];
  let all = []; // rows, each followed by its run
  let latest = new Map(); // latest row of each repeated attempt
  let seen = []; // indices into `all`, filtered and sorted
  let at = 0; // the selected row of `seen`
  let pending = false;

  // ----- events from the server
  const stream = new EventSource("events");
  stream.onmessage = (event) => { by("lost").hidden = true; take(JSON.parse(event.data)); };
  stream.onerror = () => { by("lost").hidden = false; };
  stream.onopen = () => { [runs, all, seen] = [[], [], []]; latest = new Map(); };

  function take(told) {
    if (told.runs) {
      runs = told.runs.map((run) => ({ ...run, names: { tasks: [], rules: [], boundaries: [] }, read: 0 }));
      for (const run of runs) if (runs.filter((other) => other.name === run.name).length > 1) run.name = `${run.name} (${run.folder})`;
      filters();
    } else if (told.rows) {
      const run = runs[told.run];
      for (const name of ["tasks", "rules", "boundaries"]) run.names[name].push(...told[name]);
      run.broken = told.broken || run.broken;
      for (const row of told.rows) {
        row.push(told.run);
        const key = `${told.run} ${row[TASK]} ${row[REPEAT]}`;
        const before = row[RETRY] || latest.has(key) ? latest.get(key) : undefined;
        if (before !== undefined) all[before] = row;
        else { latest.set(key, all.length); all.push(row); }
      }
    } else if (told.read) by("rows").setAttribute("aria-busy", "false");
    if (!pending) { pending = true; requestAnimationFrame(() => { pending = false; refresh(); }); }
  }

  const taskOf = (row) => runs[row[RUN]].names.tasks[row[TASK]];
  const rulesOf = (row) => row[RULES].map((place) => runs[row[RUN]].names.rules[place].split(" "));
  const idOf = (rule) => rule.slice(2).join(" ");
  const kindOf = (rule) => `${rule[0]} ${rule[1]}`;
  const kindName = (kind) => {
    const [level, ...name] = kind.split(" ");
    const named = name.join(" ") === "-" ? null : name.join(" ");
    return level === "hard" ? named : level === "shape" && !named ? "shape" : `${named} (${level})`;
  };
  const boundaryOf = (row) => (row[BOUNDARY] < 0 ? "" : runs[row[RUN]].names.boundaries[row[BOUNDARY]]);

  // ----- filters and order, stored in the address
  const FIELDS = [
    ["text", "Find", "search"], ["run", "Run"], ["status", "Outcome"], ["kind", "Kind"], ["rule", "Rule", "search"], ["boundary", "Failed at"], ["turns", "Turns"], ["sort", "Sort by"],
  ];
  const SORTS = { made: null, task: (row) => taskOf(row), outcome: (row) => -row[STATUS], "least hard": (row) => row[HARD] / (row[OF_HARD] || 1), "most rules": (row) => -row[RULES].length, slowest: (row) => -row[SECONDS], dearest: (row) => -(row[USD] || 0), "most tokens": (row) => -(row[TOKENS] || 0), "most calls": (row) => -row[CALLS] };
  const wanted = new URLSearchParams(location.hash.slice(1));

  function filters() {
    const form = by("filters");
    if (form.childElementCount) return;
    form.append(...FIELDS.map(([name, label, kind]) => el("label", {}, `${label} `, kind ? el("input", { type: kind, name, autocomplete: "off", spellcheck: "false", value: wanted.get(name) || "" }) : el("select", { name }, el("option", { value: "" }, name === "sort" ? "as they were made" : "all")))),
      el("button", { type: "reset" }, "Show all"));
    form.addEventListener("input", () => { for (const [name] of FIELDS) keep(name, form.elements[name].value); list.scrollTop = 0; refresh(); });
    form.addEventListener("reset", () => { for (const [name] of FIELDS) keep(name, ""); setTimeout(refresh); });
    form.addEventListener("submit", (event) => event.preventDefault());
    choices("status", STATES.map((name) => [name, OUTCOMES[name][1]]));
    choices("sort", Object.keys(SORTS).slice(1).map((name) => [name, name]));
  }

  function keep(name, value) {
    if (value) wanted.set(name, value); else wanted.delete(name);
    history.replaceState(null, "", `#${wanted}`);
  }

  function choices(name, pairs) {
    const select = by("filters").elements[name];
    const have = new Set([...select.options].map((option) => option.value));
    for (const [value, label] of pairs) if (!have.has(value)) select.append(el("option", { value }, label));
    if (select.value === "" && wanted.get(name)) select.value = wanted.get(name);
  }

  function refresh() {
    const form = by("filters");
    if (!form.childElementCount) return;
    choices("run", runs.map((run, n) => [String(n), run.name]));
    choices("kind", [...new Set(runs.flatMap((run) => run.names.rules.map((rule) => kindOf(rule.split(" ")))))].sort().map((kind) => [kind, kindName(kind)]));
    choices("boundary", [...new Set(runs.flatMap((run) => run.names.boundaries))].map((name) => [name, name]));
    choices("turns", [...new Set(all.map((row) => row[TURNS]))].filter((n) => n > 0).sort((a, b) => a - b).map((n) => [String(n), String(n)]));
    const of = (name) => form.elements[name].value;
    const [text, rule] = [of("text").trim().toLowerCase(), of("rule").trim().toLowerCase()];
    const [run, status, kind, boundary, turns, sort] = [of("run"), STATES.indexOf(of("status")), of("kind"), of("boundary"), of("turns"), of("sort")];
    // Rules are matched once each, not once for each attempt.
    const fits = runs.map((one) => one.names.rules.map((name) => {
      const parts = name.split(" ");
      return (!kind || kindOf(parts) === kind) && (!rule || idOf(parts).toLowerCase().includes(rule));
    }));
    const tasks = runs.map((one) => one.names.tasks.map((name) => !text || name.toLowerCase().includes(text)));
    seen = [];
    for (let n = 0; n < all.length; n += 1) {
      const row = all[n];
      if ((run === "" || String(row[RUN]) === run) && (status < 0 || row[STATUS] === status) && tasks[row[RUN]][row[TASK]]
        && (!boundary || boundaryOf(row) === boundary) && (!turns || String(row[TURNS]) === turns)
        && (!(kind || rule) || row[RULES].some((place) => fits[row[RUN]][place]))) seen.push(n);
    }
    const key = SORTS[sort || "made"];
    if (key) {
      const keys = new Map(seen.map((n) => [n, key(all[n])]));
      seen.sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : a - b));
    }
    at = Math.min(at, Math.max(0, seen.length - 1));
    found.textContent = seen.length === all.length ? count(all.length, "attempt") : `${seen.length.toLocaleString("en")} of ${count(all.length, "attempt")}`;
    space.style.height = `${seen.length * HIGH}px`;
    list.setAttribute("aria-rowcount", String(seen.length + 1));
    summary();
    draw(true);
    const link = wanted.get("of"); // opened once all its rows have been read, which come run by run
    const complete = () => by("rows").getAttribute("aria-busy") === "false" || link.split(",").every((name) => all.some((row) => nameOf(row) === name));
    if (link && opened.dataset.of !== link && complete()) open(link);
  }

  // ----- the list: only visible rows exist, and their elements are reused
  const HEADS = ["Run", "Task", "Outcome", "Hard", "Soft", "Violated, or where it failed", "Seconds", "USD", "Tokens", "Calls"];
  by("heads").append(...HEADS.map((name) => el("span", { role: "columnheader" }, name)));
  const pool = [];
  let drawn = [-1, -1];
  const paper = matchMedia("print");
  const PRINTED = 500; // number of rows that are printed

  function draw(anew) {
    const first = paper.matches ? 0 : Math.max(0, Math.floor(list.scrollTop / HIGH) - 4);
    const last = Math.min(seen.length, paper.matches ? PRINTED : first + Math.ceil(list.clientHeight / HIGH) + 8);
    if (!anew && drawn[0] === first && drawn[1] === last) return;
    drawn = [first, last];
    while (pool.length < last - first) {
      const row = el("div", { role: "row", class: "row", onclick: () => { at = Number(row.dataset.at); draw(true); openAt(at); } }, HEADS.map(() => el("span", { role: "gridcell" })));
      pool.push(row);
      pane.append(row);
    }
    pane.style.transform = `translateY(${first * HIGH}px)`;
    pool.forEach((element, n) => {
      const place = first + n;
      element.hidden = place >= last;
      if (place >= last) return;
      fillRow(element, all[seen[place]], place);
    });
  }

  function fillRow(element, row, place) {
    const run = runs[row[RUN]];
    const name = STATES[row[STATUS]];
    const rules = row[RULES].map((one) => idOf(run.names.rules[one].split(" ")));
    const told = [run.name, taskOf(row) + (run.repeats > 1 ? ` #${row[REPEAT] + 1}` : ""), `${OUTCOMES[name][0]} ${OUTCOMES[name][1]}`,
      row[OF_HARD] ? `${row[HARD]}/${row[OF_HARD]}` : "", row[OF_SOFT] ? `${row[SOFT]}/${row[OF_SOFT]}` : "",
      boundaryOf(row) || rules.slice(0, 4).join(", ") + (rules.length > 4 ? ` and ${rules.length - 4} more` : ""),
      row[SECONDS].toFixed(1), row[USD] === null ? "–" : row[USD].toFixed(4), row[TOKENS] === null ? "–" : row[TOKENS].toLocaleString("en"), String(row[CALLS])];
    for (let n = 0; n < told.length; n += 1) if (element.children[n].textContent !== told[n]) element.children[n].textContent = told[n];
    element.dataset.at = String(place);
    element.id = `row-${place}`;
    element.setAttribute("aria-rowindex", String(place + 2));
    element.setAttribute("aria-selected", String(place === at));
    element.children[2].className = `status ${name}`;
  }

  let asked = false;
  list.addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(false); });
  });
  addEventListener("resize", () => draw(true));
  paper.addEventListener("change", () => draw(true));
  list.addEventListener("keydown", (event) => {
    const page = Math.floor(list.clientHeight / HIGH) - 1;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -seen.length, End: seen.length }[event.key];
    if (event.key === "Enter") { openAt(at); return; }
    if (step === undefined) return;
    event.preventDefault();
    at = Math.max(0, Math.min(seen.length - 1, at + step));
    const top = at * HIGH;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + 2 * HIGH > list.scrollTop + list.clientHeight) list.scrollTop = top + 2 * HIGH - list.clientHeight;
    draw(true);
    list.setAttribute("aria-activedescendant", `row-${at}`);
  });

  // ----- runs and failures
  const choose = (n, k) => { let made = 1; for (let i = 0; i < k; i += 1) made *= (n - i) / (i + 1); return n < k ? 0 : made; };
  const part = (share) => (share === null ? "–" : `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}\u00a0%`);

  function summary() {
    const sums = runs.map(() => ({ made: 0, passed: 0, none: 0, usd: 0, priced: 0, seconds: 0, by: new Map(), kinds: new Map() }));
    const kinds = runs.map((run) => run.names.rules.map((rule) => kindOf(rule.split(" "))));
    for (const row of all) {
      const sum = sums[row[RUN]];
      sum.made += 1;
      sum.passed += row[STATUS] === 0;
      sum.none += row[STATUS] === 2;
      sum.seconds += row[SECONDS];
      if (row[USD] !== null) { sum.usd += row[USD]; sum.priced += 1; }
      const task = sum.by.get(row[TASK]) || [0, 0];
      sum.by.set(row[TASK], [task[0] + 1, task[1] + (row[STATUS] === 0)]);
      for (const kind of new Set(row[RULES].map((place) => kinds[row[RUN]][place]))) sum.kinds.set(kind, (sum.kinds.get(kind) || 0) + 1);
    }
    const repeats = Math.max(1, ...runs.map((run) => run.repeats));
    const heads = ["Run", "Suite", "Setting", "Attempts", "Pass", ...(repeats > 1 ? [`pass@${repeats}`, `pass^${repeats}`] : []), "No answer", "Seconds each", "USD"];
    const over = (sum, of) => { const tasks = [...sum.by.values()]; return tasks.length ? tasks.reduce((total, one) => total + of(...one), 0) / tasks.length : null; };
    by("runs").replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, heads.map((name, n) => el("th", { scope: "col", class: n > 2 ? "n" : null }, name)))),
      el("tbody", {}, runs.map((run, n) => { const sum = sums[n]; const k = repeats; return el("tr", {}, el("th", { scope: "row" }, said(run.name), run.broken ? el("span", { class: "violated told" }, run.broken) : null), el("td", {}, said(run.suite)), el("td", {}, el("code", {}, run.setting)),
        el("td", { class: "n" }, sum.made < run.wanted ? `${sum.made.toLocaleString("en")} of ${run.wanted.toLocaleString("en")}` : sum.made.toLocaleString("en")), el("td", { class: "n big" }, part(sum.made ? sum.passed / sum.made : null)),
        k > 1 ? [el("td", { class: "n" }, part(over(sum, (all_, good) => 1 - choose(all_ - good, Math.min(k, all_)) / choose(all_, Math.min(k, all_))))), el("td", { class: "n" }, part(over(sum, (all_, good) => choose(good, Math.min(k, all_)) / choose(all_, Math.min(k, all_)))))] : null,
        el("td", { class: "n" }, String(sum.none)), el("td", { class: "n" }, sum.made ? (sum.seconds / sum.made).toFixed(1) : "–"), el("td", { class: "n" }, sum.priced === sum.made && sum.made ? sum.usd.toFixed(2) : "–")); }))));
    heat(sums);
  }

  function heat(sums) {
    const names = [...new Set(sums.flatMap((sum) => [...sum.kinds.keys()]))].map((kind) => [kind, Math.max(...sums.map((sum) => (sum.kinds.get(kind) || 0) / (sum.made || 1)))]);
    names.sort((a, b) => (a[0].startsWith("hard") ? 0 : 1) - (b[0].startsWith("hard") ? 0 : 1) || b[1] - a[1]);
    if (!names.length) { by("heat").replaceChildren(); return; }
    const open_ = by("heat").querySelector("details");
    const table = el("table", { class: "heat" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Kind"), runs.map((run) => el("th", { scope: "col" }, said(run.name))))),
      el("tbody", {}, names.slice(0, 40).map(([kind]) => el("tr", {}, el("th", { scope: "row" }, kindName(kind)), runs.map((_, n) => {
        const [bad, made] = [sums[n].kinds.get(kind) || 0, sums[n].made];
        const step = bad ? Math.min(5, Math.ceil((5 * bad) / made)) : 0;
        return el("td", { class: `h${step}` }, el("button", { type: "button", class: "cell", title: "show these attempts", onclick: () => narrow({ run: String(n), kind }) }, part(made ? bad / made : null), el("span", { class: "of" }, `${bad} of ${made}`)));
      })))));
    by("heat").replaceChildren(el("details", { class: "fold", open: open_ ? open_.open : runs.length > 0 }, el("summary", {}, "What fails: attempts that violate a rule of each kind"), el("div", { class: "wide" }, table)));
  }

  function narrow(values) {
    const form = by("filters");
    form.reset();
    for (const [name] of FIELDS) { form.elements[name].value = values[name] || ""; keep(name, values[name] || ""); }
    list.scrollTop = 0;
    refresh();
    list.focus();
  }

  // ----- one attempt, or two side by side
  const nameOf = (row) => `${row[RUN]}:${row[OFFSET]}`;
  const openAt = (place) => { if (seen.length) open(nameOf(all[seen[place]])); };

  async function open(of) {
    opened.dataset.of = of;
    wanted.set("of", of);
    history.replaceState(null, "", `#${wanted}`);
    const rows = of.split(",").map((name) => all.find((row) => nameOf(row) === name)).filter(Boolean);
    if (!rows.length) return;
    opened.replaceChildren(head(rows), el("p", { class: "empty" }, "Reading …"));
    opened.scrollIntoView({ block: "nearest" });
    for (const proofs of ["0", "1"]) {
      const answer = await fetch(`details?of=${of}&proofs=${proofs}`).catch(() => null);
      if (opened.dataset.of !== of) return;
      if (!answer || !answer.ok) { opened.replaceChildren(head(rows), el("p", { class: "failed" }, "The attempt cannot be read.")); return; }
      const task = await answer.json();
      const unfolded = [...opened.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
      opened.replaceChildren(head(rows), el("h3", { class: "unseen" }, rows.length > 1 ? "Side by side" : "The attempt"), rows.length > 1 ? beside(task) : taskPanel(task, runs, opened.clientWidth));
      for (const summary of opened.querySelectorAll("summary")) if (unfolded.includes(summary.textContent)) summary.parentElement.open = true;
    }
  }

  function head(rows) {
    const [row] = rows;
    const others = all.filter((other) => taskOf(other) === taskOf(row) && runs[other[RUN]].suite === runs[row[RUN]].suite && !rows.includes(other)).slice(0, 200);
    const label = (one) => `${runs[one[RUN]].name}, ${one[REPEAT] + 1}: ${OUTCOMES[STATES[one[STATUS]]][1]}`;
    return el("div", { class: "open-head" }, el("h2", {}, said(taskOf(row)), el("span", { class: "unseen" }, " is open")),
      others.length ? el("label", {}, "Beside it ", el("select", { onchange: (event) => open([nameOf(row), event.target.value].filter(Boolean).join(",")) }, el("option", { value: "" }, "nothing"),
        rows[1] ? el("option", { value: nameOf(rows[1]), selected: true }, label(rows[1])) : null, others.map((other) => el("option", { value: nameOf(other) }, label(other))))) : null,
      el("button", { type: "button", onclick: () => { delete opened.dataset.of; keep("of", ""); opened.replaceChildren(); list.focus(); } }, "Close"));
  }

  function beside(task) {
    const width = Math.max(400, opened.clientWidth / 2);
    const alone = { ...task, oracle: null };
    return el("div", { class: "inside" }, (task.queries || []).map((query) => el("p", { class: "query", dir: "auto" }, query)), task.told ? el("p", { class: "failed" }, said(task.told)) : null,
      el("div", { class: "beside two" }, task.attempts.map((attempt) => {
        const place = el("div", { class: "attempt" });
        show(alone, runs, attempt, place, width);
        for (const summary of place.querySelectorAll("summary")) if (summary.textContent.startsWith("Opening hours")) summary.parentElement.open = true;
        return el("section", {}, el("h3", {}, said(attemptName(attempt, runs, task.attempts))), place);
      })));
  }
})();
