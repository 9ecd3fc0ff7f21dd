// The live part of a run's page: it reads the documents under /api/ and the stream at /events, and puts the figures that
// the server draws into their places.

import { askDrives, drawDrives, drawLimits } from "./drives.js";
import { settled, show, showOnce } from "./figures.js";
import { addMachine, addSecond, beginCell, cellNow, condition, isRunning, remaining, repeats, state } from "./state.js";
import { bedMark, cellInWords, element, nodes, run, say, span, tagged, timeOf, told, words } from "./words.js";

const EVENTS_KEPT = 200;
// Phases whose seconds without work are no stall.
const idle = new Set(words.idle.split("|"));
const LOOK_MS = 5000;
const LOOK_WHEN_LOST_MS = 1000;
const ANSWER_MS = 10000;

async function json(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

async function readPlan() {
  state.plan = await json(`/api/run/${run}`);
  noteEnded();
  draw();
}

function take(event) {
  state.heardAt = Date.now();
  switch (event.event) {
    case "started": state.begun = event; break;
    case "loading": state.loading = event; break;
    case "did": state.loading = null; note(event, event.what); break;
    case "cell": beginCell(event); look(); break;
    case "phase": state.phase = event.phase; break;
    case "live": noteStall(event, addSecond(event)); askSeconds(); break;
    case "second": addMachine(event); askDrives(); break;
    case "done": look(); break;
    case "ended": look(); break;
    case "stopping": state.stopping = event.when; break;
    case "warning": note(event, event.text, { number: state.number, chip: "warning" }); break;
  }
}

// Cells that ended since the last look, from the plan: a new cell takes the place of the old one in the feed.
const noted = new Set();
function noteEnded() {
  const ended = state.plan.cells.filter((cell) => cell.ended_at && cell.state !== "running" && !noted.has(cell.number + cell.ended_at));
  for (const cell of ended.sort((a, b) => (a.ended_at < b.ended_at ? -1 : 1)).slice(-EVENTS_KEPT)) {
    noted.add(cell.number + cell.ended_at);
    const isDone = cell.state === "done";
    const end = isDone ? (cell.limiter_text ? say("bounded", cell.limiter_text) : cell.state_text) : cell.reason;
    note({ at_ms: Date.parse(cell.ended_at) }, `${cellInWords(cell)}: ${end}`, { number: cell.number, chip: isDone ? null : "invalid" });
  }
}

// A stall has one row, which tells its length so far.
let stall = null;
function noteStall(event, seconds) {
  if (!seconds || idle.has(state.phase)) return;
  if (seconds === 1 || !stall) stall = note(event, "", { number: state.number, chip: "stalled" });
  stall.lastChild.textContent = say("stall", seconds);
}

// A row of the events: its cell, a chip for what went wrong, and its words.
function note(event, text, { number = null, chip = null } = {}) {
  const row = document.createElement("tr");
  const what = tagged("td", "", "");
  if (chip) what.append(tagged("span", `chip e-${chip}`, words[chip]), " ");
  what.append(tagged("span", "", text));
  row.append(tagged("td", "", timeOf(event.at_ms)), tagged("td", "of", number ?? ""), what);
  element("events").prepend(row);
  while (element("events").children.length > EVENTS_KEPT) element("events").lastChild.remove();
  return what;
}

let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    drawNow();
  });
}

function drawNow() {
  drawState();
  if (!state.plan) return;
  drawPlan();
  drawSeconds();
  drawDrives();
  drawLimits();
}

const count = (...states) => state.plan.cells.filter((cell) => states.includes(cell.state)).length;

function drawPlan() {
  const states = state.plan.cells.map((cell) => cell.state[0] + cell.state[2]).join("");
  showOnce("plan", "plan", [states, isRunning() ? state.number : null]);
}

// Of the running cell, each second; of an ended run once, and again for a cell that a reader chooses.
function askSeconds() {
  if (document.hidden || !isRunning()) return;
  show("seconds", "now");
  if (element("table").open) show("table-rows", "now-table");
}

function drawSeconds() {
  const cell = state.chosen === null ? {} : { cell: state.chosen };
  element("table").hidden = !isRunning() && state.chosen === null;
  if (isRunning()) {
    showOnce("seconds", "now", [state.number, state.cellStarted]);
    return;
  }
  showOnce("seconds", "seconds", [state.plan.state, state.plan.ended_at], cell);
  if (element("table").open) showOnce("table-rows", "table", state.plan.ended_at, cell);
}

