import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { clip } from '../../kit/display/plainText.ts';

type Globs = Readonly<Record<string, unknown>>;

const maxNameLength = 60;

/** The write permission of the file's owner. */
const ownerWritePermission = 0o200;

/**
 * Whether the user's settings make a file read-only. VS Code does not report these settings to extensions, and does
 * not prevent edits by extensions.
 */
export async function isReadOnlyBySettings(document: vscode.TextDocument): Promise<boolean> {
  const settings = vscode.workspace.getConfiguration('files', document.uri);
  const matches = (name: string) => matchesAny(settings.get<Globs>(name), document);
  if (matches('readonlyInclude')) return !matches('readonlyExclude');
  return settings.get('readonlyFromPermissions') === true && (await isWriteProtected(document.uri));
}

/** Whether a glob of a setting matches a file. A glob is relative to the workspace folder or absolute. */
function matchesAny(globs: Globs = {}, document: vscode.TextDocument): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  return Object.entries(globs).some(([glob, isEnabled]) => {
    if (isEnabled !== true) return false;
    const pattern = folder && !isAbsolute(glob) ? new vscode.RelativePattern(folder, glob) : glob;
    return vscode.languages.match({ pattern }, document) > 0;
  });
}

async function isWriteProtected({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== 'file') return false;
  return stat(fsPath).then(
    ({ mode }) => (mode & ownerWritePermission) === 0,
    () => false,
  );
}

/** Returns the message that code of a reply cannot be applied to a read-only file. */
export function describeReadOnlyRefusal({ path }: vscode.Uri): string {
  return vscode.l10n.t(
    '“{0}” is read-only in your settings, so nothing was changed: see “files.readonlyInclude”. Copy the code instead.',
    clip(path.split('/').at(-1) ?? '', maxNameLength),
  );
}
