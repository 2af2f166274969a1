import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { sameJson } from '../../../base/json.ts';
import { Throttle } from '../../../base/throttle.ts';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import type { SizeView } from '../../../protocol/chatContext.ts';
import { ContextError, type ContextReference, computeDigest, hasSameLocation } from './contextReference.ts';
import { readContextText } from './contextText.ts';
import { escapeGlob } from './findFiles.ts';

const maxEntries = 32;

/** A context item of the next question. */
export interface ContextEntry {
  readonly id: string;
  readonly reference: ContextReference;
  /** The result of reading the current text; absent until the text was read. */
  readonly check?: ContextCheck;
}

/** The size of the current text and whether it changed since it was added, or the reason why it cannot be sent. */
type ContextCheck = { readonly size: SizeView; readonly isChanged: boolean } | { readonly problem: string };

/** The context of a chat's next question: code and other files. Only the user adds items. */
export class ChatContext {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** Fires when items were added or removed, or when their texts changed. */
  readonly onDidChange = this.#onDidChange.event;
  #entries: readonly ContextEntry[] = [];
  #watch: ContextWatch | undefined;
  /** The number of checks that were started. */
  #checkCount = 0;

  get entries(): readonly ContextEntry[] {
    return this.#entries;
  }

  get references(): readonly ContextReference[] {
    return this.#entries.map(({ reference }) => reference);
  }

  /** Whether references can be added within the limit. A reference replaces another reference to the same location. */
  hasRoomFor(references: readonly ContextReference[]): boolean {
    return this.#mergeReferences(references).length <= maxEntries;
  }

  /** Adds references. Each replaces an existing reference to the same location. */
  addAll(references: readonly ContextReference[]): void {
    if (references.length > 0) this.#setEntries(this.#mergeReferences(references));
  }

  remove(id: string): void {
    this.#setEntries(this.#entries.filter((each) => each.id !== id));
  }

  /** Returns the references for a question and removes them. */
  take(): readonly ContextReference[] {
    const { references } = this;
    if (references.length > 0) this.#setEntries([]);
    return references;
  }

  /** Restores the references of a question that was not sent, before the others. */
  putBack(references: readonly ContextReference[]): void {
    if (references.length === 0) return;
    const restored = references.map((reference) => ({ id: randomUUID(), reference }));
    const others = this.#entries.filter(
      (each) => !references.some((reference) => hasSameLocation(each.reference, reference)),
    );
    this.#setEntries([...restored, ...others]);
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#onDidChange.dispose();
  }

  #setEntries(entries: readonly ContextEntry[]): void {
    this.#entries = entries;
    this.#watch?.dispose();
    this.#watch =
      entries.length === 0 ? undefined : new ContextWatch(this.references, () => void this.#check());
    this.#onDidChange.fire();
    void this.#check();
  }

  /** Returns the entries with references appended. Each replaces an existing reference to the same location. */
  #mergeReferences(references: readonly ContextReference[]): readonly ContextEntry[] {
    let entries = this.#entries;
    for (const reference of references) {
      const others = entries.filter((each) => !hasSameLocation(each.reference, reference));
      entries = [...others, { id: randomUUID(), reference }];
    }
    return entries;
  }

  /** Reads the current texts of the references. If checks overlap, only the result of the last check is used. */
  async #check(): Promise<void> {
    this.#checkCount += 1;
    const checkNumber = this.#checkCount;
    const checked = this.#entries;
    const entries = await Promise.all(
      checked.map(async ({ id, reference }) => ({ id, reference, check: await checkReference(reference) })),
    );
    if (checkNumber !== this.#checkCount || sameJson(entries, checked)) return;
    this.#entries = entries;
    this.#onDidChange.fire();
  }
}

/** Returns the message that a question has the maximum number of context items. */
export function describeTooManyItems(): string {
  return vscode.l10n.t('A question can have at most {0} context items. Remove some of them.', maxEntries);
}

async function checkReference(reference: ContextReference): Promise<ContextCheck> {
  try {
    const { text } = await readContextText(reference);
    const isChanged = reference.kind === 'file' && computeDigest(text) !== reference.digest;
    return { size: measureContextText(text), isChanged };
  } catch (error) {
    if (error instanceof ContextError) return { problem: error.message };
    throw error;
  }
}

/** Measures the size of a text that is sent with a question. */
export function measureContextText(text: string): SizeView {
  return { bytes: Buffer.byteLength(text), characters: text.length, tokens: estimatedTokens(text) };
}

/** The delay from a change to the call of `onChange`, in milliseconds. Changes within this time cause one call. */
const watchDelayMs = 250;

/** Watches the sources of references: edits, saves and changes of files, but not commits and checkouts. */
class ContextWatch {
  readonly #throttle: Throttle;
  readonly #subscriptions: readonly vscode.Disposable[];

  /** @param onChange called soon after a possible change, and at the start, because a source may have changed */
  constructor(references: readonly ContextReference[], onChange: () => void) {
    this.#throttle = new Throttle(onChange, watchDelayMs);
    const files = new Set(references.flatMap((each) => (each.kind === 'file' ? each.uri : [])));
    const schedule = () => this.#throttle.schedule();
    const isWatched = (uri: vscode.Uri) => files.has(uri.toString());
    this.#subscriptions = [
      ...[...files].flatMap((file) => watchFile(vscode.Uri.parse(file), schedule)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isWatched(document.uri)) schedule();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (isWatched(uri)) schedule();
      }),
      ...(references.some(({ kind }) => kind === 'problems')
        ? [vscode.languages.onDidChangeDiagnostics(schedule)]
        : []),
      ...(references.some(({ kind }) => kind === 'changes')
        ? [vscode.workspace.onDidSaveTextDocument(schedule)]
        : []),
    ];
    schedule();
  }

  dispose(): void {
    this.#throttle.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function watchFile(file: vscode.Uri, onChange: () => void): readonly vscode.Disposable[] {
  if (file.scheme === 'untitled') return [];
  const folder = vscode.Uri.joinPath(file, '..');
  const name = file.path.split('/').at(-1) ?? '';
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, escapeGlob(name)),
  );
  return [
    watcher,
    watcher.onDidChange(onChange),
    watcher.onDidCreate(onChange),
    watcher.onDidDelete(onChange),
  ];
}
