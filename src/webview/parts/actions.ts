import { t } from '../words/l10n.ts';

/**
 * Handles the clicks in a page. A button or link names its action in `data-action`, and its arguments in
 * further attributes.
 */
export interface Actions<Outgoing> {
  /** Actions that the page performs itself. */
  readonly local?: Readonly<Record<string, (clicked: HTMLElement) => void>>;
  /** Returns the message to the host for any other action; undefined for none. The host checks it. */
  readonly messageOf: (action: string, clicked: HTMLElement) => Outgoing | undefined;
  readonly post: (message: Outgoing) => void;
  /**
   * Whether the second click of a double click on the action's button is ignored: it may cost, or the button may
   * mean something else by then.
   */
  readonly isOnce?: (action: string) => boolean;
  /** Called once an action was performed, while its button is still there. */
  readonly performed?: (action: string) => void;
  /** Announces words to a screen reader. */
  readonly announce: (words: string) => void;
}

/** How long a copy button shows that it copied, in milliseconds. */
const copiedMs = 2000;

/** Listens for the actions in a page, also of elements that are added later. */
export function listenForActions<Outgoing>(page: HTMLElement, actions: Actions<Outgoing>): void {
  page.addEventListener('click', ({ target, detail: clicks }) => {
    const clicked = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    if (!clicked) return;
    const action = clicked.dataset.action ?? '';
    if (clicks > 1 && actions.isOnce?.(action)) return;
    perform(action, clicked, actions);
    actions.performed?.(action);
  });
}

/** Shows on a copy button for two seconds that it copied, and announces it, each time anew. */
export function tellCopied(button: HTMLElement, announce: (words: string) => void): void {
  // A screen reader tells of words that change only.
  announce('');
  requestAnimationFrame(() => announce(t('Copied')));
  showCopied(button);
}

function showCopied(button: HTMLElement): void {
  const icon = button.querySelector('.codicon:not(.codicon-check)');
  const usual = [...(icon?.classList ?? [])].find((name) => name.startsWith('codicon-')) ?? '';
  icon?.classList.replace(usual, 'codicon-check');
  button.dataset.copied = t('Copied');
  button.classList.add('copied');
  setTimeout(() => {
    icon?.classList.replace('codicon-check', usual);
    button.classList.remove('copied');
  }, copiedMs);
}

function perform<Outgoing>(action: string, clicked: HTMLElement, actions: Actions<Outgoing>): void {
  const { local = {}, messageOf, post, announce } = actions;
  const own = Object.hasOwn(local, action) ? local[action] : undefined;
  const message = own ? undefined : messageOf(action, clicked);
  own?.(clicked);
  if (!message) return;
  post(message);
  if (action.startsWith('copy-')) tellCopied(clicked, announce);
}
