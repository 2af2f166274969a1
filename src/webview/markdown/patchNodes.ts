import { isAllowedAttribute, sanitize } from './sanitize.ts';

/**
 * Changes the children of `parent` after `anchor` to equal `newNodes`; all children if `anchor` is null. Equal nodes
 * are not replaced, so that they do not lose the selection and the focus.
 *
 * @returns the nodes now in the document, one for each of `newNodes`
 */
export function patchAfter(parent: Node, anchor: Node | null, newNodes: readonly Node[]): readonly Node[] {
  let current = anchor ? anchor.nextSibling : parent.firstChild;
  if (!current) {
    const allowed = sanitize(newNodes);
    for (const node of allowed) parent.appendChild(node);
    return allowed;
  }
  const nodes = newNodes.map((node) => {
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

/** Marks an element that is inserted itself, because another element cannot be changed into it. */
export function markOpaque(node: Node): void {
  opaqueNodes.add(node);
}

/** The content keys of elements that are either not changed or replaced as a whole. */
const contentKeys = new WeakMap<Node, string>();

/** Marks an element as equal to any other with this key, and as different from elements without it. */
export function setContentKey(node: Node, key: string): void {
  contentKeys.set(node, key);
}

/** @returns false if `current` cannot be changed into `newNode` */
function patchNode(current: Node, newNode: Node): boolean {
  if (contentKeys.has(current) || contentKeys.has(newNode))
    return contentKeys.get(current) === contentKeys.get(newNode);
  if (opaqueNodes.has(current) || opaqueNodes.has(newNode)) return current === newNode;
  if (current instanceof Text && newNode instanceof Text) {
    patchText(current, newNode.data);
    return true;
  }
  if (!(current instanceof Element && newNode instanceof Element) || current.tagName !== newNode.tagName)
    return false;
  patchAttributes(current, newNode);
  patchAfter(current, null, [...newNode.childNodes]);
  return true;
}

function patchText(current: Text, text: string): void {
  if (current.data === text) return;
  if (text.startsWith(current.data)) current.appendData(text.slice(current.length));
  else current.data = text;
}

function patchAttributes(current: Element, newNode: Element): void {
  for (const { name } of [...current.attributes]) {
    if (!newNode.hasAttribute(name) && name !== foldStateAttribute) current.removeAttribute(name);
  }
  for (const { name, value } of newNode.attributes) {
    if (current.getAttribute(name) !== value && isAllowedAttribute(name)) current.setAttribute(name, value);
  }
}

/** Changes one node to look like `newNode`, or replaces it with `newNode`. */
export function replaceNode(current: Node, newNode: Node): void {
  if (patchNode(current, newNode)) return;
  for (const allowed of sanitize([newNode])) current.parentNode?.replaceChild(allowed, current);
}
