import type { CompletionMessage, CompletionsView, CompletionTrigger } from '../../../protocol/completion.ts';
import type { ChatSession } from '../chatSession.ts';
import type { CompletionProvider } from './completionProvider.ts';

/** Answers the message box of one chat, by one provider for each trigger. */
export class Completions {
  readonly #providers: readonly CompletionProvider[];
  readonly #session: ChatSession;
  readonly #show: (completions: CompletionsView) => void;
  #asking = new AbortController();

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

  async handle(message: CompletionMessage): Promise<void> {
    const provider = this.#providers.find(({ trigger }) => trigger.character === message.trigger);
    this.#asking.abort();
    if (message.type === 'accept-completion') return provider?.accept(message.id, this.#session);
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const items = (await provider?.complete(message.query, this.#session, signal)) ?? [];
    if (!signal.aborted) this.#show({ number: message.number, items });
  }

  dispose(): void {
    this.#asking.abort();
  }
}
