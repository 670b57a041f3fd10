// While something runs anew, its findings are as high as those before them were: what stands below them stays where
// it is. With the next press they are as high as they need.

const RUN = `[class*="_run"]`; // the place of a button that starts or stops a job, see job_panel.py
const KEY = /\bst-key-([\w-]+)_run\b/;

const held = new Map(); // places of findings, by the row that says how far their job has come
let isKept = false;

function giveBack() {
  for (const [findings, row] of held) {
    if (document.querySelector(`${row} .stProgress`) !== null) continue;
    findings.style.minHeight = "";
    held.delete(findings);
  }
}

/** @param {Event} event */
function press({ target }) {
  giveBack();
  const place = target instanceof Element ? target.closest(RUN) : null;
  const key = place && KEY.exec(place.className)?.[1];
  const findings = key && document.querySelector(`.st-key-${key}_found`);
  if (!(findings instanceof HTMLElement)) return;
  findings.style.minHeight = `${findings.offsetHeight}px`;
  held.set(findings, `.st-key-${key}_row`);
}

/** Keeps the height of findings from now on. */
export function holdHeight() {
  if (isKept) return;
  isKept = true;
  addEventListener("click", press, true);
}
