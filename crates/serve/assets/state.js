// What the page knows: the plan, the seconds of the cell that is drawn, and how the run and its server are.

const STALL_S = 1;
// More seconds than there are points across the page are thinned.
const SECONDS_KEPT = 7200;
const MACHINE_KEPT = 60;
// The rates of the notebook, and their units as the events of a run have them.
const RATES = { nopm: "new orders/s", tpm: "transactions/s", iops: "IOPS", tps: "transactions/s", backup_rate: "MB/s of backup" };

// A second is { s, rate, mid, p99, p999 }, latencies in ms; `mid` is the median, or the mean in older notebooks.
export const state = {
  plan: null, number: null, isKept: false, seconds: [], mid: "p50", unit: "", phase: "", past: new Map(), stalls: [],
  // Seconds from and to which the cell is measured, where that is known.
  measured: null,
  stopping: null, cellStarted: null, begun: null, loading: null, isLost: false,
  // The last seconds of processors and drives.
  machine: [],
};

// The state of the page in one word: what is drawn as its chip, and said in its first sentence.
export function condition() {
  const { plan, isLost, stopping, loading, number } = state;
  if (isLost) return "disconnected";
  if (!plan) return "waiting";
  if (plan.state !== "running") return plan.state;
  if (stopping) return `stopping-${stopping}`;
  if (loading) return "loading";
  return number === null ? "waiting" : "running";
}

export const isRunning = () => state.plan !== null && state.plan.state === "running";
export const cellNow = () => state.plan.cells.find((cell) => cell.number === state.number);

// The last finished cell of each other bed at the level that is drawn.
export function lastOfOthers() {
  const now = cellNow();
  if (!now) return [];
  const isLike = (cell) => cell.state === "done" && cell.level === now.level && cell.workload === now.workload && cell.number !== now.number;
  const last = (bed) => state.plan.cells.findLast((cell) => isLike(cell) && cell.bed === bed.name);
  return state.plan.beds.filter((bed) => bed.name !== now.bed).map(last).filter(Boolean);
}

// The last finished cell of the bed and the level that are drawn.
export function lastOfSame() {
  const now = cellNow();
  const isLike = (cell) => cell.state === "done" && cell.level === now.level && cell.workload === now.workload && cell.bed === now.bed;
  return now && state.plan.cells.findLast((cell) => isLike(cell) && cell.number !== now.number);
}

// The series of the notebook in the form of the live seconds.
export function secondsOf(document) {
  const named = (...names) => names.map((name) => document.series.find((series) => series.metric === name)).find(Boolean);
  const rate = named(...Object.keys(RATES)) || document.series[0];
  const [mid, p99, p999] = [named("latency_p50", "latency_mean"), named("latency_p99"), named("latency_p999")];
  if (!rate) return { seconds: [], mid: "p50", unit: "", measured: null };
  const isPerMinute = rate.unit === "1/min";
  const ms = (series, at) => (series && series.values[at] > 0 ? series.values[at] : null);
  const seconds = rate.values.map((value, at) => ({
    s: rate.start_s + at, rate: isPerMinute ? value / 60 : value, mid: ms(mid, at), p99: ms(p99, at), p999: ms(p999, at),
  }));
  const phase = document.phases.find((phase) => phase.name === "measure");
  const measured = phase ? { from: phase.start_s, to: phase.end_s } : null;
  return { seconds, mid: mid?.metric === "latency_mean" ? "mean" : "p50", unit: RATES[rate.metric] ?? rate.unit, measured };
}

// A cell whose figures the notebook has.
export function showKept(number, { seconds, mid, unit, measured }) {
  Object.assign(state, { number, isKept: true, seconds, mid, unit, measured });
  findStalls();
}

// A part of a long cell's feed begins with its cell, too.
export function beginCell(event) {
  state.loading = null;
  if (state.number === event.number && state.cellStarted === event.at_ms) return;
  Object.assign(state, { number: event.number, isKept: false, seconds: [], mid: "p50", stalls: [], measured: null, phase: "", cellStarted: event.at_ms, machine: [] });
}

export function beginPhase(event) {
  state.phase = event.phase;
  const s = state.seconds.length ? state.seconds[state.seconds.length - 1].s + 1 : 0;
  if (event.phase === "measure") state.measured = { from: s, to: Infinity };
  else if (state.measured) state.measured.to = Math.min(state.measured.to, s);
}

export function addMachine(event) {
  state.machine = [...state.machine, event].slice(-MACHINE_KEPT);
}

// Adds a second of the running cell; true if it is the first of a stall.
export function addSecond(event) {
  const ms = (ns) => (ns ? ns / 1e6 : null);
  const last = state.seconds[state.seconds.length - 1];
  // A second is drawn at its beginning, as those of the notebook are.
  const s = Math.max(0, event.elapsed_s - 1);
  if (last && s - last.s < 0.9) return false;
  state.unit = event.unit;
  state.seconds.push({ s, rate: event.rate_per_s, mid: ms(event.p50_ns), p99: ms(event.p99_ns), p999: ms(event.p999_ns) });
  if (state.seconds.length > SECONDS_KEPT) state.seconds = state.seconds.filter((_, at) => at % 2);
  const before = state.stalls.length;
  findStalls();
  return state.stalls.length > before;
}

// Stretches of more than a second in which no work was completed, once some had been.
function findStalls() {
  state.stalls = [];
  let begun = false, from = null;
  for (const { s, rate } of state.seconds) {
    if (rate > 0) { begun = true; from = null; continue; }
    if (!begun) continue;
    if (from === null) { from = s; state.stalls.push({ at: s, s: STALL_S }); }
    state.stalls[state.stalls.length - 1].s = Math.max(STALL_S, s - from + 1);
  }
}

// Seconds until the plan is complete: by the cells of this start that are done, before the first by the plan.
export function remaining(left) {
  if (!state.begun) return null;
  const took = state.plan.cells.map((cell) => [Date.parse(cell.started_at), Date.parse(cell.ended_at)]).filter(([from, to]) => from >= state.begun.at_ms && to >= from);
  const each = took.length
    ? took.reduce((sum, [from, to]) => sum + to - from, 0) / 1000 / took.length
    : state.begun.expected_s / Math.max(1, state.begun.left);
  const inCell = state.cellStarted ? Math.max(0, each - (Date.now() - state.cellStarted) / 1000) : 0;
  return left * each + inCell;
}
