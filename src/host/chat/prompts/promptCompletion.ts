import * as vscode from 'vscode';
import type { CompletionItem } from '../../../protocol/completion.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { CompletionProvider } from '../completion/completions.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { isBuiltIn } from './builtInPrompts.ts';
import type { PromptLibrary } from './promptLibrary.ts';
import { type FoundPrompt, hasUntrustedPrompts, readPromptName } from './promptList.ts';
import { describePromptProblem } from './promptWords.ts';
import { type PromptTab, runPrompt } from './runPrompt.ts';

/** The ids of the items that are commands instead of prompts. */
const trustId = 'trust';
const newPromptId = 'new';

/** The time for which the list is reused while the user types, in milliseconds. */
const maxListAgeMs = 3000;

/** Suggests prompts after `/` at the beginning of a message. */
export class PromptCompletion implements CompletionProvider {
  readonly trigger = { character: '/', where: 'start' } as const;
  readonly #library: PromptLibrary;
  #list: { readonly readAt: number; readonly prompts: Promise<readonly FoundPrompt[]> } | undefined;
  readonly #findTab: (session: ChatSession) => PromptTab | undefined;

  /** @param findTab finds the tab of a chat; undefined if the tab was closed */
  constructor(library: PromptLibrary, findTab: (session: ChatSession) => PromptTab | undefined) {
    this.#library = library;
    this.#findTab = findTab;
  }

  async complete(query: string): Promise<readonly CompletionItem[]> {
    const prompts = await this.#findPrompts(query);
    const items = prompts
      .filter((each) => rankPrompt(each, query) < Infinity)
      .toSorted((one, other) => rankPrompt(one, query) - rankPrompt(other, query))
      .map(createPromptItem);
    if (await hasUntrustedPrompts()) return [...items, createTrustItem()];
    return prompts.every(isBuiltIn) && query === '' ? [...items, createNewPromptItem()] : items;
  }

  /** Returns the prompts for the open list. They are reused, because checking all files at each key press is slow. */
  #findPrompts(query: string): Promise<readonly FoundPrompt[]> {
    const now = performance.now();
    if (query === '' || !this.#list || now - this.#list.readAt > maxListAgeMs)
      this.#list = { readAt: now, prompts: this.#library.find() };
    return this.#list.prompts;
  }

  async accept(id: string, session: ChatSession): Promise<void> {
    if (id === trustId) {
      await vscode.commands.executeCommand('workbench.trust.manage');
      return;
    }
    if (id === newPromptId) return runCommand('prompts.new');
    const prompts = await this.#library.find();
    const prompt = prompts.find(({ uri }) => uri.toString() === id);
    const chat = this.#findTab(session);
    if (prompt && chat) await runPrompt(this.#library, prompt, async () => chat);
  }
}

/** Returns 0 if the prompt's name starts with the query, 1 if it contains the query, otherwise infinity. */
function rankPrompt(prompt: FoundPrompt, query: string): number {
  const index = readPromptName(prompt).toLowerCase().indexOf(query.toLowerCase());
  return index === -1 ? Infinity : Math.min(index, 1);
}

function createPromptItem(found: FoundPrompt): CompletionItem {
  const { uri, prompt, problem } = found;
  const description = problem ? describePromptProblem(problem) : (prompt?.description ?? '');
  return {
    id: uri.toString(),
    label: `/${readPromptName(found)}`,
    icon: problem ? 'warning' : 'comment',
    ...(description !== '' && { description }),
  };
}

function createTrustItem(): CompletionItem {
  return {
    id: trustId,
    label: vscode.l10n.t('Manage Workspace Trust…'),
    description: vscode.l10n.t('Trust this workspace to use its prompts.'),
    icon: 'shield',
  };
}

function createNewPromptItem(): CompletionItem {
  return {
    id: newPromptId,
    label: vscode.l10n.t('New Prompt File…'),
    description: vscode.l10n.t('Create your own prompt for this list'),
    icon: 'add',
  };
}
