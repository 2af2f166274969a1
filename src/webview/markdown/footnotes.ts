import { t } from '../words/l10n.ts';

/** Goes to the footnote that a mention names, in the same text. */
export function openFootnote(mention: HTMLElement): void {
  go(mention, '.footnote');
}

/** Goes back to where a footnote is mentioned first. */
export function leaveFootnote(button: HTMLElement): void {
  go(button, '.footnote-mention');
}

/**
 * Numbers the footnotes of a text that is whole, in the order in which they are mentioned first. What is called
 * by a name in the text reads better as a number.
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
    if (back) back.ariaLabel = t('Back to the Text of Footnote {0}', number);
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
