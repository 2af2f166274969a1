import * as vscode from 'vscode';
import type { Problem } from '../tasks/task.ts';
import { type Explanation, inWords } from '../wire/explanations/explanation.ts';
import { plainLine } from './display/plainText.ts';

/** The longest host, cause or other name within a sentence, in UTF-16 units. */
const maxNameLength = 500;

/** A failure in the user's language: the only place in the host that puts one into words. */
export function explanationWords(explanation: Explanation): string {
  return inWords(explanation, (template, words) => vscode.l10n.t(template, harmless(words)));
}

/** What the ledger keeps of a failure, in words: the gateway's own, or those of an earlier version, stay as they are. */
export function problemWords({ explanation, message, gatewayMessage }: Problem): string {
  const words = explanation ? explanationWords(explanation) : message;
  return gatewayMessage === undefined
    ? words
    : vscode.l10n.t('{0} The gateway says: {1}', words, gatewayMessage);
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
