import * as vscode from 'vscode';

/** Joins names to a list in the display language. */
export function joinNames(names: readonly string[]): string {
  return names.join(vscode.l10n.t(', '));
}

/** Joins facts to one line, and skips absent facts. */
export function joinFacts(facts: readonly (string | false | undefined)[]): string {
  const present = facts.filter((fact): fact is string => Boolean(fact));
  return present.slice(1).reduce((line, fact) => vscode.l10n.t('{0}, {1}', line, fact), present[0] ?? '');
}
