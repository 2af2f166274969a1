import * as vscode from 'vscode';
import { confirm } from '../display/notify.ts';
import { pathInWorkspace } from '../replies/workspaceFiles.ts';
import { type ContextReference, referenceName } from './contextReference.ts';
import { globOf } from './contextWatch.ts';
import { isGitIgnored } from './gitIgnored.ts';

/** Whether something may leave: asks the user where it is not obvious that it is meant to. */
export async function mayLeave(reference: ContextReference): Promise<boolean> {
  const doubts = await doubtsAbout(reference);
  if (doubts.length === 0) return true;
  const add = vscode.l10n.t('Add');
  const detail = [...doubts, vscode.l10n.t('Its text is sent to the gateway with your question.')].join('\n');
  return (
    (await confirm(vscode.l10n.t('Add “{0}” to the chat?', referenceName(reference)), detail, add)) === add
  );
}

async function doubtsAbout(reference: ContextReference): Promise<readonly string[]> {
  const ofFile = reference.kind === 'file' ? await doubtsAboutFile(vscode.Uri.parse(reference.uri)) : [];
  if (vscode.workspace.isTrusted || reference.kind === 'text' || reference.kind === 'gone') return ofFile;
  return [vscode.l10n.t('You have not said that you trust this workspace.'), ...ofFile];
}

async function doubtsAboutFile(file: vscode.Uri): Promise<readonly string[]> {
  if (file.scheme === 'untitled') return [];
  if ((await pathInWorkspace(file)) === undefined) {
    return [vscode.l10n.t('It is outside this workspace, or a link leads there.')];
  }
  const [isIgnored, isHidden] = await Promise.all([isGitIgnored(file), isExcluded(file)]);
  return [
    ...(isIgnored ? [vscode.l10n.t('Git ignores it, as it does files that hold secrets.')] : []),
    ...(isIgnored === undefined ? [vscode.l10n.t('Git does not tell whether it ignores it.')] : []),
    ...(isHidden ? [vscode.l10n.t('The setting files.exclude hides it.')] : []),
  ];
}

/** Whether `files.exclude` hides a file: then VS Code's own search by its path finds nothing. */
async function isExcluded(file: vscode.Uri): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  if (!folder) return false;
  const path = vscode.workspace.asRelativePath(file, false);
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, globOf(path)),
    undefined,
    1,
  );
  return found.length === 0;
}
