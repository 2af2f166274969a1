import type {
  ChatPatch,
  ChatState,
  FromChatPage,
  PathView,
  ToChatPage,
} from '../../../../src/protocol/chatPage.ts';
import type { ReplyView, Turn } from '../../../../src/protocol/chatTurn.ts';
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
    turns: readonly Turn[],
    target: Partial<ChatState['target']> = {},
    others: Partial<ChatState & Omit<PathView, 'turns'>> = {},
  ): Promise<void> {
    const { kept = 0, comparison, ...fields } = others;
    const path = { kept, turns, comparison };
    const state = { ...emptyChat, ...fields, path, target: { ...defaultTarget, ...target } };
    await this.post({ type: 'state', state });
  }

  /** Posts what changed of the chat. */
  async patch(state: ChatPatch): Promise<void> {
    await this.post({ type: 'state', isPatch: true, state });
  }

  /** Shows finished replies, each in a turn of its own, and waits until all of them are painted. */
  async showReplies(...texts: readonly string[]): Promise<void> {
    this.#shown += 1;
    const end = `End of ${this.#shown}.`;
    const turns = texts.map((text, at) => reply({ id: `${this.#shown}-${at}`, text: `${text}\n\n${end}` }));
    await this.show(turns);
    await this.page.waitForFunction(
      ({ words, count }) => {
        const shown = [...document.querySelectorAll('mg-markdown')];
        return shown.filter(({ textContent }) => textContent.includes(words)).length === count;
      },
      { words: end, count: texts.length },
    );
  }
}

/** A chat page of its own in a browser. */
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

/** A chat in which nothing was asked or written. */
const emptyChat: Omit<ChatState, 'path' | 'target'> = {
  chat: 'chat-1',
  draft: '',
  leftOut: [],
  attachments: [],
  context: [],
  queued: null,
  deleted: null,
  wrapsCode: false,
  systemPrompt: { text: '', isNew: false },
  parameters: { defaults: 'none', wasReset: false, changes: 0, changesElsewhere: 0 },
  completionTriggers: [],
  promptForm: null,
  schemaChecks: {},
};

/** What the sheet of parameters shows where nothing is set. */
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

/** What a test says about a turn and its only reply. */
export type TurnDraft = Partial<Omit<Turn, 'replies'>> & Partial<ReplyView>;

/** A finished turn with one reply, with what a test says about it. */
export function reply({ text, reasoning, toolCalls, images, citations, ...turn }: TurnDraft): Turn {
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
