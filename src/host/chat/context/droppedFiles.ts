import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { clipped } from '../../kit/display/plainText.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

const maxShownLength = 100;

/** Parses the addresses of dropped files, as VS Code's views and editors write them. Warns about unreadable files. */
export function parseDroppedFiles(addresses: readonly string[]): readonly vscode.Uri[] {
  const files = addresses.flatMap(parseFileUri);
  const [unreadable] = addresses.filter((address) => parseFileUri(address).length === 0);
  if (unreadable !== undefined) {
    const message = vscode.l10n.t('This window cannot read {0}', clipped(unreadable, maxShownLength));
    void notify('warning', message);
  }
  return files;
}

function parseFileUri(address: string): readonly vscode.Uri[] {
  try {
    const uri = toHostUri(vscode.Uri.parse(address, true));
    return vscode.workspace.fs.isWritableFileSystem(uri.scheme) === undefined ? [] : [uri];
  } catch {
    return [];
  }
}

/**
 * Translates an address of the window to an address of the extension host. In a remote window they differ: for the
 * extension host, the files of the remote machine are local. VS Code does not translate text that a page sends.
 */
function toHostUri(uri: vscode.Uri): vscode.Uri {
  if (!isOnRemoteMachine()) return uri;
  if (uri.scheme === 'vscode-remote') return uri.with({ scheme: 'file', authority: '' });
  return uri.scheme === 'file' ? uri.with({ scheme: 'vscode-local' }) : uri;
}

function isOnRemoteMachine(): boolean {
  const kind = vscode.extensions.getExtension(extensionId)?.extensionKind;
  return vscode.env.remoteName !== undefined && kind === vscode.ExtensionKind.Workspace;
}
