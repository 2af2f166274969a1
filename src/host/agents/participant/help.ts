import * as vscode from 'vscode';
import type { AgentServices } from '../agentServices.ts';
import { hasGateway } from './noGateway.ts';
import type { ParticipantStream } from './participantStream.ts';

/** Says what the participant can do without a model of VS Code's picker. */
export function help(services: AgentServices, stream: ParticipantStream): void {
  const { t } = vscode.l10n;
  stream.words(t('Without a question to a model, these commands work:'));
  stream.item('/models', t('the models of your gateway; add words to filter the list'));
  stream.item('/video', t('a video of what you describe'));
  stream.item('/tasks', t('your tasks and their outcomes'));
  stream.item('/explain', t('why a request failed'));
  stream.endList();
  if (hasGateway(services, stream)) stream.button(t('New Chat'), 'newChat');
}
