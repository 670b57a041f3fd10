// The order of calls. The first calls of a component wait for its script, and the last of them may
// be let through first. Streamlit takes a call that was overtaken back, after it was made.

/**
 * Wraps what draws a component, so that what Python said last is what stands in its place.
 * @param {(component: {parentElement: ShadowRoot}) => ((() => void) | void)} mount
 * @returns {(component: {parentElement: ShadowRoot}) => (() => void)}
 */
export function inOrder(mount) {
  const standing = new WeakMap(); // by place: the call that drew it last
  return (component) => {
    const place = component.parentElement;
    const before = standing.get(place);
    standing.set(place, component);
    const close = mount(component);
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
