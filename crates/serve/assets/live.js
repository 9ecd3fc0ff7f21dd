// The live part of a run's page. It reads the documents under /api/ and the stream at /events, and draws them.
"use strict";

const page = document.getElementById("page");
const run = page.dataset.run;
const words = JSON.parse(document.getElementById("words").textContent);
const say = (name, ...data) => data.reduce((text, value) => text.replace("[]", () => String(value)), words[name]);
const element = (id) => document.getElementById(id);
const STALL_S = 1;
const EVENTS_KEPT = 200;

// All that is drawn. `seconds` are those of the running cell: [s, rate, p50 ms, p99 ms, p99.9 ms].
const state = { plan: null, number: null, seconds: [], unit: "", phase: "", past: new Map(), stalls: [], stopping: null, cellStarted: null, begun: null, doneHere: 0, expected: null, loading: null };

async function json(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

// The plan, and the last finished cells of each bed at the level that runs.
async function readPlan() {
  state.plan = await json(`/api/run/${run}`);
  if (state.plan.state !== "running" && state.number === null) {
    const done = state.plan.cells.filter((cell) => cell.state === "done");
    if (done.length) await replay(done[done.length - 1].number);
  } else {
    await readPast();
  }
  draw();
}

// A finished cell as if it ran: the same figures from the notebook.
async function replay(number) {
  state.number = number;
  state.seconds = secondsOf(await json(`/api/run/${run}/cell/${number}`));
  findStalls();
  await readPast();
}

async function readPast() {
  const now = state.plan.cells.find((cell) => cell.number === state.number);
  state.past.clear();
  if (!now) return;
  for (const bed of state.plan.beds) {
    const same = state.plan.cells.filter((cell) => cell.state === "done" && cell.bed === bed.name && cell.level === now.level && cell.workload === now.workload && cell.number !== now.number);
    const last = same[same.length - 1];
    if (last && bed.name !== now.bed) {
      state.past.set(bed.name, { cell: last, seconds: secondsOf(await json(`/api/run/${run}/cell/${last.number}`)) });
    }
  }
}

// The series of the notebook in the form of the live seconds.
function secondsOf(document) {
  const named = (...names) => names.map((name) => document.series.find((series) => series.metric === name)).find(Boolean);
  const rate = named("nopm", "tpm", "iops", "tps", "backup_rate") || document.series[0];
  const [p50, p99] = [named("latency_p50", "latency_mean"), named("latency_p99")];
  if (!rate) return [];
  const scale = rate.unit === "1/min" ? 1 / 60 : 1;
  const ms = (series, at) => (series && series.values[at] > 0 ? series.values[at] * (series.unit === "us" ? 1e-3 : 1) : null);
  return rate.values.map((value, at) => [rate.start_s + at, value * scale, ms(p50, at), ms(p99, at), null]);
}

function take(event) {
  switch (event.event) {
    case "started": state.begun = event; state.doneHere = 0; break;
    case "loading": state.loading = event; break;
    case "did": state.loading = null; note(event, event.what); break;
    case "cell":
      Object.assign(state, { number: event.number, seconds: [], stalls: [], phase: "", cellStarted: event.at_ms, loading: null, expected: event.expected_s });
      readPlan().catch(gone);
      break;
    case "phase": state.phase = event.phase; break;
    case "live": second(event); break;
    case "done":
      note(event, `${say("cell", event.number)}: ${event.what}: ${event.valid ? "" : `${words.invalid}: `}${event.result}`);
      state.doneHere += 1;
      readPlan().catch(gone);
      break;
    case "warning": note(event, `${words.warning}: ${event.text}`); break;
  }
}

function second(event) {
  const ms = (ns) => (ns ? ns / 1e6 : null);
  const last = state.seconds[state.seconds.length - 1];
  if (last && event.elapsed_s - last[0] < 0.9) return;
  state.unit = event.unit;
  state.seconds.push([event.elapsed_s, event.rate_per_s, ms(event.p50_ns), ms(event.p99_ns), ms(event.p999_ns)]);
  const before = state.stalls.length;
  findStalls();
  if (state.stalls.length > before) note(event, say("stall", state.stalls[state.stalls.length - 1].s.toFixed(0)));
}

// Stretches of more than a second in which no work was completed, once some had been.
function findStalls() {
  state.stalls = [];
  let begun = false, from = null;
  for (const [s, rate] of state.seconds) {
    if (rate > 0) { begun = true; from = null; continue; }
    if (!begun) continue;
    if (from === null) { from = s; state.stalls.push({ at: s, s: STALL_S }); }
    state.stalls[state.stalls.length - 1].s = Math.max(STALL_S, s - from + 1);
  }
}

// Cells that ended before this page was opened.
function noteEnded() {
  const ended = state.plan.cells.filter((cell) => cell.ended_at && cell.state !== "running");
  for (const cell of ended.sort((a, b) => (a.ended_at < b.ended_at ? -1 : 1)).slice(-EVENTS_KEPT)) {
    const end = cell.state === "done" ? (cell.limiter ?? cell.state) : `${words.invalid}: ${cell.reason}`;
    note({ at_ms: Date.parse(cell.ended_at) }, `${say("cell", cell.number)}: ${cell.bed}, ${cell.level_name} ${plain(cell.level)}, ${say("repeat", cell.repeat)}: ${end}`);
  }
}

function note(event, text) {
  const row = document.createElement("tr");
  for (const content of [new Date(event.at_ms).toISOString().slice(11, 19), text]) {
    row.appendChild(document.createElement("td")).textContent = content;
  }
  element("events").prepend(row);
  while (element("events").children.length > EVENTS_KEPT) element("events").lastChild.remove();
}

// Drawing. All text goes in as text: names of beds may hold anything.
const SVG = "http://www.w3.org/2000/svg";
function shape(parent, kind, facts, text) {
  const made = parent.appendChild(document.createElementNS(SVG, kind));
  for (const [name, value] of Object.entries(facts)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
function canvas(id, width, height, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  element(id).replaceChildren(svg);
  return svg;
}
const colour = (bed) => `c${Math.max(0, state.plan.beds.findIndex((known) => known.name === bed)) % 4}`;
const plain = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString());

let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; if (state.plan) { drawState(); drawPlan(); drawSeconds(); } });
}

