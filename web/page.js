// SPDX-License-Identifier: LGPL-3.0-or-later
// The page: fields write a question, a worker answers it, and the answer is shown. The fields are made of the library's vocabulary.
// No bound is computed here, and numbers of an answer are shown as the texts they are. Tests use `call` and `ready`.
"use strict";
const $ = (id) => document.getElementById(id);

// ---- the worker ----

const bytes = (async () => {
  const packed = Uint8Array.from(atob($("module").textContent.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
})();
const source = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));
let worker = null, waiting = null, queue = Promise.resolve();

function start() {
  const started = new Worker(source);
  started.onmessage = ({data}) => {
    if (started !== worker) return; // it was ended, and this was under way
    if (data.line !== undefined) return progress(data.line);
    const {resolve, reject} = waiting || {resolve() {}, reject() {}};
    waiting = null;
    if (data.failure !== undefined) reject(new Error(data.failure));
    else resolve(data.text);
  };
  started.onerror = (event) => {
    if (waiting) waiting.reject(new Error(event.message || "the worker does not start"));
    waiting = null;
  };
  bytes.then((module) => started.postMessage({module}));
  return started;
}

// A function of web.c in the worker, one after the other; after `stop` the promises of all that waited are rejected.
function call(name, ...texts) {
  const turn = worker = worker || start();
  queue = queue.catch(() => {}).then(() => new Promise((resolve, reject) => {
    if (turn !== worker) return reject(new Error("cancelled"));
    waiting = {resolve, reject};
    bytes.then(() => turn.postMessage({name, texts}), reject);
  }));
  return queue;
}

function stop() {
  if (worker) worker.terminate();
  worker = null;
  if (waiting) waiting.reject(new Error("cancelled"));
  waiting = null;
}

// ---- the form ----

// What the fields say at first; others are empty.
const FIRST = {
  "eps0": "1", "k": "10", "g": "4", "size": "3", "p": "3/4", "q": "1/4", "scale": "1", "rows": "[[\"3/4\", \"1/4\"], [\"1/4\", \"3/4\"]]",
  "parts": "[{\"type\": \"krr\", \"k\": 4, \"eps0\": 1}, {\"type\": \"krr\", \"k\": 3, \"eps0\": \"1/2\"}]", "weights": "[\"1/3\", \"2/3\"]",
  "groups": "[{\"mechanism\": {\"type\": \"rr2\", \"eps0\": 1}, \"users\": 1000}, {\"mechanism\": {\"type\": \"rr2\", \"eps0\": \"1/2\"}, \"users\": 9000}]",
  "noise_multiplier": "1", "steps": "100", "coins": "10000", "sampling_rate": "1/10", "threshold": "20", "w0": "1/2", "w1": "1/5", "r0": "1/10", "r1": "1/5", "sigma": "2",
  "users": "10000", "eps": "0.5", "delta": "1e-6", "order": "2", "type1": "0.1", "renyi": "0.1", "rho": "0.1", "mu": "0.5"
};
// Claims, by their members; "eps" with "mu" is a range.
const CLAIMS = [
  {"name": "claim of (eps, delta)", "point": "eps delta", "about": "Whether the mechanism is (eps, delta)-differentially private"},
  {"name": "claim of Renyi privacy", "point": "order renyi", "about": "Whether the Renyi divergence of that order is at most the one claimed"},
  {"name": "claim of zero-concentrated privacy", "point": "rho", "about": "Whether every Renyi divergence is at most rho times its order"},
  {"name": "claim of Gaussian privacy", "point": "mu eps", "about": "Whether the mechanism is mu-Gaussian differentially private for all eps of a range"}
];
// Mechanisms without a number of users beside them, and what their rounds are.
const WITHOUT_USERS = {"groups": "rounds", "noisy-sgd": "epochs", "binomial-noise": "releases", "additive-noise": "releases", "sample-and-threshold": "releases"};
const RANGE = "0, 1"; // of eps, where two numbers are needed

const typed = new Map(); // what the reader has put into fields, by their keys
let words = null; // the vocabulary: mechanisms, pairs, samplers, quantities, members

const sentence = ({about, range, default: otherwise}) => {
  const more = [range, otherwise && "default: " + otherwise].filter(Boolean).join("; ");
  return about + (more ? ` (${more})` : "") + (about.endsWith(".") ? "" : ".");
};
const subject = () => $("subject").selectedOptions[0].row;
const asked = () => $("asked").selectedOptions[0].row;
const member = (object, name) => words.members.find((m) => m.name === name && m.in.includes(object));

