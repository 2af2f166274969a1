import * as vscode from 'vscode';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import type { GatewayError } from '../../../wire/failure.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { runAction } from '../../kit/noticeActions.ts';
import { draftOf } from '../asking/unsent.ts';
import type { ChatSession } from '../chatSession.ts';

/** Does what a notice offers: one under the reply of a turn, or one about what the chat asks. */
export async function act(
  action: ReplyAction,
  session: ChatSession,
  turnId: string | undefined,
): Promise<void> {
  const { target } = session;
  switch (action) {
    case 'again':
      return session.again(turnId);
    case 'edit':
      return giveBack(session, turnId);
    case 'ask-one-model':
      return target.compare([]);
    case 'continue':
      return session.continueAnswer(turnId);
    case 'set-credential':
      return void (await runCommand('setCredential', target.gateway.now?.gateway.name));
    case 'change-address':
      return void (await runCommand('changeAddress', target.gateway.now?.gateway.name));
    case 'check-connection':
      return void (await runCommand('checkConnection', target.gateway.now?.gateway.name));
    case 'open-request':
    case 'set-upstream-key': {
      const command = action === 'open-request' ? 'requests.openRequest' : 'localGateway.setKey';
      return void (await runCommand(command, { requestId: failureShown(session, turnId)?.requestId }));
    }
    case 'copy-details':
      return copyDetails(session, turnId);
    case 'refresh-models':
      return void (await target.gateway.now?.refresh());
    default:
      await runAction(action);
  }
}

/** The failure that a notice is about: under the reply of a turn, or else of the gateway. */
export function failureShown(
  { conversation, target }: ChatSession,
  turnId: string | undefined,
): GatewayError | undefined {
  if (turnId === undefined) return target.gateway.now?.state.error;
  const outcome = conversation.turn(turnId)?.result?.outcome;
  return outcome && 'error' in outcome ? outcome.error : undefined;
}

async function copyDetails(session: ChatSession, turnId: string | undefined): Promise<void> {
  const error = failureShown(session, turnId);
  if (error) await vscode.env.clipboard.writeText(failureMessage(error).details);
}

/** Puts the question of a turn back into the message box. */
function giveBack({ conversation, unsent }: ChatSession, turnId: string | undefined): void {
  const turn = turnId === undefined ? undefined : conversation.turn(turnId);
  if (turn) unsent.giveBack(draftOf(turn.question));
}
