import * as vscode from 'vscode';
import { openInEditor } from '../../kit/display/editors.ts';
import { besideChat } from '../replies/openFile.ts';
import type { AskedDocuments } from './askedDocuments.ts';
import type { ContextReference } from './contextReference.ts';

/** Shows where something is from, beside the chat. */
export async function openReference(reference: ContextReference, documents: AskedDocuments): Promise<void> {
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
