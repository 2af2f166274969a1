import * as vscode from 'vscode';
import type { CompletionItem } from '../../../protocol/completion.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { CompletionProvider } from '../completion/completions.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { isBuiltIn } from './builtInPrompts.ts';
import type { PromptLibrary } from './promptLibrary.ts';
import { type FoundPrompt, hasUntrustedPrompts, promptName } from './promptList.ts';
import { problemSentence } from './promptWords.ts';
import { type PromptTab, runPrompt } from './runPrompt.ts';

/** The ids of the items that are not prompts. */
const trustId = 'trust';
const newId = 'new';

/** The time for which the list is reused while the user types, in milliseconds. */
const maxListAgeMs = 3000;

/** Suggests prompts after `/` at the beginning of a message. */
export class PromptCompletion implements CompletionProvider {
  readonly trigger = { character: '/', where: 'start' } as const;
  readonly #library: PromptLibrary;
  #list: { readonly readAt: number; readonly prompts: Promise<readonly FoundPrompt[]> } | undefined;
  readonly #chatOf: (session: ChatSession) => PromptTab | undefined;

  /** @param chatOf returns the tab of a chat */
  constructor(library: PromptLibrary, chatOf: (session: ChatSession) => PromptTab | undefined) {
    this.#library = library;
    this.#chatOf = chatOf;
  }

  async complete(query: string): Promise<readonly CompletionItem[]> {
    const prompts = await this.#promptsFor(query);
    const found = prompts.filter((each) => rank(each, query) < Infinity);
    const items = found.toSorted((one, other) => rank(one, query) - rank(other, query)).map(promptItem);
    if (await hasUntrustedPrompts()) return [...items, trustItem()];
    return prompts.every(isBuiltIn) && query === '' ? [...items, newItem()] : items;
  }

  /**
   * The prompts of the open list. They are not read again at each key press, because checking every file would take
   * too long.
   */
  #promptsFor(query: string): Promise<readonly FoundPrompt[]> {
    const now = performance.now();
    if (query === '' || !this.#list || now - this.#list.readAt > maxListAgeMs)
      this.#list = { readAt: now, prompts: this.#library.find() };
    return this.#list.prompts;
  }

  async accept(id: string, session: ChatSession): Promise<void> {
    if (id === trustId) return void (await vscode.commands.executeCommand('workbench.trust.manage'));
    if (id === newId) return void (await runCommand('prompts.new'));
    const prompts = await this.#library.find();
    const prompt = prompts.find(({ uri }) => uri.toString() === id);
    const chat = this.#chatOf(session);
    if (prompt && chat) await runPrompt(this.#library, prompt, async () => chat);
  }
}

/** The rank of a prompt: 0 if its name starts with the query, 1 if it contains it, otherwise infinite. */
function rank(prompt: FoundPrompt, query: string): number {
  const index = promptName(prompt).toLowerCase().indexOf(query.toLowerCase());
  return index === -1 ? Infinity : Math.min(index, 1);
}

function promptItem(found: FoundPrompt): CompletionItem {
  const { uri, prompt, problem } = found;
  const description = problem ? problemSentence(problem) : (prompt?.description ?? '');
  return {
    id: uri.toString(),
    label: `/${promptName(found)}`,
    icon: problem ? 'warning' : 'comment',
    ...(description !== '' && { description }),
  };
}

function trustItem(): CompletionItem {
  return {
    id: trustId,
    label: vscode.l10n.t('Manage Workspace Trust…'),
    description: vscode.l10n.t('Trust this workspace to use its prompts.'),
    icon: 'shield',
  };
}

function newItem(): CompletionItem {
  return {
    id: newId,
    label: vscode.l10n.t('New Prompt File…'),
    description: vscode.l10n.t('Create your own prompt for this list'),
    icon: 'add',
  };
}
