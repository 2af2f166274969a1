import type { ToChatPage } from '../../../src/protocol/chatPage.ts';
import type { TurnView } from '../../../src/protocol/chatTurn.ts';

/** A message without its number, which is added when it is posted. */
export type Unnumbered<M> = M extends unknown ? Omit<M, 'seq'> : never;

/** The chat page itself, or the same text without formatting, in a box for each paragraph. */
export type Contestant = 'page' | 'unformatted';

/** The functions that the benchmark calls in the page. */
export interface Feeder {
  begin(contestant: Contestant): void;
  /**
   * Passes `text` to the page as deltas of four characters, 64 of them in each frame; resolves when it is painted.
   */
  feed(text: string): Promise<void>;
}

declare global {
  interface Window {
    feeder: Feeder;
  }
}

/** Installs `window.feeder`. Its source is sent to the page, so it must not use anything from outside. */
export function installFeeder(): void {
  const deltaLength = 4;
  const deltasPerFrame = 64;
  let take: (delta: string) => void = () => {};
  let flush: () => void = () => {};

  function beginPage(): void {
    let seq = 0;
    const post = (message: Unnumbered<ToChatPage>) => {
      seq += 1;
      dispatchEvent(new MessageEvent('message', { data: { ...message, seq }, origin: window.origin }));
    };
    const turn: TurnView = {
      id: 'bench',
      question: 'Go on',
      images: [],
      model: 'bench-model',
      state: 'streaming',
      replies: [{ text: '', reasoning: '', toolCalls: [], images: [], citations: [] }],
      figures: {},
      omitted: [],
    };
    const target = {
      gateway: 'bench',
      model: 'bench-model',
      format: 'Chat Completions (OpenAI)',
      formatShort: 'Chat Completions (OpenAI)',
      parametersSet: 0,
    };
    post({
      type: 'state',
      state: {
        chat: 'bench',
        draft: '',
        path: { unchangedTurns: 0, turns: [turn] },
        target,
        excludedTurns: [],
        attachments: [],
        context: [],
        queued: null,
        deleted: null,
        wrapsCode: false,
        systemPrompt: { text: '', isNew: false },
        parameters: { defaults: 'none', wasReset: false, changes: 0, externalChanges: 0 },
        completionTriggers: [],
        promptForm: null,
        schemaChecks: {},
      },
    });
    take = (text) => post({ type: 'delta', turnId: 'bench', choice: 0, text, reasoning: '' });
  }

  /** A box in the same place of the page, which keeps its end in view in the same way. */
  function beginUnformatted(): void {
    const content = document.querySelector('.turns-content') ?? document.body;
    let box = new Text();
    let arrived = '';
    const addBox = () => {
      const paragraph = document.createElement('p');
      box = paragraph.appendChild(new Text());
      content.append(paragraph);
    };
    content.replaceChildren();
    addBox();
    take = (text) => {
      arrived += text;
    };
    flush = () => {
      for (const [at, paragraph] of arrived.split('\n\n').entries()) {
        if (at > 0) addBox();
        box.appendData(paragraph);
      }
      arrived = '';
    };
  }

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  window.feeder = {
    begin: (contestant) => (contestant === 'page' ? beginPage() : beginUnformatted()),
    feed: async (text) => {
      for (let at = 0; at < text.length; ) {
        await nextFrame();
        for (let delta = 0; delta < deltasPerFrame && at < text.length; delta += 1) {
          take(text.slice(at, at + deltaLength));
          at += deltaLength;
        }
        flush();
      }
      for (let frame = 0; frame < 4; frame += 1) await nextFrame();
    },
  };
}
