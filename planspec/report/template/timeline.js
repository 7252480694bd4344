"use strict";
// A plan's days: a strip to scale, and the rows in order. `numbers` maps places to their numbers on the map.

const MARKS = { violated: "✗ ", differs: "≠ " }; // findings that are shown at rows, with their signs
const FEW = 4; // findings on more rows than this are shown below the plan instead of at each row

function timeline(plan, findings, several, span) {
  const wrong = faults(findings);
  const numbers = new Map((plan.way || []).map((point, n) => [point.name, n + 1]));
  const days = plan.days || [];
  if (!days.length) return [el("p", { class: "empty" }, "The plan is empty.")];
  const drawn = [...(plan.schedules || []).map((each) => schedule(each, wrong)), loads(plan.loads || [])].filter(Boolean);
  const tables = new Set(days.flatMap((day) => (day.items || []).map((item) => item.table)));
  return [...drawn, ...days.map((day, n) => {
    const timed = span && (day.items || []).some((item) => item.start !== undefined);
    const hue = several && day.name ? `s${n % 6}` : "";
    const dot = hue && el("span", { class: `dot ${hue}`, "aria-hidden": "true" });
    return el("section", { class: `day ${hue}` },
      day.name || days.length > 1 ? el("h5", {}, dot, day.name ? said(dayName(day.name)) : "The whole trip") : null,
      timed && !drawn.length ? (day.items.some((item) => item.lane) ? lanes(day, span, wrong) : strip(day, span, wrong)) : null,
      el("ol", { class: "items" }, (day.items || []).map((item) => row(item, wrong, numbers, timed, tables.size > 1))));
  })];
}

// The rows of a rule by which they may not overlap: a lane for each group, with rows as named bars to scale.
function schedule(of, wrong) {
  const part = (amount) => `${(100 * amount) / (of.high - of.low)}%`;
  return el("section", { class: "day" }, el("h5", {}, said(of.rule)),
    el("div", { class: "lanes" }, of.lanes.map((lane, n) => {
      const last = n === of.lanes.length - 1;
      const picture = svg("svg", { class: `strip lane-strip${last ? " last" : ""}`, "aria-hidden": "true", focusable: "false" });
      tickLines(picture, of.ticks || [], (value) => (value - of.low) / (of.high - of.low), 26, last);
      for (const run of lane.runs || []) {
        const bad = run.table !== undefined && wrongAt(wrong, run).length > 0;
        picture.append(svg("svg", { x: part(run.start - of.low), y: 3, width: run.end > run.start ? part(run.end - run.start) : "3", height: 20 },
          svg("rect", { class: `stay${bad ? " wrong" : ""}`, width: "100%", height: 20, rx: 2 }),
          svg("text", { class: "bar-name", x: 4, y: 14 }, run.title)));
      }
      return el("div", { class: "lane" }, el("span", { class: "lane-name" }, said(lane.name)), picture);
    })),
    of.left_out ? el("p", { class: "empty" }, `and ${of.left_out} more`) : null);
}

// What is in use over time, with a line at the capacity.
function loads(all) {
  if (!all.length) return null;
  return el("section", { class: "day" }, el("h5", {}, "In use over time"), el("div", { class: "lanes" }, all.map((load) => {
    const [low, high] = [load.points[0][0], Math.max(load.points[load.points.length - 1][0], load.points[0][0] + 1)];
    const top = 1.1 * Math.max(load.limit || 0, ...load.points.map(([, amount]) => amount), 1);
    const share = (value) => (value - low) / (high - low);
    const y = (amount) => 44 * (1 - Math.max(0, amount) / top) + 1;
    const picture = svg("svg", { class: "strip load-strip", "aria-hidden": "true", focusable: "false" });
    tickLines(picture, load.ticks || [], share, 46, true);
    load.points.slice(0, -1).forEach(([moment, amount], n) => {
      const over = load.limit !== undefined && amount > load.limit;
      picture.append(svg("rect", { class: `load${over ? " over" : ""}`, x: `${100 * share(moment)}%`,
        width: `${100 * (share(load.points[n + 1][0]) - share(moment))}%`, y: y(amount), height: 45 - y(amount) }));
    });
    if (load.limit !== undefined) picture.append(svg("line", { class: "limit", x1: 0, x2: "100%", y1: y(load.limit), y2: y(load.limit) }));
    const text = `peak ${load.most}${load.at === undefined ? "" : `, first at ${load.at}`}${load.allowed === undefined ? "" : `; limit ${load.allowed}`}`;
    return el("div", { class: "lane" }, el("span", { class: "lane-name" }, said(load.rule), el("span", { class: "cells" }, said(text))), picture);
  })));
}

