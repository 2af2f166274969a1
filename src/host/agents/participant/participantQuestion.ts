import * as vscode from 'vscode';
import { createConnectionNotice } from '../../connection/failures/pageNotices.ts';
import { getActionLabel } from '../../kit/noticeActions.ts';
import type { AgentServices } from '../agentServices.ts';
import type { ParticipantStream } from './participantStream.ts';

/** A question to the participant, with everything that a reply needs. */
export interface ParticipantQuestion {
  readonly services: AgentServices;
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: ParticipantStream;
  readonly token: vscode.CancellationToken;
  /** Aborted with the token. */
  readonly signal: AbortSignal;
}

/** Whether the window has a gateway that can receive requests. If not, shows the next step. */
export function ensureUsableGateway({ connection }: AgentServices, stream: ParticipantStream): boolean {
  const { state } = connection;
  if (state.phase === 'stopped') {
    stream.paragraph(vscode.l10n.t('The local gateway was stopped.'));
    stream.button(getActionLabel('start-local-gateway'), 'localGateway.start');
    return false;
  }
  if (state.gateway) return true;
  const notice = createConnectionNotice(state);
  if (notice) stream.notice(notice);
  return false;
}
