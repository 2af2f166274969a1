import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { SizeView } from '../../../protocol/chatContext.ts';
import { ContextError } from './contextError.ts';
import { type ContextReference, digestOf, isSamePlace } from './contextReference.ts';
import { ContextWatch } from './contextWatch.ts';
import { takeText } from './takenText.ts';
import { sizeOf } from './textSize.ts';

const maxEntries = 32;

/** What of the code is to go along with the next question. */
export interface ContextEntry {
  readonly id: string;
  readonly reference: ContextReference;
  /** What it leads to now; undefined until that was looked at. */
  readonly found?: Found;
}

/** What would go along now, or why it cannot. */
export type Found = { readonly size: SizeView; readonly isChanged: boolean } | { readonly problem: string };

/** The code that goes along with the next question of a chat. Nothing comes here by itself. */
export class ChatContext {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** Fires for changes of what is in it, and of what it leads to. */
  readonly onDidChange = this.#onDidChange.event;
  #entries: readonly ContextEntry[] = [];
  #watch: ContextWatch | undefined;
  /** How many looks at what the references lead to were begun. */
  #looks = 0;

  get entries(): readonly ContextEntry[] {
    return this.#entries;
  }

  get references(): readonly ContextReference[] {
    return this.#entries.map(({ reference }) => reference);
  }

  /** Whether references can be added, those to the same places in place of others. */
  hasRoomFor(references: readonly ContextReference[]): boolean {
    return this.#with(references).length <= maxEntries;
  }

  /** Adds references, each in place of one to the same place. */
  addAll(references: readonly ContextReference[]): void {
    if (references.length > 0) this.#become(this.#with(references));
  }

  remove(id: string): void {
    this.#become(this.#entries.filter((each) => each.id !== id));
  }

  /** Returns the references for a question and removes them from here. */
  take(): readonly ContextReference[] {
    const { references } = this;
    if (references.length > 0) this.#become([]);
    return references;
  }

  /** Puts back the references of a question that was not sent, before the others. */
  putBack(references: readonly ContextReference[]): void {
    if (references.length === 0) return;
    const back = references.map((reference) => ({ id: randomUUID(), reference }));
    const others = this.#entries.filter(
      (each) => !references.some((reference) => isSamePlace(each.reference, reference)),
    );
    this.#become([...back, ...others]);
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#onDidChange.dispose();
  }

  #become(entries: readonly ContextEntry[]): void {
    this.#entries = entries;
    this.#watch?.dispose();
    this.#watch =
      entries.length === 0 ? undefined : new ContextWatch(this.references, () => void this.#look());
    this.#onDidChange.fire();
    void this.#look();
  }

  #with(references: readonly ContextReference[]): readonly ContextEntry[] {
    let entries = this.#entries;
    for (const reference of references) {
      const others = entries.filter((each) => !isSamePlace(each.reference, reference));
      entries = [...others, { id: randomUUID(), reference }];
    }
    return entries;
  }

  /** Looks at what the references lead to now. Of several looks at once the last one begun counts. */
  async #look(): Promise<void> {
    this.#looks += 1;
    const nth = this.#looks;
    const looked = this.#entries;
    const entries = await Promise.all(
      looked.map(async ({ id, reference }) => ({ id, reference, found: await find(reference) })),
    );
    if (nth !== this.#looks || JSON.stringify(entries) === JSON.stringify(looked)) return;
    this.#entries = entries;
    this.#onDidChange.fire();
  }
}

/** That no more can go along. */
export function tooMany(): string {
  return vscode.l10n.t('A question can have at most {0} context items. Remove some of them.', maxEntries);
}

async function find(reference: ContextReference): Promise<Found> {
  try {
    const { text } = await takeText(reference);
    const isChanged = reference.kind === 'file' && digestOf(text) !== reference.seen;
    return { size: sizeOf(text), isChanged };
  } catch (error) {
    if (error instanceof ContextError) return { problem: error.message };
    throw error;
  }
}
