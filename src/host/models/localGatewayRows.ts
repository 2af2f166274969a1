import * as vscode from 'vscode';
import type { CredentialExpiry, GatewayStatus, UpstreamStatus } from '../../protocol/gatewayControl.ts';
import type { UpstreamsState } from '../connection/localUpstreams.ts';
import { formatModelCount } from '../kit/countWords.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import { plainLine } from '../kit/display/plainText.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createRow, type Row, type RowCommand } from '../kit/display/treeRows.ts';
import { type CommandId, commandName } from '../kit/manifest/contributions.ts';

/** A row of the Local Gateway view, or a row about an upstream in the Models view. */
export interface GatewayNode {
  readonly kind: 'gateway' | 'problem' | 'upstream';
  /** The name of an upstream. */
  readonly name?: string;
}

/** The state of the local gateway and its upstreams. */
interface ShownGateway extends UpstreamsState {
  readonly isRunning: boolean;
  readonly isStarting: boolean;
  readonly baseUrl?: string | undefined;
  /** The time of the planned restart after the gateway exited by itself, in milliseconds since 1970. */
  readonly startsAgainAt?: number | undefined;
}

/** The rows of the view for the gateway itself, the problems of its configuration, and its upstreams. */
export function gatewayRows(state: ShownGateway): readonly TreeRow<GatewayNode>[] {
  const { isRunning, isStarting, isConfigured, status, lostKeys, startsAgainAt } = state;
  if (!isRunning && !isStarting && !isConfigured && startsAgainAt === undefined) return [];
  const problem = status?.configProblem;
  const waitingPort = isRunning ? status?.waitingPort : undefined;
  return [
    createRow({ kind: 'gateway' }, gatewayRow(state)),
    ...(problem === undefined ? [] : [createRow({ kind: 'problem' }, problemRow(problem))]),
    ...(waitingPort === undefined ? [] : [createRow({ kind: 'problem' }, portRow(waitingPort))]),
    ...(isRunning ? (status?.credentials ?? []) : [])
      .filter(({ expiresAt }) => !isFuture(expiresAt))
      .map((expired) => createRow({ kind: 'problem' }, expiredRow(expired))),
    ...(status?.upstreams ?? []).map((upstream) =>
      createRow({ kind: 'upstream', name: upstream.name }, upstreamRow(upstream, lostKeys)),
    ),
  ];
}

/**
 * The rows of the Models view for upstreams whose models are missing there, with the reasons. A click runs
 * `upstreamFixCommand`.
 */
export function unavailableRows({ status, lostKeys }: UpstreamsState): readonly TreeRow<GatewayNode>[] {
  const unavailable = (status?.upstreams ?? []).filter(
    (upstream) => upstream.problem !== undefined || findKeyTrouble(upstream, lostKeys) !== undefined,
  );
  return unavailable.map((upstream) => {
    const title = vscode.l10n.t('Show Solutions');
    const command = { command: commandName('models.openSelected'), title };
    return createRow(
      { kind: 'upstream', name: upstream.name },
      { ...upstreamRow(upstream, lostKeys), command },
    );
  });
}

/** The codes of problems that may disappear without a change of the configuration. */
const temporaryProblems: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_proxy',
]);

/** The command that fixes an upstream whose models are not available. */
export function upstreamFixCommand({ status, lostKeys }: UpstreamsState, name: string): CommandId {
  const upstream = status?.upstreams.find((each) => each.name === name);
  if (upstream === undefined) return 'refreshModels';
  if (findKeyTrouble(upstream, lostKeys) !== undefined && !hasKeySource(upstream))
    return 'localGateway.setKey';
  return temporaryProblems.has(upstream.problemCode ?? '')
    ? 'refreshModels'
    : 'localGateway.editConfiguration';
}

function gatewayRow({ isRunning, isStarting, baseUrl, status, startsAgainAt }: ShownGateway): Row {
  if (isStarting) {
    return { id: 'gateway', label: vscode.l10n.t('Starting…'), icon: 'loading~spin', context: 'gateway' };
  }
  if (!isRunning && startsAgainAt !== undefined) return exitedRow(startsAgainAt);
  if (!isRunning) {
    const label = vscode.l10n.t('Start the Local Gateway');
    return {
      id: 'gateway',
      label,
      icon: 'debug-start',
      description: vscode.l10n.t('not running'),
      command: { command: commandName('localGateway.start'), title: label },
      context: 'gateway not-running',
    };
  }
  return {
    id: 'gateway',
    label: vscode.l10n.t('Running'),
    icon: 'circle-filled',
    color: 'charts.green',
    description: baseUrl,
    context: 'gateway running',
    tooltip: runningTooltip(status),
    spoken: vscode.l10n.t('Running at {0}', baseUrl ?? ''),
  };
}

