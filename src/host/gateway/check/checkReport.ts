import * as vscode from 'vscode';
import type { Certificate } from '../../../client/connectionCheck/certificates.ts';
import type { CheckedStep } from '../../../client/connectionCheck/checkedStep.ts';
import type { GatewayCheck } from '../../../client/connectionCheck/checkGateway.ts';
import type { ModelTrial } from '../../../client/modelTrial.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import type { GatewayError } from '../../../wire/failure.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { duration } from '../../kit/display/times.ts';
import { findingWords, outside, stepTitle } from './stepWords.ts';

/** A model that was asked as the last step. */
export interface TriedModel {
  readonly model: string;
  readonly format: TextFormatId;
  readonly trial: ModelTrial;
}

export interface CheckReport {
  /** The name of the gateway. */
  readonly gateway: string;
  readonly startedAt: Date;
  readonly check: GatewayCheck;
  /** Undefined where none was asked. */
  readonly tried: TriedModel | undefined;
}

/** A line of the report: what came of a step, how long it took, and what it found. */
interface Line {
  readonly mark: string;
  readonly title: string;
  readonly time: string;
  readonly words: string;
}

/** The steps of a check as plain text, to be read and to be handed on. */
export function checkText({ gateway, startedAt, check, tried }: CheckReport): string {
  const lines = [...check.steps.map(stepLine), ...(tried ? [triedLine(tried)] : [])];
  const failed = check.steps.find((step) => step.state === 'failed');
  const error = failed?.error ?? tried?.trial.error;
  const sections = [
    vscode.l10n.t('Connection to {0}', outside(gateway)),
    startedAt.toISOString(),
    '',
    ...aligned(lines),
    ...(error ? failureLines(error) : []),
    ...(failed?.certificates ? certificateLines(failed.certificates) : []),
  ];
  return `${sections.join('\n')}\n`;
}

function stepLine(step: CheckedStep): Line {
  const title = stepTitle(step.name);
  if (step.state === 'failed')
    return { mark: '✗', title, time: shownTime(step.ms), words: failureMessage(step.error).title };
  const time = step.state === 'passed' ? shownTime(step.ms) : '';
  return { mark: step.state === 'passed' ? '✓' : '–', title, time, words: findingWords(step) };
}

function triedLine({ model, format, trial: { error, ms } }: TriedModel): Line {
  const { t } = vscode.l10n;
  const words = error
    ? failureMessage(error).title
    : t('{0} replied ({1})', outside(model), textFormat(format).label);
  return { mark: error ? '✗' : '✓', title: t('Request to a model'), time: duration(ms), words };
}

function aligned(lines: readonly Line[]): readonly string[] {
  const widest = (of: (line: Line) => string) => Math.max(...lines.map((line) => of(line).length));
  const [titles, times] = [widest(({ title }) => title), widest(({ time }) => time)];
  return lines.map(
    ({ mark, title, time, words }) => `${mark} ${title.padEnd(titles)}  ${time.padStart(times)}  ${words}`,
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
    t('Certificates that were shown'),
    ...certificates.flatMap(({ subject, issuer, hosts, validFrom, validTo, sha256 }, at) => [
      `${at + 1}. ${outside(subject)}`,
      `   ${t('Issued by: {0}', outside(issuer))}`,
      ...(hosts === '' ? [] : [`   ${t('For: {0}', outside(hosts))}`]),
      `   ${t('Valid: {0} – {1}', outside(validFrom), outside(validTo))}`,
      `   SHA-256: ${outside(sha256)}`,
    ]),
  ];
}

/** What took no time to speak of has none to tell. */
function shownTime(ms: number): string {
  return ms < 0.5 ? '' : duration(ms);
}
