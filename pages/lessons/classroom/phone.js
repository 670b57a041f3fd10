// The page of a phone: joins a room, shows its text and question, sends one answer.
// Asks the server once a second; nothing is kept but the phone's token, so that a reload keeps its place.

const POLL_MS = 1000;
const SPREAD_MS = 250; // phones that joined together do not ask together for ever
/** @type {[string, number][]} */
const SURENESS = [["a guess", 0.2], ["fairly", 0.5], ["very", 0.9]];
const NUMBER = new Intl.NumberFormat("en", { minimumFractionDigits: 4, maximumFractionDigits: 4 });

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const base = location.pathname.replace(/\/room.*$/, "/room"); // also below a base path
let code = decodeURIComponent(location.pathname.slice(base.length + 1));
let view = null;
let sureness = 0.5;
let pending = null; // the answer that is on its way
let timer = 0;

const key = () => `one-token-room-${code.toUpperCase()}`;

async function ask(path, body) {
  const headers = { "x-phone": localStorage.getItem(key()) ?? "" };
  const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${base}/${encodeURIComponent(code)}/${path}`, { headers, ...more });
  if (answer.status === 204) return null;
  const told = await answer.json();
  if (told.error) throw new Error(told.error);
  return told;
}

function say(error) {
  const isLost = error instanceof TypeError; // fetch's own: there was no answer
  byId("error").textContent = isLost ? "The connection is lost. Trying again…" : error?.message ?? "";
}

async function poll() {
  clearTimeout(timer);
  try {
    const told = await ask(`state?version=${view?.version ?? ""}`);
    if (told !== null) {
      view = { ...told, since: performance.now() };
      paint();
    } else if (view.question !== null) byId("ask").textContent = wordsOf(view.question);
    if (pending === null) say(null);
  } catch (error) {
    say(error);
    if (!(error instanceof TypeError)) return showJoin(); // the room is over, or forgot this phone
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
  byId("text").textContent = view.text;
  // every second part of the sentence is a token
  byId("revealed").replaceChildren(...view.revealed.split("`").map((part, i) => i % 2 ? chip(part) : part));
  byId("take").hidden = view.link === "";
  byId("over").href = `${base.replace(/\/room$/, "/")}${view.link}`;
  const { question } = view;
  byId("ask").textContent = question === null ? "Wait for the next question." : wordsOf(question);
  for (const id of ["options", "sure", "bar", "write"]) byId(id).hidden = question === null;
  if (question === null) return void (byId("sent").textContent = "");
  paintOptions(question);
  paintSureness(question);
  paintBar(question);
  paintField(question);
  byId("sent").replaceChildren(sentInWords(question), ...fallOf(question));
}

function wordsOf({ words, coin, is_open: isOpen, seconds_left: left }) {
  const number = coin === null ? "" : ` Your number is ${NUMBER.format(Math.floor(coin * 1e4) / 1e4)}.`;
  const now = left - (performance.now() - view.since) / 1000;
  const time = isOpen && left !== null ? ` ${Math.max(0, Math.ceil(now))} s left.` : "";
  return `${words}${number}${time}`;
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
  place.replaceChildren(place.querySelector("legend"), row);
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
    poll();
  } catch (error) {
    say(error);
  }
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && view !== null) poll();
});
if (code && localStorage.getItem(key())) poll();
else showJoin();
