// The worker of the map of the sliders: computes one request at a time and drops it for a newer one.

import { computePoints } from "./slider_map_points.js";

const CHUNK_MS = 25; // after which a newer request is looked for

let newest = 0;

self.onmessage = async ({ data: { n, view, axis, maps } }) => {
  newest = n;
  const began = performance.now();
  const made = [];
  for (const { pointers, temperatures, limits } of maps) {
    const columns = computePoints(view, axis, pointers, temperatures, limits);
    const points = await finished(columns, n);
    if (points === null) return;
    made.push({ ...points, nUp: limits.length });
  }
  self.postMessage({ n, maps: made, ms: performance.now() - began });
};

/**
 * What the columns return; null once a newer request has come.
 * @param {ReturnType<typeof computePoints>} columns
 * @param {number} n
 */
async function finished(columns, n) {
  for (let until = performance.now() + CHUNK_MS;;) {
    const { done, value } = columns.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (n !== newest) return null;
    until = performance.now() + CHUNK_MS;
  }
}
