import type * as vscode from 'vscode';
import type { AgentServices } from '../agentServices.ts';
import type { ParticipantStream } from './participantStream.ts';

/** A question to the participant, and what answers it. */
export interface Answering {
  readonly services: AgentServices;
  readonly request: vscode.ChatRequest;
  readonly history: vscode.ChatContext['history'];
  readonly stream: ParticipantStream;
  readonly token: vscode.CancellationToken;
  /** Aborted with the token. */
  readonly signal: AbortSignal;
}
