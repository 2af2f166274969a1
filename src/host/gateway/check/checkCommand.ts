import * as vscode from 'vscode';
import { stepNames } from '../../../client/connectionCheck/checkedStep.ts';
import { checkGateway, type GatewayCheck } from '../../../client/connectionCheck/checkGateway.ts';
import { tryModel } from '../../../client/modelTrial.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/failureActions.ts';
import { type Gateway, isLocalName, localEntry } from '../../connection/gateways.ts';
import { modelCount } from '../../kit/counts.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { type Choice, pick, questionClosed } from '../../kit/display/prompts.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { pickModel } from '../../models/modelPicker.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { meantGateway } from '../meantGateway.ts';
import { namedGateway } from '../pickGateway.ts';
import { type CheckReport, checkText, type TriedModel } from './checkReport.ts';
import { stepTitle } from './stepWords.ts';

/**
 * Goes the way to a gateway step by step, and tells where it ends. The last step, which may cost a little, is taken only
 * with a model that the user chooses.
 *
 * @param given the name of the gateway, or what leads to it; by default the window's
 */
export async function checkConnection(services: GatewayServices, given?: unknown): Promise<void> {
  const name = meantGateway(services, given);
  const gateway = gatewayOf(services, name);
  if (gateway === undefined && name !== undefined) return void notify('warning', noSuchGateway(name));
  if (gateway === undefined) return void (await runCommand('connect'));
  const startedAt = new Date();
  const check = await checkWay(services, gateway);
  const connection = services.connection.of(gateway);
  // What the views show may be older than what was just seen.
  if (check.error === undefined || check.error.kind === 'authentication') await connection.refresh();
  const model = check.error ? undefined : await chooseModel(services, gateway);
  const tried = model === undefined ? undefined : await tryOne(services, gateway, model);
  await tell(services, { gateway: gateway.name, startedAt, check, tried });
}

function gatewayOf({ gateways, connection }: GatewayServices, name: string | undefined): Gateway | undefined {
  if (name === undefined) return connection.state.gateway;
  if (isLocalName(name)) return localEntry;
  const named = namedGateway(gateways, name);
  return named && { kind: 'gateway', ...named };
}

function noSuchGateway(name: string): string {
  return vscode.l10n.t('There is no gateway “{0}” any more.', name);
}

async function checkWay({ connection }: GatewayServices, gateway: Gateway): Promise<GatewayCheck> {
  const title = vscode.l10n.t('Checking the connection to {0}', gateway.name);
  return withNotificationProgress(title, async (signal, tell) => {
    const options = await connection.optionsFor(gateway);
    const onBegin = (name: (typeof stepNames)[number]) =>
      tell(stepNames.indexOf(name) / stepNames.length, stepTitle(name));
    return checkGateway(options, { signal, onBegin });
  });
}

interface ModelChoice extends Choice {
  readonly model?: string;
  readonly isOther?: boolean;
}

/** Asks whom the last step shall ask, and says that it may cost. Undefined to leave it out. */
async function chooseModel(services: GatewayServices, gateway: Gateway): Promise<string | undefined> {
  const connection = services.connection.of(gateway);
  const uses = services.modelNotes.usesAt(gateway);
  const suggested = services.modelNotes.suggestForChat(gateway, connection.state.models);
  if (suggested === undefined) return undefined;
  const choices: readonly ModelChoice[] = [
    {
      label: vscode.l10n.t('Do Not Ask a Model'),
      icon: 'circle-slash',
      description: vscode.l10n.t('free'),
    },
    { label: vscode.l10n.t('Ask {0}', suggested), icon: 'comment', model: suggested },
    { label: vscode.l10n.t('Ask Another Model…'), icon: 'ellipsis', isOther: true },
  ];
  await questionClosed();
  const chosen = await pick(choices, {
    title: vscode.l10n.t('Everything up to the model list works. Ask a model as the last step?'),
    placeHolder: vscode.l10n.t(
      'The model receives “Hi” and may write a few tokens, which may cost a little.',
    ),
  });
  if (!chosen?.isOther) return chosen?.model;
  const only = { of: connection, only: (model: Parameters<typeof uses>[0]) => uses(model).includes('chat') };
  return (await pickModel(services, only))?.id;
}

/** @returns undefined when the user stopped it */
async function tryOne(
  services: GatewayServices,
  gateway: Gateway,
  model: string,
): Promise<TriedModel | undefined> {
  const format = new FormatChoice(services.memory, readModelRules).of(gateway, model);
  const client = await services.connection.of(gateway).client();
  const title = vscode.l10n.t('Asking {0}', model);
  const trial = await withNotificationProgress(title, (signal) =>
    tryModel(client, textFormat(format), model, signal),
  );
  return { model, format, trial };
}

async function tell(services: GatewayServices, report: CheckReport): Promise<void> {
  const { gateway, check, tried } = report;
  const error = check.error ?? tried?.trial.error;
  services.log.info('connection', `${gateway}: check: ${error ? error.message : 'all steps passed'}`);
  const showSteps = {
    label: vscode.l10n.t('Show Steps'),
    run: () => services.connectionReports.show(checkText(report)),
  };
  if (error) {
    const message = failureMessage(error);
    const actions = message.actions.filter((action) => action !== 'check-connection');
    const again = () => void runCommand('checkConnection', gateway);
    return notifyFailure({ ...message, actions }, again, showSteps);
  }
  const { models } = check;
  const words = tried
    ? vscode.l10n.t('{0} answers: {1}, and {2} replied.', gateway, modelCount(models.length), tried.model)
    : vscode.l10n.t('{0} answers: {1}.', gateway, modelCount(models.length));
  if ((await notify('info', words, showSteps.label)) === showSteps.label) await showSteps.run();
}
