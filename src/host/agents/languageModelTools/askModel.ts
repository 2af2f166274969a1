import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { withValue } from '../../../base/nestedValues.ts';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import { createTextRequest, type TextRequest } from '../../../client/textRequest.ts';
import type { ChatResult } from '../../../client/types.ts';
import type { OtherInitiator } from '../../../conversations/store/usageLedger.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { Message } from '../../../wire/message.ts';
import { countRequest } from '../../chat/session/countRequest.ts';
import { chooseChatCaching } from '../../connection/requestCaching.ts';
import { confirm } from '../../kit/display/notify.ts';
import { plainText } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { shortTokenPrice } from '../../models/modelFigures.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { AgentServices } from '../agentServices.ts';
import { defineTool, ToolError } from './defineTool.ts';
import { describeFailure } from './failureText.ts';
import { findModel, resolveGateway, shownId, type ToolGateway } from './toolGateway.ts';
import { askModelInput } from './toolInputs.ts';

interface Question {
  readonly model: Model;
  readonly request: TextRequest;
  readonly prompt: string;
}

/** The cache group of all agents in this window. Requests with the same instructions share a prompt cache. */
const cacheGroup = randomUUID();

const maxShownPromptLength = 1000;
/** In UTF-16 units. Limits the cost of a model that does not stop writing. */
const maxReplyLength = 200_000;

/** Sends one request to a model, after the user agreed to its possible cost. */
export const askModelTool = defineTool({
  input: askModelInput,
  progress: ({ model }) =>
    model === undefined ? vscode.l10n.t('Asking a model of the gateway') : vscode.l10n.t('Asking {0}', model),
  run: async ({ prompt, model: id, system, maxOutputTokens, gateway: name }, services, signal) => {
    const gateway = await resolveGateway(services, signal, name);
    const model = resolveModel(services, gateway, id);
    const format = textFormat(
      new FormatChoice(services.memory, readModelRules).of(gateway.connection.gateway, model.id),
    );
    const target = { connection: gateway.connection, model: model.id, format: format.id };
    const caching = { ...chooseChatCaching(target, cacheGroup), isSingle: true };
    const request = createTextRequest(format, model.id, requestMessages(prompt, system), {}, caching);
    const limitFields = format.common.outputLimit?.place(
      { ...(maxOutputTokens && { outputLimit: maxOutputTokens }) },
      model.id,
    );
    const body = (limitFields ?? []).reduce<TextRequest['body']>(
      (body, { path, value }) => withValue(body, path, value),
      request.body,
    );
    const question = {
      model,
      request: { ...request, body },
      prompt: [system, prompt].filter(Boolean).join('\n\n'),
    };
    if (!(await confirmQuestion(gateway, question)))
      return 'The user did not agree. Nothing was sent. Do not ask again unless the user wants it.';
    signal.throwIfAborted();
    return sendQuestion(services, gateway, question, signal);
  },
});

/** Finds the model with the id, or else the model that is suggested for new chats. */
function resolveModel({ modelChoices }: AgentServices, gateway: ToolGateway, id: string | undefined): Model {
  const { connection, models } = gateway;
  const suggested = id ?? modelChoices.suggestForChat(connection.gateway, models);
  if (suggested === undefined)
    throw new ToolError(
      `Nothing was sent: ${connection.gateway.name} does not list any chat models. Name a model from ${toolName('listModels')} if the user says that it can chat.`,
    );
  const model = findModel(gateway, suggested);
  const uses = modelChoices.usesLookup(connection.gateway)(model);
  if (uses.includes('video') && !uses.includes('chat'))
    throw new ToolError(
      `Nothing was sent: ${shownId(model)} is a video model. Use ${toolName('startVideo')}, or a model that ${toolName('listModels')} lists for chat.`,
    );
  return model;
}

function requestMessages(prompt: string, system = ''): readonly Message[] {
  const message = (role: Message['role'], text: string): Message => ({
    role,
    parts: [{ type: 'text', text }],
  });
  return [...(system === '' ? [] : [message('system', system)]), message('user', prompt)];
}

async function confirmQuestion({ connection }: ToolGateway, { model, prompt }: Question): Promise<boolean> {
  const { t } = vscode.l10n;
  const { gateway } = connection;
  const cost = isDemoModel(gateway, model.id)
    ? [t('An agent requested this. The demo is free.')]
    : [
        t(
          'An agent requested this. It uses tokens of your account at {0}, in addition to the tokens of the chat.',
          gateway.name,
        ),
        priceWords(model),
      ];
  const size = t('About {0} tokens of input.', estimatedTokens(prompt));
  const detail = [...cost, size, `“${plainText(prompt, maxShownPromptLength)}”`].join('\n\n');
  const send = t('Send Request');
  return (await confirm(t('Ask {0}?', model.id), detail, send)) === send;
}

/** The user's price for a model, or else the price in the model list. */
function priceWords({ id, tokenPrice }: Model): string {
  const price = readModelRules().tokenPrice(id) ?? tokenPrice;
  return price
    ? vscode.l10n.t('Its price: {0} per million tokens.', shortTokenPrice(price, vscode.env.language))
    : vscode.l10n.t('The price is unknown. The request may be billed.');
}

async function sendQuestion(
  services: AgentServices,
  { connection }: ToolGateway,
  { model, request }: Question,
  signal: AbortSignal,
): Promise<string> {
  const client = await connection.getClient();
  const lengthLimit = new AbortController();
  let reply = '';
  const result = await client.sendFormatRequest(
    request,
    (events) => {
      for (const event of events)
        if ((event.type === 'text' || event.type === 'refusal') && event.choice === 0) reply += event.text;
      if (reply.length > maxReplyLength) lengthLimit.abort();
    },
    {
      signal: AbortSignal.any([signal, lengthLimit.signal]),
      initiator: 'agents' satisfies OtherInitiator,
      thinkTags: readModelRules().thinkTags(model.id),
    },
  );
  const target = { connection, model: model.id, format: request.format.id };
  await countRequest(
    services.conversations,
    'agents' satisfies OtherInitiator,
    'reply',
    target,
    result,
  ).catch((error) => services.log.warn('tool', `could not count the request: ${String(error)}`));
  signal.throwIfAborted();
  if (result.outcome.kind === 'failed') throw result.outcome.error;
  return `${replyHeading(result, model)}\n\n${reply.trim() === '' ? '(no text)' : reply}`;
}

/** The heading of a reply. It precedes the reply because a long result is cut at its end. */
function replyHeading({ outcome, usage, requestId }: ChatResult, model: Model): string {
  const { inputTokens, outputTokens } = usage ?? {};
  const tokens = [
    inputTokens === undefined ? '' : `${inputTokens} tokens in`,
    outputTokens === undefined ? '' : `${outputTokens} out`,
  ].filter(Boolean);
  const facts = [...tokens, `request ID ${requestId}`].join(', ');
  return [`${shownId(model)} replied (${facts}).`, endingText(outcome)].filter(Boolean).join(' ');
}

function endingText(outcome: ChatResult['outcome']): string {
  switch (outcome.kind) {
    case 'truncated':
      return 'The reply was cut off at the output limit; set maxOutputTokens to change the limit.';
    case 'interrupted':
      return `The reply was interrupted. ${describeFailure(outcome.error)}`;
    case 'cancelled':
      // The length limit stopped the reply: after a cancellation by the user, this code does not run.
      return 'The reply was stopped because it became too long.';
    case 'pending':
      return 'The gateway continues the reply in the background, so this text is incomplete.';
    default:
      return '';
  }
}
