import { t } from '../words/l10n.ts';

/**
 * How a page handles clicks. A button or link names its action in `data-action`; further attributes are its
 * arguments.
 */
interface ActionHandlers<Outgoing> {
  /** Actions that the page performs itself. */
  readonly localActions?: Readonly<Record<string, (element: HTMLElement) => void>>;
  /** Creates the message to the host for any other action; undefined if it does not need one. The host validates it. */
  readonly createMessage: (action: string, element: HTMLElement) => Outgoing | undefined;
  readonly post: (message: Outgoing) => void;
  /**
   * Whether the second click of a double click is ignored, because it may cost money, or because the button may
   * have another meaning by then.
   */
  readonly ignoresSecondClick?: (action: string) => boolean;
  /** Called after each action, while its button still exists. */
  readonly onPerformed?: (action: string) => void;
  /** Announces a text to screen readers. */
  readonly announce: (text: string) => void;
}

/** How long a copy button shows that the text was copied, in milliseconds. */
const copiedMs = 2000;

/** Listens for the actions in a page, including those of elements that are added later. */
export function listenForActions<Outgoing>(page: HTMLElement, actions: ActionHandlers<Outgoing>): void {
  page.addEventListener('click', ({ target, detail: clicks }) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    if (!element) return;
    const action = element.dataset.action ?? '';
    if (clicks > 1 && actions.ignoresSecondClick?.(action)) return;
    performAction(action, element, actions);
    actions.onPerformed?.(action);
  });
}

/** Shows on a copy button for two seconds that the text was copied, and announces it on every click. */
export function confirmCopied(button: HTMLElement, announce: (text: string) => void): void {
  // A screen reader announces text only when it changes.
  announce('');
  requestAnimationFrame(() => announce(t('Copied')));
  showCopied(button);
}

function showCopied(button: HTMLElement): void {
  const icon = button.querySelector('.codicon:not(.codicon-check)');
  const originalIcon = [...(icon?.classList ?? [])].find((name) => name.startsWith('codicon-')) ?? '';
  icon?.classList.replace(originalIcon, 'codicon-check');
  button.dataset.copied = t('Copied');
  button.classList.add('copied');
  setTimeout(() => {
    icon?.classList.replace('codicon-check', originalIcon);
    button.classList.remove('copied');
  }, copiedMs);
}

function performAction<Outgoing>(
  action: string,
  element: HTMLElement,
  actions: ActionHandlers<Outgoing>,
): void {
  const { localActions = {}, createMessage, post, announce } = actions;
  const localAction = Object.hasOwn(localActions, action) ? localActions[action] : undefined;
  if (localAction) return void localAction(element);
  const message = createMessage(action, element);
  if (!message) return;
  post(message);
  if (action.startsWith('copy-')) confirmCopied(element, announce);
}
