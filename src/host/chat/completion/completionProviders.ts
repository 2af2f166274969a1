import { PromptCompletion } from '../../prompts/promptCompletion.ts';
import type { PromptShelf } from '../../prompts/promptShelf.ts';
import type { ChatPanel } from '../chatPanel.ts';
import type { ChatSession } from '../chatSession.ts';
import type { CompletionProvider } from './completionProvider.ts';

interface CompletionServices {
  readonly prompts: PromptShelf;
  /** The tab of a chat. */
  readonly chatOf: (session: ChatSession) => ChatPanel | undefined;
}

/** What the message box completes, one provider for each trigger. */
export function completionProviders({ prompts, chatOf }: CompletionServices): readonly CompletionProvider[] {
  return [new PromptCompletion(prompts, chatOf)];
}
