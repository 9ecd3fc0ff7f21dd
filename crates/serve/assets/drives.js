// The drives under the running cell, and what is nearest to its limit: readings of the last seconds.

import { show } from "./figures.js";
import { cellNow, isRunning, lastOfSame, state } from "./state.js";
import { element, plain, say, tagged, words } from "./words.js";

// A processor or a drive that is busy less than this is far from its limit.
const NEAR = 0.7;
const SECONDS_READ = 10;

const percent = (share) => plain(Math.round(share * 100));
const nameOf = (drive) => (drive.log ? say("drive-log", drive.name) : drive.name);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function drawDrives() {
  const now = state.machine[state.machine.length - 1];
  element("drives-part").hidden = !isRunning() || !now || !now.drives.length || !cellNow();
  if (element("drives-part").hidden) return;
  element("drives-title").textContent = say("drives-of", cellNow().bed);
  element("drives").className = `wide bed${cellNow().bed_slot % 5}`;
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
  element("shares").replaceChildren(...bars(idle, busiest));
  const last = lastOfSame();
  element("limits-last").textContent = last ? say("limits-last", last.limiter_text ?? "–", last.number) : words["limits-no-last"];
}

// The processors' time and the busiest drive's, each as a bar of its parts.
function bars(idle, busiest) {
  const processors = bar(words["limits-cpu"], [["g3", words["limits-busy"], 1 - idle], ["g8", words["limits-idle"], idle]]);
  if (!busiest) return [processors];
  const { drive, busy, reads } = busiest;
  const parts = [["g1", words["limits-reads"], busy * reads], ["g2", words["limits-writes"], busy * (1 - reads)], ["g8", words["limits-idle"], 1 - busy]];
  return [processors, bar(nameOf(drive), parts)];
}

function bar(name, parts) {
  const made = tagged("div", "bar", "");
  const line = tagged("span", "line", "");
  line.setAttribute("aria-hidden", "true");
  for (const [fill, , share] of parts) {
    const part = tagged("i", fill, share >= 0.14 ? `${percent(share)} %` : "");
    part.style.flexGrow = Math.max(share, 0.001);
    line.append(part);
  }
  const said = parts.map(([, part, share]) => `${part} ${percent(share)} %`).join(" · ");
  made.append(tagged("b", "", name), line, tagged("span", "said", said));
  return made;
}

// The drive that was busy for the longest in these seconds, and how much of its time went to reads.
function busiestOf(read) {
  const of = (drive) => read.map((second) => second.drives.find((other) => other.name === drive.name && other.log === drive.log)).filter(Boolean);
  const drives = read[read.length - 1].drives.map((drive) => {
    const seconds = of(drive);
    const time = (per, wait) => seconds.reduce((sum, second) => sum + second[per] * (second[wait] ?? 0), 0);
    const [reads, writes] = [time("reads_per_s", "read_await_s"), time("writes_per_s", "write_await_s")];
    return { drive, busy: mean(seconds.map((second) => second.busy)), reads: reads + writes > 0 ? reads / (reads + writes) : 0 };
  });
  return drives.reduce((most, drive) => (most && most.busy >= drive.busy ? most : drive), null);
}
