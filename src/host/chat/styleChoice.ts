import * as vscode from 'vscode';
import type { TextStyle } from '../../client/textStyles.ts';
import type { Gateway } from '../connection/gateways.ts';
import { readStyleRules } from '../settings.ts';

/**
 * In which style a model is asked: as last chosen for it, else by the user's rules, else chat completions,
 * which every gateway speaks.
 */
export class StyleChoice {
  readonly #state: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.#state = context.globalState;
  }

  of(gateway: Gateway | undefined, model: string | undefined): TextStyle {
    if (gateway === undefined || model === undefined) return 'chat-completions';
    const chosen = this.#state.get<TextStyle>(key(gateway, model));
    const rule = readStyleRules().find(({ models }) => modelMatches(model, models));
    return chosen ?? rule?.style ?? 'chat-completions';
  }

  async remember(gateway: Gateway | undefined, model: string, style: TextStyle): Promise<void> {
    if (gateway) await this.#state.update(key(gateway, model), style);
  }
}

/** The name of a style as people read it. */
export function styleName(style: TextStyle): string {
  switch (style) {
    case 'chat-completions':
      return vscode.l10n.t('Chat completions');
    case 'content-generation':
      return vscode.l10n.t('Content generation');
    case 'messages':
      return vscode.l10n.t('Messages');
    case 'responses':
      return vscode.l10n.t('Responses');
    case 'interactions':
      return vscode.l10n.t('Interactions');
  }
}

/** Where a style's requests go, for people who know the routes. */
export function styleRoute(style: TextStyle): string {
  switch (style) {
    case 'chat-completions':
      return 'POST /v1/chat/completions';
    case 'content-generation':
      return 'POST /v1beta/models/{model}:streamGenerateContent';
    case 'messages':
      return 'POST /v1/messages';
    case 'responses':
      return 'POST /v1/responses';
    case 'interactions':
      return 'POST /v1beta/interactions';
  }
}

/** Whether a model's id is as a rule says: `*` stands for any text, case does not count. */
export function modelMatches(model: string, pattern: string): boolean {
  const literal = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 'i').test(model);
}

function key(gateway: Gateway, model: string): string {
  return `style/${gateway.kind}/${gateway.name}/${model}`;
}
