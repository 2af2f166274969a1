import * as vscode from 'vscode';
import type { LimitUse } from '../../../storage/spending/spendingLimit.ts';
import { amountWords, resetWords, usedWords } from '../../models/spendingWords.ts';
import { nameCell } from './markdownTable.ts';

const width = 400;
const height = 12;

/**
 * The spending limits as Markdown, each with a bar. The text above a bar contains the same information.
 *
 * @param problem why the limits cannot be read; then it is shown instead
 */
export function limitBars(uses: readonly LimitUse[], problem: string | undefined): readonly string[] {
  const lines = problem === undefined ? uses.flatMap(limitLines) : [nameCell(problem, 500), ''];
  return lines.length === 0 ? [] : [`## ${vscode.l10n.t('Spending Limits')}`, '', ...lines];
}

function limitLines(use: LimitUse): readonly string[] {
  const { l10n } = vscode;
  const { limit, used, failed, reserved, allowed } = use;
  const percent = Math.floor((used / allowed) * 100);
  const facts = [
    l10n.t('{0} of {1} used ({2} %)', usedWords(use), amountWords(limit, allowed), percent),
    ...(allowed > limit.allowed ? [l10n.t('raised for today')] : []),
    ...(failed > 0
      ? [l10n.t('{0} of it for failed videos, which may not be billed', amountWords(limit, failed))]
      : []),
    ...(reserved > 0 ? [l10n.t('up to {0} in progress', amountWords(limit, reserved))] : []),
    l10n.t('resets on {0}', resetWords(use)),
  ];
  return [
    `**${nameCell(limit.name)}** · ${facts.join(' · ')}`,
    '',
    ...limitBar(percent, l10n.t('{0} % used', percent)),
    '',
  ];
}

/** A bar as an image. Its frame has the colour of the text, so that it is visible in high contrast. */
function limitBar(percent: number, label: string): readonly string[] {
  const colour = percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'blue';
  const filled = (Math.min(100, percent) / 100) * width;
  return [
    '<div>',
    `<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="100%" height="${height}" preserveAspectRatio="none" style="max-width: ${width}px; display: block; margin-bottom: 16px">`,
    `<rect x="0" y="0" width="${filled}" height="${height}" fill="var(--vscode-charts-${colour}, currentColor)"/>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" fill="none" stroke="currentColor"/>`,
    '</svg>',
    '</div>',
  ];
}
