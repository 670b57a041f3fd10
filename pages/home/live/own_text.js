// The text of the page, as a sampler of the reader's own writes on it.

import { activeResult, lastStage } from "../../frame/live/strategies.js";
import { buildView } from "./view.js";

/** @param {import("./live.js").Live} live @returns {OwnText} */
export function createOwnText(live) {
  return {
    read() {
      if (!live.isOpen) return null;
      const { header, present } = live;
      const isAtEnd = !header.finished && live.hand.inspecting === null;
      if (!isAtEnd || present === null || present.nRows !== present.nVocab) return null;
      live.finished.cutShort(); // a token would take the place of one that is held
      const view = { ...buildView(live), distribution: present, toss: header.pointer };
      const { probs } = lastStage(activeResult(view));
      return {
        logits: byId(present, present.rawStage.scores),
        probs: byId(present, probs),
        pointer: header.pointer,
        label: live.frames.label,
      };
    },
    async force(id) {
      const nBefore = live.header.ids.length;
      live.actions.force(id);
      while (!live.queue.isIdle) await new Promise(requestAnimationFrame);
      return live.header.ids.length > nBefore;
    },
  };
}

/** @param {Distribution} distribution @param {Float64Array} byRow */
function byId({ ids, nVocab }, byRow) {
  const numbers = new Float64Array(nVocab);
  ids.forEach((id, row) => numbers[id] = byRow[row]);
  return numbers;
}