// A row's members as the vocabulary lists them, "k? eps0|gamma". What may be left out, and all but the first of several with | between
// them, are empty at first; only these have a default.
const listed = (list) => list.split(" ").filter(Boolean).flatMap((item) => item.replace("?", "").split("|").map((name, i, all) => {
  const optional = item.endsWith("?");
  return {name, optional, first: optional || i > 0 ? "" : FIRST[name] ?? "", needed: all.length === 1 && !optional};
}));

// A field for the member of the object: where it stands in the question, as a path; its first value, and its label.
function field(path, {name, first = "", needed = false}, label = name.replaceAll("_", " "), within = "") {
  const row = {...member(path.at(-2) ?? "question", name), ...(needed ? {default: undefined} : {})}, key = [within, ...path].join(" ");
  const p = document.createElement("p"), l = document.createElement("label"), hint = document.createElement("small");
  const choices = row.kind === "sampler" ? words.samplers.map((s) => s.name) : row.kind === "flag" ? ["true"] : row.choices;
  const input = document.createElement(choices ? "select" : "input");
  p.className = "field";
  l.textContent = label;
  l.htmlFor = input.id = path.join("-");
  hint.id = input.id + "-hint";
  input.setAttribute("aria-describedby", hint.id);
  if (choices) input.append(...(needed ? [] : [new Option(row.default ? "default" : "none", "")]), ...choices.map((choice) => new Option(choice, choice)));
  else Object.assign(input, {inputMode: row.kind === "count" ? "numeric" : "text", autocomplete: "off", spellcheck: false, autocapitalize: "off"});
  if (typed.has(key) || !choices) input.value = typed.get(key) ?? first;
  input.path = path;
  input.kind = row.kind;
  const explain = () => { hint.textContent = sentence(row.kind === "sampler" ? words.samplers.find((s) => s.name === input.value) : row); };
  input.addEventListener("input", () => { typed.set(key, input.value); explain(); });
  explain();
  p.append(l, input, hint);
  return p;
}

