import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/services.ts';
import { extensionServices, useGateway } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('the Models view', () => {
  let services: Services;
  let gateway: ScriptedGateway | undefined;

  before(async () => {
    services = await extensionServices();
  });

  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function show(models: readonly string[], name: string): Promise<void> {
    gateway = await startScriptedGateway(models, (response) => response.end());
    await useGateway(services, name, gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  }

  it('groups models by owner, ids exactly as the gateway writes them', async () => {
    await show(['a/b c/Übermodell:1', 'z'], 'view');
    assert.deepEqual(rows(services), [
      ['script', '2'],
      ['  a/b c/Übermodell:1', undefined],
      ['  z', undefined],
    ]);
  });

  it('says what a click on a model opens: a chat, or the Generate page where its name is of videos', async () => {
    await show(['words-1', 'wan2.5-t2v'], 'kinds');
    const titles = services.modelsView
      .getChildren()
      .flatMap((owner) => services.modelsView.getChildren(owner))
      .map((row) => services.modelsView.getTreeItem(row).command?.title);
    assert.deepEqual(titles, ['New Chat', 'New Video']);
  });

  it('says that a list is empty and what to do', async () => {
    await show([], 'empty');
    const [row] = services.modelsView.getChildren();
    assert(row?.kind === 'notice');
    assert.match(row.label, /no models/);
    assert.equal(row.item.command?.command, 'modelGateway.setCredential');
  });

  it('keeps the old rows when the gateway goes away, with the reason and a button first', async () => {
    await show(['kept'], 'stale');
    await gateway?.close();
    gateway = undefined;
    await services.connection.refresh();
    const [first, ...rest] = rows(services);
    assert.equal(first?.[0], 'The gateway cannot be reached');
    assert.match(first?.[1] ?? '', /^since .*, showing the last list$/);
    assert.deepEqual(rest, [
      ['script', '1'],
      ['  kept', undefined],
    ]);
    const [notice] = services.modelsView.getChildren();
    assert.equal(notice?.kind === 'notice' && notice.item.command?.command, 'modelGateway.refreshModels');
  });

  it('shows 5,000 models', async () => {
    await show(
      Array.from({ length: 5000 }, (_, index) => `model-${index}`),
      'many',
    );
    assert.equal(rows(services).length, 5001);
  });

  it('copies a model’s id', async () => {
    const model = { id: 'owner/Model 1:ü', owner: 'owner' };
    await vscode.commands.executeCommand('modelGateway.copyModelId', { kind: 'model', model });
    assert.equal(await vscode.env.clipboard.readText(), 'owner/Model 1:ü');
  });

  it('T4 nothing is sent before the user asks', async () => {
    await show(['seen'], 'quiet');
    const before = gateway?.requests.length;
    await services.gateways.use('quiet');
    assert.equal(services.connection.state.phase, 'unasked');
    assert.deepEqual(rows(services).slice(1), [
      ['script', '1'],
      ['  seen', undefined],
    ]);
    assert.equal(gateway?.requests.length, before);
  });

  it('T5 a gateway whose address moved to another origin has no credential', async () => {
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

/** What a user reads, row by row: label and description, children indented. */
function rows({ modelsView }: Services): [label: string, description: string | undefined][] {
  return modelsView.getChildren().flatMap((node) => {
    const children = modelsView.getChildren(node).map((child) => row(modelsView.getTreeItem(child), '  '));
    return [row(modelsView.getTreeItem(node), ''), ...children];
  });
}

function row(item: vscode.TreeItem, indent: string): [string, string | undefined] {
  return [`${indent}${String(item.label)}`, item.description ? String(item.description) : undefined];
}
