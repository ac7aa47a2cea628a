// SPDX-License-Identifier: LGPL-3.0-or-later
// The page: fields write a question, a worker answers it, and what it says is shown. Nothing is computed here, and numbers of
// an answer are shown as the texts they are. `call` and `ready` are what tests use.
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
function call(name, texts) {
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

const REAL = "decimal", WHOLE = "numeric";
// Members of a question that are asked for: id, label, first value, kind or choices. The first value "" may stay empty.
const EPS0 = ["eps0", "eps0 (local)", "1", REAL], K = ["k", "k (values)", "10", WHOLE], ANY_K = ["k", "k (values; none: any)", "", WHOLE];
const SUBJECTS = [
  ["ldp", "any eps0-LDP randomisers", [["eps0", "eps0 (local)", "4", REAL], ["local", "neighbours of eps0", "replace", ["replace", "delete"]]]],
  ["rr2", "binary randomised response", [EPS0]],
  ["krr", "k-ary randomised response", [K, EPS0]],
  ["rappor", "RAPPOR", [ANY_K, ["eps0", "eps0 (of deletion)", "1", REAL]]],
  ["unary-encoding", "unary encoding", [ANY_K, ["p", "p (of the bit that is set)", "3/4", REAL], ["q", "q (of the others)", "1/4", REAL]]],
  ["oue", "optimised unary encoding", [ANY_K, EPS0]],
  ["subset-selection", "subset selection", [K, ["size", "size of the subset", "3", WHOLE], EPS0]],
  ["hadamard-response", "Hadamard response", [K, EPS0]],
  ["local-hashing", "local hashing", [K, ["g", "g (hash values)", "4", WHOLE], EPS0]],
  ["laplace", "Laplace noise", [["scale", "scale", "1", REAL], ["inputs", "inputs", "ends", ["ends", "interval"]]]],
  ["gaussian", "Gaussian noise", [["scale", "scale (standard deviation)", "1", REAL], ["inputs", "inputs", "ends", ["ends", "interval"]]]],
  ["noisy-sgd", "noisy SGD (DP-SGD)", [["sampler", "batches", "poisson", ["poisson", "shuffle", "balls-and-bins", "fixed", "random-allocation"]],
    ["noise_multiplier", "noise multiplier", "1", REAL], ["steps", "steps of an epoch", "100", WHOLE],
    ["sampling_rate", "sampling rate (of random-allocation)", "", REAL]]],
  ["binomial-noise", "coins added to a count", [["coins", "coins", "10000", WHOLE], ["sensitivity", "sensitivity", "1", WHOLE]]],
];
// What rounds are, where users are not asked for.
const ROUNDS = {"noisy-sgd": "epochs", "binomial-noise": "counters"};
const EPS = ["eps", "epsilon", "0.5", REAL], DELTA = ["delta", "delta", "1e-6", REAL];
const ASKED = [
  ["epsilon", "epsilon at a delta", [DELTA]],
  ["delta", "delta at an epsilon", [EPS]],
  ["claim", "judge a claim of (epsilon, delta)", [EPS, DELTA]],
  ["renyi", "Renyi divergence at an order", [["order", "order", "2", REAL]]],
  ["renyi-claim", "judge a claim of Renyi privacy", [["order", "order", "2", REAL], ["renyi", "Renyi divergence", "0.1", REAL]]],
  ["tradeoff", "type II error at a type I error", [["type1", "type I error", "0.1", REAL]]],
];

function fields(parent, prefix, members) {
  parent.replaceChildren(...members.map(([id, label, value, kind]) => {
    const p = document.createElement("p"), l = document.createElement("label");
    const input = document.createElement(Array.isArray(kind) ? "select" : "input");
    p.className = "field";
    l.textContent = label;
    l.htmlFor = input.id = prefix + id;
    if (Array.isArray(kind)) input.append(...kind.map((choice) => new Option(choice, choice)));
    else Object.assign(input, {inputMode: kind === WHOLE ? "numeric" : "text", autocomplete: "off", spellcheck: false});
    input.value = value;
    input.dataset.member = id;
    p.append(l, input);
    return p;
  }));
}

const values = (parent) => Object.fromEntries([...parent.querySelectorAll("[data-member]")].map((input) => [input.dataset.member, input.value.trim()])
  .filter(([, value]) => value !== ""));

// What the fields say, as a question.
function write() {
  const {users, rounds, ...members} = values($("members")), point = values($("point")), asked = $("asked").value;
  const question = {mechanism: {type: $("subject").value, ...members}};
  if (users) question.users = users;
  if (rounds && rounds !== "1") question.rounds = rounds;
  if (asked.endsWith("claim")) question.claim = point;
  else question.ask = {quantity: asked, ...point};
  $("question").value = JSON.stringify(question);
}

function chooseSubject() {
  const [type, , members] = SUBJECTS[$("subject").selectedIndex], rounds = ROUNDS[type];
  fields($("members"), "member-", [...members, ...(rounds ? [] : [["users", "users (everyone)", "10000", WHOLE]]), ["rounds", rounds || "rounds", "1", WHOLE]]);
}

function choosePoint() {
  fields($("point"), "point-", ASKED[$("asked").selectedIndex][2]);
}

// ---- an answer ----

let answered = null; // the last answer: the object, and its text

function fact(name, value, ...more) {
  const dt = document.createElement("dt"), dd = document.createElement("dd"), number = document.createElement("span");
  dt.textContent = name;
  number.className = "number";
  number.textContent = value;
  dd.append(number, ...more.map((line) => Object.assign(document.createElement("small"), {textContent: line})));
  return [dt, dd];
}

const by = (bound) => "by " + bound.theorems.map(({id, status, checked}) => `${id} (${status}, checked: ${checked})`).join(", ");
const NAMES = {gdp: "mu", tradeoff: "type II error"};
const MEANING = {
  certified: "A proved theorem gives what is claimed.",
  refuted: "A mechanism of the class, on concrete neighbouring data, certainly exceeds the claim.",
  undecided: "Neither proved nor refuted.",
};

// One line that says it, for who hears it.
function summary(answer) {
  if (answer.error) return answer.error;
  const name = NAMES[answer.quantity] || answer.quantity, {verdict, value, upper, lower} = answer;
  const what = value ? `${name} in [${value.lo}, ${value.hi ?? "unbounded"}]`
    : [lower && `${name} at least ${lower.lo}`, upper && `${name} at most ${upper.hi ?? "unbounded"}`].filter(Boolean).join(", ") || "no bound was found";
  return (verdict ? verdict.toUpperCase() + ": " : "") + what;
}

function showFacts(answer) {
  const name = NAMES[answer.quantity] || answer.quantity, {value, upper, lower} = answer;
  const rows = [];
  if (value) rows.push(fact(`${name} in`, `[${value.lo}, ${value.hi ?? "unbounded"}]`, ...(value.guarantee ? [value.guarantee] : []), by(value)));
  if (upper) rows.push(fact(`${name} at most`, upper.hi ?? "unbounded", by(upper)));
  if (lower) rows.push(fact(`${name} at least`, lower.lo, by(lower)));
  $("facts").replaceChildren(...rows.flat());
}

function showVerdict(answer) {
  const {verdict, reason, error} = answer, paragraph = $("verdict");
  paragraph.className = error ? "error" : verdict || "";
  paragraph.hidden = !error && !verdict && answer.complete;
  const strong = Object.assign(document.createElement("strong"), {textContent: error ? "No answer" : (verdict || "").toUpperCase()});
  const parts = error ? [": " + error] : verdict ? [" " + MEANING[verdict] + (reason ? " " + reason + "." : "")] : [];
  if (answer.complete === false) parts.push(" Cut short by the clock: another run may differ.");
  paragraph.replaceChildren(strong, ...parts);
}

async function showTheorems(answer) {
  const used = [answer.value, answer.upper, answer.lower].filter(Boolean).flatMap((bound) => bound.theorems);
  const ids = [...new Set(used.map(({id}) => id))];
  $("theorems").hidden = ids.length === 0;
  if (ids.length === 0) return;
  const registry = JSON.parse(await call("web_theorems", []));
  $("chain").replaceChildren(...ids.map((id) => {
    const t = registry.find((theorem) => theorem.id === id), details = document.createElement("details"), list = document.createElement("dl");
    details.append(Object.assign(document.createElement("summary"), {textContent: `${id}: ${t.status}, ${t.side}`}), list);
    for (const [name, text] of [["Says", t.statement], ["Where", t.validity], ["Source", t.source], ["Proof", t.proof],
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
  showVerdict(answer);
  showFacts(answer);
  $("json").textContent = text;
  $("command").textContent = command(question);
  $("text").textContent = await call("web_text", [text]);
  await showTheorems(answer);
  for (const id of ["answer", "same"]) $(id).hidden = false;
  $("figure").replaceChildren();
  $("rows").hidden = true;
  proposeCurve(answer);
  $("status").textContent = summary(answer);
}

// ---- the curve ----

// What the claim and the answer are about, with room around it; only where the curve is drawn, which the reader may change.
function proposeCurve(answer) {
  const {question, quantity, upper, lower, value} = answer;
  const about = question && (question.claim || question.ask);
  const point = about && typeof about.eps === "string" ? [about.eps] : [];
  const ends = quantity === "epsilon" ? [upper && upper.hi, lower && lower.lo, value && value.hi] : [];
  const numbers = [...point, ...ends].map(Number).filter((x) => x > 0 && Number.isFinite(x));
  $("curve").hidden = Boolean(answer.error);
  if (numbers.length === 0) numbers.push(0.5);
  const most = Math.max(...numbers);
  $("from").value = (0.6 * Math.max(Math.min(...numbers), most / 10)).toPrecision(3);
  $("to").value = (1.15 * most).toPrecision(3);
}

// The question of the answer for delta at eps: few digits, little work, as in the report of an audit.
function pointQuestion(question, eps) {
  const {claim, ask, id, source, quote, note, max_seconds, ...rest} = question;
  return JSON.stringify({...rest, ask: {quantity: "delta", eps}, digits: 2, effort: "300000000"});
}

async function draw() {
  const {answer, text} = answered, count = Number($("points").value), from = Number($("from").value), to = Number($("to").value);
  if (!(from >= 0 && to > from && count >= 2)) throw new Error("The curve needs two numbers, the smaller first, and at least two points.");
  const points = [];
  for (let i = 0; i < count; i++) {
    const eps = String(Number((from + (to - from) * i / (count - 1)).toPrecision(4)));
    progress(`point ${i + 1} of ${count}: epsilon = ${eps}`);
    points.push(JSON.parse(await call("web_answer", [pointQuestion(answer.question, eps)])));
  }
  const usable = points.filter((point) => !point.error);
  if (usable.length === 0) throw new Error(points[0].error);
  // the library's own picture, of texts that it has escaped
  $("figure").innerHTML = await call("web_curve", [JSON.stringify(usable), text]);
  $("rows").querySelector("tbody").replaceChildren(...usable.map(({question, value, upper, lower}) => {
    const row = document.createElement("tr"), head = document.createElement("th");
    head.scope = "row";
    head.textContent = question.ask.eps;
    row.append(head, ...[(value || lower || {}).lo ?? "-", (value || upper || {}).hi ?? "-"].map((end) =>
      Object.assign(document.createElement("td"), {textContent: end})));
    return row;
  }));
  $("rows").hidden = false;
  $("status").textContent = `The curve is drawn: ${usable.length} points.`;
}

// ---- what the reader does ----

let shown = 0;

// A line on what is being done, once a second at most: it is read aloud.
function progress(line) {
  const now = performance.now();
  if (now - shown < 1000 || $("cancel").disabled) return;
  shown = now;
  $("status").textContent = line.trim();
}

async function busy(work) {
  if (!$("cancel").disabled) return;
  const began = shown = performance.now();
  const clock = setInterval(() => { $("elapsed").textContent = `${Math.round((performance.now() - began) / 1000)} s`; }, 1000);
  for (const id of ["go", "draw"]) $(id).disabled = true;
  $("cancel").disabled = false;
  $("progress").hidden = false;
  $("status").textContent = "Computing.";
  try {
    await work();
  } catch (error) {
    $("status").textContent = error.message === "cancelled" ? "Cancelled." : "No answer: " + error.message;
  } finally {
    for (const id of ["go", "draw"]) $(id).disabled = false;
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
    $("status").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(from); // the reader copies it
    $("status").textContent = "Selected: copy it with the keyboard.";
  }
}

$("subject").append(...SUBJECTS.map(([type, label]) => new Option(label, type)));
$("asked").append(...ASKED.map(([quantity, label]) => new Option(label, quantity)));
$("subject").addEventListener("change", () => { chooseSubject(); write(); });
$("asked").addEventListener("change", () => { choosePoint(); write(); });
for (const id of ["members", "point"]) $(id).addEventListener("input", write);
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = $("question").value;
  busy(async () => show(question, await call("web_answer", [question])));
});
$("curve-form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(draw);
});
$("cancel").addEventListener("click", stop);
for (const button of document.querySelectorAll("[data-copies]")) button.addEventListener("click", copy);
chooseSubject();
choosePoint();
write();
const ready = call("web_style", []).then((style) => {
  document.head.append(Object.assign(document.createElement("style"), {textContent: style}));
}, (error) => {
  $("status").textContent = "This browser cannot run the library: " + error.message;
});
