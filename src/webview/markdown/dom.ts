import { guard } from 'lit/directives/guard.js';
import { t } from '../words/l10n.ts';
import { describeProblem } from '../words/problemWords.ts';
import { splitHiddenText } from './hiddenText.ts';
import type { Limit } from './syntax/markdownLimits.ts';

/** Creates an element with a class and attributes. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Creates nodes for a text. Characters that draw nothing become a marker with their count (T20). */
export function createTextNodes(text: string): readonly Node[] {
  return splitHiddenText(text).map((run) =>
    'text' in run ? document.createTextNode(run.text) : createHiddenMarker(run.hidden),
  );
}

/**
 * Renders untrusted text in a template, with its hidden characters marked. The nodes of unchanged text are not
 * replaced, so that a selection in them remains.
 */
export function renderText(text: string): unknown {
  return guard([text], () => createTextNodes(text));
}

/** Creates a marker of hidden characters. The style sheet draws the label, so that it is not copied. */
function createHiddenMarker(count: number): HTMLElement {
  const label = count === 1 ? t('1 hidden character') : t('{0} hidden characters', count);
  return createElement('span', 'hidden-text', {
    role: 'img',
    'aria-label': label,
    title: label,
    'data-label': label,
  });
}

/** Creates a notice that the formatting ends here. The style sheet draws the label, so that it is not copied. */
export function createLimitNotice(limit: Limit): HTMLElement {
  const text = describeProblem({ kind: 'formatting-ends', limit });
  return createElement('span', 'limit-notice', { role: 'note', 'aria-label': text, 'data-label': text });
}

export function createIcon(name: string): HTMLElement {
  return createElement('span', `codicon codicon-${name}`, { 'aria-hidden': 'true' });
}

/**
 * Moves the focus between the items of a menu with the arrow keys, Home and End. Wraps around at both ends.
 *
 * @returns whether the key was one of these
 */
export function moveInMenu(event: KeyboardEvent, items: readonly HTMLElement[]): boolean {
  const index = items.findIndex((item) => item.matches(':focus'));
  const targets = new Map([
    ['ArrowDown', index + 1],
    ['ArrowUp', index - 1],
    ['Home', 0],
    ['End', -1],
  ]);
  const target = targets.get(event.key);
  if (target === undefined) return false;
  items.at(target % items.length)?.focus();
  event.preventDefault();
  return true;
}

/** A button with an icon in the frame of a code block, a table or a tool call. */
export interface ToolButton {
  readonly icon: string;
  readonly label: string;
  readonly action: string;
  readonly className?: string;
}

/** Creates buttons. `listenForActions` handles clicks on them, by `data-action`. */
export function createToolButtons(buttons: readonly ToolButton[]): readonly HTMLElement[] {
  return buttons.map(({ icon: name, label, action, className = '' }) => {
    const button = createElement('button', `icon-button ${className}`.trim(), {
      type: 'button',
      title: label,
      'aria-label': label,
      'data-action': action,
    });
    button.append(createIcon(name));
    return button;
  });
}
