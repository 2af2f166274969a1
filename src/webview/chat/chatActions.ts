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
  'delete-reply',
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
export function createChatMessage(action: string, element: HTMLElement): FromChatPage | undefined {
  const turnId = element.closest<TurnElement | ColumnElement>('mg-turn, mg-column')?.turnId;
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
      return { type: action, id: element.dataset.id ?? '' };
    case 'detach':
      return { type: action, index: Number(element.dataset.index) };
    case 'open-sent-file':
    case 'open-fault':
      return turnId === undefined
        ? undefined
        : { type: action, turnId, index: Number(element.dataset.index) };
    case 'open-link':
      return element.dataset.url ? { type: action, url: element.dataset.url } : undefined;
    case 'show-branch':
      return element.dataset.message ? { type: action, messageId: element.dataset.message } : undefined;
    case 'stop-column':
      return turnId === undefined ? undefined : { type: 'stop', turnId };
    case 'fork':
    case 'continue-with-reply':
    case 'close-column':
    case 'compare-reply':
    case 'compare-branches':
    case 'open-differences':
    case 'copy-request-id':
    case 'copy-gateway-request-id':
      return turnId === undefined ? undefined : { type: action, turnId };
    case 'delete-question':
    case 'delete-reply':
      if (turnId === undefined) return undefined;
      return { type: 'delete-message', turnId, of: action === 'delete-question' ? 'question' : 'reply' };
    case 'copy-question':
      return { type: 'copy-code', text: element.closest('mg-turn')?.question ?? '' };
    case 'copy-arguments':
      return { type: 'copy-code', text: readCode(element.closest('.tool-call')) };
    case 'copy-code':
      // JSON is copied as it arrived, regardless of its formatting on the page.
      if (turnId !== undefined && element.closest('.reply-text.json'))
        return { type: 'copy-reply', turnId, choice: readChoice(element) };
      return { type: action, text: readCode(element.closest('.code-block')) };
    case 'copy-csv':
      return { type: 'copy-code', text: convertTableToCsv(element) };
    case 'copy-markdown':
      return { type: 'copy-code', text: convertTableToMarkdown(element) };
    case 'insert-code':
      return { type: action, text: readCode(element.closest('.code-block')) };
    case 'apply-code': {
      const block = element.closest<HTMLElement>('.code-block');
      if (turnId === undefined) return undefined;
      return { type: action, turnId, text: readCode(block), info: block?.dataset.info ?? '' };
    }
    case 'new-file':
    case 'put-into-terminal':
      return {
        type: action,
        text: readCode(element.closest('.code-block')),
        language: readLanguage(element),
      };
    case 'open-file':
      return { type: action, reference: element.dataset.url ?? '' };
    case 'copy-reply':
      return turnId === undefined ? undefined : { type: action, turnId, choice: readChoice(element) };
    default:
      return { type: 'action', turnId, action: action as ReplyAction };
  }
}

function readLanguage(element: HTMLElement): string {
  return element.closest('.code-block')?.querySelector('.code-language')?.textContent ?? '';
}

function readChoice(element: HTMLElement): number {
  return Number(element.closest<HTMLElement>('[data-choice]')?.dataset.choice ?? 0);
}

function readCode(box: Element | null): string {
  return box?.querySelector('pre code')?.textContent ?? '';
}