/** The row of a gateway that exited by itself. The time is fixed, so that screen readers do not read it each second. */
function exitedRow(startsAgainAt: number): Row {
  const time = new Date(startsAgainAt).toLocaleTimeString(vscode.env.language);
  return {
    id: 'gateway',
    label: vscode.l10n.t('Exited'),
    icon: 'warning',
    context: 'gateway not-running',
    color: 'list.warningForeground',
    description: vscode.l10n.t('starts again at {0}', time),
    tooltip: vscode.l10n.t('Click to start it now.'),
    command: {
      command: commandName('localGateway.start'),
      title: vscode.l10n.t('Start the Local Gateway'),
    },
  };
}

function runningTooltip(status: GatewayStatus | undefined): string {
  const words = vscode.l10n.t('Provides the models of all upstreams at one address, on this machine only.');
  if (!status) return words;
  const end = status.exitsAfterWindows
    ? vscode.l10n.t('It stops when the last window that uses it closes.')
    : vscode.l10n.t('It runs until it is stopped.');
  return [words, end, ...(status.credentials ?? []).map(expiryLine)].join('\n');
}

function expiryLine({ name, expiresAt }: CredentialExpiry): string {
  const time = new Date(expiresAt).toLocaleString(vscode.env.language);
  return isFuture(expiresAt)
    ? vscode.l10n.t('The credential {0} expires on {1}.', plainLine(name, 100), time)
    : vscode.l10n.t('The credential {0} expired on {1}.', plainLine(name, 100), time);
}

/** The row of an expired credential of another program or person, whose requests are refused. */
function expiredRow(expiry: CredentialExpiry): Row {
  const label = vscode.l10n.t('Credential expired');
  return {
    id: `credential ${expiry.name}`,
    label,
    icon: 'key',
    color: 'list.warningForeground',
    description: plainLine(expiry.name, 100),
    context: 'problem',
    tooltip: `${expiryLine(expiry)}\n${vscode.l10n.t('Click to edit the configuration.')}`,
    command: {
      command: commandName('localGateway.editConfiguration'),
      title: vscode.l10n.t('Edit Configuration'),
    },
  };
}

function problemRow(problem: string): Row {
  const label = vscode.l10n.t('Configuration not usable');
  return {
    id: 'problem',
    label,
    icon: 'error',
    color: 'list.errorForeground',
    context: 'problem',
    description: vscode.l10n.t('using the last valid configuration'),
    tooltip: `${problem}\n${vscode.l10n.t('Click to edit it.')}`,
    command: {
      command: commandName('localGateway.editConfiguration'),
      title: vscode.l10n.t('Edit Configuration'),
    },
  };
}

/**
 * The row for a port that takes effect after a restart.
 *
 * @param port null if the configuration no longer sets one
 */
function portRow(port: number | null): Row {
  return {
    id: 'port',
    label: vscode.l10n.t('Restart needed'),
    context: 'restart',
    icon: 'debug-restart',
    color: 'list.warningForeground',
    description: port === null ? vscode.l10n.t('for its own port') : vscode.l10n.t('for port {0}', port),
    tooltip: [
      vscode.l10n.t('The configured port takes effect after a restart.'),
      vscode.l10n.t('Programs that use the current address will then need the new address.'),
    ].join('\n'),
    command: {
      command: commandName('localGateway.restart'),
      title: vscode.l10n.t('Restart the Local Gateway'),
    },
  };
}

/** The row of an upstream that does not receive requests until the user allows it. */
function waitingRow({ name, kind, origin }: UpstreamStatus): Row {
  const words = vscode.l10n.t('waiting for your consent');
  const title = vscode.l10n.t('Allow Upstream…');
  return {
    id: `upstream ${name}`,
    label: name,
    description: words,
    icon: 'shield',
    color: 'list.warningForeground',
    tooltip: [
      name,
      joinFacts([kind, origin]),
      words,
      '',
      vscode.l10n.t('Click to see where its requests are sent.'),
    ].join('\n'),
    context: 'upstream own waiting',
    spoken: joinFacts([name, words]),
    command: { command: commandName('localGateway.allowUpstream'), title },
  };
}

function upstreamRow(upstream: UpstreamStatus, lostKeys: readonly string[]): Row {
  if (upstream.waitsFor) return waitingRow(upstream);
  const { name, kind, origin, problem } = upstream;
  const keyTrouble = findKeyTrouble(upstream, lostKeys);
  const words = keyTrouble === undefined ? stateWords(upstream) : keyWords[keyTrouble]();
  const where = joinFacts([kind, origin]);
  const failing = [...keyLines(upstream), ...modelLines(upstream)];
  const sections = [problem === undefined ? [] : [problem], failing, keyTrouble ? [clickHint(upstream)] : []];
  const paragraphs = sections.flatMap((lines) => (lines.length === 0 ? [] : ['', ...lines]));
  return {
    id: `upstream ${name}`,
    label: name,
    description: words,
    ...upstreamIcon(upstream, keyTrouble),
    tooltip: [name, where, words, ...paragraphs].join('\n'),
    context: ['upstream', origin === undefined ? 'built-in' : 'own', ...(keyTrouble ? ['keyless'] : [])].join(
      ' ',
    ),
    spoken: joinFacts([name, words, ...failing]),
    ...(keyTrouble && { command: keyCommand(upstream) }),
  };
}

