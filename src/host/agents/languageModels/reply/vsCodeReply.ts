import * as vscode from 'vscode';
import type { ChatResult } from '../../../../client/types.ts';
import { endedInUnreadableCall } from '../../../../wire/apis/contentGeneration/readReply.ts';
import { plainLine } from '../../../kit/display/plainText.ts';
import { thinkingPart, usagePart } from '../list/unpublishedFields.ts';
import type { AssembledCall, FileEvent, ReplyContentSink } from './replyReader.ts';
import type { ModelReply } from './sendToModel.ts';

const maxNameLength = 80;
const maxAddressLength = 2048;

/** Sends one reply to VS Code as its parts, with notes for content that VS Code cannot show. */
export class VsCodeReply implements ReplyContentSink {
  readonly #progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  #sentText = '';
  #hasContent = false;

  constructor(progress: vscode.Progress<vscode.LanguageModelResponsePart>) {
    this.#progress = progress;
  }

  /** All text that was sent to VS Code, including our notes. */
  get sentText(): string {
    return this.#sentText;
  }

  text(text: string): void {
    this.#sentText += text;
    this.#hasContent ||= text.trim() !== '';
    this.#progress.report(new vscode.LanguageModelTextPart(text));
  }

  /** Sends nothing if VS Code has no class for reasoning, because text would become a part of the reply. */
  reasoning(text: string): void {
    const part = thinkingPart(text, vscode);
    if (part) this.#progress.report(part);
  }

  /** Also adds a note, because VS Code treats a reply with only a picture as empty. */
  file(file: FileEvent): void {
    if (file.type === 'mediaLink') {
      this.#note(vscode.l10n.t('The model created a file: {0}', plainLine(file.url, maxAddressLength)));
      return;
    }
    const type = plainLine(file.mimeType, maxNameLength);
    this.#progress.report(new vscode.LanguageModelDataPart(Buffer.from(file.data, 'base64'), type));
    this.#note(vscode.l10n.t('The model created a file of type {0}.', type));
  }

  /** Reports the end of the reply: its calls, the end reason and the usage. */
  end({ result, accepted, refused }: ModelReply): void {
    for (const call of refused) this.#note(refusedWords(call));
    for (const { id, outcome } of accepted) {
      this.#progress.report(new vscode.LanguageModelToolCallPart(id, outcome.name, outcome.input));
      this.#hasContent = true;
    }
    const words = this.#endWords(result);
    if (words !== undefined) this.#note(words);
    const usage = result.usage && usagePart(result.usage, vscode);
    if (usage) this.#progress.report(usage);
  }

  /** Adds a paragraph below the model's text. */
  #note(words: string): void {
    this.text(this.#hasContent ? `\n\n${words}` : words);
  }

  #endWords({ outcome, endReason, finishReason = '' }: ChatResult): string | undefined {
    if (endedInUnreadableCall(finishReason))
      return vscode.l10n.t(
        'The provider could not read the tool call of the model, so nothing was run: ask the model to try again.',
      );
    if (endReason === 'content-filter')
      return vscode.l10n.t(
        'The provider’s content filter ended this reply: rephrase the question, or choose another model.',
      );
    if (outcome.kind === 'truncated')
      return vscode.l10n.t('The reply was cut off at the model’s output limit: ask it to continue.');
    if (outcome.kind === 'pending')
      return vscode.l10n.t(
        'The gateway continues this reply in the background, where it cannot be shown: ask again later.',
      );
    if (this.#hasContent) return undefined;
    return endReason === 'other'
      ? vscode.l10n.t(
          'The model ended its reply without any text, for the reason “{0}”: ask again, or choose another model.',
          plainLine(finishReason, maxNameLength),
        )
      : vscode.l10n.t('The model ended its reply without any text: ask again, or choose another model.');
  }
}

function refusedWords({ calledName, outcome }: AssembledCall): string {
  const tool = plainLine(calledName, maxNameLength) || '?';
  switch (outcome.type) {
    case 'unknown-tool':
      return vscode.l10n.t(
        'The model called a tool that was not offered, {0}: ask it to continue without the tool.',
        tool,
      );
    case 'ambiguous':
      return vscode.l10n.t(
        'Two tool calls were mixed up in the reply, so {0} was not run: ask the model to call them one at a time.',
        tool,
      );
    default:
      return vscode.l10n.t(
        'The model called {0} with arguments that are not valid JSON, so it was not run: ask it to try again.',
        tool,
      );
  }
}
