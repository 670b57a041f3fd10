// The teacher's browser keeps the key of a room, as long as the room is open; the page says when its
// connection is lost.

const WATCH_MS = 5000;
const watches = new WeakMap(); // by place: one clock each, however often it is drawn

function watch(place, path) {
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  place.append(said);
  const state = { timer: 0 };
  const look = async () => {
    try {
      await fetch(`${path}_stcore/health`, { cache: "no-store", signal: AbortSignal.timeout(WATCH_MS) });
      said.textContent = "";
    } catch {
      said.textContent = "The connection to the server is lost. Trying again…";
    }
    state.timer = setTimeout(look, WATCH_MS);
  };
  state.timer = setTimeout(look, WATCH_MS);
  return state;
}

export default ({ data, parentElement }) => {
  const path = location.pathname.replace(/[^/]*$/, "");
  const limits = `path=${path}; max-age=${data.seconds}; SameSite=Strict`;
  document.cookie = `${data.name}=${data.value}; ${limits}`;
  const place = parentElement;
  if (data.value && !watches.has(place)) watches.set(place, watch(place, path));
  return () => {
    clearTimeout(watches.get(place)?.timer);
    watches.delete(place);
    place.replaceChildren();
  };
};