function tickLines(picture, ticks, share, deep, named) {
  for (const [value, text] of ticks) {
    const at = `${100 * share(value)}%`;
    const place = share(value) < 0.02 ? "start" : share(value) > 0.95 ? "end" : "middle";
    picture.append(svg("line", { class: "hour", x1: at, x2: at, y1: 0, y2: deep }));
    if (named) picture.append(svg("text", { x: at, y: deep + 12, "text-anchor": place }, text));
  }
}

function dayName(name) {
  const date = new Date(`${name}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(name) || Number.isNaN(date.getTime())) return name;
  return `${["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getUTCDay()]} ${name}`;
}

function faults(findings) {
  const found = new Map();
  for (const finding of findings || []) {
    if (!MARKS[finding.status] || (finding.rows || []).length > FEW) continue;
    for (const [table, key] of finding.rows || []) {
      const id = JSON.stringify([table, key]);
      found.set(id, [...(found.get(id) || []), finding]);
    }
  }
  return found;
}

const wrongAt = (wrong, item) => wrong.get(JSON.stringify([item.table, item.key === undefined ? null : item.key])) || [];

// The range of hours of several plans, so that their strips are comparable.
function hours(plans) {
  const days = plans.filter(Boolean).flatMap((plan) => plan.days || []);
  const times = days.flatMap((day) => (day.items || []).flatMap((item) =>
    [item.start, item.end].filter((time) => time !== undefined)));
  if (!times.length) return null;
  const low = Math.floor(Math.min(...times) / 60);
  const high = Math.max(Math.ceil(Math.max(...times) / 60), low + 1);
  return [low, high];
}

function hourLines(picture, low, high, at, deep, named) {
  const step = [1, 2, 3, 4, 6, 12, 24, 48].find((hour) => (high - low) / hour <= 8) || 96;
  for (let hour = Math.ceil(low / step) * step; hour <= high; hour += step) {
    const place = hour === low ? "start" : hour >= high ? "end" : "middle";
    picture.append(svg("line", { class: "hour", x1: at(60 * hour), x2: at(60 * hour), y1: 0, y2: deep }));
    if (named) picture.append(svg("text", { x: at(60 * hour), y: deep + 12, "text-anchor": place }, String(hour).padStart(2, "0")));
  }
}

function strip(day, [low, high], wrong) {
  const at = (minutes) => `${(100 * (minutes - 60 * low)) / (60 * (high - low))}%`;
  const picture = svg("svg", { class: "strip", "aria-hidden": "true", focusable: "false" });
  hourLines(picture, low, high, at, 24, true);
  for (const item of day.items || []) {
    if (item.start === undefined) continue;
    const end = item.end === undefined ? item.start : item.end;
    const [from, to] = [Math.min(item.start, end), Math.max(item.start, end)];
    const bad = wrongAt(wrong, item).length > 0;
    const block = svg("rect", {
      class: `${item.kind === "way" ? "way" : "stay"}${bad ? " wrong" : ""}`,
      x: at(from), width: to > from ? `${(100 * (to - from)) / (60 * (high - low))}%` : "3",
      y: item.kind === "way" ? 9 : 3, height: item.kind === "way" ? 8 : 20, rx: 2,
    });
    picture.append(block);
  }
  return picture;
}

// A line for each lane, with its rows as named bars.
function lanes(day, span, wrong) {
  const by = grouped(day.items);
  return el("div", { class: "lanes" }, [...by].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, items], n) =>
    el("div", { class: "lane" }, el("span", { class: "lane-name" }, said(name)), laneStrip(items, span, wrong, n === by.size - 1))));
}

