/**
 * The page's connection to its host: in VS Code the extension, in a test the test. `State` is what the page
 * stores itself: what the user is about to do, never content of the host.
 */
export interface Host<Incoming, Outgoing, State> {
  post(message: Outgoing): void;
  onMessage(listener: (message: Incoming) => void): void;
  getState(): State | undefined;
  setState(state: State): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: () => VsCodeApi;

/** Acquires the VS Code API, which is possible once. Nothing else can reach it afterwards. */
export function connectHost<Incoming, Outgoing, State>(channel: string): Host<Incoming, Outgoing, State> {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage({ ...message, channel }),
    onMessage: (listener) => {
      window.addEventListener('message', (event: MessageEvent<Incoming>) => {
        // VS Code posts with the page's own origin; a frame inside the page cannot (T14).
        if (event.origin === window.origin) listener(event.data);
      });
    },
    getState: () => api.getState() as State | undefined,
    setState: (state) => api.setState(state),
  };
}

/**
 * Waits until VS Code gives the page the focus. A page that took it by itself could receive what the user types
 * elsewhere.
 *
 * @returns false when the user clicks in the page first
 */
export async function hasPageFocus(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settled = new AbortController();
  const { signal } = settled;
  window.addEventListener('focus', () => resolve(true), { signal });
  window.addEventListener('pointerdown', () => resolve(false), { capture: true, signal });
  return promise.finally(() => settled.abort());
}

/**
 * Keeps the page from taking the focus by itself, as for a question that failed after a while: the keys of a credential
 * that the user types elsewhere in VS Code would arrive here.
 */
export function leaveFocusElsewhere(): void {
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function takeFocus(options) {
    if (document.hasFocus()) focus.call(this, options);
  };
}
