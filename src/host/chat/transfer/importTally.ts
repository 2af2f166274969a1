import * as vscode from 'vscode';
import type { ImportLocation } from '../../../conversations/formats/reading/importEvent.ts';
import type { ImportEnd, ImportedChat } from '../../../conversations/transfer/importReport.ts';
import { factLine } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { explanationWords } from '../../kit/explanationWords.ts';

const maxNameLength = 200;

/** Collects the outcomes of an import as lines of text, because there may be very many conversations. */
export class ImportTally {
  readonly #skipped: string[] = [];
  readonly #imported: string[] = [];
  readonly #existing: string[] = [];
  #firstSkipped: ImportedChat | undefined;

  add(chats: readonly ImportedChat[]): void {
    for (const chat of chats) {
      if (chat.kind === 'skipped') this.#firstSkipped ??= chat;
      this.#linesOf(chat.kind).push(lineOf(chat));
    }
  }

  /** Whether nothing was skipped. */
  get isClean(): boolean {
    return this.#skipped.length === 0;
  }

  get isEmpty(): boolean {
    return this.#skipped.length + this.#imported.length + this.#existing.length === 0;
  }

  /** Such as "12 imported, 3 already there, 2 skipped". */
  get counts(): string {
    const counted = [
      vscode.l10n.t('{0} imported', formatted(this.#imported.length)),
      ...(this.#existing.length > 0
        ? [vscode.l10n.t('{0} already there', formatted(this.#existing.length))]
        : []),
      ...(this.#skipped.length > 0 ? [vscode.l10n.t('{0} skipped', formatted(this.#skipped.length))] : []),
    ];
    return factLine(counted);
  }

  /** The outcome in one sentence. */
  summary({ kind, problem }: ImportEnd): string {
    const { counts } = this;
    if (problem) {
      const words = explanationWords(problem);
      return this.isEmpty ? words : vscode.l10n.t('{0} Before that: {1}.', words, counts);
    }
    if (kind === 'stopped') return vscode.l10n.t('Import stopped: {0}.', counts);
    const isOnlySkipped = this.#imported.length + this.#existing.length === 0 && this.#skipped.length === 1;
    const [note] = this.#firstSkipped?.notes ?? [];
    if (!isOnlySkipped || !this.#firstSkipped || !note) return vscode.l10n.t('Chats: {0}.', counts);
    return vscode.l10n.t(
      'Nothing was imported from “{0}”: {1}',
      nameOf(this.#firstSkipped.file),
      explanationWords(note),
    );
  }

  /** The full report as Markdown: lists of the skipped, imported and already existing chats. */
  report(end: ImportEnd): string {
    return [
      `# ${vscode.l10n.t('Chat Import')}`,
      escapedMarkdown(this.summary(end)),
      ...section(vscode.l10n.t('Skipped'), this.#skipped),
      ...section(vscode.l10n.t('Imported'), this.#imported),
      ...section(vscode.l10n.t('Already Exists'), this.#existing),
    ]
      .join('\n\n')
      .concat('\n');
  }

  #linesOf(kind: ImportedChat['kind']): string[] {
    if (kind === 'skipped') return this.#skipped;
    return kind === 'known' ? this.#existing : this.#imported;
  }
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, lines.join('\n')];
}

function lineOf(chat: ImportedChat): string {
  const title = chat.title ? nameOf(chat.title) : '';
  const named =
    title === '' ? chatLocationText(chat) : `**${escapedMarkdown(title)}** (${chatLocationText(chat)})`;
  const notes = [...outcomeSentences(chat), ...chat.notes.map(explanationWords)].map(escapedMarkdown);
  return notes.length === 0 ? `- ${named}` : `- ${named}: ${notes.join(' ')}`;
}

function outcomeSentences({ kind, added }: ImportedChat): readonly string[] {
  switch (kind) {
    case 'new':
      return [vscode.l10n.t('Messages: {0}.', formatted(added))];
    case 'extended':
      return [vscode.l10n.t('It already existed. New messages added: {0}.', formatted(added))];
    case 'restored':
      return [vscode.l10n.t('It had been deleted and was restored. New messages: {0}.', formatted(added))];
    default:
      return [];
  }
}

function chatLocationText({ file, location }: ImportedChat): string {
  const { file: member, conversation, line }: ImportLocation = location;
  return factLine([
    escapedMarkdown(nameOf(file)),
    member !== undefined && escapedMarkdown(nameOf(member)),
    conversation !== undefined && vscode.l10n.t('conversation {0}', conversation),
    line !== undefined && vscode.l10n.t('line {0}', line),
  ]);
}

function nameOf(words: string): string {
  return plainLine(words, maxNameLength);
}

function formatted(count: number): string {
  return count.toLocaleString(vscode.env.language);
}

/** Escapes a foreign text, so that it is not parsed as Markdown or HTML. */
export function escapedMarkdown(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&#|~!]/g, '\\$&');
}
