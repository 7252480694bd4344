"use strict";
// Panel of a task: mistakes, claims, the plan with its verdict, another plan, conflicts and ways out.
const HELD = { holds: ["✓", "satisfied"], fails: ["✗", "violated"], unknown: ["?", "unseen-fact"] };

function panel(told, width) {
  const [judged, second] = [told.judged, told.second];
  const plans = [judged && judged.plan, judged && judged.repaired, second && second.plan];
  const view = { around: frame(plans), span: hours(plans), width };
  return el("div", { class: "inside live" },
    el("h1", { class: "panel-title" }, said(told.title || told.task), told.title ? el("code", { class: "muted" }, ` ${told.task}`) : null),
    el("h2", { class: "unseen" }, "The task"),
    (told.mistakes || []).length ? mistakesPart(told.mistakes) : null,
    el("div", { class: "claims", role: "status" }, (told.claims || []).map(claim),
      told.waiting ? el("p", { class: "claim waiting" }, el("span", { class: "turning", "aria-hidden": "true" }), "proving …") : null),
    (told.queries || []).map((query, n) => [told.queries.length > 1 ? el("p", { class: "turn" }, `Turn ${n + 1}`) : null, el("p", { class: "query", dir: "auto" }, query)]),
    facts(told.facts || []),
    judged ? judgedPart(judged, view) : null,
    second ? el("section", { class: "second" }, el("h3", {}, "Another plan"), el("h4", { class: "unseen" }, "The plan"), planPart(second, [], view, "Map of another plan")) : null,
    (told.conflicts || []).length ? conflictsPart(told) : null,
    told.ways_told ? waysPart(told) : null);
}

function claim(one) {
  const [sign, look] = HELD[one.held];
  return el("p", { class: `claim ${one.held}` }, el("span", { class: look, "aria-hidden": "true" }, `${sign} `), one.said,
    one.by ? el("span", { class: "muted" }, ` (${one.by})`) : null);
}

function mistakesPart(mistakes) {
  return el("section", { class: "mistakes" }, el("h3", {}, count(mistakes.length, "diagnostic")), el("ul", {}, mistakes.map((one) =>
    el("li", {}, el("span", { class: one.severity === "error" ? "violated" : "unseen-fact" }, `${one.severity} `), el("code", {}, one.code), " ", said(one.message),
      one.place ? el("span", { class: "muted place" }, one.place) : null,
      one.help ? el("span", { class: "told help" }, said(one.help)) : null))));
}

function judgedPart(judged, view) {
  const [sign, word] = OUTCOMES[judged.status] || ["", ""];
  const [hard, soft] = [judged.hard || [0, 0], judged.soft || [0, 0]];
  const findings = judged.findings || [];
  const repaired = judged.repaired;
  return el("section", {}, el("h3", {}, capital(judged.name)),
    judged.status ? el("div", { class: "verdict" }, el("span", { class: `badge ${judged.status}` }, el("span", { "aria-hidden": "true" }, `${sign} `), word),
      hard[1] ? el("span", {}, `${hard[0]} of ${hard[1]} hard`) : null, soft[1] ? el("span", {}, `${soft[0]} of ${soft[1]} soft`) : null,
      facts(judged.facts || [])) : null,
    judged.told ? el("p", { class: "empty" }, said(judged.told)) : null,
    el("div", { class: repaired ? "beside" : "alone" },
      judged.plan ? el("section", {}, el("h4", { class: repaired ? null : "unseen" }, repaired ? "As it is" : "The plan"), planPart(judged, findings, view, `Map of ${judged.name}`)) : null,
      repaired ? el("section", {}, el("h4", {}, judged.repair && judged.repair.proved ? "After the smallest repair" : "After a repair"), planPart({ plan: repaired }, [], view, "Map of the repaired plan")) : null),
    repairPart(judged),
    findings.length ? findingsPart(findings) : null);
}

const capital = (name) => (name.includes(".") ? name : name[0].toUpperCase() + name.slice(1)); // names of files stay as they are

function planPart(of, findings, view, label) {
  const room = Math.round(Math.max(250, Math.min(620, view.width - 80)));
  return [timeline(of.plan, findings, several(of.plan), view.span), hoursPart(of.plan, findings, view.span), map(of.plan, view.around, room, label, several(of.plan))];
}

function conflictsPart(told) {
  return el("section", {}, el("h3", {}, "Conflicts"),
    el("div", { class: "cards" }, told.conflicts.map((conflict) => el("div", { class: "card" }, el("p", { class: "note" }, said(conflict.told)), el("ul", {}, conflict.members.map((member) =>
      el("li", {}, el("code", {}, said(member.id)), member.text ? el("span", { class: "told" }, said(member.text)) : null,
        member.place ? el("span", { class: "muted place" }, said(member.place)) : null)))))),
    told.conflicts_after ? el("p", { class: "note" }, said(told.conflicts_after)) : null);
}

function waysPart(told) {
  const ways = told.ways_out || [];
  if (!ways.length) return el("p", { class: "note" }, said(told.ways_told));
  return el("section", {}, el("h3", {}, said(told.ways_told)), el("ol", { class: "ways" }, ways.map((way) =>
    el("li", {}, way.drop.map(([id, amount], n) => [n ? ", and " : "", "without ", el("code", {}, said(id)), amount ? ` (${amount})` : ""])))),
    told.ways_after ? el("p", { class: "note" }, said(told.ways_after)) : null);
}
