import * as vscode from 'vscode';

/** Names one after the other, as the display language lists them. */
export function listed(names: readonly string[]): string {
  return names.join(vscode.l10n.t(', '));
}

/** Facts one after the other in a line, without those that are absent. */
export function factLine(facts: readonly (string | false | undefined)[]): string {
  const told = facts.filter((fact): fact is string => Boolean(fact));
  return told.slice(1).reduce((line, fact) => vscode.l10n.t('{0}, {1}', line, fact), told[0] ?? '');
}
