// How a component is mounted, and the order of calls. The first calls wait for its script, and
// Streamlit takes a call that was overtaken meanwhile back, after it was made.

/**
 * Makes a component's entry: one object for each place in the page, built once and handed every later
 * call of Streamlit. It is closed only once its place has truly left the page: Streamlit also takes
 * back a call that was overtaken by the next one.
 * @param {new (place: ShadowRoot) => {receive(component: Component): void, close?(): void}} Shown
 */
export function mountOnce(Shown) {
  const byPlace = new WeakMap();
  const closeIfGone = (/** @type {ShadowRoot} */ place) => {
    if (place.host.isConnected) return;
    byPlace.get(place)?.close?.();
    byPlace.delete(place);
  };
  return inOrder((/** @type {Component} */ component) => {
    const place = component.parentElement;
    if (!byPlace.has(place)) byPlace.set(place, new Shown(place));
    byPlace.get(place).receive(component);
    return () => setTimeout(() => closeIfGone(place));
  });
}

/**
 * Wraps what draws a component, so that what Python said last is what stands in its place.
 * @template Data
 * @param {(component: Component<Data>) => (() => void)|void} mount
 */
export function inOrder(mount) {
  const standing = new WeakMap(); // by place: the call that drew it last
  return (/** @type {Component<Data>} */ component) => {
    const place = component.parentElement;
    const before = standing.get(place);
    standing.set(place, component);
    const close = /** @type {() => void} */ (mount(component));
    return () => {
      const isOvertaken = place.host.isConnected && standing.get(place) === component;
      if (isOvertaken && before !== undefined) {
        standing.set(place, before);
        mount(before);
      }
      close?.();
    };
  };
}
