import type { CompletionProvider } from './completionProvider.ts';

/** What the message box completes, one provider for each trigger. */
export function completionProviders(): readonly CompletionProvider[] {
  return [];
}
