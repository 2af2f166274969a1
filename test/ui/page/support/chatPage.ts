import type {
  ChatPatch,
  ChatState,
  FromChatPage,
  PathView,
  ToChatPage,
} from '../../../../src/protocol/chatPage.ts';
import type { ReplyView, TurnView } from '../../../../src/protocol/chatTurn.ts';
import type { MarkdownElement } from '../../../../src/webview/markdown/markdownElement.ts';
import type { PageBrowser, PageOptions } from './pageBrowser.ts';
import { type SentMessage, TestPage } from './testPage.ts';

declare global {
  interface HTMLElementTagNameMap {
    'mg-markdown': MarkdownElement;
  }
}

/** The chat page alone. */
export class ChatTestPage extends TestPage<ToChatPage, SentMessage<FromChatPage>> {
  #shown = 0;

  constructor(browser: () => Promise<PageBrowser>) {
    super(browser, '/');
  }

  async show(
    turns: readonly TurnView[],
    target: Partial<ChatState['target']> = {},
    others: Partial<ChatState & Omit<PathView, 'turns'>> = {},
  ): Promise<void> {
    const { unchangedTurns = 0, comparison, ...fields } = others;
    const path = { unchangedTurns, turns, comparison };
    const state = { ...emptyChat, ...fields, path, target: { ...defaultTarget, ...target } };
    await this.post({ type: 'state', state });
  }

  /** Posts the changes of the chat. */
  async patch(state: ChatPatch): Promise<void> {
    await this.post({ type: 'state', isPatch: true, state });
  }

  /** Shows finished replies, each in a separate turn, and waits until all of them are painted. */
  async showReplies(...texts: readonly string[]): Promise<void> {
    this.#shown += 1;
    const end = `End of ${this.#shown}.`;
    const turns = texts.map((text, at) =>
      createTurn({ id: `${this.#shown}-${at}`, text: `${text}\n\n${end}` }),
    );
    await this.show(turns);
    await this.page.evaluate(
      async ({ words, count }) => {
        const painted = () =>
          [...document.querySelectorAll('mg-markdown')].filter(({ textContent }) =>
            textContent.includes(words),
          );
        while (painted().length !== count) await new Promise((resolve) => requestAnimationFrame(resolve));
      },
      { words: end, count: texts.length },
    );
  }
}

/** A chat page in its own browser. */
export async function openChat(browser: PageBrowser, options?: PageOptions): Promise<ChatTestPage> {
  const chat = new ChatTestPage(async () => browser);
  await chat.open(options);
  return chat;
}

const defaultTarget: ChatState['target'] = {
  gateway: 'work-gateway',
  model: 'gpt-x-mini',
  format: 'Chat Completions (OpenAI)',
  formatShort: 'Chat',
  parametersSet: 0,
};

/** A chat without messages and without a draft. */
const emptyChat: Omit<ChatState, 'path' | 'target'> = {
  chat: 'chat-1',
  draft: '',
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
};

/** The content of the parameters sheet if no parameter is set. */
export const noParameters: Omit<Extract<ToChatPage, { type: 'parameters' }>, 'seq'> = {
  type: 'parameters',
  commonSchema: {},
  common: {},
  schema: {},
  values: {},
  unused: [],
  model: 'gpt-x-mini',
  format: 'Chat Completions (OpenAI)',
};

/** The facts that a test sets for a turn and its only reply. */
export type TurnDraft = Partial<Omit<TurnView, 'replies'>> & Partial<ReplyView>;

/** A finished turn with one reply, with the facts of the test. */
export function createTurn({ text, reasoning, toolCalls, images, citations, ...turn }: TurnDraft): TurnView {
  return {
    id: 'turn-1',
    question: 'How do I do this?',
    images: [],
    model: 'gpt-x-mini',
    state: 'done',
    replies: [
      {
        text: text ?? '',
        reasoning: reasoning ?? '',
        toolCalls: toolCalls ?? [],
        images: images ?? [],
        citations: citations ?? [],
      },
    ],
    omitted: [],
    figures: {},
    ...turn,
  };
}
