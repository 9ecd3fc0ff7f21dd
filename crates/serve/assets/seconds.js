// The seconds of the cell: its rate above its latencies, on the clock of the cell, and as a table.

import { canvas, colour, cut, mark, shape, spread, ticks, widthOf } from "./draw.js";
import { cellNow, isRunning, state } from "./state.js";
import { element, plain, say, told, words } from "./words.js";

const HEIGHT = 180;
const LATENCIES = [["mid", "dash"], ["p99", ""], ["p999", "dots"]];
const TABLE_ROWS = 3600;

export function drawSeconds() {
  const width = widthOf("seconds", 744);
  const [left, right] = width < 500 ? [44, 92] : [60, 180];
  const cell = cellNow();
  const lines = [...state.past.entries()].map(([bed, past]) => ({ bed, seconds: past.seconds, mid: past.mid, isLast: true, repeat: past.cell.repeat }));
  if (cell) lines.push({ bed: cell.bed, seconds: state.seconds, mid: state.mid, isLast: false, repeat: cell.repeat });
  const all = lines.flatMap((line) => line.seconds);
  if (!all.length) {
    element("seconds").textContent = words["no-second"];
    return;
  }
  const svg = canvas("seconds", width, HEIGHT * 2 + 80, words.rate);
  const ends = Math.max(10, ...all.map((second) => second.s + 1));
  const frame = { width, height: HEIGHT, ends, letters: width < 500 ? 0 : 16, x: (s) => left + (s / ends) * (width - left - right) };
  panel(svg, lines, { ...frame, name: "rate", top: 24, label: told("unit", state.unit) || words.rate, isLog: false, columns: [["rate", ""]] });
  panel(svg, lines, { ...frame, name: "latency", top: HEIGHT + 58, label: words.latency, isLog: true, columns: LATENCIES });
}

// Of the other beds' cells the 99.9th percentile is left out: three lines of every bed hide each other.
const isDrawn = (line, column) => !(line.isLast && column === "p999");

function panel(svg, lines, frame) {
  const { top, height, x, label, isLog, columns, ends, name } = frame;
  const drawn = lines.flatMap((line) => columns.filter(([column]) => isDrawn(line, column)).flatMap(([column]) => line.seconds.map((second) => second[column])));
  const values = drawn.filter((value) => value > 0);
  if (!values.length) return;
  const low = isLog ? Math.log10(values.reduce((a, b) => Math.min(a, b))) : 0;
  const most = values.reduce((a, b) => Math.max(a, b));
  const high = isLog ? Math.log10(most) + 0.05 : most * 1.05;
  const y = (value) => top + height - (((isLog ? Math.log10(value) : value) - low) / Math.max(1e-9, high - low)) * height;
  const group = shape(svg, "g", { "data-panel": name, "data-log": isLog, "data-ends": ends });
  drawUnmeasured(group, frame);
  shape(group, "text", { x: 0, y: top - 10 }, label);
  for (const tick of ticks(low, high, isLog)) {
    shape(group, "line", { class: "grid", x1: x(0), x2: x(ends), y1: y(tick), y2: y(tick), "data-value": tick });
    shape(group, "text", { x: x(0) - 6, y: y(tick) + 4, "text-anchor": "end" }, plain(tick));
  }
  shape(group, "line", { class: "axis", x1: x(0), x2: x(ends), y1: top + height, y2: top + height });
  if (isLog) drawTime(group, frame);
  const labels = lines.flatMap((line) => courses(group, line, { ...frame, y }));
  spread(labels, top, top + height);
  for (const label of labels) drawLabel(label, x(ends) + 8, columns.length > 1);
  if (!isLog) drawStalls(group, frame);
}

function drawTime(group, { top, height, x, ends, width }) {
  const step = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600].find((step) => ends / step <= width / 90) || 7200;
  for (let s = 0; s <= ends; s += step) shape(group, "text", { x: x(s), y: top + height + 16, "text-anchor": "middle" }, s ? plain(s) : "0 s");
}

// The time of the drawn cell in which nothing was measured is shaded.
function drawUnmeasured(group, { top, height, x, ends, isLog }) {
  const { from, to } = state.measured ?? { from: state.seconds.length ? ends : 0, to: ends };
  for (const [a, b] of [[0, from], [to, ends]]) {
    if (Math.min(b, ends) > a) shape(group, "rect", { class: "shade", x: x(a), y: top, width: x(Math.min(b, ends)) - x(a), height });
  }
  if (!isLog && from > 0 && x(Math.min(from, ends)) - x(0) > 60) shape(group, "text", { x: x(0) + 4, y: top + height - 6 }, words["not-measured"]);
}

// The lines of one cell, and the label at the end of each.
function courses(parent, line, { x, y, columns, isLog, letters }) {
  const group = shape(parent, "g", { class: colour(line.bed) });
  const labels = [];
  for (const [column, look] of columns.filter(([column]) => isDrawn(line, column))) {
    let path = "", pen = "M", end = null;
    for (const second of line.seconds) {
      const value = second[column];
      if (value === null || (isLog && !(value > 0))) { pen = "M"; continue; }
      path += `${pen}${x(second.s).toFixed(1)} ${y(value).toFixed(2)}`;
      [pen, end] = ["L", { y: y(value), value }];
    }
    if (!end) continue;
    const statistic = column === "mid" ? line.mid : column;
    shape(group, "path", { class: `line ${line.isLast ? "last" : ""} ${look}`, "data-column": statistic, "data-bed": line.bed, d: path });
    // On a narrow page the mark alone tells the bed.
    const name = columns.length > 1 ? words[statistic] : letters ? cut(line.bed, letters) : "";
    labels.push({ group, bed: line.bed, y: end.y, text: `${name} ${plain(end.value)}`.trim(), isLast: line.isLast });
  }
  return labels;
}

function drawLabel({ group, bed, y, text, isLast }, x) {
  mark(group, bed, x + 4, y);
  shape(group, "text", { class: isLast ? "name thin" : "name", x: x + 14, y: y + 4 }, text);
}

function drawStalls(group, { top, height, x }) {
  for (const stall of state.stalls) {
    shape(group, "line", { class: "stall", x1: x(stall.at), x2: x(stall.at), y1: top, y2: top + height });
    shape(group, "path", { class: "stalled", d: `M${x(stall.at)} ${top + height - 7}l5 8h-10z` });
    shape(group, "text", { class: "stalled", x: x(stall.at) + 4, y: top + 12 }, say("stall", stall.s.toFixed(0)));
  }
}

// The same seconds as text, once somebody opens the table.
export function drawTable() {
  const table = element("table");
  if (!table.open) return;
  const heads = [words.second, told("unit", state.unit) || words.rate, `${words[state.mid]}, ms`, `${words.p99}, ms`, `${words.p999}, ms`];
  const rows = state.seconds.slice(-TABLE_ROWS).map(({ s, rate, mid, p99, p999 }) => [s, rate, mid, p99, p999].map((value) => (value === null ? "–" : plain(value))));
  const made = document.createElement("table");
  const add = (place, texts, kind) => {
    const row = place.insertRow();
    for (const text of texts) row.appendChild(document.createElement(kind)).textContent = text;
  };
  add(made.createTHead(), heads, "th");
  const body = made.createTBody();
  rows.forEach((row) => add(body, row, "td"));
  table.querySelector(".wide").replaceChildren(made);
}
