import type { FromChatPage, ToChatPage } from '../protocol/chatPage.ts';

type Unmarked<M> = M extends unknown ? Omit<M, 'channel'> : never;

/** A message to the host; the channel is put on it on the way. */
export type Message = Unmarked<FromChatPage>;

/** What the page remembers by itself: what the user is about to do, never what was said. */
export interface PageState {
  readonly draft: string;
}

/** The other side of the page. In VS Code the extension; in a browser whatever opened the page. */
export interface Host {
  post(message: Message): void;
  onMessage(listener: (message: ToChatPage) => void): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
}

interface VsCodeApi {
  postMessage(message: FromChatPage): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
}

declare const acquireVsCodeApi: () => VsCodeApi;

/** Takes hold of VS Code's side. Can be done once; nobody else gets at it afterwards. */
export function connectHost(channel: string): Host {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage({ ...message, channel } as FromChatPage),
    onMessage: (listener) => {
      window.addEventListener('message', (event: MessageEvent<ToChatPage>) => {
        // VS Code posts with the page's own origin; a frame inside the page cannot (T14).
        if (event.origin === window.origin) listener(event.data);
      });
    },
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}
