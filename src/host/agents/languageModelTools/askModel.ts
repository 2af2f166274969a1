import * as vscode from 'vscode';
import { withValue } from '../../../base/nestedValues.ts';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import { type TextRequest, textRequest } from '../../../client/textRequest.ts';
import type { ChatResult } from '../../../client/types.ts';
import type { OtherAsker } from '../../../conversations/store/usage.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { Message } from '../../../wire/message.ts';
import { countRequest } from '../../chat/asking/countRequest.ts';
import { confirm } from '../../kit/display/notify.ts';
import { plainText } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { shortTokenPrice } from '../../models/modelFigures.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { AgentServices } from '../agentServices.ts';
import { failureForAgent } from './failureText.ts';
import { gatewayForTool, namedModel, shownId, type ToolGateway } from './gatewayForTool.ts';
import { defineTool, ToolError } from './tool.ts';
import { askModelInput } from './toolInputs.ts';

interface Question {
  readonly model: Model;
  readonly request: TextRequest;
  readonly prompt: string;
}

const maxShownPrompt = 1000;
/** A model that writes on and on costs on and on, in UTF-16 units. */
const maxAnswerLength = 200_000;

/** Asks a model once, after the user agreed to what it may cost. */
export const askModel = defineTool({
  input: askModelInput,
  progress: ({ model }) =>
    model === undefined ? vscode.l10n.t('Asking a model of the gateway') : vscode.l10n.t('Asking {0}', model),
  run: async ({ prompt, model: id, system, maxOutputTokens, gateway: named }, services, signal) => {
    const gateway = await gatewayForTool(services, signal, named);
    const model = chatModel(services, gateway, id);
    const format = textFormat(
      new FormatChoice(services.memory, readModelRules).of(gateway.connection.gateway, model.id),
    );
    const whole = textRequest(format, model.id, messagesOf(prompt, system), {});
    const limit = format.common.outputLimit?.place(
      { ...(maxOutputTokens && { outputLimit: maxOutputTokens }) },
      model.id,
    );
    const body = (limit ?? []).reduce<TextRequest['body']>(
      (all, { path, value }) => withValue(all, path, value),
      whole.body,
    );
    const question = {
      model,
      request: { ...whole, body },
      prompt: [system, prompt].filter(Boolean).join('\n\n'),
    };
    if (!(await isAgreed(gateway, question)))
      return 'The user did not agree. Nothing was sent. Do not ask again unless the user wants it.';
    signal.throwIfAborted();
    return ask(services, gateway, question, signal);
  },
});

/** The model that is named, else the one that new chats ask. */
function chatModel({ modelNotes }: AgentServices, gateway: ToolGateway, id: string | undefined): Model {
  const { connection, models } = gateway;
  const suggested = id ?? modelNotes.suggestForChat(connection.gateway, models);
  if (suggested === undefined)
    throw new ToolError(
      `Nothing was sent: ${connection.gateway.name} lists no model for chats. Name one of ${toolName('listModels')} if the user says that it can chat.`,
    );
  const model = namedModel(gateway, suggested);
  const uses = modelNotes.usesAt(connection.gateway)(model);
  if (uses.includes('video') && !uses.includes('chat'))
    throw new ToolError(
      `Nothing was sent: ${shownId(model)} makes videos and answers no questions. Use ${toolName('startVideo')}, or a model that ${toolName('listModels')} lists for chat.`,
    );
  return model;
}

function messagesOf(prompt: string, system = ''): readonly Message[] {
  const message = (role: Message['role'], text: string): Message => ({
    role,
    parts: [{ type: 'text', text }],
  });
  return [...(system === '' ? [] : [message('system', system)]), message('user', prompt)];
}

async function isAgreed({ connection, models }: ToolGateway, { model, prompt }: Question): Promise<boolean> {
  const { t } = vscode.l10n;
  const { gateway } = connection;
  const cost = isDemoModel(gateway, model.id)
    ? [t('An agent requests this. The demo is free.')]
    : [
        t(
          'An agent requests this. It spends tokens of your account at {0}, in addition to those of the chat.',
          gateway.name,
        ),
        priceWords(model, models),
      ];
  const size = t('About {0} tokens of input.', estimatedTokens(prompt));
  const detail = [...cost, size, `“${plainText(prompt, maxShownPrompt)}”`].join('\n\n');
  const send = t('Send Request');
  return (await confirm(t('Ask {0}?', model.id), detail, send)) === send;
}

/** The user's price for a model, else the one of the model list. */
function priceWords({ id }: Model, models: readonly Model[]): string {
  const price = readModelRules().tokenPrice(id) ?? models.find((each) => each.id === id)?.tokenPrice;
  return price
    ? vscode.l10n.t('Its price: {0} per million tokens.', shortTokenPrice(price, vscode.env.language))
    : vscode.l10n.t('The price is unknown. It may be billed.');
}

async function ask(
  services: AgentServices,
  { connection }: ToolGateway,
  { model, request }: Question,
  signal: AbortSignal,
): Promise<string> {
  const client = await connection.client();
  const limit = new AbortController();
  let answer = '';
  const result = await client.ask(
    request,
    (events) => {
      for (const event of events)
        if ((event.type === 'text' || event.type === 'refusal') && event.choice === 0) answer += event.text;
      if (answer.length > maxAnswerLength) limit.abort();
    },
    { signal: AbortSignal.any([signal, limit.signal]) },
  );
  const asked = { connection, model: model.id, format: request.format.id };
  await countRequest(services.conversations, 'agents' satisfies OtherAsker, 'answer', asked, result).catch(
    (error) => services.log.warn('tool', `not counted: ${String(error)}`),
  );
  signal.throwIfAborted();
  if (result.outcome.kind === 'failed') throw result.outcome.error;
  return `${answered(result, model)}\n\n${answer.trim() === '' ? '(no text)' : answer}`;
}

/** What stands before an answer, where a result that is too long is not cut. */
function answered({ outcome, usage, requestId }: ChatResult, model: Model): string {
  const { inputTokens, outputTokens } = usage ?? {};
  const tokens = [
    inputTokens === undefined ? '' : `${inputTokens} tokens in`,
    outputTokens === undefined ? '' : `${outputTokens} out`,
  ].filter(Boolean);
  const facts = [...tokens, `request ID ${requestId}`].join(', ');
  return [`${shownId(model)} answered (${facts}).`, howItEnded(outcome)].filter(Boolean).join(' ');
}

function howItEnded(outcome: ChatResult['outcome']): string {
  switch (outcome.kind) {
    case 'truncated':
      return 'The answer reached the output limit and is cut off; maxOutputTokens sets another limit.';
    case 'interrupted':
      return `The answer was cut off on the way. ${failureForAgent(outcome.error)}`;
    case 'cancelled':
      return 'The answer was stopped because it grew too long.';
    case 'pending':
      return 'The gateway goes on in the background, so the answer is not whole.';
    default:
      return '';
  }
}
