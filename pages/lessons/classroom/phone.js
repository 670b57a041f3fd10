// The page of a phone: joins a room, shows its text and question, sends one answer.
// Asks the server once a second; nothing is kept but the phone's token, so that a reload keeps its place.

const POLL_MS = 1000;
const PATIENCE_MS = 6000; // for an answer, until the connection is taken for lost
const SOON = 10; // seconds before the end
const SPREAD_MS = 250; // phones that joined together do not ask together for ever
/** @type {[string, number][]} */
const SURENESS = [["a guess", 0.2], ["fairly", 0.5], ["very", 0.9]];
const NUMBER = new Intl.NumberFormat("en", { minimumFractionDigits: 4, maximumFractionDigits: 4 });

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const base = location.pathname.replace(/\/room.*$/, "/room"); // also below a base path
let code = readCode(location.pathname.slice(base.length + 1));
let view = null;
let sureness = 0.5;
let pending = null; // the answer that is on its way
let timer = 0;

/** What an address says; one that is no text says nothing. */
function readCode(written) {
  try {
    return decodeURIComponent(written);
  } catch {
    return "";
  }
}

const key = () => `one-token-room-${code.toUpperCase()}`;

async function ask(path, body) {
  const headers = { "x-phone": localStorage.getItem(key()) ?? "" };
  const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(`${base}/${encodeURIComponent(code)}/${path}`, { headers, signal, ...more });
  if (answer.status === 204) return null;
  const told = await answer.json();
  if (told.error) throw new Refusal(told.error);
  return told;
}

/** What the room says of what was asked; any other error is a lost connection's. */
class Refusal extends Error {}

function say(error) {
  const lost = "The connection is lost. Trying again…";
  write("error", error === null ? "" : error instanceof Refusal ? error.message : lost);
}

/** Writes what differs: who listens to a page hears all that is written anew. */
function write(id, words) {
  if (byId(id).textContent !== words) byId(id).textContent = words;
}

async function poll() {
  clearTimeout(timer);
  try {
    const told = await ask(`state?version=${view?.version ?? ""}`);
    if (told !== null) {
      view = { ...told, since: performance.now() };
      paint();
    } else if (view.question !== null) paintTime(view.question);
    if (pending === null) say(null);
  } catch (error) {
    say(error);
    if (error instanceof Refusal) return showJoin(); // the room is over, or forgot this phone
  }
  timer = setTimeout(poll, POLL_MS + SPREAD_MS * Math.random());
}

function showJoin() {
  view = null;
  byId("room").hidden = true;
  byId("join").hidden = false;
  byId("code").value = code.toUpperCase();
  (code ? byId("name") : byId("code")).focus();
}

function paint() {
  byId("join").hidden = true;
  byId("room").hidden = false;
  write("text", view.text);
  // every second part of the sentence is a token
  const outcome = make("span", {});
  outcome.append(...view.revealed.split("`").map((part, i) => i % 2 ? chip(part) : part));
  if (byId("revealed").textContent !== outcome.textContent) byId("revealed").replaceChildren(outcome);
  byId("take").hidden = view.link === "";
  byId("over").href = `${base.replace(/\/room$/, "/")}${view.link}`;
  const { question } = view;
  write("ask", question === null ? "Wait for the next question." : wordsOf(question));
  paintTime(question);
  for (const id of ["options", "sure", "bar", "write"]) byId(id).hidden = question === null;
  if (question === null) return write("sent", "");
  paintOptions(question);
  paintSureness(question);
  paintBar(question);
  paintField(question);
  const fall = make("span", {});
  fall.append(sentInWords(question), ...fallOf(question));
  if (byId("sent").textContent !== fall.textContent) byId("sent").replaceChildren(fall);
}

function wordsOf({ words, coin }) {
  const number = coin === null ? "" : ` Your number is ${NUMBER.format(Math.floor(coin * 1e4) / 1e4)}.`;
  return `${words}${number}`;
}

/** The countdown, for the eye; the ear is told once near its end, and at the end. */
function paintTime(question) {
  const isTimed = question !== null && question.is_open && question.seconds_left !== null;
  const passed = (performance.now() - view.since) / 1000;
  const left = isTimed ? Math.max(0, Math.ceil(question.seconds_left - passed)) : null;
  byId("left").hidden = left === null;
  write("left", left === null ? "" : `${left} s left.`);
  write("soon", left === null || left > SOON ? "" : left === 0 ? "Time is up." : `Less than ${SOON} s left.`);
}

