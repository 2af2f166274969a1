import * as vscode from 'vscode';
import { confirm } from '../../kit/display/notify.ts';
import { pathInWorkspace } from '../replies/workspaceFiles.ts';
import { type ContextReference, referenceName } from './contextReference.ts';
import { globOf } from './contextWatch.ts';
import { isGitIgnored } from './gitIgnored.ts';

/** So many are named in a question about several. */
const maxNamed = 10;

/** Those that may leave: asks the user, once for all, about those of which it is not obvious that they are meant to. */
export async function thatMayLeave(
  references: readonly ContextReference[],
): Promise<readonly ContextReference[]> {
  const doubted = new Map<ContextReference, readonly string[]>();
  for (const reference of references) {
    const doubts = await doubtsAbout(reference);
    if (doubts.length > 0) doubted.set(reference, doubts);
  }
  if (doubted.size === 0 || (await isMeant(doubted))) return references;
  return references.filter((reference) => !doubted.has(reference));
}

async function isMeant(doubted: ReadonlyMap<ContextReference, readonly string[]>): Promise<boolean> {
  const add = vscode.l10n.t('Add');
  const things = [...doubted].map(([reference, doubts]) => ({ name: referenceName(reference), doubts }));
  const [only, ...others] = things;
  const isOne = only && others.length === 0;
  const question = isOne
    ? vscode.l10n.t('Add “{0}” to the chat?', only.name)
    : vscode.l10n.t('Add {0} things to the chat?', things.length);
  const detail = isOne
    ? [...only.doubts, vscode.l10n.t('Its text is sent to the gateway with your question.')]
    : [...linesOf(things), vscode.l10n.t('Their text is sent to the gateway with your question.')];
  return (await confirm(question, detail.join('\n'), add)) === add;
}

/** What is doubted of each, after what is doubted of all. */
function linesOf(things: readonly { name: string; doubts: readonly string[] }[]): readonly string[] {
  const common = (things[0]?.doubts ?? []).filter((doubt) =>
    things.every(({ doubts }) => doubts.includes(doubt)),
  );
  const lines = things.slice(0, maxNamed).map(({ name, doubts }) => {
    const own = doubts.filter((doubt) => !common.includes(doubt)).join(' ');
    return own === '' ? `– ${name}` : `– ${name}: ${own}`;
  });
  const more = things.length - lines.length;
  return [...common, ...lines, ...(more > 0 ? [vscode.l10n.t('– and {0} more', more)] : [])];
}

async function doubtsAbout(reference: ContextReference): Promise<readonly string[]> {
  const ofFile = reference.kind === 'file' ? await doubtsAboutFile(vscode.Uri.parse(reference.uri)) : [];
  if (vscode.workspace.isTrusted || reference.kind === 'text' || reference.kind === 'gone') return ofFile;
  return [vscode.l10n.t('You have not trusted this workspace.'), ...ofFile];
}

async function doubtsAboutFile(file: vscode.Uri): Promise<readonly string[]> {
  if (file.scheme === 'untitled') return [];
  if ((await pathInWorkspace(file)) === undefined) {
    return [vscode.l10n.t('It is outside this workspace, or a link to a file outside.')];
  }
  const [isIgnored, isHidden] = await Promise.all([isGitIgnored(file), isExcluded(file)]);
  return [
    ...(isIgnored ? [vscode.l10n.t('Git ignores it, as it does for files with secrets.')] : []),
    ...(isIgnored === undefined ? [vscode.l10n.t('Git did not report whether it ignores this file.')] : []),
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
