// The plan as cells, in the order of the run: a row for each bed, on a narrow page a row for each repeat.

import { canvas, colour, cut, mark, shape, widthOf } from "./draw.js";
import { isRunning, state } from "./state.js";
import { cellInWords, plain, say } from "./words.js";

const NARROW = 700;
const ROW = 26;

export function drawPlan(counts) {
  const width = widthOf("plan", 1088);
  if (width < NARROW) drawWrapped(width, counts); else drawRows(width, counts);
}

const isNow = (cell) => cell.number === state.number && isRunning();

function drawCell(parent, cell, x, y, size) {
  const group = shape(parent, "g", { class: colour(cell.bed) });
  const is = isNow(cell) ? "running" : cell.state;
  const box = shape(group, "rect", { class: `cell ${is}`, "data-cell": cell.number, x, y, width: size, height: 18 });
  shape(box, "title", {}, `${cellInWords(cell)}: ${cell.state_text}${cell.reason ? `: ${cell.reason}` : ""}`);
  if (size > 12) shape(group, "text", { class: is === "done" ? "level in" : "level", x: x + size / 2, y: y + 13 }, plain(cell.level));
  if (is === "invalid" && size > 8) shape(group, "path", { class: "crossed", d: `M${x} ${y + 18}L${x + size} ${y}` });
}

function drawRows(width, counts) {
  const { beds, cells } = state.plan;
  const left = 200;
  const svg = canvas("plan", width, beds.length * ROW + 50, counts);
  const step = (width - left) / Math.max(1, cells.length);
  const size = Math.max(2, Math.min(18, step - 1));
  const below = beds.length * ROW + 22;
  beds.forEach((bed, at) => {
    const group = shape(svg, "g", { class: colour(bed.name) });
    mark(group, bed.name, 6, at * ROW + 31);
    shape(group, "text", { class: "name", x: 18, y: at * ROW + 36 }, cut(bed.name, 24));
  });
  let repeat = null;
  cells.forEach((cell, at) => {
    const [x, y] = [left + at * step, Math.max(0, beds.findIndex((bed) => bed.name === cell.bed)) * ROW + 22];
    if (cell.repeat !== repeat) {
      repeat = cell.repeat;
      shape(svg, "line", { class: "grid", x1: x - 1, x2: x - 1, y1: 16, y2: below });
      shape(svg, "text", { x: x + 1, y: 11 }, say("repeat", repeat));
    }
    drawCell(svg, cell, x, y, size);
    if (isNow(cell)) shape(svg, "line", { class: "axis", x1: x + size / 2, x2: x + size / 2, y1: below, y2: below + 8 });
  });
  shape(svg, "text", { x: width, y: below + 20, "text-anchor": "end" }, counts);
}

function drawWrapped(width, counts) {
  const { beds, cells } = state.plan;
  const places = [];
  const size = cells.length > 400 ? 8 : 18;
  let [x, y, repeat] = [0, beds.length * 20 - 18, null];
  for (const cell of cells) {
    if (cell.repeat !== repeat) {
      repeat = cell.repeat;
      [x, y] = [0, y + 48];
      places.push({ y: y - 6, repeat });
    } else if (x + size > width) {
      [x, y] = [0, y + 22];
    }
    places.push({ cell, x, y });
    x += size + 3;
  }
  const svg = canvas("plan", width, y + 50, counts);
  beds.forEach((bed, at) => {
    const group = shape(svg, "g", { class: colour(bed.name) });
    mark(group, bed.name, 6, at * 20 + 9);
    shape(group, "text", { class: "name", x: 18, y: at * 20 + 14 }, cut(bed.name, 40));
  });
  for (const place of places) {
    if (place.cell) drawCell(svg, place.cell, place.x, place.y, size);
    else shape(svg, "text", { x: 0, y: place.y }, say("repeat", place.repeat));
  }
  shape(svg, "text", { x: 0, y: y + 40 }, counts);
}
