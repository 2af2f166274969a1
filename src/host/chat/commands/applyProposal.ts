import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { isReadOnly, readCurrentText, toUnixLineEnds } from '../apply/codeApplier.ts';
import type { FileProposal, FileProposals } from '../apply/fileProposals.ts';
import type { ChatServices } from '../chatServices.ts';
import { formatDisplayPath } from '../context/contextReference.ts';
import { describeReadOnlyRefusal } from '../replies/readOnlyFiles.ts';
import { mayChange } from '../replies/workspaceFiles.ts';

/** Applies the proposal of the clicked or active editor to its file, as one undoable edit. The file is not saved. */
async function accept({ proposals }: ChatServices, clicked?: unknown): Promise<void> {
  const proposal = proposals.find(proposals.findId(clicked));
  if (!proposal) {
    void notify(
      'info',
      vscode.l10n.t('This proposal no longer exists. Choose Apply to File… on the code again.'),
    );
    return;
  }
  await proposals.applyOnce(proposal, () => apply(proposal, proposals));
}

async function apply(proposal: FileProposal, proposals: FileProposals): Promise<void> {
  const { id, file } = proposal;
  if (!(await mayChange(file))) {
    void notify(
      'warning',
      vscode.l10n.t('“{0}” was not changed: it is not in this workspace.', formatDisplayPath(file)),
    );
    return;
  }
  if (await isReadOnly(file)) {
    void notify('warning', describeReadOnlyRefusal(file));
    return;
  }
  if (!(await isUnchanged(proposal))) return offerNewComparison(proposal, proposals);
  if (!(await vscode.workspace.applyEdit(await createEdit(proposal)))) {
    void notify('warning', vscode.l10n.t('“{0}” cannot be changed.', formatDisplayPath(file)));
    return;
  }
  await proposals.close(id);
  await showDocument(file, { preview: false });
}

/** Whether the file still has the compared text, on disk and in VS Code. VS Code reads changes on disk with a delay. */
async function isUnchanged({ file, original }: FileProposal): Promise<boolean> {
  if ((await readCurrentText(file)) !== original) return false;
  if (original === undefined) return true;
  return toUnixLineEnds((await vscode.workspace.openTextDocument(file)).getText()) === original;
}

async function offerNewComparison(
  { id, file, compareAgain }: FileProposal,
  proposals: FileProposals,
): Promise<void> {
  const compare = vscode.l10n.t('Compare Again');
  const isDeleted = (await readCurrentText(file)) === undefined;
  const message = isDeleted
    ? vscode.l10n.t('“{0}” was deleted after it was compared. Nothing was applied.', formatDisplayPath(file))
    : vscode.l10n.t('“{0}” changed after it was compared. Nothing was applied.', formatDisplayPath(file));
  if ((await notify('warning', message, compare)) !== compare) return;
  await proposals.close(id);
  await compareAgain();
}

/** Creates an edit that replaces only the differing lines, so that the cursor and decorations elsewhere are preserved. */
async function createEdit({ file, original, text }: FileProposal): Promise<vscode.WorkspaceEdit> {
  const edit = new vscode.WorkspaceEdit();
  if (original === undefined) {
    edit.createFile(file);
    edit.insert(file, new vscode.Position(0, 0), text);
    return edit;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const [before, after] = [original.split('\n'), text.split('\n')];
  let sharedStart = 0;
  while (
    sharedStart < Math.min(before.length, after.length) - 1 &&
    before[sharedStart] === after[sharedStart]
  )
    sharedStart += 1;
  let sharedEnd = 0;
  const maxSharedEnd = Math.min(before.length, after.length) - sharedStart - 1;
  while (
    sharedEnd < maxSharedEnd &&
    before[before.length - 1 - sharedEnd] === after[after.length - 1 - sharedEnd]
  )
    sharedEnd += 1;
  const last = before.length - 1 - sharedEnd;
  const range = new vscode.Range(new vscode.Position(sharedStart, 0), document.lineAt(last).range.end);
  edit.replace(file, range, after.slice(sharedStart, after.length - sharedEnd).join('\n'));
  return edit;
}

/** The commands of a proposal by their ids. */
export const applyCommands = {
  'apply.accept': accept,
  'apply.discard': ({ proposals }, clicked) => proposals.close(proposals.findId(clicked)),
} satisfies CommandTable<ChatServices>;
