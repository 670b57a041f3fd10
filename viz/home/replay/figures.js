// The two figures: how the cache grew, and the running sum of log-probabilities.

const SVG = "http://www.w3.org/2000/svg";

function path(className, d) {
  const element = document.createElementNS(SVG, "path");
  element.setAttribute("class", className);
  element.setAttribute("d", d);
  return element;
}

/** Whether sliding layers have let positions go: not so where the cache can be cropped. */
function isCut(step) {
  const whole = step.cache_tokens * RUN.cache.bytes_per_token;
  return RUN.cache.sliding_window !== null && step.cache_bytes < whole;
}

/** Draws the cache after each pass so far: prefill's block, decode's columns, the formula's line. */
function showCache(nPasses) {
  const svg = byId("cache");
  svg.replaceChildren();
  const passes = STEPS.slice(0, nPasses);
  const now = passes.at(-1);
  const perToken = RUN.cache.bytes_per_token;
  const right = RUN.prompt.ids.length + STEPS.length - 1;
  const top = Math.max(1, ...STEPS.map((step) => step.cache_bytes));
  const x = (tokens) => (100 * tokens) / right;
  const y = (bytes) => 40 - (38 * bytes) / top;
  const boxes = { prefill: "", decode: "" };
  passes.forEach((step, i) => {
    const from = i === 0 ? step.position - step.n_input : STEPS[i - 1].position;
    boxes[step.phase] += `M${x(from)} 40V${y(step.cache_bytes)}H${x(step.position)}V40Z`;
  });
  for (const [phase, d] of Object.entries(boxes)) svg.append(path(phase, d));
  const straight = isCut(now) ? Math.min(now.position, RUN.cache.sliding_window) : now.position;
  const line = perToken > 0 ? `M0 40L${x(straight)} ${y(straight * perToken)}` : "";
  svg.append(path("grid", `M0 ${y(top)}H100`), path("derived", line), path("axis", "M0 40H100"));
  const derived = perToken > 0 ? `Dashed, derived: ${count(perToken)}${THIN}B × tokens. ` : "";
  const words =
    `Recorded: ${size(now.cache_bytes)} in use after ${plural(now.cache_tokens, "token")}. ` +
    `${derived}Blue: prefill, teal: decode.`;
  svg.setAttribute("aria-label", words);
  byId("cache-words").textContent = words;
  byId("cache-most").textContent = size(top);
}

/** Draws the running sum of log-probabilities of the tokens that stand. */
function showSum(n) {
  const svg = byId("sum");
  svg.replaceChildren();
  const finite = sums.filter((sum) => sum !== null);
  const bottom = Math.min(-1, ...finite);
  const x = (i) => (100 * i) / Math.max(1, STEPS.length);
  const y = (sum) => 1 + (38 * sum) / bottom;
  const points = sums.slice(0, n + 1).filter((sum) => sum !== null);
  const line = points.map((sum, i) => (i === 0 ? `M0 ${y(sum)}` : `H${x(i)}V${y(sum)}`)).join("");
  svg.append(path("axis", "M0 1H100"), path("grid", `M0 ${y(bottom)}H100`), path("sum", line));
  const total = sums[n];
  const words =
    n === 0
      ? "Nothing is written yet: the sum starts at 0."
      : `Recorded: log p of the ${plural(n, "token")} written is ${nats(total)}, so p = ${probabilityOf(total)}. It never rises.`;
  svg.setAttribute("aria-label", words);
  byId("sum-words").textContent = words;
  byId("sum-most").textContent = nats(bottom);
}
