import * as vscode from 'vscode';
import { roughDuration } from '../../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../../base/taskProgress.ts';

/** The progress of a task as a row has room for it, such as "60 %", "~60 %" or "longer than usual". */
export function shortProgress(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = percentAt(progress, Date.now());
  if (percent === undefined) return vscode.l10n.t('longer than usual');
  const figure = `${Math.floor(percent)} %`;
  if (progress.kind === 'estimated') return `~${figure}`;
  return progress.backFrom === undefined
    ? figure
    : vscode.l10n.t('{0} (was {1} %)', figure, Math.floor(progress.backFrom));
}

/** The same in a sentence that tells whose figure it is. */
export function progressSentence(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = percentAt(progress, Date.now());
  if (progress.kind === 'told')
    return vscode.l10n.t('Reported by the gateway: {0}.', shortProgress(progress));
  const usual = roughDuration(progress.typicalMs);
  return percent === undefined
    ? vscode.l10n.t('It takes longer than usual (about {0}).', usual)
    : vscode.l10n.t(
        'About {0} %, by your earlier tasks with this model, which took about {1}.',
        Math.floor(percent),
        usual,
      );
}
