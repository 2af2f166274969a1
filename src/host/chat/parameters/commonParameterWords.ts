import * as vscode from 'vscode';
import type { CommonName } from '../../../wire/apis/shared/requestSettings.ts';
import type { TextFormat } from '../../../wire/apis/textFormats.ts';

interface FieldText {
  readonly title: string;
  readonly description: string;
}

/** Returns the titles and the help of the common parameters. The help contains the field names of the format. */
export function describeCommonParameters(
  format: TextFormat,
): Readonly<Record<CommonName | 'systemPrompt', FieldText>> {
  const describeSentName = (name: CommonName) => {
    const path = format.common[name]?.paths[0]?.join('.');
    return path === undefined || path === name ? '' : ` ${vscode.l10n.t('Sent as {0}.', path)}`;
  };
  return {
    systemPrompt: {
      title: vscode.l10n.t('System prompt'),
      description: vscode.l10n.t('Instructions at the start of the conversation, in every API format.'),
    },
    temperature: {
      title: vscode.l10n.t('Temperature'),
      description:
        vscode.l10n.t('At 0, replies are the most consistent; higher values make them more varied.') +
        describeSentName('temperature'),
    },
    outputLimit: {
      title: vscode.l10n.t('Output limit'),
      description:
        vscode.l10n.t('Maximum number of tokens to generate, including reasoning.') +
        describeSentName('outputLimit'),
    },
    reasoningEffort: {
      title: vscode.l10n.t('Reasoning effort'),
      description: vscode.l10n.t('How much to think before the reply.') + describeSentName('reasoningEffort'),
    },
    tools: {
      title: vscode.l10n.t('Tools'),
      description:
        vscode.l10n.t(
          'A list of tools that the model may call. Functions can be written as in any API format.',
        ) + describeSentName('tools'),
    },
    responseFormat: {
      title: vscode.l10n.t('Response format'),
      description: vscode.l10n.t('Format of the reply.') + describeSentName('responseFormat'),
    },
    responseSchema: {
      title: vscode.l10n.t('Response schema'),
      description: vscode.l10n.t('JSON Schema of the reply, for the response format JSON Schema.'),
    },
  };
}
