import * as vscode from 'vscode';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import { textRequest } from '../../../client/textRequest.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import type { Message } from '../../../wire/message.ts';
import type { Connection } from '../../connection/connection.ts';
import { type Gateways, gatewayOfKey } from '../../connection/gateways.ts';
import { failureMessage } from '../../failureMessage.ts';
import type { ModelReplies } from '../modelProvider.ts';
import type { OfferedModel } from '../offeredModel.ts';

interface RepliesServices {
  readonly connection: Connection;
  readonly gateways: Gateways;
}

/** The role of instructions, which the typings lack. */
const systemRole = 3;

/** Replies of text alone. */
export class PlainReplies implements ModelReplies {
  readonly #services: RepliesServices;

  constructor(services: RepliesServices) {
    this.#services = services;
  }

  async respond(
    { gateway, model, format }: OfferedModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    _options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { connection, gateways } = this.#services;
    const known = gatewayOfKey(gateways, gateway);
    const client = await (known && connection.find(known))?.client();
    if (!client) throw vscode.LanguageModelError.NotFound(model);
    const ending = new AbortController();
    const cancelled = token.onCancellationRequested(() => ending.abort());
    const pass = (events: readonly ChatEvent[]) => {
      for (const event of events)
        if (event.type === 'text' && event.choice === 0)
          progress.report(new vscode.LanguageModelTextPart(event.text));
    };
    const request = textRequest(textFormat(format), model, messages.map(messageOf), {});
    const { outcome } = await client
      .ask(request, pass, { signal: ending.signal })
      .finally(() => cancelled.dispose());
    if ('error' in outcome) throw new Error(failureMessage(outcome.error).details);
  }

  async countTokens(
    _model: OfferedModel,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return estimatedTokens(typeof text === 'string' ? text : textOf(text));
  }
}

function messageOf(message: vscode.LanguageModelChatRequestMessage): Message {
  const role = message.role as number;
  return {
    role:
      role === systemRole
        ? 'system'
        : role === vscode.LanguageModelChatMessageRole.User
          ? 'user'
          : 'assistant',
    parts: [{ type: 'text', text: textOf(message) }],
  };
}

function textOf({ content }: vscode.LanguageModelChatRequestMessage): string {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}
