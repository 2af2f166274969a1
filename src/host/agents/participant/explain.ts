import * as vscode from 'vscode';
import type { RequestFigures } from '../../../requests/requestRecord.ts';
import { actionCommand, actionLabel } from '../../kit/noticeActions.ts';
import { failureFacts, latestFailure } from '../languageModelTools/explainFailure.ts';
import type { Answering } from './answering.ts';
import type { ParticipantStream } from './participantStream.ts';

/** `/explain`: why a request failed; the latest failure, unless the prompt is the id of another request. */
export async function explain({ services, request, stream }: Answering): Promise<void> {
  const { requests } = services;
  await requests.readKept();
  const id = request.prompt.trim();
  const named = id === '' || id === 'latest' ? undefined : requests.findSent(id);
  const found = named ?? latestFailure(requests);
  if (found === undefined) return stream.words(vscode.l10n.t('No failed request is known here.'));
  if (id !== '' && id !== 'latest' && !named)
    stream.words(vscode.l10n.t('The request “{0}” is not stored. This is the latest failure:', id));
  show(found, stream);
}

function show(figures: RequestFigures, stream: ParticipantStream): void {
  const { title, sentence, quote, actions, facts } = failureFacts(figures);
  stream.words([title, sentence, quote].filter(Boolean).join('\n'));
  for (const [name, value] of facts) stream.item(name, value);
  stream.endList();
  for (const action of actions) {
    const command = actionCommand(action);
    if (command !== undefined && action !== 'again') stream.button(actionLabel(action), command);
  }
  stream.button(actionLabel('open-request'), 'requests.openRequest', { requestId: figures.requestId });
}