// What a field says, as JSON. An array or an object stays as it is written: JavaScript would round its numbers.
function read({kind, value}) {
  const text = value.trim();
  if (kind === "flag" || (kind === "digits" && /^\d+$/.test(text)) || /^[[{]/.test(text)) return text;
  return JSON.stringify(kind === "point" && text.includes(",") ? text.split(",").map((part) => part.trim()) : text);
}

const object = (members) => "{" + Object.entries(members)
  .map(([name, value]) => JSON.stringify(name) + ":" + (typeof value === "string" ? value : object(value))).join(",") + "}";

// What the fields say, as a question.
function write() {
  const place = subject().side ? "pair" : "mechanism", question = {[place]: {type: JSON.stringify(subject().name)}};
  for (const input of $("fields").querySelectorAll("input, select")) {
    if (!input.path || input.value.trim() === "") continue;
    let into = question;
    for (const name of input.path.slice(0, -1)) into = into[name] ??= {};
    into[input.path.at(-1)] = read(input);
  }
  if (!CLAIMS.includes(asked())) question.ask = {quantity: JSON.stringify(asked().name), ...question.ask};
  $("question").value = object(question);
}

// What is looked for is not given.
const isSearched = (name) => name === asked().name || (name === "rounds" && asked().name === "epochs");

function showMembers() {
  const row = subject(), object = row.side ? "pair" : "mechanism", rounds = WITHOUT_USERS[row.name];
  const own = listed(row.members).filter(({name}) => !isSearched(name)).map((m) => field([object, m.name], m, undefined, row.name));
  const others = listed(rounds ? "rounds?" : "users rounds?").filter(({name}) => !isSearched(name))
    .map((m) => field([m.name], m, m.name === "rounds" ? rounds : undefined));
  $("members").replaceChildren(...own, ...others);
  $("subject-hint").textContent = sentence(row) + ({upper: " Bounds mechanisms from above.", lower: " Bounds mechanisms from below."}[row.side] || "");
}

function showPoint() {
  const row = asked(), isRange = row.point.includes("mu") || row.name === "gdp";
  $("point").replaceChildren(...listed(row.point).map((m) => field([CLAIMS.includes(row) ? "claim" : "ask", m.name],
    isRange && m.name === "eps" ? {...m, first: RANGE} : m, undefined, isRange ? row.name : "")));
  $("asked-hint").textContent = sentence(row);
}

// Quantities that the subject has: a parameter only if it is one of its own, and a claim is about a mechanism.
function offered({name}) {
  const row = subject(), own = listed(row.members).filter((m) => !m.optional).map((m) => m.name);
  if (CLAIMS.some((claim) => claim.name === name)) return !row.side;
  if (name === "sensitivity") return !row.side && listed(row.members).some((m) => m.name === name);
  if (member("mechanism", name)) return !row.side && own.includes(name);
  if (name === "epochs") return row.name === "noisy-sgd";
  if (name === "coins") return row.name === "binomial-noise";
  if (name === "rounds") return WITHOUT_USERS[row.name] === "releases";
  if (name === "users") return !WITHOUT_USERS[row.name];
  return true;
}

function choose() {
  const before = $("asked").value;
  $("asked").replaceChildren(...[["Compute", words.quantities], ["Judge", CLAIMS]].map(([label, rows]) => group(label, rows.filter(offered))).filter((g) => g.children.length));
  if ([...$("asked").options].some((option) => option.value === before)) $("asked").value = before;
  showPoint();
  showMembers();
  write();
}

function group(label, rows) {
  const g = document.createElement("optgroup");
  g.label = label;
  g.append(...rows.map((row) => Object.assign(new Option(row.name, row.name), {row})));
  return g;
}

// Members of a question that are in no field above.
function showOptions() {
  const shown = ["text", "mechanism", "pair", "users", "rounds", "ask", "claim", "form", "sample", "selection"];
  const others = words.members.filter((m) => m.in.includes("question") && !shown.includes(m.kind)).map((m) => field([m.name], {name: m.name}));
  const sample = words.members.filter((m) => m.in.includes("sample")).map((m) => field(["sample", m.name], {name: m.name}, "sample: " + m.name));
  const selection = words.members.filter((m) => m.in.includes("selection")).map((m) => field(["selection", m.name], {name: m.name}, "selection: " + m.name));
  $("options").replaceChildren(...sample, ...selection, ...others);
}

// ---- an answer ----

let answered = null; // the last answer: the object, and its text

// The text of the command line: each line a paragraph, what is indented belongs to the line before it. The first one says it.
function showText(text, answer) {
  const lines = text.trimEnd().split("\n");
  $("text").className = answer.error ? "error" : answer.verdict || "";
  $("text").replaceChildren(...lines.map((line) =>
    Object.assign(document.createElement("p"), {textContent: line.trim(), className: line.startsWith(" ") ? "detail" : "sentence"})));
  tell(lines[0].trim(), true);
}

async function showTheorems(answer) {
  const used = [answer.value, answer.upper, answer.lower].filter(Boolean).flatMap((bound) => bound.theorems);
  const ids = [...new Set(used.map(({id}) => id))];
  $("theorems").hidden = ids.length === 0;
  if (ids.length === 0) return;
  const registry = JSON.parse(await call("web_theorems"));
  $("chain").replaceChildren(...ids.map((id) => {
    const t = registry.find((theorem) => theorem.id === id), details = document.createElement("details"), list = document.createElement("dl");
    details.append(Object.assign(document.createElement("summary"), {textContent: `${id}: ${t.side}, ${t.status}`}), list);
    for (const [name, text] of [["Statement", t.statement], ["Valid for", t.validity], ["Source", t.source], ["Proof", t.proof],
      ["Checked", t.checked + (t.checked_in ? ": " + t.checked_in : "")]]) {
      list.append(Object.assign(document.createElement("dt"), {textContent: name}), Object.assign(document.createElement("dd"), {textContent: text}));
    }
    return details;
  }));
}

// Line breaks in JSON are between its parts; a line of `ask` has none.
const oneLine = (question) => question.replace(/[\r\n]+/g, " ").trim();
const command = (question) => "printf '%s\\n' '" + oneLine(question).replaceAll("'", "'\\''") + "' | shufbound ask -";

async function show(question, text) {
  const answer = JSON.parse(text);
  answered = {answer, text};
  showText(await call("web_text", text), answer);
  const full = await call("web_in_full", text), heading = "\nin full\n";
  $("in-full").textContent = full.slice(full.indexOf(heading) + heading.length); // the sentences before are above
  $("full").hidden = Boolean(answer.error);
  $("json").textContent = text;
  $("command").textContent = command(question);
  await showTheorems(answer);
  for (const id of ["answer", "same"]) $(id).hidden = false;
  $("figure").replaceChildren();
  $("rows").hidden = true;
  $("text").scrollIntoView({block: "nearest"});
  await proposeCurve(answer);
}

// ---- the curve ----

// What the claim and the answer are about, with room around it; only where the curve is drawn, which the reader may change. Some
// questions have no curve, as their mechanism lacks what is looked for.
async function proposeCurve(answer) {
  const {question, quantity, upper, lower, value} = answer;
  const about = question && (question.claim || question.ask);
  const point = about && typeof about.eps === "string" ? [about.eps] : [];
  const ends = quantity === "epsilon" ? [upper && upper.hi, lower && lower.lo, value && value.hi] : [];
  const numbers = [...point, ...ends].map(Number).filter((x) => x > 0 && Number.isFinite(x));
  $("curve").hidden = !question || Boolean(JSON.parse(await call("web_question", await call("web_point", answered.text, "1"))).error);
  if (numbers.length === 0) numbers.push(0.5);
  const most = Math.max(...numbers);
  $("from").value = (0.6 * Math.max(Math.min(...numbers), most / 10)).toPrecision(3);
  $("to").value = (1.15 * most).toPrecision(3);
}

async function draw() {
  const {text} = answered, count = Number($("points").value), from = Number($("from").value), to = Number($("to").value);
  if (!(from >= 0 && to > from && count >= 2)) throw new Error("The curve needs two numbers, the smaller first, and at least two points.");
  const points = [];
  for (let i = 0; i < count; i++) {
    const eps = String(Number((from + (to - from) * i / (count - 1)).toPrecision(4)));
    progress(`point ${i + 1} of ${count}: epsilon = ${eps}`);
    points.push(await call("web_answer", await call("web_point", text, eps)));
  }
  const usable = points.map((point) => JSON.parse(point)).filter((point) => !point.error);
  if (usable.length === 0) throw new Error(JSON.parse(points[0]).error);
  // the library's own picture, of texts that it has escaped
  $("figure").innerHTML = await call("web_curve", JSON.stringify(usable), text);
  $("rows").querySelector("tbody").replaceChildren(...usable.map(({question, value, upper, lower}) => {
    const row = document.createElement("tr"), head = document.createElement("th");
    head.scope = "row";
    head.textContent = question.ask.eps;
    row.append(head, ...[(value || lower || {}).lo ?? "-", (value || upper || {}).hi ?? "-"].map((end) =>
      Object.assign(document.createElement("td"), {textContent: end})));
    return row;
  }));
  $("rows").hidden = false;
  tell(`The curve is drawn: ${usable.length} points.`);
}

// ---- what the reader does ----

let shown = 0;

// Below the buttons, and read aloud; what the page shows already is only read.
function tell(text, heard = false) {
  $("status").textContent = text;
  $("status").classList.toggle("heard", heard);
}

// A line on what is being done, once a second at most: it is read aloud.
function progress(line) {
  const now = performance.now();
  if (now - shown < 1000 || $("cancel").disabled) return;
  shown = now;
  tell(line.trim());
}

async function busy(work) {
  if (!$("cancel").disabled) return;
  const began = shown = performance.now();
  const clock = setInterval(() => { $("elapsed").textContent = `${Math.round((performance.now() - began) / 1000)} s`; }, 1000);
  for (const id of ["go", "draw"]) $(id).ariaDisabled = "true"; // a button that is disabled loses the keyboard
  $("cancel").disabled = false;
  $("progress").hidden = false;
  tell("Computing.");
  try {
    await work();
  } catch (error) {
    tell(error.message === "cancelled" ? "Cancelled." : "No answer: " + error.message);
  } finally {
    for (const id of ["go", "draw"]) $(id).ariaDisabled = "false";
    if (document.activeElement === $("cancel")) $("go").focus();
    $("cancel").disabled = true;
    $("progress").hidden = true;
    clearInterval(clock);
    $("elapsed").textContent = "";
  }
}

async function copy(event) {
  const button = event.target, from = $(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(from.textContent);
    tell("Copied.");
  } catch {
    getSelection().selectAllChildren(from); // the reader copies it
    tell("Selected: copy it with the keyboard.");
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = $("question").value;
  busy(async () => show(question, await call("web_answer", question)));
});
$("curve-form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(draw);
});
$("cancel").addEventListener("click", stop);
for (const button of document.querySelectorAll("[data-copies]")) button.addEventListener("click", copy);
$("subject").addEventListener("change", choose);
$("asked").addEventListener("change", () => { showPoint(); showMembers(); write(); });
for (const id of ["members", "point", "options"]) $(id).addEventListener("input", write);
const ready = (async () => {
  words = JSON.parse(await call("web_vocabulary"));
  $("subject").append(group("Mechanisms", words.mechanisms), group("Pairs of laws", words.pairs));
  showOptions();
  choose();
  document.head.append(Object.assign(document.createElement("style"), {textContent: await call("web_style")}));
})().catch((error) => {
  tell("This browser cannot run the library: " + error.message);
});
