import * as vscode from 'vscode';
import type { Certificate } from '../../../client/connectionCheck/certificates.ts';
import {
  type CheckedStep,
  type SkipReason,
  type StepFindings,
  type StepName,
  stepNames,
} from '../../../client/connectionCheck/checkedStep.ts';
import { checkGateway, type GatewayCheck } from '../../../client/connectionCheck/checkGateway.ts';
import { type ModelTrial, tryModel } from '../../../client/verifyModels.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { notifyFailure } from '../../connection/failures/notifyFailure.ts';
import { type Gateway, isLocalName, localEntry } from '../../connection/gateways.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { type Choice, pick, waitForOpenQuestion } from '../../kit/display/quickInput.ts';
import { formatDuration } from '../../kit/display/timeWords.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { pickModel } from '../../models/modelPicker.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { findTargetGatewayName } from '../commandTarget.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { findGatewayByName } from '../pickGateway.ts';

/**
 * Checks the connection to a gateway step by step, and shows the step that failed. The last step runs only if the user
 * chooses a model for it, because it may cost a little.
 *
 * @param argument the name of the gateway, or a row or request of it; by default the window's gateway
 */
export async function checkConnection(services: GatewayServices, argument?: unknown): Promise<void> {
  const name = findTargetGatewayName(services, argument);
  const gateway = findGateway(services, name);
  if (gateway === undefined && name !== undefined) return void notify('warning', unknownGatewayText(name));
  if (gateway === undefined) return runCommand('connect');
  const startedAt = new Date();
  const check = await runCheck(services, gateway);
  const connection = services.connection.get(gateway);
  // The views may show a state from before the check.
  if (check.error === undefined || check.error.kind === 'authentication') await connection.refresh();
  const model = check.error ? undefined : await chooseTestModel(services, gateway);
  const modelTest = model === undefined ? undefined : await testModel(services, gateway, model);
  await showOutcome(services, { gateway: gateway.name, startedAt, check, modelTest });
}

function findGateway(
  { gateways, connection }: GatewayServices,
  name: string | undefined,
): Gateway | undefined {
  if (name === undefined) return connection.state.gateway;
  if (isLocalName(name)) return localEntry;
  return findGatewayByName(gateways, name);
}

function unknownGatewayText(name: string): string {
  return vscode.l10n.t('The gateway “{0}” no longer exists.', name);
}

async function runCheck({ connection }: GatewayServices, gateway: Gateway): Promise<GatewayCheck> {
  const title = vscode.l10n.t('Checking the connection to {0}', gateway.name);
  return withNotificationProgress(title, async (signal, report) => {
    const options = await connection.createOptions(gateway);
    const onBegin = (name: (typeof stepNames)[number]) =>
      report(stepNames.indexOf(name) / stepNames.length, stepTitle(name));
    return checkGateway(options, { signal, onBegin });
  });
}

interface ModelChoice extends Choice {
  readonly model?: string;
  readonly isOther?: boolean;
}

/**
 * Lets the user choose the model of the last step, and shows that it may cost money.
 *
 * @returns undefined to skip the step
 */
async function chooseTestModel(services: GatewayServices, gateway: Gateway): Promise<string | undefined> {
  const connection = services.connection.get(gateway);
  const uses = services.modelChoices.usesLookup(gateway);
  const suggested = services.modelChoices.suggestForChat(gateway, connection.state.models);
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
  await waitForOpenQuestion();
  const chosen = await pick(choices, {
    title: vscode.l10n.t('All steps up to the model list succeeded. Ask a model as the last step?'),
    placeHolder: vscode.l10n.t(
      'The model receives “Hi” and may write a few tokens, which may cost a little.',
    ),
  });
  if (!chosen?.isOther) return chosen?.model;
  const isForChats = (model: Model) => uses(model).includes('chat');
  return (await pickModel(services, { of: connection, only: isForChats }))?.id;
}

/**
 * Sends a request to the model.
 *
 * @returns undefined when the user stopped it
 */
async function testModel(
  services: GatewayServices,
  gateway: Gateway,
  model: string,
): Promise<ModelTest | undefined> {
  const format = new FormatChoice(services.memory, readModelRules).of(gateway, model);
  const client = await services.connection.get(gateway).getClient();
  const title = vscode.l10n.t('Asking {0}', model);
  const trial = await withNotificationProgress(title, (signal) =>
    tryModel(client, textFormat(format), model, signal),
  );
  return { model, format, trial };
}

async function showOutcome(services: GatewayServices, report: CheckReport): Promise<void> {
  const { gateway, check, modelTest } = report;
  const error = check.error ?? modelTest?.trial.error;
  services.log.info('connection', `${gateway}: check: ${error ? error.message : 'all steps passed'}`);
  const showSteps = {
    label: vscode.l10n.t('Show Steps'),
    run: async () => {
      const document = services.documents.add(checkText(report), vscode.l10n.t('Connection'));
      await showDocument(document, { preview: true });
    },
  };
  if (error) {
    const message = failureMessage(error);
    const actions = message.actions.filter((action) => action !== 'check-connection');
    const retry = () => void runCommand('checkConnection', gateway);
    return notifyFailure({ ...message, actions }, retry, showSteps);
  }
  const { models } = check;
  const words = modelTest
    ? vscode.l10n.t(
        '{0} is reachable: {1}, and {2} replied.',
        gateway,
        formatModelCount(models.length),
        modelTest.model,
      )
    : vscode.l10n.t('{0} is reachable: {1}.', gateway, formatModelCount(models.length));
  if ((await notify('info', words, showSteps.label)) === showSteps.label) await showSteps.run();
}

