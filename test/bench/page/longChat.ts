import type { ChatState, ToChatPage } from '../../../src/protocol/chatPage.ts';
import type { TurnView } from '../../../src/protocol/chatTurn.ts';
import type { Unnumbered } from './feeder.ts';

/** The functions that the benchmark calls in the page. */
export interface LongChat {
  /** Opens a chat with these turns, the last ones first, until its last screen is painted. */
  open(): Promise<void>;
  /** Resolves when the page has all turns. */
  arrive(): Promise<void>;
  /** Scrolls to the beginning of the chat, a screen at a time. */
  scrollUp(): Promise<void>;
  /** Finds a text in all of the chat, until all matches are counted. */
  find(text: string): Promise<void>;
  /** The number of built turns. */
  readonly built: number;
}

declare global {
  interface Window {
    longChat: LongChat;
  }
}

/** Installs `window.longChat`. Its source is sent to the page, so it must not use anything from outside. */
export function installLongChat({ count, texts }: { count: number; texts: readonly string[] }): void {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const createTurn = (_: unknown, at: number): TurnView => ({
    id: `turn-${at}`,
    question: `Question ${at} of a long chat?`,
    images: [],
    model: 'bench-model',
    replies: [
      {
        text: `${texts[at % texts.length]}\n\nEnd of ${at}.`,
        reasoning: '',
        toolCalls: [],
        images: [],
        citations: [],
      },
    ],
    state: 'done',
    figures: { inputTokens: at, outputTokens: 500 },
    omitted: [],
  });
  const turns = Array.from({ length: count }, createTurn);
  const state: Omit<ChatState, 'path'> = {
    chat: 'bench',
    draft: '',
    excludedTurns: [],
    attachments: [],
    context: [],
    completionTriggers: [],
    queued: null,
    deleted: null,
    promptForm: null,
    wrapsCode: false,
    schemaChecks: {},
    parameters: { defaults: 'none', wasReset: false, changes: 0, externalChanges: 0 },
    target: {
      gateway: 'bench',
      model: 'bench-model',
      format: 'Messages',
      formatShort: 'M',
      parametersSet: 0,
    },
    systemPrompt: { text: '', isNew: false },
  };
  // In the order in which the host sends them.
  const lastTurns = 30;
  const turnsAtOnce = 100;
  let seq = 0;
  const post = (message: Unnumbered<ToChatPage>) => {
    seq += 1;
    window.postMessage({ ...message, seq }, window.origin);
  };
  const last = () => document.querySelector('mg-turn:last-of-type .reply-text')?.textContent ?? '';
  const scroller = () => document.querySelector('.turns') ?? document.body;
  const isHidden = () => document.querySelector<HTMLElement>('.turn-list > .text-button')?.hidden ?? true;

  window.longChat = {
    get built() {
      return document.querySelectorAll('mg-turn').length;
    },
    async open() {
      const first = count - lastTurns;
      post({
        type: 'state',
        state: { ...state, path: { unchangedTurns: first, turns: turns.slice(first) } },
      });
      while (!last().includes(`End of ${count - 1}.`)) await nextFrame();
      await nextFrame();
    },
    async arrive() {
      for (let end = count - lastTurns; end > 0; end -= turnsAtOnce) {
        const earlier = turns.slice(Math.max(0, end - turnsAtOnce), end);
        post({ type: 'state', isPatch: true, state: { earlier } });
        await nextFrame();
      }
      await nextFrame();
    },
    async find(text) {
      const widget = () => document.querySelector('mg-find');
      const count = () => widget()?.querySelector('.find-count')?.textContent ?? '';
      if (!widget()) post({ type: 'perform', action: 'find' });
      while (!widget()?.querySelector('input')) await nextFrame();
      const box = widget()?.querySelector('input');
      if (box) box.value = text;
      const before = count();
      box?.dispatchEvent(new Event('input', { bubbles: true }));
      while (count() === before || count().includes('so far')) await nextFrame();
      await nextFrame();
    },
    async scrollUp() {
      const box = scroller();
      for (let still = 0, frames = 0; still < 60 && frames < 4_000; frames += 1) {
        const before = box.scrollTop;
        box.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }));
        box.scrollBy({ top: -box.clientHeight });
        await nextFrame();
        still = box.scrollTop <= 1 && isHidden() && before === box.scrollTop ? still + 1 : 0;
      }
    },
  };
}
