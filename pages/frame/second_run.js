// Nothing to see: once what a page drew first is painted, it asks for the rest, which stands below it.

const LOOKS = 30; // milliseconds between two
const IDLE = `.stApp[data-test-script-state="notRunning"]`;
const ON_ITS_WAY = `[data-testid="stSkeleton"], [data-later]`; // see in_order.js

/** @type {WeakSet<ShadowRoot>} */
const asked = new WeakSet();

export default (
  /** @type {Component<{ isHere: boolean }>} */ { data, parentElement, setStateValue },
) => {
  if (data.isHere || asked.has(parentElement)) return;
  const looking = setInterval(() => {
    if (!document.querySelector(IDLE) || document.querySelector(ON_ITS_WAY)) return;
    clearInterval(looking);
    asked.add(parentElement);
    requestAnimationFrame(() => setTimeout(() => setStateValue("is_painted", true)));
  }, LOOKS);
  return () => clearInterval(looking);
};
