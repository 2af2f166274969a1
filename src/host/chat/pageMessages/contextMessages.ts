import * as vscode from 'vscode';
import type { AttachedFile } from '../../../conversations/conversation/attachedFile.ts';
import type { ContextMessage } from '../../../protocol/chatContext.ts';
import type { ApplyCode } from '../../../protocol/chatTurn.ts';
import { openInEditor, showDocument } from '../../kit/display/editors.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import type { TextDocuments } from '../../kit/display/textDocuments.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { CodeApplier } from '../apply/codeApplier.ts';
import { addFiles, addReferences, type NewReference } from '../context/addContext.ts';
import type { ContextReference } from '../context/contextReference.ts';
import { parseDroppedFiles } from '../context/droppedFiles.ts';
import type { UnsentInput } from '../context/unsentInput.ts';
import { findColumnNextToChat } from '../replies/replyActions.ts';
import type { ChatSession } from '../session/chatSession.ts';

/** Handles the messages of a chat's page about the context of questions. */
export class ContextMessages {
  readonly #applier: CodeApplier;
  readonly #documents: TextDocuments;

  constructor(applier: CodeApplier, documents: TextDocuments) {
    this.#applier = applier;
    this.#documents = documents;
  }

  async handle(message: ContextMessage | ApplyCode, { unsent, conversation }: ChatSession): Promise<void> {
    const { context } = unsent;
    switch (message.type) {
      case 'add-context':
        await runCommand('context.add');
        return;
      case 'remove-context':
        return context.remove(message.id);
      case 'insert-context':
        return moveToMessageBox(unsent, message.id);
      case 'open-context': {
        const entry = context.entries.find(({ id }) => id === message.id);
        if (entry) await openReference(entry.reference, this.#documents);
        return;
      }
      case 'drop-files':
        await addFiles(unsent, parseDroppedFiles(message.uris));
        return;
      case 'drop-text':
        await addReferences(unsent, [createDroppedText(message)]);
        return;
      case 'apply-code': {
        const files = conversation.turn(message.turnId)?.question.files ?? [];
        return this.#applier.propose({ ...message, files });
      }
      case 'open-sent-file': {
        const file = conversation.turn(message.turnId)?.question.files?.[message.index];
        if (file) await showSentText(this.#documents, file);
        return;
      }
      default:
        return message satisfies never;
    }
  }
}

/** Moves a text to the start of the message box. The text has no other copy, so it is inserted first, then removed. */
function moveToMessageBox(unsent: UnsentInput, id: string): void {
  const reference = unsent.context.entries.find((entry) => entry.id === id)?.reference;
  if (reference?.kind !== 'text') return;
  unsent.putBack({ text: reference.text, images: [] });
  unsent.context.remove(id);
}

function createDroppedText({ name, text, bytes }: ContextMessage & { type: 'drop-text' }): NewReference {
  return { kind: 'text', name, language: /\.(\w+)$/.exec(name)?.[1] ?? '', text, bytes };
}

/** Shows the source of a reference next to the chat. */
async function openReference(reference: ContextReference, documents: TextDocuments): Promise<void> {
  switch (reference.kind) {
    case 'file': {
      const { lines } = reference;
      const selection = lines && new vscode.Range(lines[0] - 1, 0, lines[1] - 1, Number.MAX_SAFE_INTEGER);
      await openInEditor(vscode.Uri.parse(reference.uri), {
        preview: true,
        viewColumn: findColumnNextToChat(),
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
      await showSentText(documents, reference);
      return;
    case 'missing':
      return;
  }
}

/** Shows the sent text of a file next to the chat. */
async function showSentText(documents: TextDocuments, { name, language, text }: AttachedFile): Promise<void> {
  const path = removeHidden(name).replace(/[#?:]/g, ' ').replace(/^\/+/, '');
  const document = await vscode.workspace.openTextDocument(documents.add(text, path));
  if ((await vscode.languages.getLanguages()).includes(language)) {
    await vscode.languages.setTextDocumentLanguage(document, language);
  }
  await showDocument(document, { viewColumn: findColumnNextToChat(), preview: true });
}
