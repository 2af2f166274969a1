import * as vscode from 'vscode';
import type { Place } from '../../../conversations/formats/reading/importEvent.ts';
import type { ImportEnd, ImportedChat } from '../../../conversations/transfer/importReport.ts';
import { factLine } from '../../kit/display/listed.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { explanationWords } from '../../kit/explanationWords.ts';

const maxNameLength = 200;

/** What became of each conversation of an import, in words. Takes them as they come: there may be very many. */
export class ImportTally {
  readonly #skipped: string[] = [];
  readonly #imported: string[] = [];
  readonly #known: string[] = [];
  #firstSkipped: ImportedChat | undefined;

  add(chats: readonly ImportedChat[]): void {
    for (const chat of chats) {
      if (chat.kind === 'skipped') this.#firstSkipped ??= chat;
      this.#linesOf(chat.kind).push(lineOf(chat));
    }
  }

  /** Whether all went well. */
  get isClean(): boolean {
    return this.#skipped.length === 0;
  }

  get isEmpty(): boolean {
    return this.#skipped.length + this.#imported.length + this.#known.length === 0;
  }

  /** Such as "12 imported, 3 already there, 2 skipped". */
  get counts(): string {
    const counted = [
      vscode.l10n.t('{0} imported', written(this.#imported.length)),
      ...(this.#known.length > 0 ? [vscode.l10n.t('{0} already there', written(this.#known.length))] : []),
      ...(this.#skipped.length > 0 ? [vscode.l10n.t('{0} skipped', written(this.#skipped.length))] : []),
    ];
    return factLine(counted);
  }

  /** One sentence of how it ended. */
  summary({ kind, problem }: ImportEnd): string {
    const { counts } = this;
    if (problem) {
      const words = explanationWords(problem);
      return this.isEmpty ? words : vscode.l10n.t('{0} Until then: {1}.', words, counts);
    }
    if (kind === 'stopped') return vscode.l10n.t('Import stopped: {0}.', counts);
    const only = this.#imported.length + this.#known.length === 0 && this.#skipped.length === 1;
    const [note] = this.#firstSkipped?.notes ?? [];
    if (!only || !this.#firstSkipped || !note) return vscode.l10n.t('Chats: {0}.', counts);
    return vscode.l10n.t(
      'Nothing was imported from “{0}”: {1}',
      nameOf(this.#firstSkipped.file),
      explanationWords(note),
    );
  }

  /** All of it as Markdown: a list for what was skipped, what was imported and what was there. */
  report(end: ImportEnd): string {
    return [
      `# ${vscode.l10n.t('Import of Chats')}`,
      escaped(this.summary(end)),
      ...section(vscode.l10n.t('Skipped'), this.#skipped),
      ...section(vscode.l10n.t('Imported'), this.#imported),
      ...section(vscode.l10n.t('Already Exists'), this.#known),
    ]
      .join('\n\n')
      .concat('\n');
  }

  #linesOf(kind: ImportedChat['kind']): string[] {
    if (kind === 'skipped') return this.#skipped;
    return kind === 'known' ? this.#known : this.#imported;
  }
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, lines.join('\n')];
}

function lineOf(chat: ImportedChat): string {
  const title = chat.title ? nameOf(chat.title) : '';
  const named = title === '' ? placeOf(chat) : `**${escaped(title)}** (${placeOf(chat)})`;
  const notes = [...becameOf(chat), ...chat.notes.map(explanationWords)].map(escaped);
  return notes.length === 0 ? `- ${named}` : `- ${named}: ${notes.join(' ')}`;
}

function becameOf({ kind, added }: ImportedChat): readonly string[] {
  switch (kind) {
    case 'new':
      return [vscode.l10n.t('Messages: {0}.', written(added))];
    case 'extended':
      return [vscode.l10n.t('It already existed, and new messages were added: {0}.', written(added))];
    case 'restored':
      return [vscode.l10n.t('It was deleted, and was restored. New messages: {0}.', written(added))];
    default:
      return [];
  }
}

function placeOf({ file, place }: ImportedChat): string {
  const { file: member, conversation, line }: Place = place;
  return factLine([
    escaped(nameOf(file)),
    member !== undefined && escaped(nameOf(member)),
    conversation !== undefined && vscode.l10n.t('conversation {0}', conversation),
    line !== undefined && vscode.l10n.t('line {0}', line),
  ]);
}

function nameOf(words: string): string {
  return plainLine(words, maxNameLength);
}

function written(count: number): string {
  return count.toLocaleString(vscode.env.language);
}

/** Words of others, in which nothing is Markdown or HTML. */
function escaped(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&#|~!]/g, '\\$&');
}
