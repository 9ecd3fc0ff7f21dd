// Figures, which the server draws as it draws those of reports: each takes the place of the one before it.

import { element, run } from "./words.js";

// A figure is asked for once a second at most, and never while an answer is under way.
const EVERY_MS = 1000;
const ANSWER_MS = 10000;

const places = new Map();

// Waits until every figure that was asked for stands in its place.
export const settled = () => Promise.all([...places.values()].map((place) => place.filled));

// Puts the figure of this name into the element; the last one asked for stays.
export function show(id, name, data = {}) {
  const width = Math.round(element(id).clientWidth) || 744;
  const path = `/api/run/${run}/figure/${name}?${new URLSearchParams({ width, ...data })}`;
  const place = places.get(id) ?? { askedAt: 0, name: "", isBusy: false, next: null, filled: null };
  places.set(id, place);
  // Only the same figure waits for its second.
  if (place.name !== name) Object.assign(place, { name, askedAt: 0 });
  place.next = path;
  if (!place.isBusy) place.filled = fill(id, place);
}

// Once for each state of what it shows: of the same state it is there already.
const shown = new Map();
export function showOnce(id, name, of, data = {}) {
  const now = JSON.stringify([name, of, data, element(id).clientWidth]);
  if (shown.get(id) === now) return;
  shown.set(id, now);
  show(id, name, data);
}

async function fill(id, place) {
  place.isBusy = true;
  try {
    while (place.next !== null) {
      const wait = place.askedAt + EVERY_MS - Date.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const path = place.next;
      place.next = null;
      place.askedAt = Date.now();
      const answer = await fetch(path, { signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.ok) element(id).innerHTML = await answer.text();
      else shown.delete(id);
    }
  } catch {
    // The page says itself that the server is gone; the next event asks again.
    place.next = null;
    shown.delete(id);
  } finally {
    place.isBusy = false;
  }
}
