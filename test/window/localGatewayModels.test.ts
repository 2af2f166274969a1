import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';
import { answerSteps } from '../support/inputSteps.ts';
import { type ScriptedUpstream, startUpstreamWithKey } from '../support/scriptedUpstream.ts';

const key = 'canary-upstream-key';
const run = (id: string, ...args: unknown[]) =>
  vscode.commands.executeCommand(`modelGateway.localGateway.${id}`, ...args);

describe('the automatically updated models of the local gateway', function () {
  this.timeout(60_000);
  let services: Services;
  let upstream: ScriptedUpstream;

  const listModels = () => services.connection.get(localEntry).state.models.map(({ id }) => id);
  const waitForModels = (isSo: () => boolean) => waitForEvent(services.connection.onDidChangeGateways, isSo);
  const hasOwn = () => listModels().some((id) => id.endsWith('two'));

  /** The rows of the Models view that explain missing models. */
  function listMissingRows() {
    const { modelsView: view } = services;
    const nodes = view.getChildren().filter(({ kind }) => kind === 'upstream');
    return nodes.map((node) => view.getTreeItem(node)).map(({ label, description }) => [label, description]);
  }

  before(async () => {
    services = await getServices();
    upstream = await startUpstreamWithKey(key);
    await services.gateways.setCurrent(localEntry.name);
    await services.localGateway.start();
    await answerDialogs(undefined, () =>
      answerSteps(['OpenAI-Compatible', upstream.baseUrl, key, 'acme'], () => run('addUpstream')),
    );
  });

  after(async () => {
    await answerDialogs('Remove', () => run('removeUpstream', { kind: 'upstream', name: 'acme' }));
    await upstream.close();
  });

  const readConfig = () => readFileSync(services.localGateway.configFile, 'utf8');

  it('include those of an upstream with a stored key in the first list after a restart', async () => {
    await services.localGateway.restart();
    const { models: first } = await services.connection.get(localEntry).refresh();
    assert.ok(first.some(({ id }) => id.endsWith('two')));
  });

  it('change when a key is refused and set again, and the reason for missing models is shown meanwhile', async () => {
    const row = { kind: 'upstream', name: 'acme' };
    const isRefused = () => listMissingRows().some(([name]) => name === 'acme');
    await answerDialogs(undefined, () => typeIntoInputs(['canary-other-key'], () => run('setKey', row)));
    await waitForEvent(services.localUpstreams.onDidChange, isRefused);
    assert.deepEqual(listMissingRows(), [['acme', 'key refused']]);
    await answerDialogs(undefined, () => typeIntoInputs([key], () => run('setKey', row)));
    await waitForEvent(services.localUpstreams.onDidChange, () => !isRefused());
    await waitForModels(hasOwn);
  });

  it('change when the configuration file is edited, also by another program', async () => {
    const before = readConfig().replace(/"aliases":.*?\],\s*(?="upstreams")/s, '');
    const alias = '{ "name": "best", "models": ["acme/two", "acme/one"] }';
    const added = before.replace('"upstreams"', `"aliases": [${alias}], "upstreams"`);
    writeFileSync(services.localGateway.configFile, added);
    await waitForModels(() => listModels().includes('best'));
    const [best] = services.connection.get(localEntry).state.models.filter(({ id }) => id === 'best');
    assert.deepEqual(best?.aliasOf, ['acme/two', 'acme/one']);
    writeFileSync(services.localGateway.configFile, before.replace(/"name": "acme",/, '$& "hide": ["two"],'));
    await waitForModels(() => !listModels().includes('best') && !hasOwn());
    writeFileSync(services.localGateway.configFile, before);
    await waitForModels(hasOwn);
  });
});
