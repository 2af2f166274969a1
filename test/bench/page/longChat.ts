import type { Turn } from '../../../src/protocol/chatPage.ts';

/** What the benchmark calls in the page. Times are in milliseconds. */
export interface LongChat {
  /** Opens a chat with these turns, and returns how long that took until its last screen is painted. */
  open(): Promise<number>;
  /** Scrolls to the beginning of the chat, a screen at a time. */
  scrollUp(): Promise<void>;
  /** How many turns are built. */
  readonly built: number;
}

declare global {
  interface Window {
    longChat: LongChat;
  }
}

/** Installs `window.longChat`. It is sent to the page as it stands, so it uses nothing from outside. */
export function installLongChat({ count, texts }: { count: number; texts: readonly string[] }): void {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const turnOf = (_: unknown, at: number): Turn => ({
    ...{ id: `turn-${at}`, question: `Question ${at} of a long chat?`, images: [], model: 'bench-model' },
    replies: [
      {
        ...{ text: `${texts[at % texts.length]}\n\nEnd of ${at}.`, reasoning: '' },
        ...{ toolCalls: [], images: [], citations: [] },
      },
    ],
    ...{ state: 'done', figures: { inputTokens: at, outputTokens: 500 }, omitted: [] },
  });
  const turns = Array.from({ length: count }, turnOf);
  const state = {
    ...{ chat: 'bench', draft: '', leftOut: [], attachments: [], queued: undefined, completionTriggers: [] },
    target: { gateway: 'bench', model: 'bench-model', format: 'Messages', formatShort: 'M', parametersSet: 0 },
    systemPrompt: { text: '', isNew: false },
  };
  const last = () => document.querySelector('mg-turn:last-of-type .reply-text')?.textContent ?? '';
  const scroller = () => document.querySelector('.turns') ?? document.body;
  const isHidden = () => document.querySelector<HTMLElement>('.turn-list > .text-button')?.hidden ?? true;

  window.longChat = {
    get built() {
      return document.querySelectorAll('mg-turn').length;
    },
    async open() {
      const start = performance.now();
      window.postMessage({ type: 'state', state: { ...state, turns }, seq: 1 }, window.origin);
      while (!last().includes(`End of ${count - 1}.`)) await nextFrame();
      await nextFrame();
      return performance.now() - start;
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
