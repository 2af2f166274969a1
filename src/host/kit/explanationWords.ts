import * as vscode from 'vscode';
import type { Problem } from '../../tasks/record/task.ts';
import { type Explanation, inWords } from '../../wire/explanations/explanation.ts';
import { isFailureKind } from '../../wire/failure.ts';
import { type CatalogueEntry, catalogueEntry } from '../../wire/failureCatalogue.ts';
import { plainLine } from './display/plainText.ts';
import { saysNoMore } from './repeatedWords.ts';

/** The longest host, cause or other name within a sentence, in UTF-16 units. */
const maxNameLength = 500;

/** Puts a failure into words of the user's language. No other place in the host does. */
export function explanationWords(explanation: Explanation): string {
  return inWords(explanation, (template, words) => vscode.l10n.t(template, harmless(words)));
}

/** Puts a stored failure into words. The gateway's own words and those of earlier versions stay unchanged. */
export function problemWords({ explanation, message, gatewayMessage }: Problem): string {
  const words = explanation ? explanationWords(explanation) : message;
  return gatewayMessage === undefined || saysNoMore(gatewayMessage, words)
    ? words
    : vscode.l10n.t('{0} Message from the gateway: “{1}”', words, gatewayMessage);
}

/** A stored failure in few words: its class, or its own words where they are all there is. */
export function problemTitle(problem: Problem): string {
  const entry = problemEntry(problem);
  return entry ? vscode.l10n.t(entry.title) : problemWords(problem);
}

/** What the catalogue says of a failed request; undefined for what only the record of a task tells. */
export function problemEntry({ code, explanation, ...facts }: Problem): CatalogueEntry | undefined {
  return explanation && isFailureKind(code) ? catalogueEntry({ ...facts, kind: code }) : undefined;
}

function harmless(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    // The brackets of an HTTP status stand after a space, which is no part of it.
    Object.entries(words).map(([name, word]) => [
      name,
      name === 'httpStatus' ? word : plainLine(word, maxNameLength),
    ]),
  );
}