function drawState() {
  const { plan } = state;
  const running = plan.state === "running";
  const count = (...states) => plan.cells.filter((cell) => states.includes(cell.state)).length;
  const [done, now, left] = [count("done", "invalid"), count("running"), count("planned", "interrupted")];
  element("chip").textContent = running ? words.live : words.ended;
  element("chip").className = `chip s-${plan.state}`;
  element("stops").hidden = !running;
  document.querySelector("aside").hidden = !running;
  document.querySelector(".columns").classList.toggle("ended", !running);
  element("count").textContent = `${done} / ${plan.cells.length}`;
  const cell = plan.cells.find((cell) => cell.number === state.number);
  let answer = words.waiting;
  if (state.stopping) answer = words[`stopping-${state.stopping}`];
  else if (!running) answer = plan.state === "finished" ? words.finished : words.interrupted;
  else if (state.loading) answer = say("loading", state.loading.what, Math.round(state.loading.share * 100));
  else if (cell) answer = say("running", cell.number, plan.cells.length, cell.bed, `${cell.level_name} ${plain(cell.level)}, ${say("repeat", cell.repeat)}${state.phase ? `, ${state.phase}` : ""}`);
  element("answer").textContent = answer;
  element("plan").title = say("counts", done, now, left);
  const seconds = remaining(left);
  element("left").textContent = running && seconds !== null ? span(seconds) : "–";
  element("ends").textContent = running && seconds !== null ? say("ends", new Date(Date.now() + seconds * 1000).toTimeString().slice(0, 5)) : "";
}

