import * as vscode from 'vscode';
import { targetNotice } from '../../connection/failures/targetNotices.ts';
import { actionLabel } from '../../kit/noticeActions.ts';
import type { AgentServices } from '../agentServices.ts';
import type { ParticipantStream } from './participantStream.ts';

/** Whether the window has a gateway that can be asked. Says what to do where it has none. */
export function hasGateway({ connection }: AgentServices, stream: ParticipantStream): boolean {
  const { state } = connection;
  if (state.phase === 'stopped') {
    stream.words(vscode.l10n.t('The local gateway was stopped.'));
    stream.button(actionLabel('start-local-gateway'), 'localGateway.start');
    return false;
  }
  if (state.gateway) return true;
  const notice = targetNotice(state);
  if (notice) stream.notice(notice);
  return false;
}
