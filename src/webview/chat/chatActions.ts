import type { FromChatPage } from '../../protocol/chatPage.ts';
import type { ReplyAction } from '../../protocol/pageMessage.ts';
import { convertTableToCsv, convertTableToMarkdown } from '../markdown/copyTable.ts';
import type { ColumnElement } from './turns/columns.ts';
import type { TurnElement } from './turns/turn.ts';

/**
 * The actions after which the message box gets the focus. They remove their button or change its meaning, so that the
 * focus would be lost.
 */
export const composerActions: ReadonlySet<string> = new Set([
  'again',
  'ask-example',
  'ask-one-model',
  'close-column',
  'compare-branches',
  'continue',
  'delete-answer',
  'delete-question',
  'detach',
  'dismiss-deleted',
  'edit-queued',
  'jump',
  'remove-context',
  'remove-queued',
  'stop',
  'undo-delete',
  'stop-column',
  'insert-context',
]);

/** The actions that a double click performs only once, because they send a question or create a chat. */
export const onceOnlyActions: ReadonlySet<string> = new Set(['again', 'ask-example', 'continue', 'fork']);

/** Creates the message to the host for a click in the chat; undefined if the click does not need one. */
export function createChatMessage(action: string, clicked: HTMLElement): FromChatPage | undefined {
  const turnId = clicked.closest<TurnElement | ColumnElement>('mg-turn, mg-column')?.turnId;
  switch (action) {
    case 'stop':
    case 'edit-queued':
    case 'remove-queued':
    case 'add-context':
    case 'open-parameters':
    case 'undo-delete':
    case 'dismiss-deleted':
      return { type: action };
    case 'remove-context':
    case 'insert-context':
    case 'open-context':
      return { type: action, id: clicked.dataset.id ?? '' };
    case 'detach':
      return { type: action, index: Number(clicked.dataset.index) };
    case 'open-sent-file':
    case 'open-fault':
      return turnId === undefined
        ? undefined
        : { type: action, turnId, index: Number(clicked.dataset.index) };
    case 'open-link':
      return clicked.dataset.url ? { type: action, url: clicked.dataset.url } : undefined;
    case 'show-branch':
      return clicked.dataset.message ? { type: action, messageId: clicked.dataset.message } : undefined;
    case 'stop-column':
      return turnId === undefined ? undefined : { type: 'stop', turnId };
    case 'fork':
    case 'continue-with-reply':
    case 'close-column':
    case 'compare-answer':
    case 'compare-branches':
    case 'open-differences':
    case 'copy-request-id':
    case 'copy-gateway-request-id':
      return turnId === undefined ? undefined : { type: action, turnId };
    case 'delete-question':
    case 'delete-answer':
      if (turnId === undefined) return undefined;
      return { type: 'delete-message', turnId, of: action === 'delete-question' ? 'question' : 'answer' };
    case 'copy-question':
      return { type: 'copy-code', text: clicked.closest('mg-turn')?.question ?? '' };
    case 'copy-arguments':
      return { type: 'copy-code', text: readCode(clicked.closest('.tool-call')) };
    case 'copy-code':
      // JSON is copied as it arrived, regardless of its formatting on the page.
      if (turnId !== undefined && clicked.closest('.reply-text.json'))
        return { type: 'copy-reply', turnId, choice: readChoice(clicked) };
      return { type: action, text: readCode(clicked.closest('.code-block')) };
    case 'copy-csv':
      return { type: 'copy-code', text: convertTableToCsv(clicked) };
    case 'copy-markdown':
      return { type: 'copy-code', text: convertTableToMarkdown(clicked) };
    case 'insert-code':
      return { type: action, text: readCode(clicked.closest('.code-block')) };
    case 'apply-code': {
      const block = clicked.closest<HTMLElement>('.code-block');
      if (turnId === undefined) return undefined;
      return { type: action, turnId, text: readCode(block), info: block?.dataset.info ?? '' };
    }
    case 'new-file':
    case 'put-into-terminal':
      return {
        type: action,
        text: readCode(clicked.closest('.code-block')),
        language: readLanguage(clicked),
      };
    case 'open-file':
      return { type: action, reference: clicked.dataset.url ?? '' };
    case 'copy-reply':
      return turnId === undefined ? undefined : { type: action, turnId, choice: readChoice(clicked) };
    default:
      return { type: 'action', turnId, action: action as ReplyAction };
  }
}

function readLanguage(clicked: HTMLElement): string {
  return clicked.closest('.code-block')?.querySelector('.code-language')?.textContent ?? '';
}

function readChoice(clicked: HTMLElement): number {
  return Number(clicked.closest<HTMLElement>('[data-choice]')?.dataset.choice ?? 0);
}

function readCode(box: Element | null): string {
  return box?.querySelector('pre code')?.textContent ?? '';
}
