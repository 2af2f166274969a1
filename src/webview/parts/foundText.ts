/**
 * Scrolls to a match of VS Code's find widget. In a browser the widget only selects it, while the focus stays in
 * the widget. A selection that a reader makes is left where it is.
 */
export function revealFoundText(): void {
  document.addEventListener('selectionchange', () => {
    const selection = document.getSelection();
    if (document.hasFocus() || !selection || selection.isCollapsed) return;
    reveal(selection.getRangeAt(0));
  });
}

function reveal(found: Range): void {
  const scroller = scrollerOf(found.startContainer.parentElement);
  if (!scroller) return;
  const { top, bottom } = found.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  if (top >= view.top && bottom <= view.bottom) return;
  scroller.scrollTop += top - view.top - view.height / 2;
}

/** The box around an element that scrolls up and down. */
function scrollerOf(from: Element | null): Element | undefined {
  for (let box = from; box; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if ((overflowY === 'auto' || overflowY === 'scroll') && box.scrollHeight > box.clientHeight) return box;
  }
  return undefined;
}