// By the plan's time for a cell of the kind that runs.
function remaining(left) {
  if (!state.begun) return null;
  const cells = Math.max(1, state.begun.left);
  const each = state.doneHere ? (Date.now() - state.begun.at_ms) / 1000 / state.doneHere : state.begun.expected_s / cells;
  const inCell = state.cellStarted ? Math.max(0, each - (Date.now() - state.cellStarted) / 1000) : 0;
  return left * each + inCell;
}
function span(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : seconds >= 90 ? `${minutes} min` : `${Math.ceil(seconds)} s`;
}

function drawPlan() {
  const { beds, cells } = state.plan;
  const [width, left, row] = [1088, 200, 26];
  const svg = canvas("plan", width, beds.length * row + 30, element("plan").title);
  const step = (width - left) / Math.max(1, cells.length);
  const size = Math.max(2, Math.min(18, step - 1));
  beds.forEach((bed, at) => {
    const group = shape(svg, "g", { class: colour(bed.name) });
    shape(group, "text", { class: "name", x: 0, y: at * row + 36 }, bed.name.slice(0, 26));
  });
  let repeat = null;
  cells.forEach((cell, at) => {
    const [x, y] = [left + at * step, beds.findIndex((bed) => bed.name === cell.bed) * row + 22];
    if (cell.repeat !== repeat) {
      repeat = cell.repeat;
      shape(svg, "line", { class: "grid", x1: x - 1, x2: x - 1, y1: 16, y2: beds.length * row + 20 });
      shape(svg, "text", { x: x + 1, y: 11 }, say("repeat", repeat));
    }
    const group = shape(svg, "g", { class: colour(cell.bed) });
    const now = cell.number === state.number && state.plan.state === "running";
    const box = shape(group, "rect", { class: `cell ${now ? "running" : cell.state}`, x, y, width: size, height: 18 });
    shape(box, "title", {}, `${say("cell", cell.number)}: ${cell.bed}, ${cell.level_name} ${plain(cell.level)}, ${say("repeat", cell.repeat)}: ${cell.state}${cell.reason ? `: ${cell.reason}` : ""}`);
    if (size > 12) shape(group, "text", { class: cell.state === "done" && !now ? "level in" : "level", x: x + size / 2, y: y + 13 }, plain(cell.level));
  });
}

function drawSeconds() {
  const [width, left, right, height] = [744, 60, 180, 180];
  const svg = canvas("seconds", width, height * 2 + 60, words.rate);
  const cell = state.plan.cells.find((cell) => cell.number === state.number);
  if (!cell) return;
  const lines = [...state.past.entries()].map(([bed, past]) => ({ bed, seconds: past.seconds, last: true, repeat: past.cell.repeat }));
  lines.push({ bed: cell.bed, seconds: state.seconds, last: false });
  const all = lines.flatMap((line) => line.seconds);
  if (!all.length) return;
  const ends = Math.max(10, ...all.map((second) => second[0] + 1));
  const x = (s) => left + (s / ends) * (width - left - right);
  panel(svg, lines, { top: 24, height, x, label: state.unit || words.rate, log: false, columns: [1], ends });
  panel(svg, lines, { top: height + 54, height, x, label: words.latency, log: true, columns: [2, 3], ends });
}

