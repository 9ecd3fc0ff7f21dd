// What the page knows: the plan, the running cell, and how the run and its server are. The server draws the seconds.

const MACHINE_KEPT = 60;

export const state = {
  plan: null, number: null, seconds: 0, lastSecond: -1, hasWorked: false, stalled: 0, phase: "",
  // The cell of an ended run that a reader chose.
  chosen: null,
  stopping: null, cellStarted: null, begun: null, loading: null, isLost: false,
  // The time at which the server said something last.
  heardAt: null,
  // The last seconds of processors and drives.
  machine: [],
};

// The state of the page in one word: what is drawn as its chip, and said in its first sentence.
export function condition() {
  const { plan, isLost, stopping, loading, number } = state;
  // A run that has ended stays as it ended, whether its server is still there or not.
  if (plan && plan.state !== "running") return plan.state;
  if (isLost) return "disconnected";
  if (!plan) return "waiting";
  if (stopping) return `stopping-${stopping}`;
  if (loading) return "loading";
  return number === null ? "waiting" : "running";
}

export const isRunning = () => state.plan !== null && state.plan.state === "running";
export const cellNow = () => state.plan.cells.find((cell) => cell.number === state.number);

// The last finished cell of the bed and the level that are drawn.
export function lastOfSame() {
  const now = cellNow();
  const isLike = (cell) => cell.state === "done" && cell.level === now.level && cell.workload === now.workload && cell.bed === now.bed;
  return now && state.plan.cells.findLast((cell) => isLike(cell) && cell.number !== now.number);
}

// A part of a long cell's feed begins with its cell, too.
export function beginCell(event) {
  state.loading = null;
  if (state.number === event.number && state.cellStarted === event.at_ms) return;
  Object.assign(state, {
    number: event.number, seconds: 0, lastSecond: -1, hasWorked: false, stalled: 0, phase: "", cellStarted: event.at_ms, machine: [],
  });
}

export function addMachine(event) {
  state.machine = [...state.machine, event].slice(-MACHINE_KEPT);
}

// Counts a second of the running cell; gives how many have passed without work, once some had been done.
export function addSecond({ elapsed_s, rate_per_s }) {
  const s = Math.max(0, elapsed_s - 1);
  if (s - state.lastSecond < 0.9) return 0;
  state.lastSecond = s;
  state.seconds += 1;
  state.stalled = state.hasWorked && rate_per_s === 0 ? state.stalled + 1 : 0;
  state.hasWorked ||= rate_per_s > 0;
  return state.stalled;
}

// A spread needs so many cells.
const CELLS_FOR_SPREAD = 4;

// Seconds until the plan is complete: by the cells of this start that are done, before the first by the plan. The spread
// is two standard deviations of the sum of so many cells.
export function remaining(left) {
  if (!state.begun) return null;
  const ended = state.plan.cells.map((cell) => [Date.parse(cell.started_at), Date.parse(cell.ended_at)]);
  const took = ended.filter(([from, to]) => from >= state.begun.at_ms && to >= from).map(([from, to]) => (to - from) / 1000);
  const sum = took.reduce((all, one) => all + one, 0);
  const each = took.length ? sum / took.length : state.begun.expected_s / Math.max(1, state.begun.left);
  const inCell = state.cellStarted ? Math.max(0, each - (Date.now() - state.cellStarted) / 1000) : 0;
  const variance = took.reduce((all, one) => all + (one - each) ** 2, 0) / Math.max(1, took.length - 1);
  const spread = took.length < CELLS_FOR_SPREAD ? null : 2 * Math.sqrt(variance * (left + 1));
  return { seconds: left * each + inCell, spread, took: took.length, sum };
}

// Repeats of which every cell has ended, and all of them.
export function repeats() {
  const all = new Map();
  for (const cell of state.plan.cells) {
    all.set(cell.repeat, (all.get(cell.repeat) ?? true) && (cell.state === "done" || cell.state === "invalid"));
  }
  return { all: all.size, complete: [...all.values()].filter(Boolean).length };
}
