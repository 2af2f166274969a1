import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import type { Gateway } from '../connection/gateways.ts';
import { joinNames } from '../kit/display/joinNames.ts';
import { notify } from '../kit/display/notify.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { type CommandTable, missingRow } from '../kit/manifest/command.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import { upstreamFixCommand } from './localGatewayRows.ts';
import { useTitle } from './modelDescription.ts';
import { ensureGateway, pickModel } from './modelPicker.ts';
import { choosePage } from './modelRows.ts';
import type { ModelServices } from './modelServices.ts';
import type { ModelsNode } from './modelsView.ts';

async function refreshModels(services: ModelServices): Promise<void> {
  await ensureGateway(services);
  await Promise.all([services.localUpstreams.refresh(), services.connection.refresh()]);
}

/** Lets the user pick a model, and opens its page. */
async function findModel(services: ModelServices): Promise<void> {
  await openModel(services, await pickModel(services));
}

async function openSelectedRow(services: ModelServices): Promise<void> {
  const { modelsView, localUpstreams } = services;
  const upstream = modelsView.selectedUpstream;
  if (upstream !== undefined)
    return runCommand(upstreamFixCommand(localUpstreams.state, upstream), { name: upstream });
  await openModel(services, services.modelsView.selected);
}

/**
 * Opens the page for a model of the window's gateway: a conversation, or Generate for a video model. Shows a
 * message if the model has another use.
 */
async function openModel(services: ModelServices, model: Model | undefined): Promise<void> {
  const { gateway } = services.connection.state;
  if (!gateway || !model) return;
  const uses = services.modelChoices.usesLookup(gateway)(model);
  const page = choosePage(uses);
  if (page) await runCommand(page === 'generate' ? 'generate' : 'newChat', model);
  else await showOtherUse(services, model, uses);
}

async function showOtherUse(services: ModelServices, model: Model, uses: readonly ModelUse[]): Promise<void> {
  const copy = vscode.l10n.t('Copy Model ID');
  const offer = vscode.l10n.t('Offer in Chats');
  const words =
    uses.length > 0
      ? vscode.l10n.t('{0} is for {1}, not for chats.', model.id, useNames(uses))
      : vscode.l10n.t('{0} is hidden from chats.', model.id);
  const chosen = await notify('info', words, copy, offer);
  if (chosen === copy) await copyModelId(services, model);
  else if (chosen === offer) await offerInChats(services, model);
}

function useNames(uses: readonly ModelUse[]): string {
  return joinNames(uses.map(useTitle)).toLocaleLowerCase(vscode.env.language);
}

/** Copies the id of the model of a row, or of the selected row, or of a model that the user picks. */
async function copyModelId(services: ModelServices, row?: unknown): Promise<void> {
  const model = await resolveModel(services, row);
  if (model === undefined) return;
  await vscode.env.clipboard.writeText(model.id);
  showStatusMessage(vscode.l10n.t('Copied {0}', model.id));
}

/** Returns the model of a command's argument: a row of the view, or a model. */
export function modelArgument(argument: unknown): Model | undefined {
  const node = argument as Partial<Extract<ModelsNode, { kind: 'model' }> & Model> | undefined;
  if (node?.kind === 'model') return node.model;
  return typeof node?.id === 'string' ? (node as Model) : undefined;
}

type Marks = ModelServices['modelChoices']['marks'];

/**
 * A command that sets or removes a mark of a row's model, or of a model that the user picks.
 *
 * @param hasMark returns a lookup: whether a model has the mark
 * @param shouldMark whether the command sets the mark; the user picks from the models that lack it
 */
function markCommand(
  hasMark: (services: ModelServices) => (model: Model) => boolean,
  shouldMark: boolean,
  store: (marks: Marks, gateway: Gateway, model: string) => Promise<void>,
) {
  return async (services: ModelServices, row?: unknown): Promise<void> => {
    const isMarked = hasMark(services);
    const only = (model: Model) => isMarked(model) !== shouldMark;
    const model = modelArgument(row) ?? (await pickModel(services, { only }));
    const { gateway } = services.connection.state;
    if (model && gateway) await store(services.modelChoices.marks, gateway, model.id);
  };
}

function pinCommand(shouldMark: boolean) {
  return markCommand(pinnedLookup, shouldMark, (marks, gateway, id) => marks.pin(gateway, id, shouldMark));
}

function chatsCommand(shouldMark: boolean) {
  return markCommand(chatsLookup, shouldMark, (marks, gateway, id) =>
    marks.offerInChats(gateway, id, shouldMark),
  );
}

function vsCodeChatCommand(shouldMark: boolean) {
  return markCommand(vsCodeChatLookup, shouldMark, (marks, gateway, id) =>
    marks.offerInVsCodeChat(gateway, id, shouldMark),
  );
}

/** Offers a model in chats, even if its id or the gateway's list suggests another use. */
const offerInChats = chatsCommand(true);

function pinnedLookup({ connection, modelChoices }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const pinned = gateway ? modelChoices.marks.pinned(gateway) : [];
  return ({ id }) => pinned.includes(id);
}

function vsCodeChatLookup({ connection, modelChoices }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const isShown = gateway && modelChoices.vsCodeChatLookup(gateway);
  return (model) => isShown?.(model) ?? false;
}

function chatsLookup({ connection, modelChoices }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const uses = gateway && modelChoices.usesLookup(gateway);
  return (model) => uses?.(model).includes('chat') ?? false;
}

/** Finds the model of a row or else of the selected row. Otherwise, the user picks a model. */
export async function resolveModel(services: ModelServices, row: unknown): Promise<Model | undefined> {
  const selected = row === missingRow ? undefined : services.modelsView.selected;
  return modelArgument(row) ?? selected ?? (await pickModel(services));
}

async function dismissOffer({ offers }: ModelServices): Promise<void> {
  if (offers.current) await offers.close(offers.current);
}

/** The commands of the Models view by their ids. */
export const modelCommands = {
  'models.openSelected': openSelectedRow,
  refreshModels,
  findModel,
  copyModelId,
  'models.pin': pinCommand(true),
  'models.unpin': pinCommand(false),
  'models.offerInChats': offerInChats,
  'models.hideFromChats': chatsCommand(false),
  'models.showInVsCodeChat': vsCodeChatCommand(true),
  'models.hideFromVsCodeChat': vsCodeChatCommand(false),
  'models.dismissOffer': dismissOffer,
} satisfies CommandTable<ModelServices>;
