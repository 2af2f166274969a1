/** What the clicks in a page do. A button or link names its action in `data-action`, and its objects beside it. */
export interface Actions<Outgoing> {
  /** What the page does by itself, by action. */
  readonly local?: Readonly<Record<string, (clicked: HTMLElement) => void>>;
  /** What the host is told of any other; undefined for nothing. The host checks what it is told. */
  readonly messageOf: (action: string, clicked: HTMLElement) => Outgoing | undefined;
  readonly post: (message: Outgoing) => void;
  /** Has words read aloud. */
  readonly announce: (words: string) => void;
}

/** How long a copy button shows that it copied, in milliseconds. */
const copiedMs = 1500;

/** Has the actions of everything in a page carried out, now and whatever is shown later. */
export function listenForActions<Outgoing>(page: HTMLElement, actions: Actions<Outgoing>): void {
  page.addEventListener('click', ({ target }) => {
    const clicked = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    if (clicked) perform(clicked.dataset.action ?? '', clicked, actions);
  });
}

/** Shows on a copy button for a while that it copied. @param over called when the while is over */
export function showCopied(button: HTMLElement, over?: () => void): void {
  const icon = button.querySelector('.codicon-copy');
  icon?.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => {
    icon?.classList.replace('codicon-check', 'codicon-copy');
    over?.();
  }, copiedMs);
}

function perform<Outgoing>(action: string, clicked: HTMLElement, actions: Actions<Outgoing>): void {
  const { local = {}, messageOf, post, announce } = actions;
  const own = Object.hasOwn(local, action) ? local[action] : undefined;
  const message = own ? undefined : messageOf(action, clicked);
  own?.(clicked);
  if (!message) return;
  post(message);
  if (!action.startsWith('copy-')) return;
  announce('Copied');
  showCopied(clicked);
}
