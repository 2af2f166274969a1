import * as vscode from 'vscode';
import { errorTrace } from '../../../base/errors.ts';
import type { SearchHit } from '../../../conversations/search/searchHit.ts';
import { maxTyped } from '../../../conversations/search/searchQuery.ts';
import type { ListChoices } from '../../../conversations/store/listing.ts';
import type { SearchAnswer } from '../../../conversations/worker/requestKinds.ts';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { pickAsTyped } from '../../kit/display/typedList.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { openChat } from '../commands/openChat.ts';
import { filterRows, openFilterRows } from './filterRows.ts';
import { failureRow, type HitRow, maxHits, rowsOf, titleOf } from './hitRows.ts';

/** Shows what is found in all chats as it is typed. What is chosen opens on its own branch. */
async function searchChats(services: ChatServices): Promise<void> {
  const hit = await pickHit(services);
  if (hit) await show(services, hit);
}

async function pickHit({ conversations, chatWorker, log }: ChatServices): Promise<SearchHit | undefined> {
  let choices: ListChoices | undefined;
  const chosen = await pickAsTyped<HitRow>({
    title: titleOf(),
    placeHolder: vscode.l10n.t('Words, parts of words, "several words in quotes", and filters'),
    help: { icon: 'filter', tooltip: vscode.l10n.t('Add Filter'), rows: filterRows },
    async find(typedNow, show, signal) {
      const typed = typedNow.slice(0, maxTyped);
      const tell = (answer: SearchAnswer) => {
        const begun = typed.trim() === '' ? filterRows('') : openFilterRows(typed, choices);
        show([...begun, ...rowsOf(typed, answer)], titleOf(answer));
      };
      if (typed.trim() === '') tell({ hits: [], searched: 1 });
      try {
        // A file of an earlier version is brought up to date here: the worker only reads it.
        choices ??= (await conversations.store()).listChoices();
        tell(await chatWorker.ask('search', { typed, limit: maxHits }, { signal, onProgress: tell }));
      } catch (error) {
        if (signal.aborted) return;
        log.error('chat', errorTrace(error));
        show([failureRow(error)], titleOf());
      }
    },
  });
  return chosen?.hit;
}

async function show(services: ChatServices, { conversation, message, snippet }: SearchHit): Promise<void> {
  const store = await services.conversations.store();
  if (store.get(conversation)?.deletedAt !== undefined) {
    const undo = vscode.l10n.t('Undo');
    if ((await notify('info', vscode.l10n.t('This chat was deleted.'), undo)) !== undo) return;
    await services.conversations.change((each) => each.undelete(conversation));
  }
  const chat = await openChat(services, conversation);
  if (!chat) {
    void notify('warning', vscode.l10n.t('This chat was permanently deleted in another window.'));
    return;
  }
  if (message === undefined) return chat.perform('focus-composer');
  // What systems and tools said is not shown: the message before it is.
  const shown = store.pathIds(conversation, message).findLast((id) => chat.session.conversation.has(id));
  if (!shown) showStatusMessage(vscode.l10n.t('This message was deleted.'));
  else if (!chat.showMessage(shown, wordsOf(snippet))) {
    const text = vscode.l10n.t('This message is on another branch. Stop the reply that arrives to see it.');
    showStatusMessage(text);
  }
}

/** What was found, as it is written there. */
function wordsOf({ text, marks }: SearchHit['snippet']): readonly string[] {
  return [...new Set(marks.map(([begin, end]) => text.slice(begin, end)))];
}

/** The command that searches chats. */
export const chatSearchCommands = { 'chats.search': searchChats } satisfies CommandTable<ChatServices>;
