import * as vscode from 'vscode';
import type { UpstreamStatus } from '../../protocol/gatewayControl.ts';
import { commandName } from '../contributions.ts';
import { modelCount } from '../counts.ts';
import type { TreeRow } from '../display/knownRows.ts';
import { type Row, treeItem } from '../display/rows.ts';
import type { UpstreamsState } from './localUpstreams.ts';

/** A row of the Local Gateway view. */
export interface GatewayNode {
  readonly kind: 'gateway' | 'problem' | 'upstream';
  /** The name of an upstream. */
  readonly name?: string;
}

/** The local gateway as the view shows it. */
export interface ShownGateway extends UpstreamsState {
  readonly isRunning: boolean;
  readonly isStarting: boolean;
  readonly baseUrl?: string | undefined;
}

/** The rows of the view: the gateway itself, what is wrong with its configuration, its upstreams. */
export function gatewayRows(shown: ShownGateway): readonly TreeRow<GatewayNode>[] {
  const { isRunning, isStarting, isConfigured, status } = shown;
  if (!isRunning && !isStarting && !isConfigured) return [];
  const problem = status?.configProblem;
  return [
    rowOf({ kind: 'gateway' }, gatewayRow(shown)),
    ...(problem === undefined ? [] : [rowOf({ kind: 'problem' }, problemRow(problem))]),
    ...(status?.upstreams ?? []).map((upstream) =>
      rowOf({ kind: 'upstream', name: upstream.name }, upstreamRow(upstream, shown)),
    ),
  ];
}

function rowOf(node: GatewayNode, row: Row): TreeRow<GatewayNode> {
  return { id: row.id, node, look: row, item: () => treeItem(row) };
}

function gatewayRow({ isRunning, isStarting, baseUrl }: ShownGateway): Row {
  if (isStarting) {
    return { id: 'gateway', label: vscode.l10n.t('Starting…'), icon: 'loading~spin', context: 'gateway' };
  }
  if (!isRunning) {
    const label = vscode.l10n.t('Start the Local Gateway');
    return {
      ...{ id: 'gateway', label, icon: 'debug-start', description: vscode.l10n.t('not running') },
      command: { command: commandName('localGateway.start'), title: label },
      context: 'gateway not-running',
    };
  }
  return {
    ...{ id: 'gateway', label: vscode.l10n.t('Running'), icon: 'circle-filled', color: 'charts.green' },
    ...{ description: baseUrl, context: 'gateway running' },
    tooltip: vscode.l10n.t('One address for the models of all upstreams, on this machine only.'),
  };
}

function problemRow(problem: string): Row {
  const label = vscode.l10n.t('The configuration cannot be used');
  return {
    ...{ id: 'problem', label, icon: 'error', color: 'list.errorForeground', context: 'problem' },
    description: vscode.l10n.t('the last good one counts'),
    tooltip: `${problem}\n${vscode.l10n.t('Click to edit it.')}`,
    command: {
      command: commandName('localGateway.editConfiguration'),
      title: vscode.l10n.t('Edit Configuration'),
    },
  };
}

function upstreamRow(upstream: UpstreamStatus, { keysLost }: ShownGateway): Row {
  const { name, kind, origin, problem } = upstream;
  const lacksKey = upstream.key === 'missing' || keysLost.includes(name);
  const words = stateWords(upstream, lacksKey);
  const where = origin === undefined ? kind : `${kind}, ${origin}`;
  return {
    ...{ id: `upstream ${name}`, label: name, description: words, ...iconOf(upstream, lacksKey) },
    tooltip: [name, where, words, ...(problem === undefined ? [] : [problem])].join('\n'),
    context: ['upstream', origin === undefined ? 'built-in' : 'own', ...(lacksKey ? ['keyless'] : [])].join(
      ' ',
    ),
    spoken: `${name}, ${words}`,
    ...(lacksKey && {
      command: { command: commandName('localGateway.setKey'), title: vscode.l10n.t('Set Key…') },
    }),
  };
}

/** What is so, the most pressing first. */
function stateWords({ models, problem, failingUntil }: UpstreamStatus, lacksKey: boolean): string {
  if (lacksKey) return vscode.l10n.t('key missing');
  if (failingUntil !== undefined && failingUntil > Date.now()) {
    const time = new Date(failingUntil).toLocaleTimeString(vscode.env.language);
    return vscode.l10n.t('failing, left alone until {0}', time);
  }
  return problem === undefined ? modelCount(models) : problem;
}

function iconOf({ problem }: UpstreamStatus, lacksKey: boolean): Pick<Row, 'icon' | 'color'> {
  if (lacksKey) return { icon: 'key', color: 'list.warningForeground' };
  if (problem !== undefined) return { icon: 'warning', color: 'list.warningForeground' };
  return { icon: 'pass', color: 'charts.green' };
}
