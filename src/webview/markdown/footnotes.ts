import { t } from '../words/l10n.ts';
import { createElement, createIcon, createTextNodes } from './dom.ts';

/** Creates the frame of a footnote, and the element for its text. */
export function createFootnoteFrame(label: string): {
  readonly frame: HTMLElement;
  readonly body: HTMLElement;
} {
  const frame = createElement('div', 'footnote', {
    role: 'note',
    tabindex: '-1',
    'aria-label': t('Footnote {0}', label),
    'data-label': label,
  });
  const mark = createElement('span', 'footnote-mark');
  mark.append(...createTextNodes(label));
  const body = createElement('div', 'footnote-body');
  const back = createElement('button', 'icon-button', {
    type: 'button',
    title: t('Back to Reference'),
    'aria-label': t('Back to Reference of Footnote {0}', label),
    'data-action': 'leave-footnote',
    'data-label': label,
  });
  back.append(createIcon('arrow-up'));
  frame.append(mark, body, back);
  return { frame, body };
}

/** Creates the link to a footnote. It shows the footnote's label until all footnotes are numbered. */
export function createFootnoteMention(label: string): HTMLElement {
  const raised = createElement('sup');
  const link = createElement('a', 'link footnote-mention', {
    role: 'link',
    tabindex: '0',
    'aria-label': t('Footnote {0}', label),
    'data-action': 'open-footnote',
    'data-label': label,
  });
  link.append(...createTextNodes(label));
  raised.append(link);
  return raised;
}

/**
 * Numbers the footnotes of a complete text, in the order of their first references. Numbers are easier to read
 * than labels.
 */
export function numberFootnotes(text: Element): void {
  const numbers = new Map<string, string>();
  const getNumber = ({ dataset: { label = '' } }: HTMLElement): string => {
    const number = numbers.get(label) ?? String(numbers.size + 1);
    numbers.set(label, number);
    return number;
  };
  for (const mention of text.querySelectorAll<HTMLElement>('.footnote-mention')) {
    const number = getNumber(mention);
    mention.textContent = number;
    mention.ariaLabel = t('Footnote {0}', number);
  }
  for (const footnote of text.querySelectorAll<HTMLElement>('.footnote')) {
    const number = getNumber(footnote);
    footnote.ariaLabel = t('Footnote {0}', number);
    footnote.querySelector(':scope > .footnote-mark')?.replaceChildren(number);
    const back = footnote.querySelector(':scope > [data-action="leave-footnote"]');
    if (back) back.ariaLabel = t('Back to Reference of Footnote {0}', number);
  }
}

/** Scrolls to the footnote of a reference in the same text. */
export function openFootnote(mention: HTMLElement): void {
  scrollToTarget(mention, '.footnote');
}

/** Scrolls back to the first reference to a footnote. */
export function leaveFootnote(button: HTMLElement): void {
  scrollToTarget(button, '.footnote-mention');
}

/** Scrolls to and focuses the first element that matches the selector and has the same label. */
function scrollToTarget(from: HTMLElement, selector: string): void {
  const label = CSS.escape(from.dataset.label ?? '');
  const target = from
    .closest('mg-markdown')
    ?.querySelector<HTMLElement>(`${selector}[data-label="${label}"]`);
  if (!target) return;
  for (let fold = target.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) {
    fold.open = true;
  }
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}
