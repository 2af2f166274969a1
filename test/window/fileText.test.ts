import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readFileText } from '../../src/host/chat/context/fileText.ts';

describe('a file for the context of a chat', () => {
  it('is named in the message if its content cannot be read, although its metadata can', async () => {
    const fail = () => {
      throw vscode.FileSystemError.Unavailable('The disk is broken');
    };
    const provider: vscode.FileSystemProvider = {
      stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: 3 }),
      readFile: fail,
      readDirectory: fail,
      createDirectory: fail,
      writeFile: fail,
      delete: fail,
      rename: fail,
      watch: () => new vscode.Disposable(() => {}),
      onDidChangeFile: () => new vscode.Disposable(() => {}),
    };
    const registration = vscode.workspace.registerFileSystemProvider('broken', provider);
    const reading = readFileText(vscode.Uri.parse('broken:/notes.txt'));
    await assert.rejects(reading, /“.*notes\.txt” does not exist or cannot be read/);
    registration.dispose();
  });
});
