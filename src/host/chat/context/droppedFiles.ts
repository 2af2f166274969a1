import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { clip } from '../../kit/display/plainText.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

const maxShownLength = 100;

/** Parses the URIs of files dropped from VS Code's views and editors. Warns about the first unreadable file. */
export function parseDroppedFiles(addresses: readonly string[]): readonly vscode.Uri[] {
  const files = addresses.flatMap((address) => parseFileUri(address) ?? []);
  const unreadable = addresses.find((address) => parseFileUri(address) === undefined);
  if (unreadable !== undefined) {
    const message = vscode.l10n.t('This window cannot read {0}', clip(unreadable, maxShownLength));
    void notify('warning', message);
  }
  return files;
}

function parseFileUri(address: string): vscode.Uri | undefined {
  try {
    const uri = toHostUri(vscode.Uri.parse(address, true));
    return vscode.workspace.fs.isWritableFileSystem(uri.scheme) === undefined ? undefined : uri;
  } catch {
    return undefined;
  }
}

/**
 * Converts a URI of the window to a URI of the extension host. In a remote window they differ: for the extension host,
 * the files of the remote machine are local. VS Code does not convert the URIs in messages of a page.
 */
function toHostUri(uri: vscode.Uri): vscode.Uri {
  if (!runsOnRemoteMachine()) return uri;
  if (uri.scheme === 'vscode-remote') return uri.with({ scheme: 'file', authority: '' });
  return uri.scheme === 'file' ? uri.with({ scheme: 'vscode-local' }) : uri;
}

function runsOnRemoteMachine(): boolean {
  const kind = vscode.extensions.getExtension(extensionId)?.extensionKind;
  return vscode.env.remoteName !== undefined && kind === vscode.ExtensionKind.Workspace;
}
