import * as vscode from 'vscode';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { failureNotice } from '../../connection/failures/targetNotices.ts';
import { modelCount } from '../../kit/counts.ts';
import { searchedFacts } from '../../models/modelDescription.ts';
import { gatewayForTool } from '../languageModelTools/gatewayForTool.ts';
import type { Answering } from './answering.ts';
import { hasGateway } from './noGateway.ts';

const maxListed = 30;
/** So many models have a button each. */
const maxButtons = 3;

/** `/models`: the gateway's models, all of them or those that hold every word of the prompt. */
export async function models({ services, request, stream, signal }: Answering): Promise<void> {
  if (!hasGateway(services, stream)) return;
  const { connection, models: all } = await gatewayForTool(services, signal);
  const usesOf = services.modelNotes.usesAt(connection.gateway);
  const factsOf = (model: Model) => searchedFacts(model, usesOf(model));
  const words = request.prompt.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((model) => {
    const text = `${model.id} ${usesOf(model).join(' ')} ${factsOf(model)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const { gateway, state } = connection;
  if (state.error) stream.notice(failureNotice(state.error));
  stream.words(
    words.length === 0
      ? vscode.l10n.t('{0} has {1}.', gateway.name, modelCount(found.length))
      : vscode.l10n.t('{0} has {1} for “{2}”.', gateway.name, modelCount(found.length), words.join(' ')),
  );
  for (const model of found.slice(0, maxListed)) stream.item(model.id, factsOf(model));
  stream.endList();
  const left = found.length - maxListed;
  if (left > 0) stream.words(vscode.l10n.t('And {0} more: add words to narrow the list.', left));
  if (found.length <= maxButtons) for (const model of found) addButton(model);
  stream.button(vscode.l10n.t('Find Model…'), 'findModel');
  stream.button(vscode.l10n.t('Refresh Models'), 'refreshModels');

  function addButton(model: Model): void {
    const isVideo = usesOf(model).includes('video');
    const title = isVideo
      ? vscode.l10n.t('New Video with {0}', model.id)
      : vscode.l10n.t('New Chat with {0}', model.id);
    stream.button(title, isVideo ? 'generate' : 'newChat', { id: model.id });
  }
}
