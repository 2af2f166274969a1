import type * as vscode from 'vscode';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { createFailureNotice, type PageNotice } from '../../connection/failures/pageNotices.ts';
import { escapeMarkdown, plainLine } from '../../kit/display/plainText.ts';
import { type CommandId, commandName } from '../../kit/manifest/contributions.ts';
import { getActionCommand } from '../../kit/noticeActions.ts';

const maxWordsLength = 2000;
const maxLabelLength = 80;

/** Writes the participant's reply to VS Code's chat. Escapes all text except a model's reply. */
export class ParticipantStream {
  readonly #stream: vscode.ChatResponseStream;

  constructor(stream: vscode.ChatResponseStream) {
    this.#stream = stream;
  }

  paragraph(text: string): void {
    const lines = text.split('\n').map((line) => escapeMarkdown(line, maxWordsLength));
    this.#stream.markdown(`${lines.join('\n\n')}\n\n`);
  }

  /** Writes a list item: a name and its facts. */
  listItem(name: string, facts: string): void {
    const suffix = facts === '' ? '' : ` – ${escapeMarkdown(facts, maxWordsLength)}`;
    this.#stream.markdown(`- **${escapeMarkdown(name, maxWordsLength)}**${suffix}\n`);
  }

  endList(): void {
    this.#stream.markdown('\n');
  }

  /** Writes a model's reply as Markdown. Its links cannot run commands. */
  reply(markdown: string): void {
    this.#stream.markdown(markdown);
  }

  progress(text: string): void {
    this.#stream.progress(plainLine(text, maxWordsLength));
  }

  file(uri: vscode.Uri): void {
    this.#stream.reference(uri);
    this.#stream.anchor(uri);
    this.#stream.markdown('\n\n');
  }

  reference(value: vscode.Uri | vscode.Location): void {
    this.#stream.reference(value);
  }

  /** Adds a button that runs one of our commands. */
  button(title: string, command: CommandId, ...args: readonly unknown[]): void {
    this.#stream.button({
      title: plainLine(title, maxLabelLength),
      command: commandName(command),
      arguments: [...args],
    });
  }

  failure(error: GatewayError): void {
    this.notice(createFailureNotice(error), failureMessage(error).helpPage);
  }

  /** Writes the text of a page's notice, with the buttons that are useful in VS Code's chat. */
  notice({ title, detail, requestId, buttons }: PageNotice, helpPage?: string): void {
    this.paragraph([title, detail].filter(Boolean).join('\n'));
    for (const { action, label } of buttons) {
      const command = getActionCommand(action);
      if (action === 'open-help') this.button(label, 'openHelp', helpPage);
      else if (command !== undefined) this.button(label, command);
      else if (action === 'open-request' && requestId !== undefined)
        this.button(label, 'requests.openRequest', { requestId });
    }
  }
}
