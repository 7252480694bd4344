"use strict";
// Map of a plan's places to scale, north up, without tiles: an equirectangular projection, true in the middle.
const KM = 111.32;

function frame(plans) {
  const points = plans.filter(Boolean).flatMap((plan) => [...(plan.way || []), ...(plan.others || [])]);
  if (!points.length) return null;
  const [lats, lons] = [points.map((point) => point.lat), points.map((point) => point.lon)];
  const middle = (Math.min(...lats) + Math.max(...lats)) / 2;
  const narrow = Math.max(0.01, Math.cos((middle * Math.PI) / 180));
  const wide = Math.max((Math.max(...lons) - Math.min(...lons)) * narrow * KM, 0.4);
  const high = Math.max((Math.max(...lats) - Math.min(...lats)) * KM, 0.25);
  return { lat: middle, lon: (Math.min(...lons) + Math.max(...lons)) / 2, narrow, wide, high };
}

function map(plan, around, width, label, several) {
  const [way, others] = [plan.way || [], plan.others || []];
  if (!around || way.length + others.length === 0) return null;
  const pad = 34;
  const height = Math.round(Math.min(380, Math.max(200, ((width - 2 * pad) * around.high) / around.wide + 2 * pad + 16)));
  const scale = Math.min((width - 2 * pad) / around.wide, (height - 2 * pad - 16) / around.high);
  const at = (point) => [
    width / 2 + (point.lon - around.lon) * around.narrow * KM * scale,
    (height - 16) / 2 - (point.lat - around.lat) * KM * scale,
  ];
  const hue = (point) => (several && point.day !== undefined ? `s${point.day % 6}` : "");
  const picture = svg("svg", { class: "map", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told(label, way, others) });
  const tracks = [];
  for (let n = 1; n < way.length; n += 1) {
    if (way[n].day !== way[n - 1].day) continue;
    tracks.push(...along(at(way[n - 1]), at(way[n])));
    picture.append(svg("polyline", { class: `track ${hue(way[n])}`, points: [at(way[n - 1]), at(way[n])].map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ") }));
  }
  const taken = [];
  for (const other of others) {
    const [x, y] = at(other);
    taken.push([x - 7, y - 7, x + 7, y + 7]);
    picture.append(svg("rect", { class: "other", x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 }));
  }
  way.forEach((point, n) => {
    const [x, y] = at(point);
    taken.push([x - 10, y - 10, x + 10, y + 10]);
    picture.append(svg("g", { class: hue(point) }, svg("circle", { class: "spot", cx: x, cy: y, r: 9 }),
      svg("text", { class: "spot-number", x, y: y + 4 }, String(n + 1))));
  });
  for (const point of [...way, ...others]) {
    const label = named(point, at(point), taken, tracks, width, height);
    if (label) picture.append(label);
  }
  picture.append(bar(scale, width, height));
  return picture;
}

function told(label, way, others) {
  const list = way.map((point, n) => `${n + 1} ${point.name}`).join(", ");
  return `${label}${list ? `, in order: ${list}` : ""}${others.length ? `; and ${others.map((point) => point.name).join(", ")}` : ""}`;
}

function along([x, y], [to, down]) {
  const steps = Math.max(1, Math.ceil(Math.hypot(to - x, down - y) / 8));
  return Array.from({ length: steps + 1 }, (_, n) => [x + ((to - x) * n) / steps, y + ((down - y) * n) / steps])
    .map(([a, b]) => [a - 2, b - 2, a + 2, b + 2]);
}

// Puts a name beside its place if it stays inside and covers nothing (or at most a track). Otherwise it is left out:
// the list above has the numbers.
function named(point, [x, y], taken, tracks, width, height) {
  const name = point.name.length > 26 ? `${point.name.slice(0, 25)}…` : point.name;
  const long = [...name].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e80 ? 12.5 : 6.4), 0);
  const tries = [[x + 13, y + 4, "start"], [x - 13, y + 4, "end"], [x, y - 14, "middle"], [x, y + 23, "middle"]];
  for (const [left, base, anchor, avoided] of [[...taken, ...tracks], [...taken]].flatMap((some) => tries.map((one) => [...one, some]))) {
    const from = anchor === "start" ? left : anchor === "end" ? left - long : left - long / 2;
    const box = [from, base - 11, from + long, base + 3];
    const inside = box[0] >= 3 && box[2] <= width - 3 && box[1] >= 3 && box[3] <= height - 22;
    if (inside && !avoided.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) {
      taken.push(box);
      return svg("text", { class: "name", x: left, y: base, "text-anchor": anchor }, name);
    }
  }
  return null;
}

function bar(scale, width, height) {
  const most = Math.min(140, width / 3) / scale;
  const power = 10 ** Math.floor(Math.log10(most));
  const far = power * [5, 2, 1].find((step) => step * power <= most);
  const [left, base] = [12, height - 12];
  const right = left + far * scale;
  const text = far >= 1 ? `${far} km` : `${Math.round(far * 1000)} m`;
  return svg("g", { class: "scale-bar" },
    svg("path", { class: "bar", d: `M${left} ${base - 5}V${base}H${right.toFixed(1)}V${base - 5}` }),
    svg("text", { class: "far", x: right + 6, y: base }, text));
}
