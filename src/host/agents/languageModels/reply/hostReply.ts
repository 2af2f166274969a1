import * as vscode from 'vscode';
import type { ChatResult } from '../../../../client/types.ts';
import { endedInUnreadableCall } from '../../../../wire/apis/contentGeneration/readReply.ts';
import type { Usage } from '../../../../wire/chatEvent.ts';
import { plainLine } from '../../../kit/display/plainText.ts';
import type { ModelReply } from './askModel.ts';
import type { ReadCall } from './calls.ts';
import type { FileEvent, ReplySink } from './replyReader.ts';

const maxNameLength = 80;
const maxAddressLength = 2048;

/** Passes one reply on as VS Code's parts, with words of ours for what it cannot show otherwise. */
export class HostReply implements ReplySink {
  readonly #progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  #words = '';
  #hasSaid = false;

  constructor(progress: vscode.Progress<vscode.LanguageModelResponsePart>) {
    this.#progress = progress;
  }

  /** All that was passed on as text, with words of ours. */
  get words(): string {
    return this.#words;
  }

  text(text: string): void {
    this.#words += text;
    this.#hasSaid ||= text.trim() !== '';
    this.#progress.report(new vscode.LanguageModelTextPart(text));
  }

  reasoning(text: string): void {
    const part = reasoningPart(text);
    if (part) this.#progress.report(part);
  }

  /** A file needs words as well: VS Code takes pictures alone for no reply. */
  file(file: FileEvent): void {
    if (file.type === 'mediaLink') {
      this.#note(vscode.l10n.t('The model created a file: {0}', plainLine(file.url, maxAddressLength)));
      return;
    }
    const type = plainLine(file.mimeType, maxNameLength);
    this.#progress.report(new vscode.LanguageModelDataPart(Buffer.from(file.data, 'base64'), type));
    this.#note(vscode.l10n.t('The model created a file of type {0}.', type));
  }

  /** Tells what comes last: calls, how it ended, and what it used. */
  end({ result, made, refused }: ModelReply): void {
    for (const call of refused) this.#note(refusedWords(call));
    for (const { id, outcome } of made) {
      this.#progress.report(new vscode.LanguageModelToolCallPart(id, outcome.name, outcome.input));
      this.#hasSaid = true;
    }
    const words = this.#endWords(result);
    if (words !== undefined) this.#note(words);
    const usage = result.usage && usagePart(result.usage);
    if (usage) this.#progress.report(usage);
  }

  /** A paragraph of ours below what the model said. */
  #note(words: string): void {
    this.text(this.#hasSaid ? `\n\n${words}` : words);
  }

  #endWords({ outcome, endReason, finishReason = '' }: ChatResult): string | undefined {
    if (endedInUnreadableCall(finishReason))
      return vscode.l10n.t(
        'The provider could not read the tool call of the model, so nothing was run: ask the model to try again.',
      );
    if (endReason === 'content-filter')
      return vscode.l10n.t(
        'The provider’s content filter ended this reply: ask in other words, or choose another model.',
      );
    if (outcome.kind === 'truncated')
      return vscode.l10n.t('The reply was cut off at the model’s output limit: ask it to continue.');
    if (outcome.kind === 'pending')
      return vscode.l10n.t(
        'The gateway continues this reply in the background, where it cannot be shown: ask again later.',
      );
    if (this.#hasSaid) return undefined;
    return endReason === 'other'
      ? vscode.l10n.t(
          'The model ended its reply without any text, for the reason “{0}”: ask again, or choose another model.',
          plainLine(finishReason, maxNameLength),
        )
      : vscode.l10n.t('The model ended its reply without any text: ask again, or choose another model.');
  }
}

function refusedWords({ called, outcome }: ReadCall): string {
  const tool = plainLine(called, maxNameLength) || '?';
  switch (outcome.type) {
    case 'unknown-tool':
      return vscode.l10n.t(
        'The model called a tool that was not offered, {0}: ask it to continue without the tool.',
        tool,
      );
    case 'ambiguous':
      return vscode.l10n.t(
        'Two tool calls arrived mixed up, so {0} was not run: ask the model to call them one at a time.',
        tool,
      );
    default:
      return vscode.l10n.t(
        'The model called {0} with arguments that are not valid JSON, so it was not run: ask it to try again.',
        tool,
      );
  }
}

/** The class of parts with reasoning, which the typings lack, where this host has it. */
type ThinkingPart = new (value: string) => vscode.LanguageModelResponsePart;

const thinkingPart = thinkingPartOfHost();

function thinkingPartOfHost(): ThinkingPart | undefined {
  try {
    const found: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
    return typeof found === 'function' ? (found as ThinkingPart) : undefined;
  } catch {
    // A host may refuse to hand out what is only proposed.
    return undefined;
  }
}

/** Reasoning; undefined where the host has no place for it: as text it would become a part of the answer. */
function reasoningPart(text: string): vscode.LanguageModelResponsePart | undefined {
  return thinkingPart && new thinkingPart(text);
}

/** The token counts, as VS Code reads them for its ring; undefined where the gateway told none. */
function usagePart({
  inputTokens,
  outputTokens,
  totalTokens,
  cachedTokens,
}: Usage): vscode.LanguageModelResponsePart | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const [prompt_tokens, completion_tokens] = [inputTokens ?? 0, outputTokens ?? 0];
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: totalTokens ?? prompt_tokens + completion_tokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
  return new vscode.LanguageModelDataPart(new TextEncoder().encode(JSON.stringify(usage)), 'usage');
}
