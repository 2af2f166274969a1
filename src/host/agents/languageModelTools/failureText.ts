import type { GatewayError } from '../../../wire/failure.ts';
import { type FailureAction, type FailureMessage, failureMessage } from '../../connection/failureMessage.ts';
import { plainText } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { actionLabel } from '../../kit/noticeActions.ts';

/** What a user does beside an agent, which sees neither the log nor the clipboard. */
const notForAgents: readonly FailureAction[] = ['again', 'open-request', 'copy-details', 'show-log'];

const maxLength = 4000;

/** A failed request as an agent reads it: what failed, why, and what comes next. */
export function failureForAgent(error: GatewayError): string {
  const message = failureMessage(error);
  const { requestId } = message;
  return failureText(message, [
    ...waitLine(message),
    ...(requestId === undefined
      ? []
      : [`Request ID: ${requestId}. ${toolName('explainFailure')} tells more of it.`]),
  ]);
}

/** The words that all failures have for an agent, with further lines. */
export function failureText(
  { title, sentence, quote, actions }: Pick<FailureMessage, 'title' | 'sentence' | 'quote' | 'actions'>,
  more: readonly string[],
): string {
  const steps = actions.filter((action) => !notForAgents.includes(action)).map(actionLabel);
  const lines = [
    `${title}. ${sentence}`.trim(),
    quote,
    ...more,
    ...(steps.length > 0 ? [`The user can do in Model Gateway: ${steps.join(', ')}.`] : []),
  ];
  return plainText(lines.filter(Boolean).join('\n'), maxLength);
}

function waitLine({ againAt }: FailureMessage): readonly string[] {
  const seconds = Math.ceil(((againAt ?? 0) - Date.now()) / 1000);
  return seconds > 0 ? [`The gateway asks to wait ${seconds} s before the next request.`] : [];
}
