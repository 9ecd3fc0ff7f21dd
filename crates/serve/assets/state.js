// What the page knows: the plan, the running cell, and how the run and its server are. The server draws the seconds.

const MACHINE_KEPT = 60;

export const state = {
  plan: null, number: null, seconds: 0, lastSecond: -1, hasWorked: false, isStalled: false, phase: "",
  // The cell of an ended run that a reader chose.
  chosen: null,
  stopping: null, cellStarted: null, begun: null, loading: null, isLost: false,
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
    number: event.number, seconds: 0, lastSecond: -1, hasWorked: false, isStalled: false, phase: "", cellStarted: event.at_ms, machine: [],
  });
}

export function addMachine(event) {
  state.machine = [...state.machine, event].slice(-MACHINE_KEPT);
}

// Counts a second of the running cell; true if it is the first without work, once some had been done.
export function addSecond({ elapsed_s, rate_per_s }) {
  const s = Math.max(0, elapsed_s - 1);
  if (s - state.lastSecond < 0.9) return false;
  state.lastSecond = s;
  state.seconds += 1;
  const isStalled = state.hasWorked && rate_per_s === 0;
  const begins = isStalled && !state.isStalled;
  state.hasWorked ||= rate_per_s > 0;
  state.isStalled = isStalled;
  return begins;
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