function sentInWords({ mine, is_open: isOpen }) {
  if (mine === null) return isOpen ? "" : "This question is closed.";
  const what = mine.option === null ? `“${mine.word}”` : "Your answer";
  return isOpen
    ? `${what} is sent. Change it as you like until the question closes.`
    : `${what} was counted.`;
}

const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

function makeButton(words, isPressed, onclick) {
  const button = make("button", { type: "button", onclick });
  button.append(words);
  button.setAttribute("aria-pressed", String(isPressed));
  return button;
}

/** A token, its leading space stepped back. */
function chip(label) {
  const token = make("span", { className: "token" });
  const starts = label.length > 1 && label.startsWith("␣");
  if (starts) token.append(make("i", { textContent: "␣" }));
  token.append(starts ? label.slice(1) : label);
  return token;
}

/** An answer on offer: a token, but for what stands for all others. */
function nameOf({ kind, options }, option) {
  const isToken = kind === "next" || (kind === "sampler" && option + 1 < options.length);
  return isToken ? chip(options[option]) : options[option];
}

/** Once the question is closed: the token on which the phone's number fell. */
function fallOf(question) {
  const { coin, shares, is_open: isOpen } = question;
  if (isOpen || coin === null) return [];
  let end = 0;
  const place = shares.slice(0, -1).findIndex((share) => coin < (end += share));
  return [" Your number fell on ", nameOf(question, place < 0 ? shares.length - 1 : place), "."];
}

function paintOptions(question) {
  const { options, shares, mine, is_open: isOpen, kind } = question;
  let from = 0;
  const focused = [...byId("options").children].indexOf(document.activeElement);
  byId("options").replaceChildren(...options.map((_, option) => {
    const answer = () => send({ option, confidence: kind === "next" ? sureness : 1 });
    const button = makeButton(nameOf(question, option), mine?.option === option, answer);
    button.disabled = !isOpen;
    if (shares.length > 0) {
      const textContent = `${NUMBER.format(from)} to ${NUMBER.format(from + shares[option])}`;
      button.append(make("span", { className: "range", textContent }));
      from += shares[option];
    }
    return button;
  }));
  byId("options").children[focused]?.focus(); // the new one in place of the old
}

function paintSureness({ kind, is_open: isOpen }) {
  const place = byId("sure");
  place.hidden = kind !== "next" || !isOpen;
  const row = make("div", { className: "row" });
  const choose = (value) => {
    sureness = value;
    const mine = view.question.mine;
    if (mine !== null) send({ option: mine.option, word: mine.word, confidence: value });
    paint();
  };
  row.append(...SURENESS.map(([words, value]) => makeButton(words, value === sureness, () => choose(value))));
  const focused = [...place.querySelectorAll("button")].indexOf(document.activeElement);
  place.replaceChildren(place.querySelector("legend"), row);
  row.children[focused]?.focus();
}

function paintField({ kind, may_write: mayWrite, is_open: isOpen }) {
  const isNumber = kind === "number"; // a phone then shows its digits, and reads them as its country does
  byId("write").hidden = !mayWrite || !isOpen;
  byId("word").type = isNumber ? "number" : "text";
  byId("own").textContent = isNumber ? "Your number" : "or a word of your own";
}

function paintBar({ shares }) {
  byId("bar").hidden = shares.length === 0;
  byId("bar").replaceChildren(...shares.map(() => make("span", {})));
  shares.forEach((share, i) => (byId("bar").children[i].style.flex = `${share} 0 0`));
}

async function send(answer) {
  pending = { number: view.question.number, ...answer };
  try {
    await ask("answer", pending);
    const { option = null, word = "", confidence } = answer;
    view.question.mine = { option, word, confidence };
    say(null);
    paint();
  } catch (error) {
    say(error);
  }
  pending = null;
}

byId("write").addEventListener("submit", (event) => {
  event.preventDefault();
  const word = byId("word").value.trim();
  if (word) send({ option: null, word, confidence: sureness });
});
byId("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  code = byId("code").value.trim();
  try {
    const { token } = await ask("join", { name: byId("name").value });
    localStorage.setItem(key(), token);
    history.replaceState(null, "", `${base}/${encodeURIComponent(code.toUpperCase())}`);
    say(null);
    await poll();
    byId("ask").focus();
  } catch (error) {
    say(error);
  }
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && view !== null) poll();
});
if (code && localStorage.getItem(key())) poll();
else showJoin();
