import type * as vscode from 'vscode';
import type { ReplyMessage } from '../../../protocol/replyMessage.ts';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import { insertCode, openAsNewFile } from './codeFiles.ts';
import { openFile } from './openFile.ts';
import { Terminals } from './terminals.ts';
import { findWorkspaceFile } from './workspaceFiles.ts';

const wrapKey = 'chat.wrapCode';

/** What users do with code and names of files in replies, each by a click. */
export class ReplyTools {
  readonly #memory: vscode.Memento;
  readonly #lastEditor: LastEditor;
  readonly #terminals = new Terminals();

  constructor(memory: vscode.Memento, lastEditor: LastEditor) {
    this.#memory = memory;
    this.#lastEditor = lastEditor;
  }

  /** Whether long lines of code wrap. */
  get wrapsCode(): boolean {
    return this.#memory.get(wrapKey) === true;
  }

  async setWrapsCode(on: boolean): Promise<void> {
    await this.#memory.update(wrapKey, on);
  }

  async handle(message: ReplyMessage): Promise<void> {
    switch (message.type) {
      case 'insert-code':
        return insertCode(message.text, this.#lastEditor.writable);
      case 'new-file':
        return openAsNewFile(message.text, message.language);
      case 'put-into-terminal':
        return this.#terminals.put(message.text, message.language);
      case 'open-file':
        return openFile(message.reference);
      default:
        return message satisfies never;
    }
  }

  /** Which of these references name a file of the workspace. */
  async existing(references: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(references.map((reference) => findWorkspaceFile(reference)));
    return references.filter((_, at) => found[at] !== undefined);
  }

  dispose(): void {
    this.#terminals.dispose();
  }
}
