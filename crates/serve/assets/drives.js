// The drives under the running cell, and what is nearest to its limit: readings of the last seconds.

import { show } from "./figures.js";
import { cellNow, isRunning, lastOfSame, state } from "./state.js";
import { element, plain, say, words } from "./words.js";

// A processor or a drive that is busy less than this is far from its limit.
const NEAR = 0.7;
const SECONDS_READ = 10;

const percent = (share) => plain(Math.round(share * 100));
const ms = (seconds) => (seconds === null ? "–" : `${plain(seconds * 1000)} ms`);
const nameOf = (drive) => (drive.log ? say("drive-log", drive.name) : drive.name);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function drawDrives() {
  const now = state.machine[state.machine.length - 1];
  element("drives-part").hidden = !isRunning() || !now || !now.drives.length || !cellNow();
  if (element("drives-part").hidden) return;
  element("drives-title").textContent = say("drives-of", cellNow().bed);
  element("drives-note").textContent = now.drives.some((drive) => !drive.modelled) ? words["drives-real"] : words["drives-modelled"];
}

// The rows come with each second of the drives.
export function askDrives() {
  if (!document.hidden) show("drives", "drives");
}

export function drawLimits() {
  const read = state.machine.slice(-SECONDS_READ);
  element("limits-part").hidden = !read.length;
  if (!read.length) return;
  const idle = mean(read.map((second) => second.cpu_idle));
  const busiest = busiestOf(read);
  const isDrive = busiest && busiest.busy >= 1 - idle;
  element("limits").textContent = !(Math.max(1 - idle, busiest?.busy ?? 0) >= NEAR)
    ? words["limits-none"]
    : isDrive ? say("limits-drive", percent(busiest.busy)) : say("limits-processors", percent(1 - idle));
  element("limits-read").textContent = busiest
    ? say("limits-read", percent(idle), nameOf(busiest.drive), percent(busiest.busy), ms(busiest.await_s))
    : say("limits-read-processors", percent(idle));
  const last = lastOfSame();
  element("limits-last").textContent = last ? say("limits-last", last.limiter_text ?? "–", last.number) : words["limits-no-last"];
}

// The drive that was busy for the longest in these seconds.
function busiestOf(read) {
  const of = (drive) => read.map((second) => second.drives.find((other) => other.name === drive.name && other.log === drive.log)).filter(Boolean);
  const drives = read[read.length - 1].drives.map((drive) => {
    const seconds = of(drive);
    const waits = seconds.map((second) => second.await_s).filter((wait) => wait !== null);
    return { drive, busy: mean(seconds.map((second) => second.busy)), await_s: waits.length ? mean(waits) : null };
  });
  return drives.reduce((most, drive) => (most && most.busy >= drive.busy ? most : drive), null);
}
