// Rendering of answers. All text is inserted as text, never as markup.
const UNDECIDED = { unknown: "undecided" };
const MOST_DIFFERENCES = 12;
const NAMES = { smt: "Z3", sat: "CaDiCaL" };

export function element(name, properties, ...children) {
  const { role, ...others } = properties;
  const made = Object.assign(document.createElement(name), others);
  if (role !== undefined) made.setAttribute("role", role);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const baseName = (file) => file.split("/").pop();

function place(file, line, column, links) {
  const text = `${baseName(file)}:${line}`;
  if (!links.has(file)) return element("span", { className: "dim" }, text);
  const button = element("button", { type: "button", className: "place" }, text);
  button.onclick = () => links.goTo(file, line, column || 1);
  return button;
}

export function renderProblem(problem, goTo) {
  const made = element("div", { className: "diagnostic" }, element("p", {}, element("b", {}, `${problem.severity}[${problem.code}] `), problem.message));
  for (const label of problem.labels || []) {
    if (label.message) made.append(element("p", { className: "dim" }, `${baseName(label.file)}:${label.line}: ${label.message}`));
  }
  if (problem.help) made.append(element("p", {}, `help: ${problem.help}`));
  made.ondblclick = () => goTo(problem.file, problem.line, problem.column);
  return made;
}

const ORDER = { violated: 0, satisfied: 1, "not-applicable": 2 };
const MARKS = { violated: "✗", satisfied: "✓", "not-applicable": "–" };

export function renderVerdict(verdict, links) {
  const made = element("div", {});
  const tallies = [`hard ${verdict.hard.satisfied}/${verdict.hard.total}`];
  if (verdict.soft.total) tallies.push(`soft ${verdict.soft.satisfied}/${verdict.soft.total}`);
  made.append(element("p", { className: `status ${verdict.status}` }, verdict.status, element("span", {}, tallies.join(", "))));
  const findings = [...verdict.findings].sort((a, b) => ORDER[a.status] - ORDER[b.status]);
  const body = element("tbody", {});
  for (const finding of findings) {
    const rule = element("td", {}, element("b", {}, finding.constraint), " ", element("span", { className: "dim" }, finding.level));
    if (finding.status !== "satisfied" && finding.message) rule.append(element("div", {}, finding.message));
    const mark = element("td", { className: "mark" }, element("span", { ariaHidden: "true" }, MARKS[finding.status]), element("span", { className: "unseen" }, finding.status));
    const where = element("td", { className: "where" });
    if (finding.source) where.append(place(finding.source.file, finding.source.line, finding.source.column, links));
    body.append(element("tr", { className: finding.status }, mark, rule, element("td", { className: "margin" }, finding.by || ""), where));
  }
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { className: "unseen" }, "Status")), ...["Rule", "Margin", "Where"].map((name) => element("th", { scope: "col", className: name === "Margin" ? "margin" : "" }, name))));
  made.append(element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: "Findings" }, element("table", { className: "findings" }, head, body)));
  const metrics = Object.entries(verdict.metrics || {});
  if (metrics.length) made.append(element("p", { className: "dim" }, metrics.map(([name, value]) => `${name} ${typeof value === "object" && value ? Object.values(value).join(" ") : value}`).join(", ")));
  for (const objective of verdict.status === "undelivered" ? [] : verdict.objectives || []) made.append(element("p", { className: "dim" }, objective.text));
  return made;
}

function planButton(plan, name, words, takePlan) {
  const button = element("button", { type: "button" }, words);
  button.onclick = () => takePlan(plan, name);
  return button;
}

export function renderSolution(solution, links) {
  const status = UNDECIDED[solution.status] || solution.status;
  const made = element("div", {}, element("p", { className: `status ${solution.status === "optimal" || solution.status === "feasible" ? "pass" : solution.status === "infeasible" ? "fail" : "unknown"}` },
    status, element("span", {}, NAMES[solution.backend])));
  for (const objective of solution.objectives) made.append(element("p", {}, `${objective.word} ${objective.said}: `, element("b", {}, objective.value)));
  if (solution.soft.total) made.append(element("p", {}, `Soft weight ${solution.soft.satisfied} of ${solution.soft.total}`));
  if (solution.reason) made.append(element("p", {}, `The limit of ${solution.reason} was reached before all was proved.`));
  if (solution.status === "infeasible") made.append(element("p", {}, "There is no plan. “Why” explains that."));
  if (solution.plan === null) return made;
  links.takePlan(solution.plan, "found");
  made.append(element("p", { className: "dim" }, "The plan stands in the answer's editor."), renderVerdict(solution.verdict, links));
  return made;
}

function claim(name, made, about) {
  const unique = about.unique.backends[name];
  const feasible = about.feasible.backends[name];
  const status = unique.status;
  return element("tr", { className: status },
    element("th", { scope: "row" }, NAMES[name]), element("td", {}, made), element("td", {}, UNDECIDED[status] || { multiple: "not unique" }[status] || status),
    element("td", { className: "margin" }, `${Math.max(unique.seconds, feasible.seconds).toFixed(2)} s`));
}

