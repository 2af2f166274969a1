/**
 * The page's connection to its host: the extension in VS Code, or a test. `State` is the state that the page
 * stores itself: unfinished work of the user, never content of the host.
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

/** Acquires the VS Code API, which is possible only once. Other code cannot acquire it afterwards. */
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
 * Waits until VS Code focuses the page. A page that takes the focus by itself could receive text that the user types
 * elsewhere.
 *
 * @returns whether the page has the focus; false if the user clicks in the page first
 */
export async function waitForPageFocus(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settled = new AbortController();
  const { signal } = settled;
  window.addEventListener('focus', () => resolve(true), { signal });
  window.addEventListener('pointerdown', () => resolve(false), { capture: true, signal });
  return promise.finally(() => settled.abort());
}

/**
 * Prevents the page from taking the focus by itself, for example after a question that failed late: it would
 * receive the keys of a credential that the user types elsewhere in VS Code.
 */
export function preventFocusStealing(): void {
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function takeFocus(options) {
    if (document.hasFocus()) focus.call(this, options);
  };
}

interface NumberedMessage {
  readonly seq: number;
  readonly type: string;
  /** A message of the type `state` contains the whole state, unless it is a patch. */
  readonly isPatch?: boolean | undefined;
}

/**
 * Checks that no message of the host is missing. After a gap the page requests the whole state and waits for it.
 */
export class MessageSequence {
  readonly #requestSnapshot: () => void;
  /** The number of the last message; undefined while the page waits for a snapshot. */
  #lastSeq: number | undefined;

  constructor(requestSnapshot: () => void) {
    this.#requestSnapshot = requestSnapshot;
  }

  /** Whether to handle a message. Messages between a gap and the next snapshot are ignored. */
  accepts({ seq, type, isPatch }: NumberedMessage): boolean {
    if (type === 'state' && !isPatch) {
      this.#lastSeq = seq;
      return true;
    }
    if (this.#lastSeq === undefined) return false;
    if (seq === this.#lastSeq + 1) {
      this.#lastSeq = seq;
      return true;
    }
    this.#lastSeq = undefined;
    this.#requestSnapshot();
    return false;
  }
}
