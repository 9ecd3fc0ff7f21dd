// The live part of a run's page: it reads the documents under /api/ and the stream at /events, and draws them.

import { drawDrives, drawLimits } from "./drives.js";
import { drawPlan } from "./plan.js";
import { drawSeconds, drawTable } from "./seconds.js";
import { addMachine, addSecond, beginCell, beginPhase, cellNow, condition, isRunning, lastOfOthers, remaining, secondsOf, showKept, state } from "./state.js";
import { cellInWords, element, levelOf, run, say, span, timeOf, told, words } from "./words.js";

const EVENTS_KEPT = 200;
const LOOK_MS = 5000;
const LOOK_WHEN_LOST_MS = 1000;
const ANSWER_MS = 10000;

async function json(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
const kept = async (cell) => secondsOf(await json(`/api/run/${run}/cell/${cell.number}`));

// The plan, and the last finished cells of the other beds at the level that runs. A run that has ended shows its last
// finished cell as if it ran.
async function readPlan() {
  state.plan = await json(`/api/run/${run}`);
  if (!isRunning()) {
    const last = state.plan.cells.findLast((cell) => cell.state === "done");
    if (last && !(state.isKept && state.number === last.number)) showKept(last.number, await kept(last));
  }
  const past = await Promise.all(lastOfOthers().map(async (cell) => [cell.bed, state.past.get(cell.bed)?.cell.number === cell.number ? state.past.get(cell.bed) : { cell, ...(await kept(cell)) }]));
  state.past = new Map(past);
  noteEnded();
  draw();
}

function take(event) {
  switch (event.event) {
    case "started": state.begun = event; break;
    case "loading": state.loading = event; break;
    case "did": state.loading = null; note(event, event.what); break;
    case "cell": beginCell(event); look(); break;
    case "phase": beginPhase(event); break;
    case "live": if (addSecond(event)) note(event, say("stall", state.stalls[state.stalls.length - 1].s.toFixed(0))); break;
    case "second": addMachine(event); break;
    case "done": look(); break;
    case "ended": look(); break;
    case "stopping": state.stopping = event.when; break;
    case "warning": note(event, `${words.warning}: ${event.text}`); break;
  }
}

// Cells that ended since the last look, from the plan: a new cell takes the place of the old one in the feed.
const noted = new Set();
function noteEnded() {
  const ended = state.plan.cells.filter((cell) => cell.ended_at && cell.state !== "running" && !noted.has(cell.number + cell.ended_at));
  for (const cell of ended.sort((a, b) => (a.ended_at < b.ended_at ? -1 : 1)).slice(-EVENTS_KEPT)) {
    noted.add(cell.number + cell.ended_at);
    const end = cell.state === "done" ? say("bounded", cell.limiter_text ?? "–") : `${words.invalid}: ${cell.reason}`;
    note({ at_ms: Date.parse(cell.ended_at) }, `${cellInWords(cell)}: ${end}`);
  }
}

function note(event, text) {
  const row = document.createElement("tr");
  for (const content of [timeOf(event.at_ms), text]) {
    row.appendChild(document.createElement("td")).textContent = content;
  }
  element("events").prepend(row);
  while (element("events").children.length > EVENTS_KEPT) element("events").lastChild.remove();
}

let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    drawState();
    if (!state.plan) return;
    drawPlan(counts());
    drawSeconds();
    drawTable();
    drawDrives();
    drawLimits();
  });
}

const count = (...states) => state.plan.cells.filter((cell) => states.includes(cell.state)).length;
const counts = () => say("counts", count("done", "invalid"), count("running"), count("planned", "interrupted"));

function drawState() {
  const is = condition();
  const page = element("page");
  [page.dataset.state, page.dataset.seconds] = [is, state.seconds.length];
  element("chip").textContent = words[`chip-${is}`];
  element("chip").className = `chip s-${is}`;
  element("answer").textContent = answer(is);
  if (!state.plan) return;
  const running = isRunning();
  element("stops").hidden = !running;
  for (const button of document.querySelectorAll("[data-stop]")) {
    button.disabled = state.isLost || (button.dataset.stop === "cell" ? state.stopping !== null : state.stopping === "now" || state.stopping === "at-once");
  }
  document.querySelector("aside").hidden = !running;
  document.querySelector(".foot").hidden = !running;
  document.querySelector(".columns").classList.toggle("ended", !running);
  element("count").textContent = `${count("done", "invalid")} / ${state.plan.cells.length}`;
  const seconds = remaining(count("planned", "interrupted"));
  element("left").textContent = running && seconds !== null ? span(seconds) : "–";
  element("ends").textContent = running && seconds !== null ? say("ends", timeOf(Date.now() + seconds * 1000).slice(0, 5)) : "";
}

function answer(is) {
  if (is === "loading") return say("loading", state.loading.what, Math.round(state.loading.share * 100));
  const cell = is === "running" ? cellNow() : null;
  if (!cell) return words[is] ?? words.waiting;
  return say("running", cell.number, state.plan.cells.length, cell.bed, `${levelOf(cell)}${state.phase ? `, ${told("phase", state.phase)}` : ""}`);
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
element("table").addEventListener("toggle", drawTable);
new ResizeObserver(draw).observe(element("page"));

// The server may go away and come back: the run does not need it.
let stream = null, timer = null;
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
    state.isLost = false;
    if (isRunning()) {
      if (!stream || stream.readyState === EventSource.CLOSED) follow();
      later(LOOK_MS);
    } else {
      state.stopping = null;
      stream?.close();
    }
    draw();
  } catch {
    lose();
  }
}

// A stream that breaks off asks again by itself, from the last event on.
function follow() {
  stream = new EventSource("/events");
  stream.onmessage = (message) => { take(JSON.parse(message.data)); draw(); };
  stream.onerror = lose;
}

draw();
look();
