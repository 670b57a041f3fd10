// When things were seen: the frame after a change, read on the page's own clock, for the benchmarks.

const KEPT_TIMINGS = 5000;

/**
 * Called inside an animation frame, runs a callback once that frame has been painted: a task that
 * is queued inside a frame runs after it.
 * @param {(now: number) => void} callback
 */
export function afterThisFrame(callback) {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => callback(performance.now());
  channel.port2.postMessage(null);
}

/** Notes an event down, for tests. @param {LoopEvent} event */
export function noteEvent(event) {
  const kept = (globalThis.__ottEvents ??= []);
  kept.push(event);
  if (kept.length > KEPT_TIMINGS) kept.shift();
}

/**
 * Begins the record of one press: `pressed`, later `sent`, `painted_token`, `painted_distribution`,
 * each in milliseconds of `performance.now()`, and, with `_in` behind their names, when the frames
 * began that painted them.
 * @param {string} kind
 * @param {number} pressed
 */
export function beginTiming(kind, pressed) {
  const timing = { kind, pressed };
  const kept = (globalThis.__ottTimings ??= []);
  kept.push(timing);
  if (kept.length > KEPT_TIMINGS) kept.splice(0, kept.length - KEPT_TIMINGS);
  return timing;
}
