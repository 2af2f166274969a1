import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { ConversationStore } from '../../src/conversations/store/conversationStore.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatsNode } from '../../src/host/chat/list/chatRows.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { StorageError } from '../../src/storage/sqlite/storageError.ts';
import { addExchange } from '../support/conversationStores.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, unloadClosedChats, waitForEvent } from '../support/extensionServices.ts';
import { TestQuickPick } from '../support/testQuickPick.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

describe('the Chats view', () => {
  let services: Services;
  let store: ConversationStore;
  let one: string;
  let two: string;

  before(async () => {
    services = await getServices();
    store = createWaitingStore(await services.conversations.store());
    await vscode.commands.executeCommand('modelGateway.chats.focus');
  });

  beforeEach(async () => {
    for (const { id } of store.list({ archived: 'any' }, 1000).conversations) store.delete(id);
    one = store.create({ gateway: 'here', gatewayName: 'Here', workspace: 'file:///work/garden' });
    addExchange(store, one, 'Why is [the sky](command:x) blue?\u202e', 'It scatters.');
    two = store.create({ gateway: 'there', gatewayName: 'There', title: 'Roses' });
    addExchange(store, two, 'When do roses bloom?', 'In June.');
    await services.chatsView.filterBy([]);
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
  });

  /** The label of every row: each group, followed by its children. */
  async function listRows(): Promise<readonly string[]> {
    const { chatsView } = services;
    const words = (node: ChatsNode) => String(chatsView.getTreeItem(node).label);
    const lines: string[] = [];
    for (const node of await chatsView.getChildren()) {
      lines.push(words(node));
      for (const child of await chatsView.getChildren(node)) lines.push(`  ${words(child)}`);
    }
    return lines;
  }

  async function findRow(id: string): Promise<ChatsNode> {
    for (const node of await services.chatsView.getChildren()) {
      for (const child of await services.chatsView.getChildren(node)) {
        if (child.kind === 'chat' && child.id === id) return child;
      }
    }
    return assert.fail('the chat has a row');
  }

  async function waitForRows(expected: readonly string[]): Promise<void> {
    const { chatsView } = services;
    for (let waited = 0; waited < 100; waited += 1) {
      if (JSON.stringify(await listRows()) === JSON.stringify(expected)) return;
      await waitForEvent(chatsView.onDidChangeTreeData, () => true);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(await listRows(), expected);
  }

  function run(command: string, ...args: readonly unknown[]): Thenable<unknown> {
    return vscode.commands.executeCommand(`modelGateway.chats.${command}`, ...args);
  }

  it('labels chats with their title or first question, without links and hidden characters', async () => {
    assert.deepEqual(await listRows(), ['Today', '  Roses', '  Why is [the sky] (command:x) blue?']);
    const { description, contextValue, tooltip, command } = services.chatsView.getTreeItem(
      await findRow(two),
    );
    assert.match(String(description), /^\d\d:\d\d · chat-1$/);
    assert.equal(contextValue, 'chat unpinned unarchived');
    assert.match(
      String(tooltip),
      /Roses\nWhen do roses bloom\?\n[\s\S]*Model: chat-1\nGateway: There\nMessages: 2/,
    );
    assert.equal(command?.arguments, undefined);
  });

  it('shows unsent text as a draft, which can be opened, and disappears once it is empty', async () => {
    const chat = await services.chats.open({});
    chat.session.setMessageText('Half a\nthought');
    chat.panel.dispose();
    services.closedChats.take(chat.session.id)?.dispose();
    // Drafts of other tests' chats may be listed, too.
    const isListed = async () => (await listRows()).includes('  Half a thought');
    const untilListed = async (expected: boolean) => {
      while ((await isListed()) !== expected) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await untilListed(true);
    const draft = await findRow(chat.session.id);
    const { description, contextValue } = services.chatsView.getTreeItem(draft);
    assert.match(String(description), /^Draft · \d\d:\d\d/);
    assert.equal(contextValue, 'chat draft unpinned unarchived');
    await answerDialogs('Undo', () => run('delete', draft));
    await untilListed(true);
    await run('openChat', await findRow(chat.session.id));
    const again = services.chats.lastActive;
    assert.equal(again?.session.unsent.text, 'Half a\nthought');
    again?.session.setMessageText('');
    await untilListed(false);
  });

  it('opens a chat as it was left, and reveals its tab the next time', async () => {
    await Promise.all([run('openChat', await findRow(one)), run('openChat', await findRow(one))]);
    assert.equal(services.chats.all.length, 1);
    const chat = services.chats.lastActive;
    assert.equal(chat?.session.id, one);
    const turns = chat?.session.conversation.turns.map(({ question, replies: [reply] }) => [
      question.text,
      reply && replyText(reply),
    ]);
    assert.deepEqual(turns, [['Why is [the sky](command:x) blue?\u202e', 'It scatters.']]);
    await run('openChat', await findRow(two));
    await run('openChat', await findRow(one));
    assert.deepEqual([services.chats.all.length, services.chats.active?.session.id], [2, one]);
    assert.match(
      JSON.stringify(services.chatsView.getTreeItem(await findRow(one)).iconPath),
      /comment-discussion/,
    );
  });

  it('opens a chat to the side, and a closed chat with its content', async () => {
    await run('openChat', await findRow(one));
    await run('openToSide', await findRow(two));
    const { tabGroups } = vscode.window;
    const titles = () => tabGroups.all.map(({ tabs }) => tabs.map(({ label }) => label));
    await waitForEvent(tabGroups.onDidChangeTabs, () => titles()[1]?.length === 1);
    assert.deepEqual(titles(), [['Why is [the sky] (command:x) blue?'], ['Roses']]);
    const chat = services.chats.all.find(({ session }) => session.id === one);
    const session = chat?.session;
    chat?.panel.dispose();
    await run('openChat', await findRow(one));
    const again = services.chats.all.find((each) => each.session.id === one);
    assert.equal(again?.session, session, 'the same chat, not another copy of it');
    assert.equal(services.closedChats.take(), undefined);
  });

  it('renames a chat and its tab, and restores the name from its question', async () => {
    await run('openChat', await findRow(two));
    const [tab] = services.chats.all;
    assert.equal(tab?.panel.title, 'Roses');
    await typeIntoBox('  Roses \n in June ', async () => void (await run('rename', await findRow(two))));
    assert.equal(store.get(two)?.title, 'Roses in June');
    await waitForRows(['Today', '  Roses in June', '  Why is [the sky] (command:x) blue?']);
    assert.equal(tab?.panel.title, 'Roses in June');
    await typeIntoBox('', async () => void (await run('rename', await findRow(two))));
    await waitForRows(['Today', '  When do roses bloom?', '  Why is [the sky] (command:x) blue?']);
    assert.equal(tab?.panel.title, 'When do roses bloom?');
    await typeIntoBox(undefined, async () => void (await run('rename', await findRow(two))));
    assert.equal(store.get(two)?.title, '');
  });

  it('offers the current name for editing, and does not store it if it is the unchanged question', async () => {
    const rename = async () => void (await run('rename', await findRow(two)));
    const asTheyAre: string[] = [];
    const accept = (value = '') => {
      asTheyAre.push(value);
      return value;
    };
    await typeIntoBox(accept, rename);
    store.rename(two, '');
    await typeIntoBox(accept, rename);
    assert.deepEqual(asTheyAre, ['Roses', 'When do roses bloom?']);
    assert.equal(store.get(two)?.title, '');
  });

  it('pins and archives chats, several at once, and reverts both', async () => {
    const [first, second] = [await findRow(one), await findRow(two)];
    await run('pin', first);
    await waitForRows(['Pinned', '  Why is [the sky] (command:x) blue?', 'Today', '  Roses']);
    assert.equal((await findRow(one)) === first, true, 'an open menu keeps its row');
    await run('unpin', first);
    await run('archive', first, [first, second]);
    await waitForRows(['Archived', '  Roses', '  Why is [the sky] (command:x) blue?']);
    const [archived] = await services.chatsView.getChildren();
    assert.ok(archived);
    const { collapsibleState } = services.chatsView.getTreeItem(archived);
    assert.equal(collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
    await run('unarchive', first, [first, second]);
    await waitForRows(['Today', '  Roses', '  Why is [the sky] (command:x) blue?']);
  });

  it('deletes several chats, closes their tabs, and restores all with Undo', async () => {
    const [first, second] = [await findRow(one), await findRow(two)];
    await run('openChat', first);
    const dialogs = await answerDialogs('Undo', async () => {
      const status = await collectStatusMessages(
        async () => void (await run('delete', second, [first, second])),
      );
      assert.deepEqual(services.chats.all.length, 0);
      assert.deepEqual(status, [], 'a deleted chat is not reported as closed');
      await waitForEvent(services.conversations.onDidChange, () => store.list().conversations.length === 2);
      await waitForEvent(services.chats.onDidChange, () => services.chats.all.length === 1);
    });
    assert.deepEqual(
      dialogs.map(({ message, buttons }) => [message, buttons]),
      [['Deleted: 2 chats.', ['Undo']]],
    );
    assert.equal(services.chats.all[0]?.session.id, one);
    await answerDialogs(undefined, () => run('delete', second));
    await waitForRows(['Today', '  Why is [the sky] (command:x) blue?']);
    assert.equal(services.closedChats.take(), undefined, 'deleted chats are not reopened');
    await run('undoDelete');
    await waitForRows(['Today', '  Roses', '  Why is [the sky] (command:x) blue?']);
  });

  it('restores a chat that was deleted earlier, while it still exists', async () => {
    await run('refresh');
    store.delete(one);
    await waitForRows(['Today', '  Roses']);
    await answerDialogs('Why is [the sky] (command:x) blue?', () => run('restore'));
    await waitForRows(['Today', '  Roses', '  Why is [the sky] (command:x) blue?']);
    assert.equal(services.chats.active?.session.id, one);
  });

  it('forks a chat into a separate one', async () => {
    await run('fork', await findRow(one));
    const fork = services.chats.active?.session;
    assert.ok(fork && fork.id !== one);
    assert.equal(store.get(fork.id)?.forkOf, one);
    assert.equal(fork.title, 'Why is [the sky] (command:x) blue? (fork)');
    assert.equal(fork.conversation.turns.length, 1);
  });

  it('lists the chats to choose from if VS Code lost the row, and uses the active chat from the palette', async () => {
    await answerDialogs('Roses', () => run('openChat', undefined));
    assert.equal(services.chats.active?.session.id, two);
    await run('pin');
    assert.notEqual(store.get(two)?.pinnedAt, undefined);
    const dialogs = await answerDialogs('Why is [the sky] (command:x) blue?', () => run('pin'));
    assert.deepEqual(dialogs, [], 'the list is not a dialog');
    assert.notEqual(store.get(one)?.pinnedAt, undefined);
    const [dialog] = await answerDialogs(undefined, () => run('unarchive'));
    assert.equal(dialog?.message, 'No chat is available for this command.');
    // The chosen chat may be deleted by then.
    assert.equal(await openChat(services, 'a-chat-that-is-gone'), undefined);
  });

  it('is filtered by gateway, workspace and model', async () => {
    await services.chatsView.filterBy([{ kind: 'gateway', value: 'there', name: 'There' }]);
    assert.deepEqual(await listRows(), ['Today', '  Roses']);
    await services.chatsView.filterBy([
      { kind: 'workspace', value: 'file:///work/garden', name: 'garden' },
      { kind: 'model', value: 'chat-1', name: 'chat-1' },
    ]);
    assert.deepEqual(await listRows(), ['Today', '  Why is [the sky] (command:x) blue?']);
    await run('clearFilter');
    assert.equal((await listRows()).length, 3);
  });

  it('is filtered by the picked values, and can be empty', async () => {
    const list = new TestQuickPick();
    try {
      const picked = run('filter');
      const labelled = (name: string) => list.labels.find((label) => label.endsWith(name));
      await waitForEvent(list.onDidShow, () => labelled('There') !== undefined);
      for (const name of ['garden', 'Here', 'chat-1']) assert.ok(labelled(name), name);
      list.focused = labelled('There');
      list.accept();
      await picked;
    } finally {
      list.dispose();
    }
    assert.deepEqual(await listRows(), ['Today', '  Roses']);
    store.delete(two);
    await waitForRows([]);
    await run('clearFilter');
    assert.deepEqual(await listRows(), ['Today', '  Why is [the sky] (command:x) blue?']);
  });

  it('shows 50 chats of a group at first, and more through its last row', async () => {
    for (let nth = 0; nth < 60; nth += 1) addExchange(store, store.create(), `Question ${nth}?`, 'So.');
    await run('refresh');
    const all = await listRows();
    assert.equal(all.length, 1 + 50 + 1);
    assert.match(all.at(-1) ?? '', /^ {2}Show More/);
    const [group] = await services.chatsView.getChildren();
    const rest = group && (await services.chatsView.getChildren(group)).at(-1);
    assert.ok(rest?.kind === 'rest');
    services.chatsView.showMore(rest.group);
    assert.equal((await listRows()).length, 1 + 62);
  });

  it('reports that the file cannot be read or written, and shows the chats again afterwards', async () => {
    const list = store.list.bind(store);
    store.list = () => {
      throw new StorageError('other', 'The disk is gone.');
    };
    try {
      await run('refresh');
      const [failure] = await services.chatsView.getChildren();
      assert.ok(failure);
      const { label, tooltip, command } = services.chatsView.getTreeItem(failure);
      assert.equal(label, 'The chat file cannot be read');
      assert.match(String(tooltip), /The disk is gone\.[\s\S]*Click to try again\./);
      assert.equal(command?.command, 'modelGateway.chats.refresh');
      assert.ok((await listRows()).includes('  Roses'), 'the values read before remain');
    } finally {
      store.list = list;
    }
    await run('refresh');
    assert.equal((await listRows())[0], 'Today');
    Object.defineProperty(store.database, 'readOnly', { value: 'full', configurable: true });
    try {
      await run('refresh');
      assert.equal((await listRows())[0], 'Changes to chats are not saved');
    } finally {
      Reflect.deleteProperty(store.database, 'readOnly');
    }
    await run('refresh');
    assert.equal((await listRows())[0], 'Today');
  });

  it('shortens a title of 10,000 characters in the view and in its tab', async () => {
    const title = `Long ${'title '.repeat(2000)}`;
    store.rename(two, title);
    await run('refresh');
    const item = services.chatsView.getTreeItem(await findRow(two));
    assert.ok(String(item.label).length <= 301 && String(item.label).startsWith('Long title'));
    assert.ok(String(item.tooltip).length < 5000);
    await run('openChat', await findRow(two));
    assert.ok((services.chats.lastActive?.panel.title.length ?? 999) <= 41);
    assert.equal(store.get(two)?.title, title);
  });

  it('reopens the chat that was closed last, otherwise the one that changed last', async () => {
    const reopen = () => vscode.commands.executeCommand('modelGateway.chat.reopen');
    for (const [nth, id] of [one, two].entries()) {
      store.database.run('UPDATE conversations SET changedAt = ? WHERE id = ?', Date.now() + nth, id);
    }
    await reopen();
    assert.equal(services.chats.lastActive?.session.id, two);
    await reopen();
    assert.equal(services.chats.lastActive?.session.id, one);
    const closed = services.chats.all.find(({ session }) => session.id === two);
    closed?.panel.dispose();
    await reopen();
    assert.equal(services.chats.lastActive?.session.id, two);
    await reopen();
    assert.equal(services.chats.all.length, 2, 'all are open');
  });

  it('shows changes of another window', async () => {
    const other = openConversationStore({ file: store.database.path, window: 'another' });
    other.rename(one, 'The sky');
    other.close();
    store.detectExternalChanges();
    await waitForRows(['Today', '  Roses', '  The sky']);
  });

  it('reports a chat that is permanently deleted', async () => {
    const deletedChat = { kind: 'chat', id: two };
    store.database.write(() => store.database.run('DELETE FROM conversations WHERE id = ?', two));
    const dialogs = await answerDialogs(undefined, () => run('openChat', deletedChat));
    assert.equal(dialogs[0]?.message, 'No chat is available for this command.');
    assert.equal(services.chats.all.length, 0);
  });
});

/** @param text the text typed into the next box, or a function of the box's value; undefined closes it */
async function typeIntoBox(
  text: string | undefined | ((value?: string) => string),
  act: () => Promise<void>,
): Promise<void> {
  const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
  const { showInputBox } = vscode.window;
  window.showInputBox = async ({ value }: vscode.InputBoxOptions) =>
    typeof text === 'function' ? text(value) : text;
  try {
    await act();
  } finally {
    window.showInputBox = showInputBox;
  }
}

/** The status bar messages while `act` runs. */
async function collectStatusMessages(act: () => Promise<void>): Promise<readonly string[]> {
  const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
  const { setStatusBarMessage } = vscode.window;
  const received: string[] = [];
  window.setStatusBarMessage = (text: string) => received.push(text);
  try {
    await act();
  } finally {
    window.setStatusBarMessage = setStatusBarMessage;
  }
  return received;
}
