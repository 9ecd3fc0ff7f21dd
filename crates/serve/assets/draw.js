// Parts of drawings. All text goes in as text: names of beds may hold anything.

import { element, plain } from "./words.js";
import { state } from "./state.js";

const SVG = "http://www.w3.org/2000/svg";

export function shape(parent, kind, facts, text) {
  const made = parent.appendChild(document.createElementNS(SVG, kind));
  for (const [name, value] of Object.entries(facts)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// An empty drawing as wide as its place, in the place of the one before.
export function canvas(id, width, height, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  element(id).replaceChildren(svg);
  return svg;
}

export const widthOf = (id, most) => Math.round(Math.min(most, Math.max(300, element(id).clientWidth || most)));

// A bed keeps its colour and its mark; there are four of each.
const place = (bed) => Math.max(0, state.plan.beds.findIndex((known) => known.name === bed)) % 4;
export const colour = (bed) => `c${place(bed)}`;
const MARKS = [
  (x, y) => ["circle", { cx: x, cy: y, r: 5 }],
  (x, y) => ["rect", { x: x - 5, y: y - 5, width: 10, height: 10 }],
  (x, y) => ["path", { d: `M${x} ${y - 6}L${x + 6} ${y + 5}H${x - 6}Z` }],
  (x, y) => ["path", { d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z` }],
];
export function mark(parent, bed, x, y) {
  const [kind, facts] = MARKS[place(bed)](x, y);
  shape(parent, kind, { class: "mark", ...facts });
}

// As much of a name as there is room for.
export const cut = (name, letters) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name);

export function ticks(low, high, isLog) {
  if (isLog) {
    const all = [];
    for (let power = Math.floor(low); power <= high; power++) for (const digit of high - low > 2 ? [1] : [1, 2, 5]) all.push(digit * 10 ** power);
    return all.filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  }
  const rough = high / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((step) => step >= rough) || rough;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, at) => at * step);
}

// Labels at least a line apart, in the order of their lines' ends.
export function spread(labels, top, bottom) {
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((label, at) => { label.y = Math.max(label.y, at ? labels[at - 1].y + 15 : top); });
  for (let at = labels.length - 1; at >= 0; at--) labels[at].y = Math.min(labels[at].y, at + 1 < labels.length ? labels[at + 1].y - 15 : bottom);
}

// A course of the last values, without axes.
export function spark(parent, values, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 120 22");
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${label}: ${values.map(plain).join(", ")}`);
  const high = Math.max(...values, 1e-9);
  const points = values.map((value, at) => `${((at + 60 - values.length) * 2).toFixed(0)} ${(20 - (value / high) * 18).toFixed(1)}`);
  if (points.length > 1) shape(svg, "path", { class: "line", d: `M${points.join("L")}` });
  parent.appendChild(svg);
}
