import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { fileName } from '../context/contextReference.ts';
import { readOnlyRefusal } from '../replies/readOnlyFiles.ts';
import { mayChange } from '../replies/workspaceFiles.ts';
import { isReadOnly, textOf, withUnixEnds } from './currentText.ts';
import type { Proposal, Proposals } from './proposals.ts';

/** Puts the proposal of the active tab into its file, as one step that can be undone. It is not saved. */
async function accept({ proposals }: ChatServices): Promise<void> {
  const proposal = proposals.active;
  if (!proposal) {
    void notify(
      'info',
      vscode.l10n.t('This proposal no longer exists. Choose Apply to File… on the code again.'),
    );
    return;
  }
  await proposals.once(proposal, () => apply(proposal, proposals));
}

async function apply(proposal: Proposal, proposals: Proposals): Promise<void> {
  const { file } = proposal;
  if (!(await mayChange(file))) {
    void notify(
      'warning',
      vscode.l10n.t('“{0}” is not changed: it is not in this workspace.', fileName(file)),
    );
    return;
  }
  if (await isReadOnly(file)) {
    void notify('warning', readOnlyRefusal(file));
    return;
  }
  if (!(await isAsCompared(proposal))) return refuse(proposal, () => proposals.closeActive());
  if (!(await vscode.workspace.applyEdit(await editOf(proposal)))) {
    void notify('warning', vscode.l10n.t('“{0}” cannot be changed.', fileName(file)));
    return;
  }
  await proposals.closeActive();
  await showDocument(file, { preview: false });
}

async function discard({ proposals }: ChatServices): Promise<void> {
  await proposals.closeActive();
}

/** Whether the file is what it was, on disk and in VS Code, which may learn of a change on disk later. */
async function isAsCompared({ file, original }: Proposal): Promise<boolean> {
  if ((await textOf(file)) !== original) return false;
  if (original === undefined) return true;
  return withUnixEnds((await vscode.workspace.openTextDocument(file)).getText()) === original;
}

async function refuse({ file, again }: Proposal, close: () => Promise<void>): Promise<void> {
  const compare = vscode.l10n.t('Compare Again');
  const isGone = (await textOf(file)) === undefined;
  const words = isGone
    ? vscode.l10n.t('“{0}” was deleted after it was compared. Nothing was applied.', fileName(file))
    : vscode.l10n.t('“{0}” changed after it was compared. Nothing was applied.', fileName(file));
  if ((await notify('warning', words, compare)) !== compare) return;
  await close();
  await again();
}

/** The lines that differ, so that the cursor and what is marked elsewhere stay. */
async function editOf({ file, original, text }: Proposal): Promise<vscode.WorkspaceEdit> {
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
  const most = Math.min(before.length, after.length) - start - 1;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const last = before.length - 1 - end;
  const range = new vscode.Range(new vscode.Position(start, 0), document.lineAt(last).range.end);
  edit.replace(file, range, after.slice(start, after.length - end).join('\n'));
  return edit;
}

/** The commands of a proposal. */
export const applyCommands = {
  'apply.accept': accept,
  'apply.discard': discard,
} satisfies CommandTable<ChatServices>;
