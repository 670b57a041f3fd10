// Nothing to see: a link to a section, or to settings, that have a page of their own by now goes on to it.

const AROUND = ["model", "present"]; // of any page's link

export default ({ data }) => {
  const anchor = location.hash.slice(1);
  const asked = [...new URLSearchParams(location.search).keys()].filter((name) => !AROUND.includes(name));
  const isOfThere = asked.length > 0 && asked.every((name) => data.names.includes(name));
  if (!data.anchors.includes(anchor) && !isOfThere) return;
  location.replace(`${data.page}${location.search}${location.hash}`);
};
