// The stand-in's copy of the extension: its bundle and its context.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as vscode from 'vscode';
import { EventEmitter, ExtensionKind, ExtensionMode, Uri } from './values.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const packageJSON = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const data = process.env.MODEL_GATEWAY_TEST_DATA ?? join(root, '.vscode-test', 'stand-in');

class Memento {
  readonly #values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  get(key: string, fallback?: unknown): unknown {
    return this.#values.has(key) ? structuredClone(this.#values.get(key)) : fallback;
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, JSON.parse(JSON.stringify(value)));
  }

  setKeysForSync(): void {}
}

class Secrets {
  readonly #values = new Map<string, string>();
  readonly #changed = new EventEmitter<vscode.SecretStorageChangeEvent>();
  readonly onDidChange = this.#changed.event;

  async keys(): Promise<string[]> {
    return [...this.#values.keys()];
  }

  async get(key: string): Promise<string | undefined> {
    return this.#values.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.#values.set(key, value);
    this.#changed.fire({ key });
  }

  async delete(key: string): Promise<void> {
    this.#values.delete(key);
    this.#changed.fire({ key });
  }
}

function createFolder(name: string): vscode.Uri {
  const path = join(data, name);
  mkdirSync(path, { recursive: true });
  return Uri.file(path);
}

interface Entry {
  readonly activate: (context: unknown) => unknown;
  readonly deactivate: () => Promise<void>;
}

const loadBundle = () => createRequire(import.meta.url)(join(root, 'dist', 'extension.js')) as Entry;
let activation: Promise<unknown> | undefined;

/** Activates the extension once. */
export function activate(): Promise<unknown> {
  activation ??= Promise.resolve().then(() => loadBundle().activate(context));
  return activation;
}

/** Ends the extension, if it was activated. */
export async function deactivate(): Promise<void> {
  if (!activation) return;
  await activation;
  await loadBundle().deactivate();
  for (const each of context.subscriptions) each.dispose();
}

export const extension = {
  id: `${packageJSON.publisher}.${packageJSON.name}`,
  packageJSON,
  isActive: true,
  exports: undefined,
  extensionUri: Uri.file(root),
  extensionPath: root,
  extensionKind: ExtensionKind.Workspace,
  activate,
};

const context = {
  extension,
  extensionUri: extension.extensionUri,
  extensionPath: root,
  subscriptions: [] as vscode.Disposable[],
  workspaceState: new Memento(),
  globalState: new Memento(),
  secrets: new Secrets(),
  storageUri: createFolder('workspaceStorage'),
  globalStorageUri: createFolder('globalStorage'),
  logUri: createFolder('logs'),
  extensionMode: ExtensionMode.Test,
  asAbsolutePath: (path: string) => join(root, path),
};
