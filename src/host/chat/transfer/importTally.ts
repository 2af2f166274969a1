import * as vscode from 'vscode';
import type { ImportLocation } from '../../../conversations/formats/reading/importEvent.ts';
import type { ImportEnd, ImportedChat } from '../../../conversations/transfer/importFiles.ts';
import { formatCount } from '../../kit/countWords.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { describeExplanation } from '../../kit/explanationWords.ts';

const maxNameLength = 200;

/** Collects the outcomes of an import. They are stored as lines of text, because there may be very many chats. */
export class ImportTally {
  readonly #skipped: string[] = [];
  readonly #imported: string[] = [];
  readonly #existing: string[] = [];
  #firstSkipped: ImportedChat | undefined;

  add(chats: readonly ImportedChat[]): void {
    for (const chat of chats) {
      if (chat.kind === 'skipped') this.#firstSkipped ??= chat;
      this.#findLines(chat.kind).push(formatChat(chat));
    }
  }

  /** Whether no chat was skipped. */
  get isClean(): boolean {
    return this.#skipped.length === 0;
  }

  get isEmpty(): boolean {
    return this.#skipped.length + this.#imported.length + this.#existing.length === 0;
  }

  /** The number of chats for each outcome, such as "12 imported, 3 already there, 2 skipped". */
  get counts(): string {
    const counted = [
      vscode.l10n.t('{0} imported', formatCount(this.#imported.length)),
      ...(this.#existing.length > 0
        ? [vscode.l10n.t('{0} already there', formatCount(this.#existing.length))]
        : []),
      ...(this.#skipped.length > 0 ? [vscode.l10n.t('{0} skipped', formatCount(this.#skipped.length))] : []),
    ];
    return joinFacts(counted);
  }

  /** Describes the outcome in one sentence. */
  summarize({ kind, problem }: ImportEnd): string {
    const { counts } = this;
    if (problem) {
      const words = describeExplanation(problem);
      return this.isEmpty ? words : vscode.l10n.t('{0} Before that: {1}.', words, counts);
    }
    if (kind === 'stopped') return vscode.l10n.t('Import stopped: {0}.', counts);
    const isOnlySkipped = this.#imported.length + this.#existing.length === 0 && this.#skipped.length === 1;
    const [note] = this.#firstSkipped?.notes ?? [];
    if (!isOnlySkipped || !this.#firstSkipped || !note) return vscode.l10n.t('Chats: {0}.', counts);
    return vscode.l10n.t(
      'Nothing was imported from “{0}”: {1}',
      formatName(this.#firstSkipped.file),
      describeExplanation(note),
    );
  }

  /** Creates the full report as Markdown: lists of the skipped, imported and already existing chats. */
  createReport(end: ImportEnd): string {
    return [
      `# ${vscode.l10n.t('Chat Import')}`,
      escapeReportText(this.summarize(end)),
      ...createSection(vscode.l10n.t('Skipped'), this.#skipped),
      ...createSection(vscode.l10n.t('Imported'), this.#imported),
      ...createSection(vscode.l10n.t('Already Exists'), this.#existing),
    ]
      .join('\n\n')
      .concat('\n');
  }

  #findLines(kind: ImportedChat['kind']): string[] {
    if (kind === 'skipped') return this.#skipped;
    return kind === 'known' ? this.#existing : this.#imported;
  }
}

function createSection(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${heading}`, lines.join('\n')];
}

function formatChat(chat: ImportedChat): string {
  const title = chat.title ? formatName(chat.title) : '';
  const name =
    title === '' ? formatLocation(chat) : `**${escapeReportText(title)}** (${formatLocation(chat)})`;
  const notes = [...describeOutcome(chat), ...chat.notes.map(describeExplanation)].map(escapeReportText);
  return notes.length === 0 ? `- ${name}` : `- ${name}: ${notes.join(' ')}`;
}

function describeOutcome({ kind, added }: ImportedChat): readonly string[] {
  switch (kind) {
    case 'new':
      return [vscode.l10n.t('Messages: {0}.', formatCount(added))];
    case 'extended':
      return [vscode.l10n.t('It already existed. New messages added: {0}.', formatCount(added))];
    case 'restored':
      return [vscode.l10n.t('It had been deleted and was restored. New messages: {0}.', formatCount(added))];
    default:
      return [];
  }
}

function formatLocation({ file, location }: ImportedChat): string {
  const { file: member, conversation, line }: ImportLocation = location;
  return joinFacts([
    escapeReportText(formatName(file)),
    member !== undefined && escapeReportText(formatName(member)),
    conversation !== undefined && vscode.l10n.t('conversation {0}', conversation),
    line !== undefined && vscode.l10n.t('line {0}', line),
  ]);
}

function formatName(text: string): string {
  return plainLine(text, maxNameLength);
}

/** Escapes an imported text, so that it is not parsed as Markdown or HTML. */
export function escapeReportText(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&#|~!]/g, '\\$&');
}
