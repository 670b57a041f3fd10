// The replay: which moment of the run is shown, and what moves it.

const ghost = make("li", "", "");
const rows = [];
let current = { n: 0, drawn: false };
let timer = null;

/** Shows a moment everywhere at once. */
function show(next) {
  current = next;
  const step = shownStep(next);
  showStrip(chips, ghost, next);
  if (step) {
    showClaim(step, next);
    showBars(rows, step, next.drawn);
    showCoin(step, next.drawn);
    showFacts(step, next);
    showCache(next.drawn ? next.n : next.n + 1);
    showSum(next.n);
  }
  tableRows.forEach((row, i) => row.classList.toggle("now", next.drawn && i === next.n - 1));
  byId("scrub").value = String(next.n);
  byId("count").textContent = `${count(next.n)} of ${plural(STEPS.length, "token")}`;
  byId("back").disabled = next.n === 0;
  byId("next").disabled = isOver();
}

function isOver() {
  return current.n === STEPS.length;
}

/** Goes on by one token; where the reader wants to guess, shows the distribution before the draw. */
function goOn() {
  if (isOver()) return;
  if (byId("ask").checked && current.drawn) show({ n: current.n, drawn: false });
  else show({ n: current.n + 1, drawn: true });
}

function goBack() {
  if (current.n > 0) goTo(current.drawn ? current.n - 1 : current.n);
}

/** Shows the text with n tokens; without any, the first distribution waits for its draw. */
function goTo(n) {
  show({ n, drawn: n > 0 });
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "Play";
}

function play() {
  if (isOver()) goTo(0);
  byId("play").textContent = "Pause";
  timer = setInterval(() => {
    goOn();
    if (isOver()) pause();
  }, 1000 / Number(byId("speed").value));
}

/** Does by hand what a button says: a hand on the controls stops the play. */
function byHand(action) {
  return () => {
    pause();
    action();
  };
}

const KEYS = {
  ArrowRight: byHand(goOn),
  ArrowLeft: byHand(goBack),
  Home: byHand(() => goTo(0)),
  End: byHand(() => goTo(STEPS.length)),
  " ": () => (timer === null ? play() : pause()),
};

/** Moves by keys, except where a field, or for Space a button, wants the key itself. */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key] || !STEPS.length) return;
  const owners = event.key === " " ? "input, select, button, summary, a" : "input[type=range], select";
  if (event.target instanceof Element && event.target.closest(owners)) return;
  event.preventDefault();
  KEYS[event.key]();
}

const chips = buildStrip((n) => byHand(() => goTo(n))());
ghost.append(make("span", "chip ghost", "?"));
byId("strip").append(ghost);
const nRows = Math.max(0, ...STEPS.map((step) => step.candidates.length)) + 1;
for (let i = 0; i < nRows; i += 1) {
  rows.push(makeRow());
  byId("rows").append(rows[i].row);
}
const tableRows = buildRest();
buildHead();

byId("next").addEventListener("click", byHand(goOn));
byId("back").addEventListener("click", byHand(goBack));
byId("play").addEventListener("click", KEYS[" "]);
byId("scrub").max = String(STEPS.length);
byId("scrub").addEventListener("input", () => byHand(() => goTo(Number(byId("scrub").value)))());
byId("speed").addEventListener("change", () => {
  if (timer === null) return;
  pause();
  play();
});
document.addEventListener("keydown", onKey);
addEventListener("beforeprint", () => {
  pause();
  goTo(STEPS.length);
  byId("all").open = true;
});
if (STEPS.length) {
  goTo(0);
} else {
  byId("claim").textContent = "This run was saved before its first token: there is nothing to replay.";
  for (const control of document.querySelectorAll(".controls button, .controls input")) control.disabled = true;
  for (const empty of document.querySelectorAll("main table, .coin, aside, .figures, #scale, #all")) empty.hidden = true;
}
