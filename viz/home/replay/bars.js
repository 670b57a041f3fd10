// The bars of a step, raw and in force, and the coin on the line of what was kept.

const ALMOST = 1e-9; // sums of recorded fractions are right to about this
const MIN_SCALE = 0.05;

const largest = STEPS.reduce((most, step) => {
  const probs = step.candidates.flatMap((row) => [row.probs[0], row.probs.at(-1)]);
  return Math.max(most, ...probs, step.other_probs[0], step.other_probs.at(-1));
}, MIN_SCALE);
const fullWidth = Math.min(1, Math.ceil(largest * 20 - ALMOST) / 20); // one scale for the whole run

/** Builds a row of the table of bars, to be filled at every step. */
function makeRow() {
  const row = make("tr");
  const head = make("th");
  head.scope = "row";
  const label = token("");
  head.append(label);
  row.append(head);
  const bars = [0, 1].map(() => {
    const cell = make("td");
    const bar = make("div", "bar");
    const number = make("span");
    bar.append(make("i"), number);
    cell.append(bar);
    row.append(cell);
    return { bar, number };
  });
  return { row, label, bars };
}

function fillRow({ row, label, bars }, { text, probs, isKept, isChosen, isOthers }) {
  row.hidden = false;
  row.className = [isKept ? "kept" : "rejected", isChosen && "now", isOthers && "others"]
    .filter(Boolean)
    .join(" ");
  label.textContent = text;
  label.title = text;
  if (isChosen) row.setAttribute("aria-current", "true");
  else row.removeAttribute("aria-current");
  bars.forEach(({ bar, number }, i) => {
    const isCut = i === 1 && !isKept;
    bar.classList.toggle("cut", isCut);
    bar.style.setProperty("--share", probs[i] / fullWidth);
    number.textContent = isCut ? "cut" : percent(probs[i]);
  });
}

/** Shows the recorded candidates of a step, raw and in force, and all other tokens together. */
function showBars(rows, step, isDrawn) {
  const last = step.stages.length - 1;
  step.candidates.forEach((candidate, i) => {
    fillRow(rows[i], {
      text: candidate.label,
      probs: [candidate.probs[0], candidate.probs[last]],
      isKept: candidate.kept[last],
      isChosen: isDrawn && candidate.id === step.id,
      isOthers: false,
    });
  });
  const nOthers = step.n_vocab - step.candidates.length;
  const nOthersKept = step.n_kept - step.candidates.filter((row) => row.kept[last]).length;
  const rest = rows[step.candidates.length];
  if (nOthers > 0) {
    const isMixed = nOthersKept > 0 && nOthersKept < nOthers;
    const kept = isMixed ? `, ${count(nOthersKept)} kept` : "";
    fillRow(rest, {
      text: `all other tokens (${count(nOthers)}${kept})`,
      probs: [step.other_probs[0], step.other_probs[last]],
      isKept: nOthersKept > 0,
      isChosen: false,
      isOthers: true,
    });
    rest.row.classList.toggle("mixed", isMixed);
  }
  rows.slice(step.candidates.length + (nOthers > 0 ? 1 : 0)).forEach(({ row }) => (row.hidden = true));
  byId("stages").textContent = stageWords(step);
}

/** Says which stages made the distribution in force, in their order. */
function stageWords(step) {
  const stages = step.stages.slice(1).map((name) => {
    const value = step.settings?.[name];
    return `${name.replaceAll("_", "-")}${typeof value === "number" ? ` ${value}` : ""}`;
  });
  return stages.length ? stages.join(", then ") : "no mask: as the model gave it";
}

// The coin

/** Lays the kept candidates end to end, likeliest first, and sets the coin on them. */
function showCoin(step, isDrawn) {
  const last = step.stages.length - 1;
  const line = step.candidates
    .filter((row) => row.kept[last])
    .sort((one, other) => other.probs[last] - one.probs[last] || one.id - other.id);
  let from = 0;
  const parts = line.map((row) => {
    const part = { row, from, to: from + row.probs[last] };
    from = part.to;
    return part;
  });
  // a drawn token that ranks far below the others shown has its place among those not shown
  const drawn = parts.at(-1);
  const isFar = drawn?.row.id === step.id && !step.forced && step.coin > drawn.to + ALMOST;
  if (isFar) parts.pop();
  const end = parts.at(-1)?.to ?? 0;

  const bar = byId("cumulative");
  bar.replaceChildren();
  for (const { row, from, to } of parts) {
    const part = make("div", `part${isDrawn && row.id === step.id && !step.forced ? " now" : ""}`);
    if (to - from > 0.08) part.append(token(row.label));
    part.title = `${row.label}: ${percent(to - from)}`;
    part.style.setProperty("--share", to - from);
    bar.append(part);
  }
  if (1 - end > ALMOST) {
    const rest = make("div", "part rest", 1 - end > 0.2 ? "all others kept" : "");
    rest.style.setProperty("--share", 1 - end);
    bar.append(rest);
  }
  const mark = make("div", "mark");
  mark.style.setProperty("--share", step.coin);
  mark.hidden = !isDrawn || step.forced;
  bar.append(mark);
  const words = coinWords(step, isDrawn, isFar);
  bar.setAttribute("aria-label", `What the coin can fall on, likeliest first. ${words}`);
  byId("coin-words").textContent = words;
}

function coinWords(step, isDrawn, isFar) {
  if (!isDrawn) return "Next throws the coin: a number from 0 to 1 that falls on one of these.";
  if (step.forced) return "No coin was thrown: the reader chose this token.";
  const where = isFar ? "among the others, on a token that ranks below those shown" : "on the outlined token";
  return `The coin ${coinText(step.coin)} fell ${where}.`;
}

/** Writes a coin rounded down, so that it never reads 1. */
function coinText(coin) {
  return (Math.floor(coin * 1e4) / 1e4).toFixed(4);
}