function drawState() {
  const is = condition();
  const page = element("page");
  [page.dataset.state, page.dataset.seconds] = [is, state.seconds];
  element("chip").textContent = words[`chip-${is}`];
  element("chip").className = `chip s-${is}`;
  element("answer").replaceChildren(...answer(is));
  if (!state.plan) return;
  const running = isRunning();
  element("stops").hidden = !running;
  for (const button of document.querySelectorAll("[data-stop]")) {
    button.disabled = state.isLost || (button.dataset.stop === "cell" ? state.stopping !== null : state.stopping === "now" || state.stopping === "at-once");
  }
  document.querySelector("aside").hidden = !running;
  element("to-report").hidden = running;
  for (const only of document.querySelectorAll(".live-only")) only.hidden = !running;
  document.querySelector(".columns").classList.toggle("ended", !running);
  drawUpdated();
  const { all, complete } = repeats();
  element("count").replaceChildren(...nodes("complete", complete, all));
  // The cells that are left are not run any more once somebody has stopped it.
  drawLeft(running && state.stopping === null ? remaining(count("planned", "interrupted")) : null);
}

function drawLeft(left) {
  const spread = left?.spread ? [" ", tagged("small", "", `± ${span(left.spread)}`)] : [];
  element("left").replaceChildren(left ? span(left.seconds) : "–", ...spread);
  const ends = left ? say("ends", timeOf(Date.now() + left.seconds * 1000).slice(0, 5)) : "";
  const took = left?.took ? say("took", count("done", "invalid"), state.plan.cells.length, span(left.sum)) : "";
  element("ends").textContent = [ends, took].filter(Boolean).join(" · ");
}

// How old what the page shows is.
function drawUpdated() {
  element("updated").hidden = !isRunning() || state.heardAt === null;
  if (state.heardAt !== null) element("updated").textContent = say("updated", Math.round((Date.now() - state.heardAt) / 1000));
}
setInterval(() => state.plan && drawUpdated(), 1000);

// The first sentence, as nodes.
function answer(is) {
  if (is === "loading") return [say("loading", state.loading.what, Math.round(state.loading.share * 100))];
  if (is === "disconnected" && isCrowded) return [words.crowded];
  const cell = is === "running" ? cellNow() : null;
  if (!cell) return [words[is] ?? words.waiting];
  const level = [cell.level_said, say("repeat-of", cell.repeat, repeats().all), state.phase && told("phase", state.phase), state.seconds && say("second", state.seconds)];
  const counted = [cell.number, state.plan.cells.length].map((number) => tagged("b", "", number));
  return nodes("running", ...counted, bedMark(cell), level.filter(Boolean).join(", "));
}

for (const button of document.querySelectorAll("[data-stop]")) {
  button.addEventListener("click", async () => {
    try {
      const asked = await fetch(`/stop/${button.dataset.stop}`, { method: "POST", headers: { "x-drivetrain": "1" } });
      if (asked.ok) state.stopping = button.dataset.stop;
      else note({ at_ms: Date.now() }, say("refused", asked.status));
      draw();
    } catch {
      lose();
    }
  });
}
element("table").addEventListener("toggle", () => { if (isRunning()) askSeconds(); else if (state.plan) drawSeconds(); });
element("plan").addEventListener("click", (event) => {
  const [, number] = /\bn(\d+)\b/.exec(event.target.closest("rect.k-cell")?.getAttribute("class") ?? "") ?? [];
  const cell = state.plan?.cells.find((cell) => cell.number === Number(number));
  if (isRunning() || !cell?.ended_at) return;
  state.chosen = state.chosen === cell.number ? null : cell.number;
  draw();
});
document.addEventListener("visibilitychange", askSeconds);
new ResizeObserver(draw).observe(element("page"));

// The server may go away and come back: the run does not need it.
let stream = null, timer = null;
// True once the server answers, and has no place for this page at the stream.
let isCrowded = false;
function lose() {
  state.isLost = true;
  draw();
  later(LOOK_WHEN_LOST_MS);
}
function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(look, ms);
}

async function look() {
  try {
    await readPlan();
    state.isLost = isCrowded && isRunning();
    if (isRunning()) {
      if (!stream || stream.readyState === EventSource.CLOSED) follow();
      later(LOOK_MS);
    } else {
      state.stopping = null;
      drawNow();
      // The server of a run that has ended stays until its readers have gone.
      await settled();
      stream?.close();
    }
    draw();
  } catch {
    isCrowded = false;
    lose();
  }
}

// A stream that breaks off asks again by itself, from the last event on.
function follow() {
  stream = new EventSource("/events");
  stream.onmessage = (message) => { take(JSON.parse(message.data)); draw(); };
  stream.onopen = () => { isCrowded = state.isLost = false; draw(); };
  stream.onerror = () => { isCrowded = stream.readyState === EventSource.CLOSED; lose(); };
}

draw();
look();
