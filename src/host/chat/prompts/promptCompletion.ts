import * as vscode from 'vscode';
import type { CompletionItem } from '../../../protocol/completion.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { ChatSession } from '../chatSession.ts';
import type { CompletionProvider } from '../completion/completionProvider.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import { isBuiltIn } from './builtInPrompts.ts';
import { type FoundPrompt, holdsUntrustedPrompts, nameOf } from './promptList.ts';
import type { PromptShelf } from './promptShelf.ts';
import { problemSentence } from './promptWords.ts';
import { runPrompt } from './runPrompt.ts';

/** Ids of the rows that are no prompts. */
const trustRow = 'trust';
const newRow = 'new';

/** While letters are typed one after another, the list is not made anew, in milliseconds. */
const maxListAgeMs = 3000;

/** Offers prompts after `/` at the beginning of a message. */
export class PromptCompletion implements CompletionProvider {
  readonly trigger = { character: '/', where: 'start' } as const;
  readonly #shelf: PromptShelf;
  #list: { readonly at: number; readonly prompts: Promise<readonly FoundPrompt[]> } | undefined;
  readonly #chatOf: (session: ChatSession) => ChatPanel | undefined;

  /** @param chatOf the tab of a chat */
  constructor(shelf: PromptShelf, chatOf: (session: ChatSession) => ChatPanel | undefined) {
    this.#shelf = shelf;
    this.#chatOf = chatOf;
  }

  async complete(query: string): Promise<readonly CompletionItem[]> {
    const prompts = await this.#listed(query);
    const found = prompts.filter((each) => rank(each, query) < Infinity);
    const rows = found.toSorted((one, other) => rank(one, query) - rank(other, query)).map(promptRow);
    if (await holdsUntrustedPrompts()) return [...rows, trustItem()];
    return prompts.every(isBuiltIn) && query === '' ? [...rows, newItem()] : rows;
  }

  /** The prompts as they were when the list opened: looking at each file at each key would take long. */
  #listed(query: string): Promise<readonly FoundPrompt[]> {
    const now = performance.now();
    if (query === '' || !this.#list || now - this.#list.at > maxListAgeMs)
      this.#list = { at: now, prompts: this.#shelf.find() };
    return this.#list.prompts;
  }

  async accept(id: string, session: ChatSession): Promise<void> {
    if (id === trustRow) return void (await vscode.commands.executeCommand('workbench.trust.manage'));
    if (id === newRow) return void (await runCommand('prompts.new'));
    const prompts = await this.#shelf.find();
    const prompt = prompts.find(({ uri }) => uri.toString() === id);
    const chat = this.#chatOf(session);
    if (prompt && chat) await runPrompt(this.#shelf, prompt, async () => chat);
  }
}

/** How well a prompt fits what was typed: its name begins with it, or has it in it; infinite where neither is so. */
function rank(prompt: FoundPrompt, query: string): number {
  const at = nameOf(prompt).toLowerCase().indexOf(query.toLowerCase());
  return at === -1 ? Infinity : Math.min(at, 1);
}

function promptRow(found: FoundPrompt): CompletionItem {
  const { uri, prompt, problem } = found;
  const description = problem ? problemSentence(problem) : (prompt?.description ?? '');
  return {
    id: uri.toString(),
    label: `/${nameOf(found)}`,
    icon: problem ? 'warning' : 'comment',
    ...(description !== '' && { description }),
  };
}

function trustItem(): CompletionItem {
  return {
    id: trustRow,
    label: vscode.l10n.t('Manage Workspace Trust…'),
    description: vscode.l10n.t('Trust this workspace to use its prompts.'),
    icon: 'shield',
  };
}

function newItem(): CompletionItem {
  return {
    id: newRow,
    label: vscode.l10n.t('New Prompt File…'),
    description: vscode.l10n.t('Create your own prompt for this list'),
    icon: 'add',
  };
}
