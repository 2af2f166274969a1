import * as vscode from 'vscode';
import { demoQuestions } from '../../../base/demoQuestions.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { isDemoModel } from '../../models/demoModels.ts';

/**
 * Questions for an empty chat. The demo answers only its own, in the language they are written in.
 *
 * @param model the one that the chat asks, once it is known
 */
export function suggestionsFor(gateway: Gateway | undefined, model: string | undefined): readonly string[] {
  if (gateway === undefined || model === undefined) return [];
  if (isDemoModel(gateway, model)) return Object.values(demoQuestions);
  return [
    vscode.l10n.t('Write a TypeScript function that retries a request with backoff, and explain it.'),
    vscode.l10n.t('Explain race conditions with a short example, and how to avoid them.'),
    vscode.l10n.t('Compare REST, GraphQL and gRPC for a small team, as a table.'),
  ];
}
