import * as vscode from 'vscode';
import type {
  CheckedStep,
  SkipReason,
  StepFindings,
  StepName,
} from '../../../client/connectionCheck/checkedStep.ts';
import { formatModelCount } from '../../kit/countWords.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
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

/** The finding of a step, or why it was skipped, in one line. */
export function findingWords(step: Exclude<CheckedStep, { state: 'failed' }>): string {
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

/** Untrusted text on one line, without characters that could disturb the report. */
export function externalText(words: string): string {
  return plainLine(words, maxNameLength);
}
