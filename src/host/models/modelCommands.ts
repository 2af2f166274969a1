import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { runCommand } from '../contributions.ts';
import { notify } from '../display/notify.ts';
import { type Choice, pick } from '../display/prompts.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import { notifyFailure } from '../failureActions.ts';
import { failureMessage } from '../failureMessage.ts';
import type { CommandTable, Services } from '../services.ts';
import type { ModelsNode } from './modelsView.ts';
import { seemsToMakeVideos } from './videoModels.ts';

interface ModelItem extends Choice {
  readonly model: Model;
}

async function refreshModels(services: Services): Promise<void> {
  await connected(services);
  await services.connection.refresh();
}

/** Asks for a model, then offers to chat with it or to copy its id. */
async function findModel(services: Services): Promise<void> {
  const model = await pickModel(services, undefined);
  if (model) await runCommand('newChat', model);
}

/** Opens the page for the model of the selected row: Generate for one that makes videos, else a chat. */
async function openSelected({ modelsView }: Services): Promise<void> {
  const model = modelsView.selected;
  if (model) await runCommand(seemsToMakeVideos(model.id) ? 'generate' : 'newChat', model);
}

/** Copies a model's id: of `row`, else of the selected row, else of a model that the user picks. */
async function copyModelId(services: Services, row?: unknown): Promise<void> {
  const model = modelOf(row) ?? services.modelsView.selected ?? (await pickModel(services, undefined));
  if (model === undefined) return;
  await vscode.env.clipboard.writeText(model.id);
  showStatusMessage(vscode.l10n.t('Copied {0}', model.id));
}

/** Returns the model of a command's argument: a row of the view, or a model. */
export function modelOf(given: unknown): Model | undefined {
  const node = given as Partial<Extract<ModelsNode, { kind: 'model' }> & Model> | undefined;
  if (node?.kind === 'model') return node.model;
  return typeof node?.id === 'string' ? (node as Model) : undefined;
}

/** Asks for a model of a gateway, by default of the window's. Reads the model list first when there is none. */
export async function pickModel(
  services: Services,
  current: string | undefined,
  of?: GatewayConnection,
): Promise<Model | undefined> {
  if (!of && !(await connected(services))) return undefined;
  const connection = of ?? services.connection.current;
  if (!connection) return undefined;
  const items = modelItems(connection, current);
  const chosen = await pick(items, {
    title: vscode.l10n.t('Models of {0}', connection.gateway.name),
    placeHolder: vscode.l10n.t('Type to find a model by id, name or owner'),
  });
  return chosen?.model;
}

async function modelItems(connection: GatewayConnection, current: string | undefined): Promise<ModelItem[]> {
  const known = connection.state.models.length > 0 ? connection.state : await connection.refresh();
  if (known.models.length === 0 && known.error) await notifyFailure(failureMessage(known.error));
  return known.models.map((model) => ({
    model,
    label: model.id,
    description: [model.owner, model.id === current ? vscode.l10n.t('current') : '']
      .filter(Boolean)
      .join(' · '),
    ...(model.name && model.name !== model.id && { detail: model.name }),
  }));
}

/** Whether the window has a gateway. Offers to connect when it has none. */
async function connected({ connection }: Services): Promise<boolean> {
  if (connection.state.gateway) return true;
  const connect = vscode.l10n.t('Connect to a Gateway…');
  const demo = vscode.l10n.t('Use the Demo Gateway');
  const chosen = await notify('info', vscode.l10n.t('No gateway is connected yet.'), connect, demo);
  if (chosen === connect) await runCommand('connect');
  else if (chosen === demo) await runCommand('useDemoGateway');
  return connection.state.gateway !== undefined;
}

/** The commands of the Models view by their ids. */
export const modelCommands = {
  'models.openSelected': openSelected,
  refreshModels,
  findModel,
  copyModelId,
} satisfies CommandTable;