function panel(svg, lines, { top, height, x, label, log, columns, ends }) {
  const values = lines.flatMap((line) => line.seconds.flatMap((second) => columns.map((column) => second[column]))).filter((value) => value > 0);
  if (!values.length) return;
  const [low, high] = log ? [Math.log10(Math.min(...values)), Math.log10(Math.max(...values)) + 0.05] : [0, Math.max(...values) * 1.05];
  const y = (value) => top + height - (((log ? Math.log10(value) : value) - low) / Math.max(1e-9, high - low)) * height;
  shape(svg, "text", { x: 0, y: top - 10 }, label);
  for (const tick of ticks(low, high, log)) {
    shape(svg, "line", { class: "grid", x1: x(0), x2: x(ends), y1: y(tick), y2: y(tick) });
    shape(svg, "text", { x: x(0) - 6, y: y(tick) + 4, "text-anchor": "end" }, plain(tick));
  }
  shape(svg, "line", { class: "axis", x1: x(0), x2: x(ends), y1: top + height, y2: top + height });
  if (log) for (let s = 0; s <= ends; s += Math.max(1, Math.ceil(ends / 50) * 10)) shape(svg, "text", { x: x(s), y: top + height + 16, "text-anchor": "middle" }, `${s}${s ? "" : " s"}`);
  const labels = [];
  for (const line of lines) {
    const group = shape(svg, "g", { class: colour(line.bed) });
    columns.forEach((column, at) => {
      let path = "", pen = "M", end = null;
      for (const second of line.seconds) {
        const value = second[column];
        if (value === null || (log && !(value > 0))) { pen = "M"; continue; }
        path += `${pen}${x(second[0]).toFixed(1)} ${y(value).toFixed(1)}`;
        [pen, end] = ["L", [x(second[0]), y(value), value]];
      }
      if (!end) return;
      shape(group, "path", { class: `line${line.last ? " last" : ""}${columns.length > 1 && !at ? " dash" : ""}`, d: path });
      const name = columns.length > 1 ? (at ? "p99" : "p50") : line.bed.slice(0, 18);
      labels.push({ group, x: x(ends) + 8, y: end[1], text: `${name} ${plain(end[2])}` });
    });
  }
  place(labels, top, top + height);
  for (const { group, x: at, y: row, text } of labels) shape(group, "text", { class: "name", x: at, y: row + 4 }, text);
  if (!log) for (const stall of state.stalls) {
    shape(svg, "line", { class: "stall", x1: x(stall.at), x2: x(stall.at), y1: top, y2: top + height });
    shape(svg, "text", { class: "stalled", x: x(stall.at) + 4, y: top + 12 }, say("stall", stall.s.toFixed(0)));
  }
}

// Labels at least a line apart, in the order of their lines' ends.
function place(labels, top, bottom) {
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((label, at) => { label.y = Math.max(label.y, at ? labels[at - 1].y + 15 : top); });
  for (let at = labels.length - 1; at >= 0; at--) labels[at].y = Math.min(labels[at].y, (at + 1 < labels.length ? labels[at + 1].y - 15 : bottom));
}

function ticks(low, high, log) {
  if (log) {
    const all = [];
    for (let power = Math.floor(low); power <= high; power++) for (const digit of high - low > 2 ? [1] : [1, 2, 5]) all.push(digit * 10 ** power);
    return all.filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  }
  const rough = high / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((step) => step >= rough) || rough;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, at) => at * step);
}

for (const button of document.querySelectorAll("[data-stop]")) {
  button.addEventListener("click", async () => {
    const answer = await fetch(`/stop/${button.dataset.stop}`, { method: "POST", headers: { "x-drivetrain": "1" } });
    if (answer.ok) {
      state.stopping = button.dataset.stop;
      for (const other of document.querySelectorAll("[data-stop]")) other.disabled = other === button || state.stopping === "now";
      draw();
    } else {
      element("answer").textContent = say("refused", answer.status);
    }
  });
}

function gone() { element("answer").textContent = words.disconnected; }

// A run that is under way is followed; a finished one is drawn once.
readPlan().then(() => {
  noteEnded();
  if (state.plan.state !== "running") return;
  const stream = new EventSource("/events");
  stream.onmessage = (message) => { take(JSON.parse(message.data)); draw(); };
  stream.onerror = gone;
  const look = setInterval(() => readPlan().then(() => {
    if (state.plan.state === "running") return;
    [state.stopping] = [null];
    stream.close();
    clearInterval(look);
    draw();
  }).catch(gone), 5000);
}).catch(gone);
