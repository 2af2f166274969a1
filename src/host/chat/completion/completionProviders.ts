import type * as vscode from 'vscode';
import type { ChatSession } from '../chatSession.ts';
import { CodeCompletion } from '../context/codeCompletion.ts';
import { PromptCompletion } from '../prompts/promptCompletion.ts';
import type { PromptShelf } from '../prompts/promptShelf.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { CompletionProvider } from './completionProvider.ts';

interface CompletionServices {
  readonly prompts: PromptShelf;
  /** The tab of a chat. */
  readonly chatOf: (session: ChatSession) => ChatPanel | undefined;
  /** The text editor that was used last. */
  readonly editor: () => vscode.TextEditor | undefined;
}

/** What the message box completes, one provider for each trigger. */
export function completionProviders(services: CompletionServices): readonly CompletionProvider[] {
  const { prompts, chatOf, editor } = services;
  return [new PromptCompletion(prompts, chatOf), new CodeCompletion(editor)];
}
