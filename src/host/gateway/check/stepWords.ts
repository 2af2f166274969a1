import * as vscode from 'vscode';
import type {
  CheckedStep,
  SkipReason,
  StepFindings,
  StepName,
} from '../../../client/connectionCheck/checkedStep.ts';
import { modelCount } from '../../kit/counts.ts';
import { listed } from '../../kit/display/listed.ts';
import { plainLine } from '../../kit/display/plainText.ts';

const maxNameLength = 200;

export function stepTitle(name: StepName): string {
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

/** What a step found, or why it was left out, in one line. */
export function findingWords(step: Exclude<CheckedStep, { state: 'failed' }>): string {
  if (step.state === 'skipped') return skipWords(step.why);
  const { t } = vscode.l10n;
  switch (step.name) {
    case 'address':
      return outside(step.found.baseUrl);
    case 'name':
      return t('{0} is {1}', outside(step.found.host), outside(listed(step.found.addresses)));
    case 'connection':
      return t('to {0}', outside(step.found.peer));
    case 'proxy':
      return step.found.proxy === undefined ? t('none in use') : t('through {0}', outside(step.found.proxy));
    case 'tls':
      return tlsWords(step.found);
    case 'models':
      return step.found.count === undefined ? t('the gateway answered') : modelCount(step.found.count);
    case 'credential':
      return step.found.isSet ? t('accepted with the model list') : t('none is set, and none was requested');
  }
}

function tlsWords({ protocol, certificates: [own] }: StepFindings['tls']): string {
  const { t } = vscode.l10n;
  if (own === undefined) return t('established by VS Code’s network stack');
  return t(
    '{0}, certificate of {1} by {2}, valid until {3}',
    ...[protocol ?? 'TLS', own.subject, own.issuer, own.validTo].map(outside),
  );
}

function skipWords(why: SkipReason): string {
  const { t } = vscode.l10n;
  switch (why) {
    case 'no-name':
      return t('not needed: the address has no host name');
    case 'plain-http':
      return t('not used: the address begins with http');
    case 'unseen':
      return t('done by VS Code’s network stack');
  }
}

/** Words from outside within a line of ours. */
export function outside(words: string): string {
  return plainLine(words, maxNameLength);
}
