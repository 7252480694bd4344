"use strict";
// Details of one task: its queries, and each attempt beside the oracle's plan.
const OUTCOMES = { pass: ["✓", "pass"], fail: ["✗", "fail"], undelivered: ["○", "no answer"] };
const ORACLE = { optimal: "proved best", feasible: "a plan that holds, not proved best", infeasible: "proved: there is no plan", unknown: "unknown" };

function taskPanel(task, runs, width) {
  const attempts = task.attempts || [];
  const shown = el("div", { class: "attempt", role: attempts.length > 1 ? "tabpanel" : null, tabindex: attempts.length > 1 ? "-1" : null });
  const many = (task.queries || []).length > 1;
  const inside = el("div", { class: "inside" },
    task.title ? el("h4", {}, said(task.title)) : null,
    (task.queries || []).map((query, n) => [many ? el("p", { class: "turn" }, `Turn ${n + 1}`) : null, el("p", { class: "query", dir: "auto" }, query)]),
    facts(task.facts || []),
    task.told ? el("p", { class: "failed" }, said(task.told)) : null,
    attempts.length > 1 ? chooser(task, runs, attempts, shown, width) : null,
    shown);
  if (attempts.length) show(task, runs, attempts[first(attempts)], shown, width);
  else shown.append(el("p", { class: "empty" }, "There is no record of an attempt."));
  return inside;
}

// Position of the attempt shown first: one that does not pass, as it is the most interesting.
const first = (attempts) => Math.max(0, attempts.findIndex((attempt) => attempt.status !== "pass"));

function attemptName(attempt, runs, attempts) {
  const again = attempts.some((other) => other.run === attempt.run && (other.repeat || 0) !== (attempt.repeat || 0));
  return runs[attempt.run].name + (again ? `, ${(attempt.repeat || 0) + 1}` : "");
}

function chooser(task, runs, attempts, shown, width) {
  const tabs = attempts.map((attempt, n) => el("button", {
    type: "button", role: "tab", "aria-selected": n === first(attempts) ? "true" : "false", tabindex: n === first(attempts) ? "0" : "-1",
    onclick: () => pick(n), onkeydown: (event) => {
      const to = { ArrowRight: n + 1, ArrowLeft: n - 1, Home: 0, End: attempts.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      pick((to + attempts.length) % attempts.length);
      tabs[(to + attempts.length) % attempts.length].focus();
    },
  }, el("span", { class: `status ${attempt.status}`, "aria-hidden": "true" }, `${OUTCOMES[attempt.status][0]} `), said(attemptName(attempt, runs, attempts)),
  el("span", { class: "unseen" }, `, ${OUTCOMES[attempt.status][1]}`)));
  const pick = (n) => {
    tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", place === n ? "true" : "false");
      tab.tabIndex = place === n ? 0 : -1;
    });
    show(task, runs, attempts[n], shown, width);
  };
  return el("div", { class: "choose", role: "tablist", "aria-label": "Attempts" }, tabs);
}

