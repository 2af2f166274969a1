import { isAllowedAttribute, sanitize } from './sanitize.ts';

/**
 * Changes the children of `parent` after `anchor` (all, if it is null) to equal `fresh`. Equal nodes stay, and
 * with them the selection and the focus.
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
  const nodes = fresh.map((node) => {
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
  return nodes;
}

/** The attribute of an open fold. Only the reader changes it. */
const foldStateAttribute = 'open';

/** Elements with behaviour, which a copy of their nodes would not have. */
const opaqueNodes = new WeakSet<Node>();

/** Marks an element that is always inserted itself, never recreated by changing another one. */
export function markOpaque(node: Node): void {
  opaqueNodes.add(node);
}

/** The content keys of elements that stay or are replaced as a whole. */
const contentKeys = new WeakMap<Node, string>();

/** Marks an element as equal to any other with this key, and as different from elements without it. */
export function setContentKey(node: Node, key: string): void {
  contentKeys.set(node, key);
}

/** @returns false if `current` cannot be changed into `fresh` */
function patchNode(current: Node, fresh: Node): boolean {
  if (contentKeys.has(current) || contentKeys.has(fresh))
    return contentKeys.get(current) === contentKeys.get(fresh);
  if (opaqueNodes.has(current) || opaqueNodes.has(fresh)) return current === fresh;
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
    if (!fresh.hasAttribute(name) && name !== foldStateAttribute) current.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (current.getAttribute(name) !== value && isAllowedAttribute(name)) current.setAttribute(name, value);
  }
}

/** Changes one node to look like `fresh`, or replaces it with `fresh`. */
export function replaceNode(current: Node, fresh: Node): void {
  if (patchNode(current, fresh)) return;
  for (const allowed of sanitize([fresh])) current.parentNode?.replaceChild(allowed, current);
}
