import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';
import { confirm } from '../../kit/display/notify.ts';
import { resolvePathInWorkspace } from '../replies/workspaceFiles.ts';
import { type ContextReference, formatReferenceName } from './contextReference.ts';
import { escapeGlob } from './findFiles.ts';
import { loadGitApi } from './gitRepositories.ts';

/** The maximum number of items that the dialog lists. */
const maxListedItems = 10;

/** The timeout of git for checking a file, in milliseconds. */
const checkTimeoutMs = 5000;

/** Returns the references that may be sent. A single dialog lets the user confirm all items with warnings. */
export async function requestSendConsent(
  references: readonly ContextReference[],
): Promise<readonly ContextReference[]> {
  const warningsByReference = new Map<ContextReference, readonly string[]>();
  for (const reference of references) {
    const warnings = await findWarnings(reference);
    if (warnings.length > 0) warningsByReference.set(reference, warnings);
  }
  if (warningsByReference.size === 0 || (await confirmAdding(warningsByReference))) return references;
  return references.filter((reference) => !warningsByReference.has(reference));
}

async function confirmAdding(
  warningsByReference: ReadonlyMap<ContextReference, readonly string[]>,
): Promise<boolean> {
  const add = vscode.l10n.t('Add');
  const items = [...warningsByReference].map(([reference, warnings]) => ({
    name: formatReferenceName(reference),
    warnings,
  }));
  const [only, ...others] = items;
  const isOne = only && others.length === 0;
  const question = isOne
    ? vscode.l10n.t('Add “{0}” to the chat?', only.name)
    : vscode.l10n.t('Add {0} items to the chat?', items.length);
  const detail = isOne
    ? [...only.warnings, vscode.l10n.t('Its text is sent to the gateway with your question.')]
    : [...formatItems(items), vscode.l10n.t('Their text is sent to the gateway with your question.')];
  return (await confirm(question, detail.join('\n'), add)) === add;
}

/** Lists the warnings that apply to all items, followed by each item with its own warnings. */
function formatItems(items: readonly { name: string; warnings: readonly string[] }[]): readonly string[] {
  const common = (items[0]?.warnings ?? []).filter((warning) =>
    items.every(({ warnings }) => warnings.includes(warning)),
  );
  const lines = items.slice(0, maxListedItems).map(({ name, warnings }) => {
    const own = warnings.filter((warning) => !common.includes(warning)).join(' ');
    return own === '' ? `– ${name}` : `– ${name}: ${own}`;
  });
  const more = items.length - lines.length;
  return [...common, ...lines, ...(more > 0 ? [vscode.l10n.t('– and {0} more', more)] : [])];
}

/** Finds the reasons why the user may not want to send an item. */
async function findWarnings(reference: ContextReference): Promise<readonly string[]> {
  const warnings = reference.kind === 'file' ? await findFileWarnings(vscode.Uri.parse(reference.uri)) : [];
  if (vscode.workspace.isTrusted || reference.kind === 'text' || reference.kind === 'missing')
    return warnings;
  return [vscode.l10n.t('You have not trusted this workspace.'), ...warnings];
}

async function findFileWarnings(file: vscode.Uri): Promise<readonly string[]> {
  if (file.scheme === 'untitled') return [];
  if ((await resolvePathInWorkspace(file)) === undefined) {
    return [vscode.l10n.t('It is outside this workspace, or it is a link to a file outside it.')];
  }
  const [isIgnored, isHidden] = await Promise.all([isGitIgnored(file), isExcluded(file)]);
  return [
    ...(isIgnored ? [vscode.l10n.t('Git ignores it, as is usual for files that contain secrets.')] : []),
    ...(isIgnored === undefined ? [vscode.l10n.t('Git did not report whether it ignores this file.')] : []),
    ...(isHidden ? [vscode.l10n.t('The setting files.exclude hides it.')] : []),
  ];
}

/** Whether the setting `files.exclude` hides a file. VS Code's search does not find hidden files. */
async function isExcluded(file: vscode.Uri): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  if (!folder) return false;
  const path = vscode.workspace.asRelativePath(file, false);
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, escapeGlob(path)),
    undefined,
    1,
  );
  return found.length === 0;
}

/**
 * Whether git ignores a file. Also checks a file whose repository is not open in VS Code.
 *
 * @param timeoutMs the timeout for git
 * @returns undefined if the file is in a repository but git does not report whether it ignores the file
 */
export async function isGitIgnored(
  file: vscode.Uri,
  timeoutMs = checkTimeoutMs,
): Promise<boolean | undefined> {
  if (file.scheme !== 'file') return false;
  const api = await loadGitApi();
  // `checkIgnore` of the repository object sometimes omits an ignored file: it does not wait for all output of git.
  if (api?.getRepository(file)) return checkIgnore(api.git.path, file.fsPath, timeoutMs);
  const root = await findRepositoryAbove(file.fsPath);
  if (root === undefined) return false;
  // Git would read the settings of the repository, which may contain programs that git then runs.
  if (!api || !vscode.workspace.isTrusted) return undefined;
  const isIgnored = await checkIgnore(api.git.path, file.fsPath, timeoutMs);
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
  if (!isIgnored || folder === undefined || !isWithin(folder, root)) return isIgnored;
  // If the user opened an ignored folder as the workspace, its files are not treated as ignored.
  return !(await checkIgnore(api.git.path, folder, timeoutMs));
}

/** Finds the nearest parent folder that is a repository or a work tree. */
async function findRepositoryAbove(path: string): Promise<string | undefined> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const isRepository = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRepository) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether git ignores a path; undefined if git fails or does not exit in time. */
async function checkIgnore(git: string, path: string, timeoutMs: number): Promise<boolean | undefined> {
  const options = { cwd: dirname(path), timeout: timeoutMs, windowsHide: true };
  return new Promise((resolve) => {
    execFile(git, ['check-ignore', '--quiet', '--', `./${basename(path)}`], options, (error) => {
      // Git exits with 0 for an ignored file, with 1 for other files, and with higher codes for errors.
      if (!error) resolve(true);
      else resolve(error.code === 1 ? false : undefined);
    });
  });
}
