import createDOMPurify from 'dompurify';

const purify = createDOMPurify(window);

const tags = [
  ...['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'hr', 'br'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['em', 'strong', 's', 'a', 'code', 'pre', 'div', 'span', 'button'],
];

const attributes = [
  ...['class', 'start', 'type', 'title', 'role', 'tabindex', 'aria-label', 'aria-hidden'],
  ...['data-url', 'data-action', 'data-label'],
];

const config = {
  IN_PLACE: true,
  ALLOWED_TAGS: tags,
  ALLOWED_ATTR: attributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
} as const;

/**
 * The second wall: takes out of a tree, before it enters the page, everything but the few elements and
 * attributes a reply is made of. Nothing that loads, navigates, submits, styles or runs is among them.
 * (The first wall is that the tree is built from tokens, never from HTML; the third is the content
 * security policy of the page.)
 */
export function sanitize(root: Node): void {
  if (root instanceof HTMLElement) purify.sanitize(root, config);
}

/** The same for many trees, which together cost little more than one. */
export function sanitizeAll(roots: readonly Node[]): void {
  const box = document.createElement('div');
  box.append(...roots);
  sanitize(box);
  for (const root of roots) root.parentNode?.removeChild(root);
}

/** Whether an attribute may be copied onto an element that is in the page already. */
export function isAllowedAttribute(name: string): boolean {
  return attributes.includes(name);
}