/** The request to a model, which is the last step. */
interface ModelTest {
  readonly model: string;
  readonly format: TextFormatId;
  readonly trial: ModelTrial;
}

interface CheckReport {
  /** The name of the gateway. */
  readonly gateway: string;
  readonly startedAt: Date;
  readonly check: GatewayCheck;
  /** Undefined if the last step was skipped. */
  readonly modelTest: ModelTest | undefined;
}

/** A line of the report: the outcome of a step, its duration, and its details. */
interface ReportLine {
  readonly mark: string;
  readonly title: string;
  readonly time: string;
  readonly words: string;
}

/** The steps of a check as plain text, to read and to share. */
function checkText({ gateway, startedAt, check, modelTest }: CheckReport): string {
  const lines = [...check.steps.map(stepLine), ...(modelTest ? [modelTestLine(modelTest)] : [])];
  const failed = check.steps.find((step) => step.state === 'failed');
  const error = failed?.error ?? modelTest?.trial.error;
  const sections = [
    vscode.l10n.t('Connection to {0}', externalText(gateway)),
    startedAt.toISOString(),
    '',
    ...alignLines(lines),
    ...(error ? failureLines(error) : []),
    ...(failed?.certificates ? certificateLines(failed.certificates) : []),
  ];
  return `${sections.join('\n')}\n`;
}

function stepLine(step: CheckedStep): ReportLine {
  const title = stepTitle(step.name);
  if (step.state === 'failed')
    return { mark: '✗', title, time: timeText(step.ms), words: failureMessage(step.error).title };
  const time = step.state === 'passed' ? timeText(step.ms) : '';
  return { mark: step.state === 'passed' ? '✓' : '–', title, time, words: findingWords(step) };
}

function modelTestLine({ model, format, trial: { error, ms } }: ModelTest): ReportLine {
  const { t } = vscode.l10n;
  const words = error
    ? failureMessage(error).title
    : t('{0} replied ({1})', externalText(model), textFormat(format).label);
  return { mark: error ? '✗' : '✓', title: t('Request to a model'), time: formatDuration(ms), words };
}

function alignLines(lines: readonly ReportLine[]): readonly string[] {
  const titleWidth = Math.max(...lines.map(({ title }) => title.length));
  const timeWidth = Math.max(...lines.map(({ time }) => time.length));
  return lines.map(
    ({ mark, title, time, words }) =>
      `${mark} ${title.padEnd(titleWidth)}  ${time.padStart(timeWidth)}  ${words}`,
  );
}

function failureLines(error: GatewayError): readonly string[] {
  const message = failureMessage(error);
  return ['', message.title, message.details];
}

function certificateLines(certificates: readonly Certificate[]): readonly string[] {
  const { t } = vscode.l10n;
  return [
    '',
    t('Certificates presented'),
    ...certificates.flatMap(({ subject, issuer, hosts, validFrom, validTo, sha256 }, index) => [
      `${index + 1}. ${externalText(subject)}`,
      `   ${t('Issued by: {0}', externalText(issuer))}`,
      ...(hosts === '' ? [] : [`   ${t('For: {0}', externalText(hosts))}`]),
      `   ${t('Valid: {0} – {1}', externalText(validFrom), externalText(validTo))}`,
      `   SHA-256: ${externalText(sha256)}`,
    ]),
  ];
}

/** The duration of a step; empty below 0.5 ms. */
function timeText(ms: number): string {
  return ms < 0.5 ? '' : formatDuration(ms);
}

const maxNameLength = 200;

function stepTitle(name: StepName): string {
  const { t } = vscode.l10n;
  const titles: Readonly<Record<StepName, string>> = {
    address: t('Address'),
    name: t('Name resolution'),
    connection: t('Connection'),
    proxy: t('Proxy'),
    tls: t('Secure connection (TLS)'),
    models: t('Model list'),
    credential: t('Credential'),
  };
  return titles[name];
}

/** The finding of a step, or why it was skipped, in one line. */
function findingWords(step: Exclude<CheckedStep, { state: 'failed' }>): string {
  if (step.state === 'skipped') return skipWords(step.reason);
  const { t } = vscode.l10n;
  switch (step.name) {
    case 'address':
      return externalText(step.found.baseUrl);
    case 'name':
      return t('{0} is {1}', externalText(step.found.host), externalText(joinNames(step.found.addresses)));
    case 'connection':
      return t('to {0}', externalText(step.found.peer));
    case 'proxy':
      return step.found.proxy === undefined
        ? t('none in use')
        : t('through {0}', externalText(step.found.proxy));
    case 'tls':
      return tlsWords(step.found);
    case 'models':
      return step.found.count === undefined ? t('the gateway responded') : formatModelCount(step.found.count);
    case 'credential':
      return step.found.isSet ? t('accepted when listing models') : t('not set, and not required');
  }
}

function tlsWords({ protocol, certificates: [certificate] }: StepFindings['tls']): string {
  const { t } = vscode.l10n;
  if (certificate === undefined) return t('established by VS Code’s network stack');
  return t(
    '{0}, certificate of {1} by {2}, valid until {3}',
    ...[protocol ?? 'TLS', certificate.subject, certificate.issuer, certificate.validTo].map(externalText),
  );
}

function skipWords(reason: SkipReason): string {
  const { t } = vscode.l10n;
  switch (reason) {
    case 'no-name':
      return t('not needed: the address has no host name');
    case 'plain-http':
      return t('not used: the address begins with http');
    case 'unseen':
      return t('handled by VS Code’s network stack');
  }
}

/** Untrusted text on one line, without hidden characters. */
function externalText(words: string): string {
  return plainLine(words, maxNameLength);
}
