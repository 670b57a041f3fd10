// Nothing to see: keeps in this browser what was said to a question of a page, or that its end was read.

import { keepAnswer, keepSeen } from "./live/record.js";

const SUMMARY = ".st-key-summary";

export default (
  /** @type {Component<Omit<import("./live/record.js").Answer, "place" | "title">>} */ { data },
) => {
  const place = location.pathname.split("/").at(-1) || "home";
  if (data.question) {
    keepAnswer({ place, title: document.title.replace(/ · .*/, ""), ...data });
    return undefined;
  }
  const watching = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) keepSeen(place);
  });
  for (const summary of document.querySelectorAll(SUMMARY)) watching.observe(summary);
  return () => watching.disconnect();
};