/** The problem of an upstream's key: lost from VS Code's storage, missing, or refused. */
type KeyTrouble = 'lost' | 'missing' | 'refused';

const keyWords: Readonly<Record<KeyTrouble, () => string>> = {
  lost: () => vscode.l10n.t('key lost'),
  missing: () => vscode.l10n.t('key missing'),
  refused: () => vscode.l10n.t('key refused'),
};

function findKeyTrouble(
  { name, key, problemCode }: UpstreamStatus,
  lostKeys: readonly string[],
): KeyTrouble | undefined {
  if (lostKeys.includes(name)) return 'lost';
  const isRefused = problemCode === 'upstream_credential';
  if (key === 'missing' || (key === 'none' && isRefused)) return 'missing';
  return isRefused ? 'refused' : undefined;
}

function keyCommand(upstream: UpstreamStatus): RowCommand {
  return hasKeySource(upstream)
    ? { command: commandName('localGateway.editConfiguration'), title: vscode.l10n.t('Edit Configuration') }
    : { command: commandName('localGateway.setKey'), title: vscode.l10n.t('Set Key…') };
}

function clickHint(upstream: UpstreamStatus): string {
  return hasKeySource(upstream)
    ? vscode.l10n.t('Click to edit the configuration.')
    : vscode.l10n.t('Click to set its key.');
}

/** Whether the configuration defines the source of the key: a command, a file, or a list of keys. */
function hasKeySource({ key, keys }: UpstreamStatus): boolean {
  return key === 'command' || key === 'file' || keys !== undefined;
}

/** Problems in a few words, by their codes. The tooltip has the gateway's own message. */
const problemWords: Readonly<Record<string, () => string>> = {
  upstream_unreachable: () => vscode.l10n.t('not reachable'),
  upstream_timeout: () => vscode.l10n.t('does not respond in time'),
  upstream_proxy: () => vscode.l10n.t('its proxy failed'),
  upstream_unusable: () => vscode.l10n.t('not usable as configured'),
};

/** The most urgent fact about an upstream; the number of models if there is no problem. */
function stateWords(upstream: UpstreamStatus): string {
  const { models, problem, problemCode, failingUntil } = upstream;
  if (isFuture(failingUntil)) return pausedWords(failingUntil);
  if (problem !== undefined)
    return problemWords[problemCode ?? '']?.() ?? vscode.l10n.t('does not list its models');
  const failing = failingModels(upstream).length;
  return failing === 0
    ? formatModelCount(models)
    : vscode.l10n.t('{0}, {1} failing', formatModelCount(models), failing);
}

/** A line for each of several keys. */
function keyLines({ keys = [] }: UpstreamStatus): readonly string[] {
  return keys.map(({ name, source, refused, restsUntil }) => {
    const label = plainLine(name, 100);
    if (source === 'missing') return vscode.l10n.t('{0}: missing', label);
    if (refused === undefined || !isFuture(restsUntil)) return vscode.l10n.t('{0}: available', label);
    const time = new Date(restsUntil).toLocaleTimeString(vscode.env.language);
    return vscode.l10n.t('{0}: refused with {1}, not used until {2}', label, refused, time);
  });
}

/** A line for each model that is paused. */
function modelLines(upstream: UpstreamStatus): readonly string[] {
  return failingModels(upstream).map(({ id, until }) => `${plainLine(id, 100)}: ${pausedWords(until)}`);
}

function failingModels({ failingModels: models = [] }: UpstreamStatus) {
  return models.filter(({ until }) => isFuture(until));
}

function pausedWords(until: number): string {
  const time = new Date(until).toLocaleTimeString(vscode.env.language);
  return vscode.l10n.t('failing, not used until {0}', time);
}

function isFuture(time: number | undefined): time is number {
  return time !== undefined && time > Date.now();
}

function upstreamIcon(
  upstream: UpstreamStatus,
  keyTrouble: KeyTrouble | undefined,
): Pick<Row, 'icon' | 'color'> {
  if (keyTrouble) return { icon: 'key', color: 'list.warningForeground' };
  if (upstream.problem !== undefined || isFuture(upstream.failingUntil) || failingModels(upstream).length > 0)
    return { icon: 'warning', color: 'list.warningForeground' };
  if (upstream.models === 0) return { icon: 'circle-large-outline' };
  return { icon: 'pass', color: 'charts.green' };
}
