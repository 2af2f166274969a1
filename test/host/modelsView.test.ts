import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import {
  type ScriptedGateway,
  type ScriptedModel,
  startScriptedGateway,
} from '../support/scriptedGateway.ts';

describe('the Models view', () => {
  let services: Services;
  let gateway: ScriptedGateway | undefined;

  before(async () => {
    services = await getServices();
  });

  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function show(models: readonly ScriptedModel[], name: string): Promise<void> {
    gateway = await startScriptedGateway(models, (response) => response.end());
    await useGateway(services, name, gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  }

  it('groups models by owner, with ids exactly as the gateway writes them', async () => {
    await show(['a/b c/Übermodell:1', 'z'], 'view');
    assert.deepEqual(listRows(services), [
      ['script', '2'],
      ['  a/b c/Übermodell:1', undefined],
      ['  z', undefined],
    ]);
  });

  it('opens a chat for a model, or the Generate page if its name is that of a video model', async () => {
    await show(['words-1', 'wan2.5-t2v'], 'kinds');
    const titles = services.modelsView
      .getChildren()
      .flatMap((owner) => services.modelsView.getChildren(owner))
      .map((row) => services.modelsView.getTreeItem(row).command?.title);
    assert.deepEqual(titles, ['New Chat', 'New Video']);
  });

  it('shows the use, the context size and the price of models', async () => {
    await show(
      [
        {
          id: 'words-1',
          name: 'Words One',
          context_length: 128_000,
          owned_by: 'maker',
          pricing: { prompt: '0.00000015', completion: '0.0000006' },
          supported_parameters: ['tools'],
        },
        { id: 'free', owned_by: 'maker', pricing: { prompt: '0', completion: '0' } },
        { id: 'vectors', owned_by: 'maker', mode: 'embedding', max_model_len: 8192 },
      ],
      'facts',
    );
    assert.deepEqual(listRows(services), [
      ['maker', '3'],
      ['  Words One', '128k · $0.15/$0.60 per M'],
      ['  free', undefined],
      ['  vectors', 'embedding · 8k'],
    ]);
    assert.deepEqual(listTooltips(services)[0]?.split('\n'), [
      'Words One',
      'words-1',
      'Owner: maker',
      'For: chat',
      'Capabilities: tools',
      'Context: 128,000 tokens',
      'Price of input: $0.15 per million tokens',
      'Price of output: $0.60 per million tokens',
    ]);
  });

  it('gives all rows different identities, without which VS Code would show an empty view', async () => {
    const alike = [
      { id: 'b', owned_by: 'a' },
      { id: 'b', owned_by: 'a' },
      { id: 'a","b', owned_by: '' },
      { id: '', owned_by: 'x' },
      { id: 'pinned', owned_by: 'pinned' },
      { id: 'notice', owned_by: 'owner' },
      { id: 'c', owned_by: 'a/b' },
      { id: 'b/c', owned_by: 'a' },
      { id: '["model","b"]', owned_by: 'a' },
      ...Array.from({ length: 12 }, (_, nth) => ({ id: `m-${nth}`, owned_by: `${nth % 2}` })),
      { id: 'same-1', name: 'Same' },
      { id: 'same-2', name: 'Same' },
    ];
    await show(alike, 'alike');
    const { gateway } = services.connection.state;
    assert(gateway);
    for (const id of ['b', 'pinned', 'm-1']) await services.modelChoices.marks.pin(gateway, id, true);
    for (const id of ['b', 'notice', 'm-2']) await services.modelChoices.memory.noteUsed(gateway, id);
    const ids = listIdentities(services);
    assert.ok(ids.length > alike.length, 'only visible rows were read');
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    );
  });

  it('T9 shows hostile names and ids as plain text', async () => {
    const words = '$(trash) [Free](command:workbench.action.quit)';
    await show([{ id: words, name: `${words}!`, owned_by: words, mode: words }], 'words');
    const [owner, model] = listRows(services);
    assert.deepEqual(owner, ['$ (trash) [Free] (command:workbench.action.quit)', '1']);
    assert.equal(model?.[0], '  $ (trash) [Free] (command:workbench.action.quit)!');
    assert.match(listTooltips(services)[0] ?? '', /^\$ \(trash\) \[Free\] \(command/);
  });

  it('begins with the pinned models, then with recent ones if the list is long', async () => {
    await show(
      Array.from({ length: 12 }, (_, nth) => `model-${nth}`),
      'favourites',
    );
    await runOnModel('models.pin', 'model-7');
    await runOnModel('models.pin', 'model-3');
    const { gateway } = services.connection.state;
    assert(gateway);
    await services.modelChoices.memory.noteUsed(gateway, 'model-7');
    await services.modelChoices.memory.noteUsed(gateway, 'model-5');
    assert.deepEqual(listRows(services).slice(0, 6), [
      ['Pinned', undefined],
      ['  model-7', undefined],
      ['  model-3', undefined],
      ['Recent', undefined],
      ['  model-5', undefined],
      ['script', '12'],
    ]);
    await services.connection.refresh();
    assert.equal(listRows(services)[1]?.[0], '  model-7');
    await runOnModel('models.unpin', 'model-7');
    assert.deepEqual(
      listRows(services)
        .slice(0, 5)
        .map(([label]) => label),
      ['Pinned', '  model-3', 'Recent', '  model-5', '  model-7'],
    );
  });

  it('collapses the owners of a long list, and expands those of a short one', async () => {
    const state = () =>
      services.modelsView.getChildren().map((node) => services.modelsView.getTreeItem(node).collapsibleState);
    const owned = (count: number) =>
      Array.from({ length: count }, (_, nth) => ({ id: `m-${nth}`, owned_by: `owner-${nth % 3}` }));
    await show(owned(155), 'long');
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    assert.deepEqual(state(), [Collapsed, Collapsed, Collapsed]);
    await gateway?.close();
    await show(owned(9), 'short');
    assert.deepEqual(state(), [Expanded, Expanded, Expanded]);
  });

  it('offers in chats the models that the user chooses, and shows this in the row', async () => {
    await show(['words-1', 'whisper-1'], 'offers');
    const contexts = () =>
      services.modelsView
        .getChildren()
        .flatMap((node) => services.modelsView.getChildren(node))
        .map((node) => services.modelsView.getTreeItem(node).contextValue);
    const [chats, others] = [
      'model for-chats in-vscode-chat unpinned',
      'model not-for-chats not-in-vscode-chat unpinned',
    ];
    assert.deepEqual(contexts(), [chats, others]);
    await runOnModel('models.hideFromChats', 'words-1');
    assert.deepEqual(listRows(services)[1], ['  words-1', 'hidden from chats']);
    await runOnModel('models.offerInChats', 'whisper-1');
    assert.match(contexts()[0] ?? '', /^model not-for-chats /);
    assert.match(contexts()[1] ?? '', /^model for-chats /);
    const chat = await services.chats.open({});
    assert.equal(chat.session.target.model, 'whisper-1');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('uses a model in the open chat', async () => {
    await show(['words-1', 'words-2'], 'used');
    const chat = await services.chats.open({ model: 'words-1' });
    await runOnModel('models.useInChat', 'words-2');
    assert.equal(chat.session.target.model, 'words-2');
    assert.equal(services.chats.all.length, 1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('reports an empty list with a remedy', async () => {
    await show([], 'empty');
    const [row] = services.modelsView.getChildren();
    assert(row?.kind === 'notice');
    assert.match(row.label, /no models/);
    assert.equal(row.item.command?.command, 'modelGateway.setCredential');
  });

  it('keeps the old rows when the gateway is unreachable, with the reason and a button first', async () => {
    await show(['kept'], 'stale');
    await gateway?.close();
    gateway = undefined;
    await services.connection.refresh();
    const [first, ...rest] = listRows(services);
    assert.equal(first?.[0], 'Not reachable');
    assert.match(first?.[1] ?? '', /^since .*, showing the last list$/);
    assert.deepEqual(rest, [
      ['script', '1'],
      ['  kept', undefined],
    ]);
    const [notice] = services.modelsView.getChildren();
    assert.equal(notice?.kind === 'notice' && notice.item.command?.command, 'modelGateway.refreshModels');
  });

  it('shows 10,000 models', async () => {
    await show(
      Array.from({ length: 10_000 }, (_, index) => `model-${index}`),
      'many',
    );
    assert.equal(listRows(services).length, 10_001);
  });

  it('copies a model’s id', async () => {
    const model = { id: 'owner/Model 1:ü', owner: 'owner' };
    await vscode.commands.executeCommand('modelGateway.copyModelId', { kind: 'model', model });
    assert.equal(await vscode.env.clipboard.readText(), 'owner/Model 1:ü');
  });

  it('T4 does not send anything before the user requests something', async () => {
    await show(['seen'], 'quiet');
    const before = gateway?.requests.length;
    await services.gateways.setCurrent('quiet');
    assert.equal(services.connection.state.phase, 'idle');
    assert.deepEqual(listRows(services).slice(1), [
      ['script', '1'],
      ['  seen', undefined],
    ]);
    assert.equal(gateway?.requests.length, before);
  });

  it('T5 does not send a credential after the address of a gateway moved to another origin', async () => {
    await show(['m'], 'moved');
    const elsewhere = await startScriptedGateway(['m'], (response) => response.end());
    await services.gateways.save({ name: 'moved', baseUrl: elsewhere.baseUrl });
    await services.connection.refresh();
    assert.deepEqual(
      elsewhere.requests.map(({ authorization }) => authorization),
      [undefined],
    );
    await elsewhere.close();
  });
});

/** Runs a command on the row of a model. */
function runOnModel(command: string, id: string): Thenable<unknown> {
  return vscode.commands.executeCommand(`modelGateway.${command}`, {
    kind: 'model',
    model: { id, owner: '' },
  });
}

/** The tooltips of the models’ rows. */
function listTooltips({ modelsView }: Services): readonly string[] {
  return modelsView
    .getChildren()
    .flatMap((node) => modelsView.getChildren(node))
    .map((node) => String(modelsView.resolveTreeItem(modelsView.getTreeItem(node), node).tooltip));
}

/** The visible text, row by row: label and description, children indented. */
function listRows({ modelsView }: Services): [label: string, description: string | undefined][] {
  return modelsView.getChildren().flatMap((node) => {
    const children = modelsView
      .getChildren(node)
      .map((child) => readRow(modelsView.getTreeItem(child), '  '));
    return [readRow(modelsView.getTreeItem(node), ''), ...children];
  });
}

function readRow(item: vscode.TreeItem, indent: string): [string, string | undefined] {
  return [`${indent}${String(item.label)}`, item.description ? String(item.description) : undefined];
}

/** The ids by which VS Code distinguishes all rows. */
function listIdentities({ modelsView }: Services): readonly (string | undefined)[] {
  const top = modelsView.getChildren();
  return [...top, ...top.flatMap((row) => modelsView.getChildren(row))].map(
    (row) => modelsView.getTreeItem(row).id,
  );
}
