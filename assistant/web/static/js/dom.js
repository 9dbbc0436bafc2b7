// Small helpers to build the page from state, without a framework.

/** An element: `h("button.card", {onclick, "aria-label": …}, "text", child, …)`. */
export function h(spec, properties = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(node, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// Through the style object and not an attribute: the page's policy forbids inline styles.
function setStyle(node, values) {
  for (const [name, value] of Object.entries(values)) node.style.setProperty(name, value);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Replace what `container` holds; whoever had the keyboard keeps it (found again by data-key). */
export function fill(container, ...children) {
  const active = document.activeElement;
  const key = active && container.contains(active) ? active.dataset.key : null;
  container.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (key) container.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

export const byId = (id) => document.getElementById(id);
