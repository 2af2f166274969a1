import { t } from '../words/l10n.ts';
import { pageProblemWords } from '../words/problemWords.ts';
import { textRuns } from './hiddenText.ts';
import type { Limit } from './syntax/markdownLimits.ts';

/** Creates an element with a class and attributes. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  if (className) created.className = className;
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  return created;
}

/** Text as nodes. Characters that draw nothing become a marker with their count (T20). */
export function textNodes(text: string): readonly Node[] {
  return textRuns(text).map((run) =>
    'text' in run ? document.createTextNode(run.text) : hiddenMarker(run.hidden),
  );
}

/** The style sheet draws the label, so that it is not part of copied text. */
function hiddenMarker(count: number): HTMLElement {
  const label = count === 1 ? t('1 hidden character') : t('{0} hidden characters', count);
  return element('span', 'hidden-text', {
    role: 'img',
    'aria-label': label,
    title: label,
    'data-label': label,
  });
}

/** Reports where the page stops formatting. The style sheet draws the label, so that it is not copied. */
export function limitNotice(limit: Limit): HTMLElement {
  const words = pageProblemWords({ kind: 'formatting-ends', limit });
  return element('span', 'limit-notice', { role: 'note', 'aria-label': words, 'data-label': words });
}

export function icon(name: string): HTMLElement {
  return element('span', `codicon codicon-${name}`, { 'aria-hidden': 'true' });
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

/** Builds the buttons. `listenForActions` finds them by `data-action`. */
export function toolButtons(buttons: readonly ToolButton[]): readonly HTMLElement[] {
  return buttons.map(({ icon: name, label, action, className = '' }) => {
    const button = element('button', `icon-button ${className}`.trim(), {
      ...{ type: 'button', title: label, 'aria-label': label, 'data-action': action },
    });
    button.append(icon(name));
    return button;
  });
}
