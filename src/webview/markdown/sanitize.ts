import createDOMPurify from 'dompurify';
import { mathMlAttributes, mathMlTags } from '../maths/mathMl.ts';

const purify = createDOMPurify(window);

const allowedTags = [
  'p',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
  'sub',
  'sup',
  'kbd',
  'a',
  'code',
  'pre',
  'div',
  'span',
  'button',
  'details',
  'summary',
  // Only formulas contain these: the text of a reply never becomes such an element.
  ...mathMlTags,
];

const allowedAttributes = [
  'class',
  'start',
  'type',
  'title',
  'role',
  'tabindex',
  'aria-label',
  'aria-hidden',
  'aria-checked',
  'aria-disabled',
  'aria-haspopup',
  'aria-expanded',
  'data-url',
  'data-action',
  'data-label',
  'data-info',
  ...mathMlAttributes,
];

/** Attributes whose text may begin like an address, such as `ts:src/a.ts`. They are never opened. */
const textAttributes = ['data-info', 'data-label'];

const config = {
  IN_PLACE: true,
  ALLOWED_TAGS: allowedTags,
  ALLOWED_ATTR: allowedAttributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
  ADD_URI_SAFE_ATTR: textAttributes,
} as const;

/**
 * The second of three defences: removes everything except the few allowed elements and attributes of a reply from
 * trees before they are added to the page. The allowed ones do not load, navigate, submit, style or run anything.
 * The first defence builds the trees from tokens, never from HTML; the third is the page's content security
 * policy. Many trees in one call cost little more than one.
 *
 * Each call uses a separate document: the sanitizer leaves an iterator behind, and until the next garbage
 * collection every removal of a node visits all iterators of its document.
 *
 * @returns the same trees, with an empty text instead of each tree whose root element is not allowed
 */
export function sanitize<Root extends Node>(roots: readonly Root[]): readonly (Root | Text)[] {
  const box = document.implementation.createHTMLDocument().createElement('div');
  box.append(...roots);
  purify.sanitize(box, config);
  const allowed = roots.map((root) => (root.parentNode === box ? root : document.createTextNode('')));
  box.replaceChildren();
  return allowed;
}

/** Whether an attribute may be copied onto an element that is in the page already. */
export function isAllowedAttribute(name: string): boolean {
  return allowedAttributes.includes(name);
}
