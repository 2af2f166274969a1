import * as vscode from 'vscode';

/** Joins names to a list in the display language. */
export function joinNames(names: readonly string[]): string {
  return names.join(vscode.l10n.t(', '));
}

/** Joins facts to one line, and skips absent facts. */
export function joinFacts(facts: readonly (string | false | undefined)[]): string {
  const presentFacts = facts.filter((fact): fact is string => Boolean(fact));
  return presentFacts
    .slice(1)
    .reduce((line, fact) => vscode.l10n.t('{0}, {1}', line, fact), presentFacts[0] ?? '');
}
