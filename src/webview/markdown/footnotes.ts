/** Goes to the footnote that a mention names, in the same text. */
export function openFootnote(mention: HTMLElement): void {
  go(mention, '.footnote');
}

/** Goes back to where a footnote is mentioned first. */
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
