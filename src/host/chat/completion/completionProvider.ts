import type { CompletionItem, CompletionTrigger } from '../../../protocol/completion.ts';
import type { ChatSession } from '../chatSession.ts';

/** Suggests what can stand for a word in the message box that begins with its trigger. */
export interface CompletionProvider {
  readonly trigger: CompletionTrigger;
  /**
   * @param query what is typed after the trigger
   * @param signal aborts when nobody waits for the answer any more
   * @returns best first
   */
  complete(query: string, session: ChatSession, signal: AbortSignal): Promise<readonly CompletionItem[]>;
  /** Does what was chosen. @param id of an item, but it comes from the page: any text */
  accept(id: string, session: ChatSession): Promise<void>;
}
