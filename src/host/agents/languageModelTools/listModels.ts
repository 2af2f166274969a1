import * as vscode from 'vscode';
import { containsWords, searchWords } from '../../../base/searchWords.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { searchableFacts } from '../../models/modelDescription.ts';
import { defineTool } from './defineTool.ts';
import { describeFailure } from './failureText.ts';
import { gatewayNames, resolveGateway, shownId } from './toolGateway.ts';
import { listModelsInput } from './toolInputs.ts';

/** The limit for the models, and for the other gateways, in one result. */
const maxListed = 60;
const maxFactsLength = 160;

/** Lists the gateway's models for an agent. */
export const listModelsTool = defineTool({
  input: listModelsInput,
  progress: () => vscode.l10n.t('Listing the gateway’s models'),
  run: async ({ use, search = '', gateway: name }, services, signal) => {
    const { connection, models } = await resolveGateway(services, signal, name);
    const { gateway, state } = connection;
    const getUses = services.modelChoices.usesLookup(gateway);
    const words = searchWords(search);
    const modelLine = (model: Model) => {
      const facts = plainLine(searchableFacts(model, getUses(model)), maxFactsLength);
      return facts === '' ? shownId(model) : `${shownId(model)} (${facts})`;
    };
    const matchingLines = models
      .filter((model) => use === undefined || getUses(model).includes(use))
      .map(modelLine)
      .filter((each) => containsWords(each, words));
    const otherNames = gatewayNames(services, gateway);
    const isNarrowed = use !== undefined || words.length > 0;
    return [
      `${gateway.name} has ${formatModelCount(matchingLines.length)}${isNarrowed ? ` that match, of ${models.length}` : ''}.`,
      ...matchingLines.slice(0, maxListed).map((each) => `- ${each}`),
      ...(matchingLines.length > maxListed
        ? [`… and ${matchingLines.length - maxListed} more: narrow the list by use or search.`]
        : []),
      ...(state.error ? [`This is an earlier list. ${describeFailure(state.error)}`] : []),
      ...(otherNames.length > 0
        ? [`Other gateways of the user, for the field gateway: ${otherNames.slice(0, maxListed).join(', ')}.`]
        : []),
      `Use the exact ids. Call ${toolName('askModel')} to ask a chat model, or ${toolName('startVideo')} to generate a video.`,
    ].join('\n');
  },
});
