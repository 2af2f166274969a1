import * as vscode from 'vscode';
import type { DocumentWords } from '../../../conversations/transfer/exportChats.ts';

/** The words of a chat as a document, in the user's language. */
export function documentWords(): DocumentWords {
  const { t } = vscode.l10n;
  return {
    question: t('Question'),
    answer: t('Reply'),
    systemPrompt: t('System prompt'),
    toolResult: t('Result'),
    reasoning: t('Reasoning'),
    image: t('Image'),
    file: t('File'),
    stopped: t('Stopped'),
    truncated: t('Cut by its limit of tokens'),
    failed: t('Failed'),
    untitled: t('Chat'),
    onlyPath: t('Only the branch that was shown was imported. Messages on other branches: {0}.', '{count}'),
  };
}
