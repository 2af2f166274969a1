import type {
  CompletionItem,
  CompletionMessage,
  CompletionsView,
  CompletionTrigger,
} from '../../../protocol/completion.ts';
import type { ChatSession } from '../session/chatSession.ts';

/** Suggests completions in the message box for words that start with the provider's trigger. */
export interface CompletionProvider {
  readonly trigger: CompletionTrigger;
  /**
   * @param query the text after the trigger
   * @param signal aborted when the result is no longer needed
   * @returns the items, best first
   */
  complete(query: string, session: ChatSession, signal: AbortSignal): Promise<readonly CompletionItem[]>;
  /**
   * Applies a chosen item.
   *
   * @param id the id of an item. The page sends it, so it may be any text.
   */
  accept(id: string, session: ChatSession): Promise<void>;
}

/** The completions of a chat's message box, with one provider per trigger. */
export class Completions {
  readonly #providers: readonly CompletionProvider[];
  readonly #session: ChatSession;
  readonly #show: (completions: CompletionsView) => void;
  #abortController = new AbortController();

  constructor(
    providers: readonly CompletionProvider[],
    session: ChatSession,
    show: (completions: CompletionsView) => void,
  ) {
    this.#providers = providers;
    this.#session = session;
    this.#show = show;
  }

  get triggers(): readonly CompletionTrigger[] {
    return this.#providers.map(({ trigger }) => trigger);
  }

  /** Handles a message of the page. A message cancels the search of the message before it. */
  async handle(message: CompletionMessage): Promise<void> {
    const provider = this.#providers.find(({ trigger }) => trigger.character === message.trigger);
    this.#abortController.abort();
    if (message.type === 'accept-completion') return provider?.accept(message.id, this.#session);
    this.#abortController = new AbortController();
    const { signal } = this.#abortController;
    const items = (await provider?.complete(message.query, this.#session, signal)) ?? [];
    if (!signal.aborted) this.#show({ number: message.number, items });
  }

  dispose(): void {
    this.#abortController.abort();
  }
}
