import { t } from '../words/l10n.ts';

/** Scrolls to the footnote of a reference in the same text. */
export function openFootnote(mention: HTMLElement): void {
  go(mention, '.footnote');
}

/** Scrolls back to the first reference to a footnote. */
export function leaveFootnote(button: HTMLElement): void {
  go(button, '.footnote-mention');
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
