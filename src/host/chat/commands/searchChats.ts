import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import type { SearchHit } from '../../../conversations/search/searchHit.ts';
import { maxQueryLength } from '../../../conversations/search/searchQuery.ts';
import type { FilterValues } from '../../../conversations/store/listing.ts';
import type { SearchResponse } from '../../../conversations/worker/conversationWorker.ts';
import { notify } from '../../kit/display/notify.ts';
import { pickAsTyped } from '../../kit/display/pickAsTyped.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { openChat } from '../tab/openChat.ts';
import {
  createFailureRow,
  createFilterRows,
  createFilterValueRows,
  createSearchRows,
  createSearchTitle,
  type HitRow,
  maxHits,
} from './searchRows.ts';

/** Searches all chats while the user types. The chosen hit opens on its own branch. */
async function searchChats(services: ChatServices): Promise<void> {
  const hit = await pickHit(services);
  if (hit) await showHit(services, hit);
}

async function pickHit({ conversations, chatWorker, log }: ChatServices): Promise<SearchHit | undefined> {
  let choices: FilterValues | undefined;
  const chosen = await pickAsTyped<HitRow>({
    title: createSearchTitle(),
    placeHolder: vscode.l10n.t('Words, parts of words, "several words in quotes", and filters'),
    help: { icon: 'filter', tooltip: vscode.l10n.t('Add Filter'), rows: createFilterRows },
    async find(input, show, signal) {
      const typed = input.slice(0, maxQueryLength);
      const showResult = (result: SearchResponse) => {
        const filters = typed.trim() === '' ? createFilterRows('') : createFilterValueRows(typed, choices);
        show([...filters, ...createSearchRows(typed, result)], createSearchTitle(result));
      };
      if (typed.trim() === '') showResult({ hits: [], searched: 1 });
      try {
        // The store is opened first, because it upgrades a file of an earlier version. The worker only reads the file.
        choices ??= (await conversations.store()).readFilterValues();
        showResult(
          await chatWorker.request(
            'search',
            { text: typed, limit: maxHits },
            { signal, onProgress: showResult },
          ),
        );
      } catch (error) {
        if (signal.aborted) return;
        log.error('chat', errorTrace(error));
        show([createFailureRow(error)], createSearchTitle());
      }
    },
  });
  return chosen?.hit;
}

/** Opens the chat of a hit, on the branch of its message. Offers to restore a deleted chat. */
async function showHit(services: ChatServices, { conversation, message, snippet }: SearchHit): Promise<void> {
  const store = await services.conversations.store();
  if (store.get(conversation)?.deletedAt !== undefined) {
    const undo = vscode.l10n.t('Undo');
    if ((await notify('info', vscode.l10n.t('This chat was deleted.'), undo)) !== undo) return;
    await services.conversations.change((latest) => latest.undelete(conversation));
  }
  const chat = await openChat(services, conversation);
  if (!chat) {
    void notify('warning', vscode.l10n.t('This chat was permanently deleted in another window.'));
    return;
  }
  if (message === undefined) return chat.perform('focus-composer');
  // System and tool messages are not shown, so the message before them is used.
  const shownId = store
    .readPathIds(conversation, message)
    .findLast((id) => chat.session.conversation.tree.has(id));
  if (!shownId) showStatusMessage(vscode.l10n.t('This message was deleted.'));
  else if (!chat.showMessage(shownId, extractMatchedWords(snippet))) {
    const text = vscode.l10n.t('This message is on another branch. Stop the reply in progress to see it.');
    showStatusMessage(text);
  }
}

/** Extracts the matched words with their spelling in the text. */
function extractMatchedWords({ text, marks }: SearchHit['snippet']): readonly string[] {
  return [...new Set(marks.map(([begin, end]) => text.slice(begin, end)))];
}

/** The command for the search, by its id. */
export const chatSearchCommands = { 'chats.search': searchChats } satisfies CommandTable<ChatServices>;
