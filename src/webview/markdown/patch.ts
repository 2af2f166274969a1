import { isAllowedAttribute, sanitize } from './sanitize.ts';

/**
 * Changes the children of `parent` after `anchor` (all, when it is null) to equal `fresh`. Keeps equal nodes,
 * so that selection and focus stay.
 *
 * @returns the nodes now in the document, one for each of `fresh`
 */
export function patchAfter(parent: Node, anchor: Node | null, fresh: readonly Node[]): readonly Node[] {
  let current = anchor ? anchor.nextSibling : parent.firstChild;
  if (!current) {
    const allowed = sanitize(fresh);
    for (const node of allowed) parent.appendChild(node);
    return allowed;
  }
  const kept = fresh.map((node) => {
    if (current && patchNode(current, node)) {
      const same = current;
      current = current.nextSibling;
      return same;
    }
    const [allowed = document.createTextNode('')] = sanitize([node]);
    if (!current) return parent.appendChild(allowed);
    const replaced = current;
    current = current.nextSibling;
    parent.replaceChild(allowed, replaced);
    return allowed;
  });
  while (current) {
    const next: ChildNode | null = current.nextSibling;
    current.remove();
    current = next;
  }
  return kept;
}

/** The attribute of a fold that nothing else sets. */
const openedByReader = 'open';

/** Elements with behaviour of their own: a copy of their nodes would not be the same thing. */
const opaque = new WeakSet<Node>();

/** Marks an element that is only ever inserted itself, never recreated by changing another one. */
export function keepOpaque(node: Node): void {
  opaque.add(node);
}

/** What elements show that are kept or replaced as a whole. */
const whole = new WeakMap<Node, string>();

/** Marks an element as the same thing as any other with this key, and as another thing than those without it. */
export function keepWhole(node: Node, key: string): void {
  whole.set(node, key);
}

function patchNode(current: Node, fresh: Node): boolean {
  if (whole.has(current) || whole.has(fresh)) return whole.get(current) === whole.get(fresh);
  if (opaque.has(current) || opaque.has(fresh)) return current === fresh;
  if (current instanceof Text && fresh instanceof Text) {
    patchText(current, fresh.data);
    return true;
  }
  if (!(current instanceof Element && fresh instanceof Element) || current.tagName !== fresh.tagName)
    return false;
  patchAttributes(current, fresh);
  patchAfter(current, null, [...fresh.childNodes]);
  return true;
}

function patchText(current: Text, text: string): void {
  if (current.data === text) return;
  if (text.startsWith(current.data)) current.appendData(text.slice(current.length));
  else current.data = text;
}

function patchAttributes(current: Element, fresh: Element): void {
  for (const { name } of [...current.attributes]) {
    if (!fresh.hasAttribute(name) && name !== openedByReader) current.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (current.getAttribute(name) !== value && isAllowedAttribute(name)) current.setAttribute(name, value);
  }
}

/** Makes one node look like `fresh`, or puts `fresh` in its place. */
export function replaceNode(current: Node, fresh: Node): void {
  if (patchNode(current, fresh)) return;
  for (const allowed of sanitize([fresh])) current.parentNode?.replaceChild(allowed, current);
}
