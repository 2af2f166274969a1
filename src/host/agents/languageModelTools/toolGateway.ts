import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { type Gateway, localEntry } from '../../connection/gateways.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { getActionLabel } from '../../kit/noticeActions.ts';
import { lacksModel } from '../../models/unlistedModels.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from './defineTool.ts';

const maxIdLength = 300;

/** The gateway of a tool call, and its known models. */
export interface ToolGateway {
  readonly connection: GatewayConnection;
  readonly models: readonly Model[];
}

/**
 * Finds a gateway with its models. Reads the list if this window has not read it yet; if the gateway fails, an earlier
 * list is used.
 *
 * @param name of the gateway, as returned by `gatewayNames`; by default the window's gateway
 * @throws {ToolError} if no gateway has the name, or if the user stopped the local gateway
 * @throws {GatewayError} if no list is known
 */
export async function resolveGateway(
  services: AgentServices,
  signal: AbortSignal,
  name?: string,
): Promise<ToolGateway> {
  const connection = name === undefined ? services.connection.current : connectionByName(services, name);
  if (!connection) throw name === undefined ? noGatewayError() : unknownGatewayError(services, name);
  await waitForListRead(services, connection, signal);
  if (connection.state.phase === 'stopped') throw stoppedGatewayError();
  if (connection.state.phase !== 'ready') await connection.refresh(signal);
  const { models, error } = connection.state;
  signal.throwIfAborted();
  if (models.length === 0 && error) throw error;
  return { connection, models };
}

/**
 * Finds the model with an id from an agent, also by the displayed form of the id.
 *
 * @throws {ToolError} for a model that the gateway does not list
 */
export function findModel({ connection, models }: ToolGateway, id: string): Model {
  const listedModel = models.find((each) => each.id === id) ?? models.find((each) => shownId(each) === id);
  if (listedModel) return listedModel;
  if (!lacksModel(connection, id)) return { id, owner: '' };
  throw new ToolError(
    vscode.l10n.t(
      'Nothing was sent: {0} does not list the model “{1}”.',
      connection.gateway.name,
      plainLine(id, maxIdLength),
    ),
    `Call ${toolName('listModels')} and use an id from its list.`,
  );
}

/** The names of the gateways that an agent can use, except one. Includes the local gateway once it was used. */
export function gatewayNames(services: AgentServices, omitted?: Gateway): readonly string[] {
  const available = availableGateways(services);
  return available.filter(({ name }) => name !== omitted?.name).map(({ name }) => shownName(name));
}

function availableGateways({ gateways, connection }: AgentServices): readonly Gateway[] {
  const isLocalUsed =
    connection.get(localEntry).state.models.length > 0 || gateways.current?.kind === localEntry.kind;
  return isLocalUsed ? [...gateways.all, localEntry] : gateways.all;
}

function connectionByName(services: AgentServices, name: string): GatewayConnection | undefined {
  const available = availableGateways(services);
  const gateway =
    available.find((each) => each.name === name) ??
    available.find((each) => shownName(each.name) === shownName(name));
  return gateway && services.connection.get(gateway);
}

function shownName(name: string): string {
  return plainLine(name, maxIdLength);
}

/** The displayed form of a model's id, which is on one line and has a limited length. */
export function shownId({ id }: Pick<Model, 'id'>): string {
  return plainLine(id, maxIdLength);
}

/** Waits for a running read of the model list, because a second read would abort the first. */
async function waitForListRead(
  { connection: connections }: AgentServices,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<void> {
  while (connection.state.phase === 'loading' && connections.find(connection.gateway) === connection) {
    const changed = Promise.withResolvers<void>();
    const subscription = connections.onDidChangeGateways(() => changed.resolve());
    await untilAborted(changed.promise, signal).finally(() => subscription.dispose());
  }
}

function noGatewayError(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: no gateway is connected.'),
    `Ask the user to run “${getActionLabel('connect')}” or “${getActionLabel('try-demo')}” of Model Gateway from the Command ` +
      'Palette, then call the tool again.',
  );
}

function unknownGatewayError(services: AgentServices, name: string): ToolError {
  const names = gatewayNames(services).map((each) => `“${each}”`);
  return new ToolError(
    vscode.l10n.t('Nothing was sent: there is no gateway “{0}”.', shownName(name)),
    names.length === 0 ? noGatewayError().message : `Use one of ${names.join(', ')}, or omit gateway.`,
  );
}

function stoppedGatewayError(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: the local gateway was stopped.'),
    `Ask the user to run “${getActionLabel('start-local-gateway')}” of Model Gateway from the Command Palette, then call the ` +
      'tool again.',
  );
}