function show(task, runs, attempt, shown, width) {
  const [sign, word] = OUTCOMES[attempt.status];
  const [hard, soft] = [attempt.hard || [0, 0], attempt.soft || [0, 0]];
  const findings = attempt.findings || [];
  const oracle = task.oracle;
  const plans = [attempt.plan, oracle && oracle.plan];
  const both = plans.filter(Boolean).length > 1 && width > 920;
  const [around, span] = [frame(plans), hours(plans)];
  const room = Math.round(Math.max(250, Math.min(620, both ? width / 2 - 40 : width - 44)));
  const picture = (plan, label) => plan && map(plan, around, room, label, several(plan));
  if (shown.hasAttribute("role")) shown.setAttribute("aria-label", attemptName(attempt, runs, task.attempts));
  shown.replaceChildren(...[
    el("div", { class: "verdict" }, el("span", { class: `badge ${attempt.status}` }, el("span", { "aria-hidden": "true" }, `${sign} `), word),
      hard[1] ? el("span", {}, `${hard[0]} of ${hard[1]} hard`) : null, soft[1] ? el("span", {}, `${soft[0]} of ${soft[1]} soft`) : null,
      facts(attempt.facts || [])),
    attempt.failure ? el("div", { class: "failed", dir: "auto" }, el("strong", {}, `Failed at ${attempt.failure[0]}: `), attempt.failure[1]) : null,
    attempt.traceback ? fold("Traceback", () => [block(attempt.traceback)]) : null,
    (attempt.plan || oracle) && el("div", { class: "beside" },
      attempt.plan ? el("section", {}, el("h4", {}, "The plan of ", said(attemptName(attempt, runs, task.attempts))),
        timeline(attempt.plan, findings, several(attempt.plan), span), hoursPart(attempt.plan, findings, span), picture(attempt.plan, "Map of the plan")) : null,
      oracle ? el("section", {}, el("h4", {}, "The oracle’s plan ", el("span", { class: "tag" }, ORACLE[oracle.status])),
        oracle.plan ? [timeline(oracle.plan, [], several(oracle.plan), span), picture(oracle.plan, "Map of the oracle’s plan")]
          : el("p", { class: "empty" }, said(oracle.told || "There is none."))) : null),
    findings.length ? findingsPart(findings) : null,
    perceptionPart(attempt.perception),
    readingPart(attempt.reading),
    repairPart(attempt),
    (attempt.answers || []).length ? fold(count(attempt.answers.length, "The answer as it was given", "The answers as they were given").replace(/^\d+ /, ""),
      () => attempt.answers.map(block)) : null,
    tracePart(attempt.trace || {}),
  ].filter(Boolean));
}

const several = (plan) => (plan.days || []).filter((day) => day.name).length > 1;

function findingsPart(findings) {
  const of = (status) => findings.filter((finding) => finding.status === status);
  const [bad, good, idle] = [of("violated"), of("satisfied"), of("not-applicable")];
  return el("section", {}, el("h4", {}, bad.length ? `${count(bad.length, "finding")} violated` : "Nothing is violated"),
    bad.length ? findingsTable(bad) : null,
    good.length ? fold(`${good.length} satisfied`, () => [findingsTable(good)]) : null,
    idle.length ? fold(`${idle.length} that do not apply`, () => [findingsTable(idle)]) : null);
}

function findingsTable(findings) {
  const signs = { violated: "✗", satisfied: "✓", "not-applicable": "–" };
  return el("table", { class: "findings" },
    el("thead", {}, el("tr", {}, ["Level", "Constraint", "Margin", "Message"].map((name) => el("th", { scope: "col", class: name === "Margin" ? "n" : null }, name)))),
    el("tbody", {}, findings.map((finding) => el("tr", {},
      el("td", { class: "how" }, el("span", { class: finding.status, "aria-hidden": "true" }, `${signs[finding.status]} `), finding.level),
      el("td", {}, el("code", {}, said(finding.constraint)), finding.since ? el("span", { class: "muted" }, ` since turn ${finding.since}`) : null),
      el("td", { class: "margin" }, finding.margin || ""),
      el("td", { class: "message", dir: "auto" }, finding.message || "")))));
}

function perceptionPart(found) {
  const title = el("h4", {}, "Facts that it needed");
  if (!found) return fold(title.textContent, () => [el("p", { class: "empty" }, "What the agent saw of them is not known.")]);
  const all = found.facts || [];
  const n = (status) => all.filter((fact) => fact.status === status).length;
  const words = { ignored: ["✗", "seen and ignored"], "never-seen": ["○", "never seen"], seen: ["✓", "seen"] };
  const signs = { ignored: "violated", "never-seen": "unseen-fact", seen: "satisfied" };
  const counts = Object.keys(words).map((status) => `${n(status)} ${words[status][1]}`).join(", ");
  const table = () => [el("table", { class: "findings perceived" },
    el("thead", {}, el("tr", {}, ["", "Fact", "Value", "Told by", "Rules that turn on it"].map((name) => el("th", { scope: "col" }, name || el("span", { class: "unseen" }, "Seen"))))),
    el("tbody", {}, all.map((fact) => el("tr", {},
      el("td", { class: "how" }, el("span", { class: signs[fact.status], "aria-hidden": "true" }, `${words[fact.status][0]} `), words[fact.status][1]),
      el("td", {}, el("code", {}, said(fact.fact)), fact.reference ? el("span", { class: "muted" }, " for the reference") : null),
      el("td", {}, said(fact.value)), el("td", {}, said(fact.how || "–")), el("td", {}, said(fact.rules || ""))))))];
  return el("section", {}, title,
    all.length ? fold(counts, table) : el("p", { class: "empty" }, "No fact decides the verdict."),
    found.left_out ? el("p", { class: "note" }, `${found.left_out} more are only in the record.`) : null,
    found.untried ? el("p", { class: "note" }, `${count(found.untried, "further fact")} that rules read could not be tried: the shares are not known.`) : null);
}

