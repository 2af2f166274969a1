import * as vscode from 'vscode';
import type { ContextMessage } from '../../../protocol/chatContext.ts';
import type { ApplyCode } from '../../../protocol/replyMessage.ts';
import { openInEditor } from '../../kit/display/editors.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { CodeApplying } from '../apply/codeApplying.ts';
import type { Unsent } from '../asking/unsent.ts';
import type { ChatSession } from '../chatSession.ts';
import { besideChat } from '../replies/openFile.ts';
import { addFiles, addReference, type NewReference } from './addContext.ts';
import { AskedDocuments } from './askedDocuments.ts';
import type { ContextReference } from './contextReference.ts';
import { droppedFiles } from './droppedFiles.ts';

/** What users do on the page of a chat with code that goes along, or went along. */
export class ContextTools {
  readonly #documents = new AskedDocuments();
  readonly #applying: CodeApplying;

  constructor(applying: CodeApplying) {
    this.#applying = applying;
  }

  async handle(message: ContextMessage | ApplyCode, { unsent, conversation }: ChatSession): Promise<void> {
    const { context } = unsent;
    switch (message.type) {
      case 'add-context':
        await runCommand('context.add');
        return;
      case 'remove-context':
        return context.remove(message.id);
      case 'write-context':
        return writeText(unsent, message.id);
      case 'open-context': {
        const entry = context.entries.find(({ id }) => id === message.id);
        if (entry) await openReference(entry.reference, this.#documents);
        return;
      }
      case 'drop-files':
        await addFiles(unsent, droppedFiles(message.uris));
        return;
      case 'drop-text':
        await addReference(unsent, dropped(message));
        return;
      case 'apply-code': {
        const files = conversation.turn(message.turnId)?.question.files ?? [];
        return this.#applying.propose({ ...message, files });
      }
      case 'open-asked-file': {
        const file = conversation.turn(message.turnId)?.question.files?.[message.index];
        if (file) await this.#documents.show(file);
        return;
      }
      default:
        return message satisfies never;
    }
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

/** Puts a text before what is in the message box. Nobody else has it, so it is never in neither place. */
function writeText(unsent: Unsent, id: string): void {
  const reference = unsent.context.entries.find((entry) => entry.id === id)?.reference;
  if (reference?.kind !== 'text') return;
  unsent.giveBack({ text: reference.text, images: [] });
  unsent.context.remove(id);
}

function dropped({ name, text, bytes }: ContextMessage & { type: 'drop-text' }): NewReference {
  return { kind: 'text', name, language: /\.(\w+)$/.exec(name)?.[1] ?? '', text, bytes };
}

/** Shows where something is from, beside the chat. */
async function openReference(reference: ContextReference, documents: AskedDocuments): Promise<void> {
  switch (reference.kind) {
    case 'file': {
      const { lines } = reference;
      const selection = lines && new vscode.Range(lines[0] - 1, 0, lines[1] - 1, Number.MAX_SAFE_INTEGER);
      await openInEditor(vscode.Uri.parse(reference.uri), {
        ...{ preview: true, viewColumn: besideChat() },
        ...(selection && { selection }),
      });
      return;
    }
    case 'problems':
      await vscode.commands.executeCommand('workbench.actions.view.problems');
      return;
    case 'changes':
      await vscode.commands.executeCommand('workbench.view.scm');
      return;
    case 'text':
      await documents.show(reference);
      return;
    case 'gone':
      return;
  }
}
