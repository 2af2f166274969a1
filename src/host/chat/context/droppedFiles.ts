import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { clipped } from '../../kit/display/plainText.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

const maxToldLength = 100;

/**
 * The files that were dropped, by the addresses that VS Code's views and editors give them. Tells of those that
 * cannot be read here.
 */
export function droppedFiles(addresses: readonly string[]): readonly vscode.Uri[] {
  const files = addresses.flatMap(fileUri);
  const [other] = addresses.filter((address) => fileUri(address).length === 0);
  if (other !== undefined) {
    const words = vscode.l10n.t('No file that can be read here: {0}', clipped(other, maxToldLength));
    void notify('warning', words);
  }
  return files;
}

function fileUri(address: string): readonly vscode.Uri[] {
  try {
    const uri = asSeenHere(vscode.Uri.parse(address, true));
    return vscode.workspace.fs.isWritableFileSystem(uri.scheme) === undefined ? [] : [uri];
  } catch {
    return [];
  }
}

/**
 * In a remote window, addresses are written as the window sees files, and extensions see those of the remote machine
 * as their own. VS Code translates between the two, but for text that a page hands over.
 */
function asSeenHere(uri: vscode.Uri): vscode.Uri {
  if (!isElsewhere()) return uri;
  if (uri.scheme === 'vscode-remote') return uri.with({ scheme: 'file', authority: '' });
  return uri.scheme === 'file' ? uri.with({ scheme: 'vscode-local' }) : uri;
}

function isElsewhere(): boolean {
  const kind = vscode.extensions.getExtension(extensionId)?.extensionKind;
  return vscode.env.remoteName !== undefined && kind === vscode.ExtensionKind.Workspace;
}
