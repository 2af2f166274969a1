import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';

// The worker reads and writes files of this machine. VS Code copies those of other file systems.

/** Lets `write` write a file, which is then at `target`. */
export async function writtenLocally<Result>(
  target: vscode.Uri,
  write: (file: string) => Promise<Result>,
): Promise<Result> {
  if (target.scheme === 'file') return write(target.fsPath);
  return withDraft(basename(target.path), async (draft) => {
    const result = await write(draft.fsPath);
    await vscode.workspace.fs.copy(draft, target, { overwrite: true });
    return result;
  });
}

/** Lets `read` read files by their paths, which end in their names. */
export function readLocally<Result>(
  files: readonly vscode.Uri[],
  read: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const [first, ...others] = files;
  if (!first) return read([]);
  const withFirst = (path: string) => readLocally(others, (paths) => read([path, ...paths]));
  if (first.scheme === 'file') return withFirst(first.fsPath);
  return withDraft(basename(first.path), async (draft) => {
    await vscode.workspace.fs.copy(first, draft, { overwrite: true });
    return withFirst(draft.fsPath);
  });
}

async function withDraft<Result>(name: string, act: (draft: vscode.Uri) => Promise<Result>): Promise<Result> {
  const folder = join(tmpdir(), `model-gateway-${randomUUID()}`);
  try {
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(folder));
    return await act(vscode.Uri.file(join(folder, name)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
