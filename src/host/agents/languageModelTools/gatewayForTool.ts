import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { type Gateway, localEntry } from '../../connection/gateways.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { actionLabel } from '../../kit/noticeActions.ts';
import { lacksModel } from '../../models/unlistedModels.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from './tool.ts';

const maxIdLength = 300;

/** The gateway that a tool works with, and its models as far as they are known. */
export interface ToolGateway {
  readonly connection: GatewayConnection;
  readonly models: readonly Model[];
}

/**
 * A gateway with its model list, which is read once in a session. A list of before serves where the gateway fails.
 *
 * @param name of the gateway, as `gatewayNames` tells it; without it that of the window
 * @throws {ToolError} without a gateway of the name, and for a local one that the user stopped
 * @throws {GatewayError} when no list is known
 */
export async function gatewayForTool(
  services: AgentServices,
  signal: AbortSignal,
  name?: string,
): Promise<ToolGateway> {
  const connection = name === undefined ? services.connection.current : named(services, name);
  if (!connection) throw name === undefined ? noGateway() : unknownGateway(services, name);
  await settled(services, connection, signal);
  if (connection.state.phase === 'stopped') throw stopped();
  if (connection.state.phase !== 'ready') await connection.refresh(signal);
  const { models, error } = connection.state;
  signal.throwIfAborted();
  if (models.length === 0 && error) throw error;
  return { connection, models };
}

/**
 * The model that an agent named by its id as it was shown.
 *
 * @throws {ToolError} for a model that the gateway does not list
 */
export function namedModel({ connection, models }: ToolGateway, id: string): Model {
  const listed = models.find((each) => each.id === id) ?? models.find((each) => shownId(each) === id);
  if (listed) return listed;
  if (!lacksModel(connection, id)) return { id, owner: '' };
  throw new ToolError(
    vscode.l10n.t(
      'Nothing was sent: {0} does not list the model “{1}”.',
      connection.gateway.name,
      plainLine(id, maxIdLength),
    ),
    `Call ${toolName('listModels')} and take an id from there.`,
  );
}

/** The gateways that an agent can name. The local one is there once it was used. */
export function gatewayNames(services: AgentServices): readonly string[] {
  return known(services).map(({ name }) => shownName(name));
}

function known({ gateways, connection }: AgentServices): readonly Gateway[] {
  const own = gateways.all.map((each): Gateway => ({ kind: 'gateway', ...each }));
  const isUsed =
    connection.of(localEntry).state.models.length > 0 || gateways.current?.kind === localEntry.kind;
  return isUsed ? [...own, localEntry] : own;
}

function named(services: AgentServices, name: string): GatewayConnection | undefined {
  const all = known(services);
  const found =
    all.find((each) => each.name === name) ?? all.find((each) => shownName(each.name) === shownName(name));
  return found && services.connection.of(found);
}

function shownName(name: string): string {
  return plainLine(name, maxIdLength);
}

/** The id of a model as agents read it. */
export function shownId({ id }: Pick<Model, 'id'>): string {
  return plainLine(id, maxIdLength);
}

/** A list that is being read is not read a second time, which would end the first. */
async function settled(
  { connection: all }: AgentServices,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<void> {
  while (connection.state.phase === 'loading' && all.find(connection.gateway) === connection) {
    const changed = Promise.withResolvers<void>();
    const subscription = all.onDidChangeGateways(() => changed.resolve());
    await untilAborted(changed.promise, signal).finally(() => subscription.dispose());
  }
}

function noGateway(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: no gateway is connected.'),
    `Ask the user to run “${actionLabel('connect')}” or “${actionLabel('try-demo')}” of Model Gateway from the Command ` +
      'Palette, then call the tool again.',
  );
}

function unknownGateway(services: AgentServices, name: string): ToolError {
  const names = gatewayNames(services).map((each) => `“${each}”`);
  return new ToolError(
    vscode.l10n.t('Nothing was sent: there is no gateway “{0}”.', shownName(name)),
    names.length === 0 ? noGateway().message : `Take one of ${names.join(', ')}, or leave gateway out.`,
  );
}

function stopped(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: the local gateway was stopped.'),
    `Ask the user to run “${actionLabel('start-local-gateway')}” of Model Gateway from the Command Palette, then call the ` +
      'tool again.',
  );
}
