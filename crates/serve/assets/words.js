// The sentences of the page, which the server wrote into it, and numbers by the rules of its language.

const page = document.getElementById("page");
const language = document.documentElement.lang;
const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

export const run = page.dataset.run;
export const words = JSON.parse(document.getElementById("words").textContent);
export const element = (id) => document.getElementById(id);

// A sentence with its data in the places of `[]`, in their order.
export const say = (name, ...data) => data.reduce((text, value) => text.replace("[]", () => String(value)), words[name]);

// The same with elements among the data, as nodes for an element.
export function nodes(name, ...data) {
  const texts = words[name].split("[]");
  return texts.flatMap((text, at) => (at < data.length ? [text, data[at]] : [text]));
}

export function tagged(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// Three digits, or all of a whole number.
export const plain = (value) => (Math.abs(value) >= 100 ? whole : short).format(value);

export function span(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : seconds >= 90 ? `${minutes} min` : `${Math.ceil(seconds)} s`;
}

// A word of an event in the language of the page.
export const told = (kind, name) => words[`${kind}-${name}`] ?? name;
export const levelOf = (cell) => `${cell.level_said}, ${say("repeat", cell.repeat)}`;
// Colour and mark of a bed, as figures have them.
const MARKS = "●■▲◆▼";
export const bedMark = (cell) => tagged("b", `bed${cell.bed_slot % MARKS.length}`, `${MARKS[cell.bed_slot % MARKS.length]} ${cell.bed}`);
// All times of the page are UTC, as in reports.
export const timeOf = (ms) => new Date(ms).toISOString().slice(11, 19);
export const cellInWords = (cell) => `${cell.bed}, ${levelOf(cell)}`;
