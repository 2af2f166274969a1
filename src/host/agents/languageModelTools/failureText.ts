import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { type FailureAction, type FailureMessage, failureMessage } from '../../connection/failureMessage.ts';
import { plainText } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { getActionLabel } from '../../kit/noticeActions.ts';

/** Actions that are not suggested to agents, because they need our buttons, the log or the clipboard. */
const userOnlyActions: readonly FailureAction[] = [
  'again',
  'open-request',
  'copy-details',
  'show-log',
  'open-help',
];

const maxLength = 4000;

/** Describes a failure for an agent: the cause, the request id and the next steps. */
export function describeFailure(error: GatewayError): string {
  const message = failureMessage(error);
  const { requestId } = message;
  return agentFailureText(message, [
    ...waitLines(message),
    ...(requestId === undefined
      ? []
      : [`Request ID: ${requestId}. Call ${toolName('explainFailure')} with it for details.`]),
  ]);
}

/** The text of a failure for an agent, followed by further lines. */
export function agentFailureText(
  { title, sentence, quote, actions }: Pick<FailureMessage, 'title' | 'sentence' | 'quote' | 'actions'>,
  furtherLines: readonly string[],
): string {
  const steps = actions.filter((action) => !userOnlyActions.includes(action)).map(getActionLabel);
  const lines = [
    `${title}. ${sentence}`.trim(),
    quote,
    ...furtherLines,
    ...(steps.length > 0 ? [`Actions for the user in Model Gateway: ${steps.join(', ')}.`] : []),
  ];
  return plainText(lines.filter(Boolean).join('\n'), maxLength);
}

function waitLines({ retryAt }: FailureMessage): readonly string[] {
  const seconds = Math.ceil(((retryAt ?? 0) - Date.now()) / 1000);
  return seconds > 0 ? [`The gateway requests a delay of ${seconds} s before the next request.`] : [];
}
