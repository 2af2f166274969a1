import type * as vscode from 'vscode';
import { defaultFormat, type TextFormatId, textFormatId } from '../../wire/apis/textFormats.ts';
import type { Gateway } from '../connection/gateways.ts';
import { modelMatches } from '../models/modelPattern.ts';
import type { FormatRule } from './formatRules.ts';

/**
 * In which API format a model is asked: as last chosen for it, else by the user's rules, else in the one that
 * every gateway speaks.
 */
export class FormatChoice {
  readonly #state: vscode.Memento;
  readonly #rules: () => readonly FormatRule[];

  /** @param rules the user's own, the first match of which counts */
  constructor(state: vscode.Memento, rules: () => readonly FormatRule[]) {
    this.#state = state;
    this.#rules = rules;
  }

  of(gateway: Gateway | undefined, model: string | undefined): TextFormatId {
    if (gateway === undefined || model === undefined) return defaultFormat;
    const chosen = textFormatId(this.#state.get(key(gateway, model)));
    const rule = this.#rules().find(({ models }) => modelMatches(model, models));
    return chosen ?? rule?.format ?? defaultFormat;
  }

  async remember(gateway: Gateway | undefined, model: string, format: TextFormatId): Promise<void> {
    if (gateway) await this.#state.update(key(gateway, model), format);
  }
}

/** Older versions called a format a style, and what they kept is still there. */
function key({ kind, name }: Gateway, model: string): string {
  return `style/${kind}/${name}/${model}`;
}
