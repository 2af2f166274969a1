import * as vscode from 'vscode';
import type { Problem } from '../../tasks/record/task.ts';
import { type Explanation, formatExplanation } from '../../wire/explanations/explanation.ts';
import { type CatalogueEntry, catalogueEntry } from '../../wire/failures/failureCatalogue.ts';
import { isFailureKind } from '../../wire/failures/gatewayError.ts';
import { plainLine } from './display/plainText.ts';
import { hasOnlyWordsOf } from './sentence.ts';

/** The maximum length of a host, cause or other name in a sentence, in UTF-16 units. */
const maxNameLength = 500;

/** Translates a failure into the user's language. The extension host has no other translation of failures. */
export function describeExplanation(explanation: Explanation): string {
  return formatExplanation(explanation, (template, words) => vscode.l10n.t(template, cleanWords(words)));
}

/** Translates a stored failure. Messages of the gateway and of earlier versions are not translated. */
export function describeStoredProblem({ explanation, message, gatewayMessage }: Problem): string {
  const words = explanation ? describeExplanation(explanation) : message;
  return gatewayMessage === undefined || hasOnlyWordsOf(gatewayMessage, words)
    ? words
    : vscode.l10n.t('{0} Message from the gateway: “{1}”', words, gatewayMessage);
}

/** Returns a short title of a stored failure: its title in the catalogue, otherwise its message. */
export function describeProblemBriefly(problem: Problem): string {
  const entry = findCatalogueEntry(problem);
  return entry ? vscode.l10n.t(entry.title) : describeStoredProblem(problem);
}

/** Finds the catalogue entry of a failed request; undefined for failures that only task records have. */
export function findCatalogueEntry({ code, explanation, ...facts }: Problem): CatalogueEntry | undefined {
  return explanation && isFailureKind(code) ? catalogueEntry({ ...facts, kind: code }) : undefined;
}

function cleanWords(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    // The HTTP status has a leading space and brackets, which must be preserved.
    Object.entries(words).map(([name, word]) => [
      name,
      name === 'httpStatus' ? word : plainLine(word, maxNameLength),
    ]),
  );
}
