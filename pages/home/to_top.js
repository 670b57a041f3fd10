// Nothing to see: whenever the number grows, the top of the page comes into view.

let seen = null;

export default ({ data }) => {
  if (seen !== null && data > seen) document.querySelector(".stMain")?.scrollTo({ top: 0 });
  seen = data;
};
