import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { currentText, isReadOnly, withUnixEnds } from '../apply/currentFileText.ts';
import type { FileProposal, FileProposals } from '../apply/fileProposals.ts';
import type { ChatServices } from '../chatServices.ts';
import { displayPath } from '../context/contextReference.ts';
import { readOnlyRefusal } from '../replies/readOnlyFiles.ts';
import { mayChange } from '../replies/workspaceFiles.ts';

/** Applies the proposal of the active tab to its file, as one undoable edit. The file is not saved. */
async function accept({ proposals }: ChatServices): Promise<void> {
  const proposal = proposals.active;
  if (!proposal) {
    void notify(
      'info',
      vscode.l10n.t('This proposal no longer exists. Choose Apply to File… on the code again.'),
    );
    return;
  }
  await proposals.runOnce(proposal, () => apply(proposal, proposals));
}

async function apply(proposal: FileProposal, proposals: FileProposals): Promise<void> {
  const { file } = proposal;
  if (!(await mayChange(file))) {
    void notify(
      'warning',
      vscode.l10n.t('“{0}” was not changed: it is not in this workspace.', displayPath(file)),
    );
    return;
  }
  if (await isReadOnly(file)) {
    void notify('warning', readOnlyRefusal(file));
    return;
  }
  if (!(await isAsCompared(proposal))) return refuse(proposal, () => proposals.closeActive());
  if (!(await vscode.workspace.applyEdit(await editOf(proposal)))) {
    void notify('warning', vscode.l10n.t('“{0}” cannot be changed.', displayPath(file)));
    return;
  }
  await proposals.closeActive();
  await showDocument(file, { preview: false });
}

/** Whether the file still has the compared text, on disk and in VS Code, which may notice a change on disk later. */
async function isAsCompared({ file, original }: FileProposal): Promise<boolean> {
  if ((await currentText(file)) !== original) return false;
  if (original === undefined) return true;
  return withUnixEnds((await vscode.workspace.openTextDocument(file)).getText()) === original;
}

async function refuse({ file, compareAgain }: FileProposal, close: () => Promise<void>): Promise<void> {
  const compare = vscode.l10n.t('Compare Again');
  const isDeleted = (await currentText(file)) === undefined;
  const words = isDeleted
    ? vscode.l10n.t('“{0}” was deleted after it was compared. Nothing was applied.', displayPath(file))
    : vscode.l10n.t('“{0}” changed after it was compared. Nothing was applied.', displayPath(file));
  if ((await notify('warning', words, compare)) !== compare) return;
  await close();
  await compareAgain();
}

/** An edit that replaces only the differing lines, so that the cursor and decorations elsewhere stay. */
async function editOf({ file, original, text }: FileProposal): Promise<vscode.WorkspaceEdit> {
  const edit = new vscode.WorkspaceEdit();
  if (original === undefined) {
    edit.createFile(file);
    edit.insert(file, new vscode.Position(0, 0), text);
    return edit;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const [before, after] = [original.split('\n'), text.split('\n')];
  let start = 0;
  while (start < Math.min(before.length, after.length) - 1 && before[start] === after[start]) start += 1;
  let end = 0;
  const maxEnd = Math.min(before.length, after.length) - start - 1;
  while (end < maxEnd && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const last = before.length - 1 - end;
  const range = new vscode.Range(new vscode.Position(start, 0), document.lineAt(last).range.end);
  edit.replace(file, range, after.slice(start, after.length - end).join('\n'));
  return edit;
}

/** The commands of a proposal. */
export const applyCommands = {
  'apply.accept': accept,
  'apply.discard': ({ proposals }) => proposals.closeActive(),
} satisfies CommandTable<ChatServices>;
