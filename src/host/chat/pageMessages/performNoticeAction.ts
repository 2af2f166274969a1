import * as vscode from 'vscode';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { runAction } from '../../kit/noticeActions.ts';
import { createDraft } from '../context/unsentInput.ts';
import type { ChatSession } from '../session/chatSession.ts';

/** Performs the action of a button in a notice: under the reply of a turn, or about the target of the chat. */
export async function performNoticeAction(
  action: ReplyAction,
  session: ChatSession,
  turnId: string | undefined,
): Promise<void> {
  const { target } = session;
  switch (action) {
    case 'again':
      return session.resend(turnId);
    case 'edit':
      return putBackQuestion(session, turnId);
    case 'ask-one-model':
      return target.compare([]);
    case 'continue':
      return session.continueReply(turnId);
    case 'set-credential':
      return void (await runCommand('setCredential', target.gateway.connection?.gateway.name));
    case 'change-address':
      return void (await runCommand('changeAddress', target.gateway.connection?.gateway.name));
    case 'check-connection':
      return void (await runCommand('checkConnection', target.gateway.connection?.gateway.name));
    case 'open-request':
    case 'set-upstream-key': {
      const command = action === 'open-request' ? 'requests.openRequest' : 'localGateway.setKey';
      return void (await runCommand(command, { requestId: findShownFailure(session, turnId)?.requestId }));
    }
    case 'copy-details':
      return copyDetails(session, turnId);
    case 'open-help': {
      const error = findShownFailure(session, turnId);
      return void (await runCommand('openHelp', error && failureMessage(error).helpPage));
    }
    case 'refresh-models':
      return void (await target.gateway.connection?.refresh());
    default:
      await runAction(action);
  }
}

/** Finds the failure that a notice shows: of the reply of a turn; without a turn, of the gateway. */
export function findShownFailure(
  { conversation, target }: ChatSession,
  turnId: string | undefined,
): GatewayError | undefined {
  if (turnId === undefined) return target.gateway.connection?.state.error;
  const outcome = conversation.turn(turnId)?.result?.outcome;
  return outcome && 'error' in outcome ? outcome.error : undefined;
}

async function copyDetails(session: ChatSession, turnId: string | undefined): Promise<void> {
  const error = findShownFailure(session, turnId);
  if (error) await vscode.env.clipboard.writeText(failureMessage(error).details);
}

/** Puts the question of a turn back into the message box. */
function putBackQuestion({ conversation, unsent }: ChatSession, turnId: string | undefined): void {
  const turn = turnId === undefined ? undefined : conversation.turn(turnId);
  if (turn) unsent.putBack(createDraft(turn.question));
}
