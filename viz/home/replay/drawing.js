// What is drawn of one moment of the run. A moment is {n, drawn}: n tokens stand in the text, and
// `drawn` says whether the step shown has had its token drawn or still waits for the coin.

const RUN = JSON.parse(document.getElementById("run").textContent);
const STEPS = RUN.steps;
const MAX_SURPRISE = 8; // nats at which the tint of surprise is full
const FULL_TINT = 35; // percent

/** Makes an element with text in it; a function's only way to put a token on the page. */
function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

/** Makes a run of text that keeps its own direction: a token is nobody's sentence. */
function token(text) {
  return make("bdi", "", text);
}

function byId(id) {
  return document.getElementById(id);
}

/** The step that a moment shows: the one just drawn, or the one about to be. */
function shownStep({ n, drawn }) {
  return STEPS[drawn ? n - 1 : n];
}

const sums = [0]; // log-probability of the first n tokens
for (const step of STEPS) {
  const before = sums[sums.length - 1];
  sums.push(before === null || step.logprob === null ? null : before + step.logprob);
}

// The text

/** Makes the chip of a token: its label, and the character that it completes if it is a stray byte. */
function makeChip(tag, piece, kind) {
  const chip = make(tag, `chip ${kind}`);
  chip.append(token(piece.label));
  if (piece.joined && piece.label.startsWith("<0x")) chip.append(make("span", "joins", ` ${piece.joined}`));
  chip.title = piece.bytes ? `id ${piece.id}, bytes ${piece.bytes}` : `id ${piece.id}`;
  return chip;
}

/** Builds the strip once; `onPick` is told how many tokens stand when a chip is the last. */
function buildStrip(onPick) {
  const strip = byId("strip");
  for (const piece of RUN.prompt.pieces) {
    const item = make("li");
    item.append(makeChip("span", piece, "prompt"));
    strip.append(item);
  }
  return STEPS.map((step, i) => {
    const item = make("li");
    const chip = makeChip("button", step, `generated${step.forced ? " forced" : ""}`);
    chip.type = "button";
    chip.title += step.forced ? ", chosen by the reader" : `, probability ${percent(step.prob)}`;
    const surprise = step.logprob === null ? 1 : Math.min(1, -step.logprob / MAX_SURPRISE);
    chip.style.setProperty("--surprise-share", `${FULL_TINT * surprise}%`);
    chip.addEventListener("click", () => onPick(i + 1));
    item.append(chip);
    strip.append(item);
    return { item, chip };
  });
}

/** Shows the tokens that stand; what is not written yet is not there to read. */
function showStrip(chips, ghost, moment) {
  chips.forEach(({ item, chip }, i) => {
    item.hidden = i >= moment.n;
    chip.classList.toggle("now", moment.drawn && i === moment.n - 1);
  });
  ghost.hidden = moment.drawn;
  const last = moment.drawn ? chips[moment.n - 1]?.item : ghost;
  last?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The numbers

function showFacts(step, moment) {
  const facts = [];
  if (moment.drawn) {
    facts.push(
      ["id", count(step.id)],
      ["probability, raw", percent(step.prob)],
      ["in force", step.forced && step.chosen_prob === 0 ? "cut, chosen all the same" : percent(step.chosen_prob)],
      ["log-probability", nats(step.logprob)],
      ["rank", `${count(step.rank + 1)} of ${count(step.n_vocab)}`],
      ["coin", step.forced ? "none" : coinText(step.coin)],
    );
  }
  facts.push(
    ["entropy", nats(step.entropy)],
    ["kept", `${count(step.n_kept)} of ${count(step.n_vocab)}`],
    ["pass", step.phase],
    ["tokens in", count(step.n_input)],
    ["time", duration(step.seconds)],
    ["cache", size(step.cache_bytes)],
  );
  const list = byId("facts");
  list.replaceChildren();
  for (const [name, value] of facts) list.append(make("dt", "", name), make("dd", "", value));
}

/** Titles the cache's figure with what holds for this model. */
function cacheClaim() {
  if (!STEPS.some((step) => step.cache_bytes)) return "This model keeps no cache";
  if (RUN.cache.bytes_per_token === 0) return "This model keeps one state, however long the text";
  if (STEPS.some(isCut)) return "The cache grows until its window is full";
  return "The cache grows by the same bytes for every token";
}

/** Puts the moment into one sentence. */
function showClaim(step, moment) {
  const claim = byId("claim");
  claim.replaceChildren();
  if (!moment.drawn) {
    claim.append(`Token ${moment.n + 1}: what comes next? The model holds ${count(step.n_vocab)} answers at once.`);
    return;
  }
  const how = step.forced ? "was chosen by the reader" : "was drawn";
  claim.append(`Token ${moment.n}: `, token(step.label), ` ${how}. The model gave it ${percent(step.prob)}`);
  claim.append(step.rank === 0 ? ", more than any other." : `, rank ${count(step.rank + 1)}.`);
}

// What does not change

/** Fills the table of all steps and the list of what reproduces them. */
function buildRest() {
  const names = ["step", "pass", "tokens in", "time", "token", "id", "probability", "rank", "coin", "log p so far", "cache"];
  const isText = new Set(["pass", "token"]);
  const head = make("tr");
  for (const name of names) head.append(make("th", isText.has(name) ? "" : "number", name));
  byId("steps").append(head);
  const rows = STEPS.map((step, i) => {
    const cells = [
      count(i + 1), step.phase, count(step.n_input), duration(step.seconds), null, count(step.id), percent(step.prob),
      count(step.rank + 1), step.forced ? "forced" : coinText(step.coin), nats(sums[i + 1]), size(step.cache_bytes),
    ];
    const row = make("tr");
    cells.forEach((text, j) => {
      const cell = make("td", isText.has(names[j]) ? "" : "number", text ?? "");
      if (text === null) cell.append(token(step.label));
      row.append(cell);
    });
    byId("steps").append(row);
    return row;
  });
  const forced = Object.entries(RUN.forced).map(([position, id]) => `${id} at position ${position}`);
  const settings = STEPS.length && STEPS.at(-1).settings;
  const again = [
    ["model", RUN.model.name, ""],
    ["seed", String(RUN.seed), ""],
    ["prompt", RUN.prompt.text, "code"],
    ["prompt ids", RUN.prompt.ids.join(" "), "code"],
    ["written ids", STEPS.map((step) => step.id).join(" "), "code"],
    ["forced", forced.join(", ") || "none", ""],
    ["last settings", settings ? settingsWords(settings) : "not recorded", ""],
    ["versions", Object.entries(RUN.versions).map((pair) => pair.join(" ")).join(", "), ""],
  ];
  for (const [name, text, kind] of again) byId("again").append(make("dt", "", name), make("dd", kind, text));
  return rows;
}

function settingsWords(settings) {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" → ") : value}`)
    .join(", ")
    .replaceAll("_", "-");
}

function buildHead() {
  const { name, device, dtype } = RUN.model;
  byId("title").replaceChildren(token(name), ` wrote ${plural(STEPS.length, "token")}, one at a time`);
  byId("provenance").textContent =
    `Recorded ${moment(RUN.created)}, on ${device} in ${dtype}, model ${name}, seed ${RUN.seed}.` +
    (RUN.finished === "eos" ? " The model ended the text." : "") +
    (RUN.finished === "length" ? " The text reached its greatest length." : "");
  byId("cache-claim").textContent = cacheClaim();
  byId("scale").textContent = `A bar of full width is ${percent(fullWidth)}. Recorded.`;
}
