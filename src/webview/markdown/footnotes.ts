import { t } from '../words/l10n.ts';
import { element, icon, textNodes } from './dom.ts';

/** The frame of a footnote, and the element for its text. */
export function footnoteFrame(label: string): { readonly frame: HTMLElement; readonly body: HTMLElement } {
  const frame = element('div', 'footnote', {
    ...{ role: 'note', tabindex: '-1', 'aria-label': t('Footnote {0}', label), 'data-label': label },
  });
  const mark = element('span', 'footnote-mark');
  mark.append(...textNodes(label));
  const body = element('div', 'footnote-body');
  const back = element('button', 'icon-button', {
    ...{
      type: 'button',
      title: t('Back to Reference'),
      'aria-label': t('Back to Reference of Footnote {0}', label),
    },
    ...{ 'data-action': 'leave-footnote', 'data-label': label },
  });
  back.append(icon('arrow-up'));
  frame.append(mark, body, back);
  return { frame, body };
}

/** The link to a footnote. It shows the footnote's label until all footnotes are numbered. */
export function footnoteMention(label: string): HTMLElement {
  const raised = element('sup');
  const link = element('a', 'link footnote-mention', {
    ...{ role: 'link', tabindex: '0', 'aria-label': t('Footnote {0}', label) },
    ...{ 'data-action': 'open-footnote', 'data-label': label },
  });
  link.append(...textNodes(label));
  raised.append(link);
  return raised;
}

/**
 * Numbers the footnotes of a complete text, in the order of their first references. Numbers are easier to read
 * than labels.
 */
export function numberFootnotes(text: Element): void {
  const numbers = new Map<string, string>();
  const numberOf = ({ dataset: { label = '' } }: HTMLElement): string => {
    const number = numbers.get(label) ?? String(numbers.size + 1);
    numbers.set(label, number);
    return number;
  };
  for (const mention of text.querySelectorAll<HTMLElement>('.footnote-mention')) {
    const number = numberOf(mention);
    mention.textContent = number;
    mention.ariaLabel = t('Footnote {0}', number);
  }
  for (const footnote of text.querySelectorAll<HTMLElement>('.footnote')) {
    const number = numberOf(footnote);
    footnote.ariaLabel = t('Footnote {0}', number);
    footnote.querySelector(':scope > .footnote-mark')?.replaceChildren(number);
    const back = footnote.querySelector(':scope > [data-action="leave-footnote"]');
    if (back) back.ariaLabel = t('Back to Reference of Footnote {0}', number);
  }
}

/** Scrolls to the footnote of a reference in the same text. */
export function openFootnote(mention: HTMLElement): void {
  go(mention, '.footnote');
}

/** Scrolls back to the first reference to a footnote. */
export function leaveFootnote(button: HTMLElement): void {
  go(button, '.footnote-mention');
}

function go(from: HTMLElement, kind: string): void {
  const label = CSS.escape(from.dataset.label ?? '');
  const target = from.closest('mg-markdown')?.querySelector<HTMLElement>(`${kind}[data-label="${label}"]`);
  if (!target) return;
  for (let fold = target.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) {
    fold.open = true;
  }
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}
