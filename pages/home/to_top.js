// Nothing to see: whenever the number grows, the top of the page comes into view.

/** @type {number|null} */
let seen = null;

export default (/** @type {Component<number>} */ { data }) => {
  if (seen !== null && data > seen) document.querySelector(".stMain")?.scrollTo({ top: 0 });
  seen = data;
};