export function renderValidation(validation, takePlan) {
  const made = element("div", {});
  const body = element("tbody", {});
  let other = null;
  for (const [name, about] of Object.entries(validation.backends)) {
    body.append(claim(name, "all plans", about));
    if (about.best) body.append(claim(name, "plans that keep every soft constraint", about.best));
    other = [about.unique, about.best?.unique].find((one) => one?.second) ?? other;
  }
  const statuses = new Set(Object.values(validation.backends).map((about) => about.unique.status));
  if (statuses.size === 1) {
    const [status] = statuses;
    const words = { unique: "feasible, unique within the scope", multiple: "feasible, not unique", infeasible: "infeasible", unknown: "undecided" }[status];
    made.append(element("p", { className: `status ${{ unique: "pass", multiple: "fail", infeasible: "fail" }[status] || "unknown"}` }, words));
  }
  const head = element("thead", {}, element("tr", {}, ...["Proved by", "About", "Claim", "Time"].map((one) => element("th", { scope: "col", className: one === "Time" ? "margin" : "" }, one))));
  made.append(element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: "Claims" }, element("table", { className: "claims" }, head, body)));
  for (const proof of validation.proofs) {
    const about = proof.about === "best" ? "No other plan keeps every soft constraint" : statuses.has("infeasible") ? "No plan" : "No other plan";
    if (proof.status !== "checked") {
      made.append(element("p", { className: "undecided" }, `${about}: no proof (${proof.reason || proof.status})`));
      continue;
    }
    made.append(element("p", { className: "proof" }, element("b", {}, `${about}: proved, and the proof checked in this page. `),
      `A formula of ${proof.variables.toLocaleString("en")} variables and ${proof.clauses.toLocaleString("en")} clauses, refuted in ${proof.steps.toLocaleString("en")} steps; ` +
      `found in ${proof.seconds.toFixed(2)} s by ${proof.prover}, checked in ${proof.checking_s.toFixed(2)} s without a solver.`));
    if (proof.because_of.length) made.append(element("details", {}, element("summary", {}, `It follows from ${proof.because_of.length} rules and bounds`), element("p", {}, proof.because_of.join(", "))));
  }
  if (validation.reference) made.append(element("p", {}, validation.reference === "pass" ? "The reference is accepted." : "The reference is refused."));
  if (other) {
    const more = other.apart.length - MOST_DIFFERENCES;
    made.append(element("p", {}, "Another plan differs in"), element("ul", {}, ...other.apart.slice(0, MOST_DIFFERENCES).map((said) => element("li", {}, said)),
      more > 0 ? element("li", { className: "dim" }, `and ${more} more`) : null));
  }
  const buttons = element("p", { className: "bar" });
  if (validation.witness) buttons.append(planButton(validation.witness, "witness", "Show the plan", takePlan));
  if (other) buttons.append(planButton(other.second, "second", "Show another plan", takePlan));
  made.append(buttons);
  return made;
}

export function renderConflict(conflict, links) {
  const made = element("div", {});
  if (conflict.status !== "infeasible") {
    const words = conflict.status === "feasible" ? "There is a plan: nothing is in conflict." : "undecided";
    made.append(element("p", { className: `status ${conflict.status === "feasible" ? "pass" : "unknown"}` }, conflict.status, element("span", {}, words)));
    return made;
  }
  made.append(element("p", { className: "status fail" }, "infeasible"));
  const words = conflict.words;
  const cards = conflict.mus.map((members, n) => [words.conflicts[n], members]);
  if (conflict.core.length) cards.push([words.core, conflict.core]);
  for (const [told, members] of cards) {
    const card = element("section", { className: "card" }, element("h3", {}, told));
    for (const id of members) {
      const member = conflict.members[id];
      card.append(element("div", { className: "member" }, element("p", {}, element("b", {}, id), " ", element("span", { className: "dim" }, member.level), " ", place(member.file, member.line, 1, links)),
        element("code", {}, member.text)));
    }
    made.append(card);
  }
  if (conflict.relaxations.length) {
    const list = element("ul", {});
    for (const way of conflict.relaxations) {
      const amounts = new Map(way.amounts.map((amount) => [amount.member, amount]));
      const said = way.drop.map((id) => {
        const amount = amounts.get(id);
        if (!amount) return id;
        const most = amount.proved ? "" : "at most ";
        if (amount.stated !== null) return `${id} (${most}${amount.needed} would do, not ${amount.stated})`;
        return conflict.members[id].level === "bound" ? `${id} (${most}${amount.said} further)` : `${id} (missed by ${most}${amount.said})`;
      });
      list.append(element("li", {}, `without ${said.join(" and ")}`));
    }
    made.append(element("h3", {}, words.ways), list);
    if (words.ways_after) made.append(element("p", { className: "dim" }, words.ways_after));
  } else if (words.ways) {
    made.append(element("p", { className: "dim" }, words.ways));
  }
  if (words.after) made.append(element("p", { className: "dim" }, words.after));
  return made;
}
