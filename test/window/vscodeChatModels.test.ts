import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { OfferedModel } from '../../src/host/agents/languageModels/list/offeredModel.ts';
import { OfferedModels } from '../../src/host/agents/languageModels/list/offeredModels.ts';
import {
  fieldVersions,
  type UnpublishedModelFields,
} from '../../src/host/agents/languageModels/list/unpublishedFields.ts';
import { lacksUtilityModel } from '../../src/host/agents/languageModels/setup/utilityModel.ts';
import type { Services } from '../../src/host/app/services.ts';
import { ModelsViewOffers } from '../../src/host/models/modelsViewOffers.ts';
import { answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { createTextChunk } from '../support/scriptedGateway.ts';

const vendor = 'model-gateway';
const hostile = '[x](command:y) $(zap) **b**';
const listed: readonly object[] = [
  {
    id: 'gpt-5',
    owned_by: 'openai',
    context_length: 300_000,
    pricing: { prompt: '0.000001', completion: '0.000002' },
  },
  { id: 'words-1', owned_by: hostile, name: hostile },
  { id: 'claude-5', owned_by: 'anthropic' },
  { id: 'text-embedding-3', owned_by: 'openai' },
];

describe('models in VS Code’s own chat', () => {
  let services: Services;
  let server: FaultServer;
  let other: FaultServer;
  let models = listed;
  let listReply: 'list' | 'refuse' | 'close' = 'list';
  const never = new vscode.CancellationTokenSource().token;

  const serve = () =>
    startFaultServer(async (connection, { path }) => {
      if (path !== '/v1/models')
        await connection.respond(
          200,
          { 'content-type': 'text/event-stream' },
          createTextChunk('Hi.', 'stop'),
        );
      else if (listReply === 'close') connection.reset();
      else if (listReply === 'refuse') await connection.respond(401, {}, '{"error":{"message":"no"}}');
      else await connection.respond(200, {}, JSON.stringify({ data: models }));
    });

  before(async () => {
    services = await getServices();
    server = await serve();
    other = await serve();
    await useGateway(services, 'picked', server.baseUrl, 'test-credential');
  });

  after(async () => {
    await setting('vscodeChat.gateways', undefined);
    await setting('models', undefined);
    await services.gateways.remove('picked');
    await services.gateways.remove('second');
    await server.close();
    await other.close();
  });

  const setting = (name: string, value: unknown) =>
    vscode.workspace.getConfiguration('modelGateway').update(name, value, vscode.ConfigurationTarget.Global);
  const select = async () => vscode.lm.selectChatModels({ vendor });
  /** Earlier tests may have left their gateways. */
  const isOurs = ({ id }: { readonly id: string }) => /^(?:picked|second|third)\//.test(id);
  const ids = async () => (await select()).filter(isOurs).map(({ id }) => id);
  const offered = () =>
    (services.offeredModels.offered as readonly (OfferedModel & UnpublishedModelFields)[]).filter(isOurs);
  const one = (id: string) => {
    const model = offered().find((each) => each.model === id);
    assert.ok(model, `${id} is offered`);
    return model;
  };
  const reads = (of = server) => of.requests.filter(({ path }) => path === '/v1/models').length;
  const run = (command: string, ...args: readonly unknown[]) =>
    vscode.commands.executeCommand(`modelGateway.${command}`, ...args);
  /** Resolves when VS Code has received the changes of `change`. */
  const changed = async (change: () => Thenable<unknown>) => {
    const changed = new Promise<void>((resolve) => {
      const subscription = vscode.lm.onDidChangeChatModels(() => {
        subscription.dispose();
        resolve();
      });
    });
    await change();
    await changed;
  };

  it('are the chat models, named by gateway and id, and read once for all callers', async () => {
    const [first] = await Promise.all([ids(), ids(), services.offeredModels.list(true, never)]);
    assert.deepEqual(first, ['picked/gpt-5', 'picked/words-1', 'picked/claude-5']);
    assert.equal(reads(), 1);
    const [gpt] = await select();
    assert.equal(gpt?.family, 'gpt-5');
    assert.equal(gpt?.vendor, vendor);
    assert.equal(gpt?.maxInputTokens, 200_000);
  });

  it('show in the tooltip the source of each fact, as plain text', async () => {
    const gpt = one('gpt-5');
    const plain = (text = '') => text.replaceAll('\\', '');
    assert.match(plain(gpt.tooltip), /Context: 300,000 tokens \(reported by the gateway\)/);
    assert.match(plain(gpt.tooltip), /Tools: supported \(inferred from the model family\)/);
    assert.match(
      plain(gpt.infoText?.facts),
      /Price: \$1\/\$2 per million tokens \(reported by the gateway\)/,
    );
    assert.equal(gpt.pricing, '$1/$2 per million tokens');
    assert.equal(gpt.isUserSelectable, true);
    assert.ok(!('editTools' in gpt.capabilities));
    const words = one('words-1');
    assert.match(plain(words.tooltip), /Context: 128,000 tokens \(assumed\)/);
    assert.match(plain(words.tooltip), /Family: words-1 \(assumed\)/);
    assert.doesNotMatch(`${words.name} ${words.detail}`, /\]\(|\$\(/);
    assert.doesNotMatch(words.tooltip ?? '', /(?<!\\)[[*$(]/);
    assert.ok(!words.configurationSchema);
    assert.ok(gpt.configurationSchema?.properties.reasoningEffort?.enum.includes('high'));
  });

  it('have and read only unpublished fields that this VS Code knows, as far as it is new enough', () => {
    const path = 'out/vs/workbench/api/node/extensionHostProcess.js';
    const source = readFileSync(join(vscode.env.appRoot, path), 'utf8');
    const isNewEnough = (version: string) =>
      version.localeCompare(vscode.version, 'en', { numeric: true }) <= 0;
    for (const [name, since] of Object.entries(fieldVersions.model))
      if (isNewEnough(since)) assert.match(source, new RegExp(`\\b${name}:(\\w+)\\.${name}\\b`), name);
    const [options = ''] = /\.provideLanguageModelChatResponse\(\w+\.info,.{0,500}/.exec(source) ?? [];
    for (const [name, since] of Object.entries(fieldVersions.options))
      if (isNewEnough(since)) assert.match(options, new RegExp(`\\b${name}:`), name);
    const copilot = join(vscode.env.appRoot, 'extensions/copilot/dist/extension.js');
    const messageFields = [
      ['systemRole', source, /\bSystem=3\b/],
      ['isThinking', source, /\bLanguageModelThinkingPart:/],
      ['isError', source, /\bthis\.isError=/],
      ['cacheMark', existsSync(copilot) ? readFileSync(copilot, 'utf8') : '', /="cache_control"/],
    ] as const;
    assert.equal(messageFields.length, Object.keys(fieldVersions.messages).length);
    for (const [name, text, pattern] of messageFields)
      if (isNewEnough(fieldVersions.messages[name])) assert.match(text, pattern, name);
  });

  it('have one group in VS Code’s list of providers', async () => {
    const file = join(process.env.MODEL_GATEWAY_TEST_DATA ?? '', 'data/User/chatLanguageModels.json');
    const groups = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    while (!groups().includes('"vendor": "model-gateway"')) await setTimeout(50);
    assert.equal(groups().split('"vendor"').length, 2, 'once');
  });

  it('do not cause a request or a change event without a change', async () => {
    const before = reads();
    let changes = 0;
    const subscription = services.offeredModels.onDidChange(() => changes++);
    await ids();
    await services.connection.refresh();
    await services.modelChoices.marks.pin(
      { kind: 'gateway', name: 'picked', baseUrl: server.baseUrl },
      'gpt-5',
      true,
    );
    await ids();
    subscription.dispose();
    assert.equal(reads(), before + 1, 'the refresh itself');
    assert.equal(changes, 0);
  });

  it('remain while the gateway fails, with a warning that disappears afterwards', async () => {
    const before = await ids();
    listReply = 'close';
    await services.connection.refresh();
    assert.deepEqual(await ids(), before);
    const { warningText, statusIcon } = one('gpt-5');
    assert.match(warningText?.stale ?? '', /picked.*Showing its last list/);
    assert.equal(statusIcon?.id, 'warning');
    listReply = 'refuse';
    await services.connection.refresh();
    assert.deepEqual(await ids(), before);
    assert.match(one('gpt-5').warningText?.stale ?? '', /credential/);
    listReply = 'list';
    await services.connection.refresh();
    assert.equal(one('gpt-5').warningText, undefined);
  });

  it('are shown and reply without each of the unpublished fields', async () => {
    const { offeredModels } = services;
    const list = offeredModels.list.bind(offeredModels);
    try {
      for (const name of Object.keys(fieldVersions.model)) {
        offeredModels.list = async (...rest) =>
          (await list(...rest)).map((model) => {
            const stale = { statusIcon: new vscode.ThemeIcon('warning'), warningText: { stale: 'Old' } };
            const { [name as keyof typeof stale]: removed, ...others } = { ...stale, ...model };
            if (model.model === 'gpt-5') assert.ok(removed, `${name} is set`);
            return others as OfferedModel;
          });
        const gpt = (await select()).find(({ id }) => id === 'picked/gpt-5');
        assert.ok(gpt, name);
        const reply = await gpt.sendRequest([vscode.LanguageModelChatMessage.User('Hello')], {}, never);
        let text = '';
        for await (const piece of reply.text) text += piece;
        assert.equal(text, 'Hi.', name);
      }
    } finally {
      offeredModels.list = list;
      await select();
    }
  });

  it('exist again after a restart, before any request, under the same ids', async () => {
    const before = await ids();
    const sent = reads();
    listReply = 'close';
    // As at a start, the connections are created again from the stored data.
    await setting('models', [{ models: 'none', facts: { pictures: true } }]);
    await setting('models', undefined);
    assert.equal(services.connection.state.phase, 'idle');
    assert.deepEqual(await ids(), before);
    assert.equal(reads(), sent);
    listReply = 'list';
  });

  it('are announced if they exist at the start, since VS Code does not request them then', async () => {
    await ids();
    const sent = reads();
    const started = new OfferedModels(services);
    await new Promise<void>((resolve) => started.onDidChange(resolve));
    assert.deepEqual(
      started.offered.map(({ id }) => id).filter((id) => id.startsWith('picked/')),
      ['picked/gpt-5', 'picked/words-1', 'picked/claude-5'],
    );
    started.dispose();
    assert.equal(reads(), sent, 'without a request');
  });

  it('can be hidden and shown by the user, one in the tree or many by a pattern', async () => {
    const model = listed[0];
    await changed(() => run('models.hideFromVsCodeChat', model));
    assert.deepEqual(await ids(), ['picked/words-1', 'picked/claude-5']);
    const rows = () => {
      const { modelsView } = services;
      const nodes = modelsView.getChildren().flatMap((group) => [group, ...modelsView.getChildren(group)]);
      const items = nodes.map((node) => modelsView.getTreeItem(node));
      return items.find(({ label }) => label === 'gpt-5')?.contextValue ?? '';
    };
    assert.match(rows(), /(^| )not-in-vscode-chat( |$)/);
    await changed(() => run('models.showInVsCodeChat', model));
    assert.match(rows(), /(^| )in-vscode-chat( |$)/);
    await changed(() => setting('models', [{ models: 'claude-*', offered: false }]));
    assert.deepEqual(await ids(), ['picked/gpt-5', 'picked/words-1']);
    await changed(() => setting('models', undefined));
  });

  it('can be described by the user if the gateway is wrong', async () => {
    const family = async () => (await select()).find(({ id }) => id === 'picked/words-1')?.family;
    await setting('models', [{ models: 'words-*', facts: { family: 'gpt-5', tools: false } }]);
    assert.equal(await family(), 'gpt-5');
    const words = one('words-1');
    assert.equal(words.capabilities.toolCalling, false);
    assert.match((words.tooltip ?? '').replaceAll('\\', ''), /Tools: not supported \(your setting\)/);
    await setting('models', undefined);
    assert.equal(await family(), 'words-1');
  });

  it('of several gateways are listed together, each with the name of its gateway', async () => {
    await useGateway(services, 'second', other.baseUrl, 'test-credential');
    assert.deepEqual(await ids(), ['second/gpt-5', 'second/words-1', 'second/claude-5']);
    await changed(() => setting('vscodeChat.gateways', 'all'));
    const both = offered();
    assert.equal(both.length, 6);
    assert.deepEqual(
      both.filter(({ model }) => model === 'gpt-5').map(({ id, detail }) => [id, detail?.split(' · ')[0]]),
      [
        ['second/gpt-5', 'second'],
        ['picked/gpt-5', 'picked'],
      ],
    );
    assert.equal(new Set(both.map(({ gateway }) => gateway)).size, 2);
    assert.ok(both.every(({ gateway }) => gateway.includes('@http')));
    await changed(() => setting('vscodeChat.gateways', undefined));
  });

  it('of a gateway without a credential are not requested automatically', async () => {
    const third = { name: 'third', baseUrl: 'http://127.0.0.1:9/none' };
    await services.gateways.save(third);
    await services.gateways.setCurrent('third');
    assert.deepEqual(await ids(), []);
    assert.equal(services.connection.state.phase, 'idle');
    await services.gateways.setCurrent('picked');
    await services.gateways.remove('third');
  });

  it('that the gateway no longer lists disappear after its next list', async () => {
    await services.connection.refresh();
    models = listed.slice(1);
    await changed(() => services.connection.refresh());
    assert.deepEqual(await ids(), ['picked/words-1', 'picked/claude-5']);
    models = listed;
    await changed(() => services.connection.refresh());
  });

  it('can write titles, which a command sets and restores', async () => {
    const chat = () => vscode.workspace.getConfiguration('chat').get('byokUtilityModelDefault');
    const before = chat();
    assert.notEqual(before, 'mainAgent');
    const command = 'vscodeChat.chooseUtilityModel';
    const seen = await answerDialogsInTurn(['$(comment-discussion) The Model of Each Chat'], () =>
      run(command),
    );
    assert.deepEqual(seen.at(-1)?.buttons, ['Undo']);
    assert.equal(chat(), 'mainAgent');
    await answerDialogsInTurn(['$(discard) Restore Previous Setting'], () => run(command));
    assert.equal(chat(), before);
  });

  it('are needed for titles if VS Code has no model for them, by account or by setting', async () => {
    const own = await vscode.lm.selectChatModels({ vendor: 'copilot' });
    assert.deepEqual(own, [], 'no provider is signed in');
    assert.equal(await lacksUtilityModel(), true);
    const choose = (value: string | undefined) =>
      vscode.workspace
        .getConfiguration('chat')
        .update('byokUtilityModelDefault', value, vscode.ConfigurationTarget.Global);
    await choose('none');
    assert.equal(await lacksUtilityModel(), true);
    await choose('mainAgent');
    assert.equal(await lacksUtilityModel(), false);
    await choose(undefined);
  });

  it('have one offer at a time in the Models view, until it is taken or dismissed', async () => {
    const stored = new Map<string, unknown>();
    const memory: vscode.Memento = {
      keys: () => [...stored.keys()],
      get: <T>(key: string, otherwise?: T) => (stored.get(key) as T | undefined) ?? otherwise,
      update: async (key, value) => void stored.set(key, value),
    };
    const offers = new ModelsViewOffers(memory);
    const shown = await answerDialogsInTurn([], async () => {
      await offers.make('utility-model', () => true);
      await offers.make('vscode-chat', () => true);
    });
    assert.deepEqual(shown, [], 'no notification covers a message box');
    assert.equal(offers.current, 'vscode-chat');
    assert.equal(offers.row?.item.command?.command, 'modelGateway.models.useInVsCodeChat');
    await offers.close('vscode-chat');
    assert.equal(offers.current, 'utility-model');
    await offers.close('utility-model');
    assert.equal(offers.current, undefined);

    const later = new ModelsViewOffers(memory);
    await later.make('utility-model', () => true);
    await later.make('vscode-chat', () => assert.fail('an answered offer is not made again'));
    assert.equal(later.current, undefined);
  });
});