function grouped(items) {
  const by = new Map();
  for (const item of items) if (item.lane) by.set(item.lane, [...(by.get(item.lane) || []), item]);
  return by;
}

function laneStrip(items, [low, high], wrong, last, named = true) {
  const part = (minutes) => `${(100 * minutes) / (60 * (high - low))}%`;
  const at = (minutes) => part(minutes - 60 * low);
  const picture = svg("svg", { class: `strip lane-strip${last ? " last" : ""}`, "aria-hidden": "true", focusable: "false" });
  hourLines(picture, low, high, at, 26, last);
  for (const item of items) {
    const bad = wrongAt(wrong, item).length > 0;
    for (const [from, to] of item.open || []) picture.append(svg("rect", { class: "open", x: at(from), width: part(to - from), y: 1, height: 24 }));
    for (const slot of item.slots || []) picture.append(svg("line", { class: "slot", x1: at(slot), x2: at(slot), y1: 1, y2: 25 }));
    if (item.start === undefined) continue;
    const [from, to] = [item.start, Math.max(item.end === undefined ? item.start : item.end, item.start)];
    picture.append(svg("svg", { x: at(from), y: 3, width: to > from ? part(to - from) : "3", height: 20 },
      svg("rect", { class: `${item.kind === "way" ? "way" : "stay"}${bad ? " wrong" : ""}`, width: "100%", height: 20, rx: 2 }),
      named ? svg("text", { class: "bar-name", x: 5, y: 14 }, item.title) : null));
  }
  return picture;
}

// The rows of a plan, one on each line, with opening hours and slots from the facts behind the bar.
function hoursPart(plan, findings, span) {
  const wrong = faults(findings);
  const days = (plan.days || []).filter((day) => (day.items || []).some((item) => (item.open || item.slots) && item.start !== undefined));
  if (!days.length) return null;
  const times = days.flatMap((day) => day.items.flatMap((item) => [...(item.open || []).flat(), ...(item.slots || [])]));
  const wide = [Math.min(span[0], Math.floor(Math.min(...times) / 60)), Math.max(span[1], Math.ceil(Math.max(...times) / 60))];
  return fold("Opening hours and slots behind the bars", () => days.map((day) => el("section", { class: "day" }, day.name ? el("h5", {}, said(dayName(day.name))) : null,
    el("div", { class: "lanes" }, day.items.filter((item) => item.start !== undefined && item.kind !== "way").map((item, n, all) =>
      el("div", { class: "lane" }, el("span", { class: "lane-name" }, said(item.title)), laneStrip([item], wide, wrong, n === all.length - 1, false)))))));
}

function row(item, wrong, numbers, clocked, mixed) {
  const bad = wrongAt(wrong, item);
  const number = item.kind === "way" ? undefined : numbers.get(item.title);
  const timed = item.start !== undefined;
  const end = item.end === undefined || item.end === item.start ? "" : `–${clock(item.end)}`;
  const cells = (item.cells || []).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`);
  // A row without an end needs the name of its table among rows of other tables.
  if (mixed && timed && item.end === undefined && item.kind !== "way") cells.unshift(item.table.replaceAll("_", " "));
  return el("li", { class: `kind-${item.kind || "stay"}${clocked ? "" : " untimed"}` },
    clocked ? el("span", { class: "time" }, timed ? clock(item.start) + end : "") : null,
    el("span", { class: "number" }, number ? el("span", { class: "pin" }, String(number)) : null),
    el("span", { class: "title" }, said(item.title),
      cells.length ? el("span", { class: "cells" }, said(cells.join(" · "))) : null,
      (item.parts || []).map((part) => el("span", { class: "part" }, said(part))),
      bad.length ? el("span", { class: "wrong" }, bad.map((finding, n) => [n ? " · " : "", MARKS[finding.status], said(finding.constraint)])) : null));
}