// Facts that the agent declared to have read; left out if it declared none.
function readingPart(found) {
  if (!found) return null;
  const [right, wrong, missing] = found.counts;
  const planned = { pass: ["✓", "satisfied", "right"], fail: ["✗", "violated", "wrong"], undelivered: ["○", "unseen-fact", "not given"] }[found.status];
  const table = () => [el("table", { class: "misread" },
    el("thead", {}, el("tr", {}, ["Fact", "Actual value", "Read as", "Seen on"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, (found.wrong || []).map((fact) => el("tr", {},
      el("td", {}, el("code", {}, said(fact.fact))), el("td", {}, said(fact.says)), el("td", {}, said(fact.declared)), el("td", {}, said(fact.how))))))];
  return el("section", {}, el("h4", {}, "What it read"),
    el("p", { class: "note" }, `Of what it was shown it declared ${right} right and ${wrong} wrong; of ${missing} it said nothing. In the world as it read it, its answer is `,
      el("span", { class: planned[1] }, el("span", { "aria-hidden": "true" }, `${planned[0]} `), planned[2]), "."),
    (found.wrong || []).length ? fold(`${count(found.wrong.length, "fact")} read wrongly`, table) : null,
    found.left_out ? el("p", { class: "note" }, `${found.left_out} more are only in the record.`) : null,
    found.elsewhere ? el("p", { class: "note" }, `${count(found.elsewhere, "declaration")} of what it was not shown.`) : null,
    found.unclear ? el("p", { class: "note" }, `${count(found.unclear, "declaration")} that nobody understands: of no known sort, without the name of a row, or without a value.`) : null);
}

function repairPart(attempt) {
  const repair = attempt.repair;
  if (!repair) return null;
  const title = el("h4", {}, repair.proved || repair.status !== "repaired" ? "The smallest repair " : "A repair ", repair.status === "repaired"
    ? el("span", { class: "tag" }, repair.proved ? "proved smallest" : "not proved smallest") : null);
  if (repair.status !== "repaired") {
    return el("section", {}, title, el("p", { class: "empty" }, repair.status === "infeasible" ? "There is no plan to repair it to." : said(`Unknown: ${repair.told || "nothing was found"}.`)));
  }
  const edits = repair.edits || [];
  return el("section", {}, title, edits.length ? el("p", { class: "note" }, `${count(edits.length, "change")} and every hard constraint holds.`) : el("p", { class: "note" }, "The rows that were read hold; what could not be read is wrong."),
    el("ol", { class: "edits" }, edits.map((edit) => el("li", {}, el("code", {}, said(edit.place)), " ", said(edit.said)))),
    repair.plan ? fold("The repaired plan", () => [timeline(repair.plan, [], several(repair.plan), hours([attempt.plan, repair.plan]))]) : null);
}

function tracePart(of) {
  const [messages, calls, requests] = [(of.messages || []).length, (of.calls || []).length, (of.requests || []).length];
  if (!messages && !calls && !requests && !(of.stages || []).length && !of.notes) return null;
  const what = [messages && count(messages, "message"), calls && count(calls, "tool call"), !messages && requests && count(requests, "request") + " to models"].filter(Boolean).join(", ");
  return fold(what ? `Trace: ${what}` : "Trace", () => trace(of));
}
