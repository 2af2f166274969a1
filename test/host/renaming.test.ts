import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { answerDialogs, answerDialogsInTurn, typeIntoInputs } from '../support/dialogs.ts';
import { catchFailure, getServices, useGateway } from '../support/extensionServices.ts';
import { answerSteps } from '../support/inputSteps.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('a gateway that gets a new name or address', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let others: readonly string[];

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    gateway = await startScriptedGateway(['m-1', 'm-2'], (response, { path }) => {
      if (path !== '/v1/chat/completions') return void response.writeHead(500).end('{}');
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk('Hello', 'stop')}data: [DONE]\n\n`);
    });
    others = listNames();
    // Two accounts at one address: only their names differ.
    await useGateway(services, 'other', gateway.baseUrl, 'other-credential');
    await useGateway(services, 'first', gateway.baseUrl, 'first-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of listNames().filter((each) => !others.includes(each)))
      await services.gateways.remove(name);
    await gateway.close();
  });

  function listNames(): readonly string[] {
    return services.gateways.all.map(({ name }) => name);
  }

  function renameFirst(to: string) {
    return renameGateway('first', to);
  }

  function renameGateway(name: string, to: string) {
    return typeIntoInputs([to], () => answerDialogs('$(edit) Rename…', () => openManageGateway(name)));
  }

  function openManageGateway(name?: string): Thenable<unknown> {
    return vscode.commands.executeCommand('modelGateway.manageGateway', name);
  }

  it('keeps its credential, its position, its model and its open chats after several renames', async () => {
    const chat = await services.chats.open({});
    chat.session.target.chooseModel('m-2');
    await chat.session.send('Who are you?');
    const [box] = await renameFirst('office');
    assert.deepEqual([box?.title, box?.value], ['Rename first', 'first']);
    await renameGateway('office', 'Büro');
    assert.deepEqual(listNames().slice(-2), ['other', 'Büro']);
    assert.equal(services.connection.state.gateway?.name, 'Büro');
    assert.equal(services.connection.state.models.length, 2, 'the stored model list is used');
    assert.equal(services.connection.state.phase, 'ready', 'the time of the list is unchanged');
    await chat.session.send('And now?');
    assert.equal(chat.session.conversation.lastTurn?.result?.outcome.kind, 'complete');
    assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer first-credential');
    assert.equal(chat.session.target.gateway.connection?.gateway.name, 'Büro');
    const later = await services.chats.open({});
    assert.equal(later.session.target.model, 'm-2');
  });

  it('gets a separate name when it moves to the address of another one', async () => {
    const usedName = new URL(gateway.baseUrl).host;
    await useGateway(services, usedName, gateway.baseUrl, 'taken-credential');
    await useGateway(services, 'a.example', 'https://a.example', 'moved-credential');
    const name = await services.gateways.save({ name: 'a.example', baseUrl: gateway.baseUrl });
    assert.equal(name, `${usedName} 2`);
    assert.equal(new Set(listNames()).size, listNames().length);
  });

  it('keeps its tasks, which show the new name', async () => {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    const order = { route: 'videoSynthesis', model: 'film', prompt: 'a cat', request: {} } as const;
    const [task] = await services.tasks.create({ ...toTaskGateway(current), ...order }, randomUUID(), 1);
    assert.ok(task);
    await renameFirst('office');
    assert.equal(services.tasks.get(task.key)?.gatewayName, 'office');
    const client = await services.taskGateways.getClient(task.gateway, 'first');
    await client.listTaskPage({}).catch(() => {});
    assert.equal(
      gateway.requests.at(-1)?.authorization,
      'Bearer first-credential',
      'the first name is resolved too',
    );
  });

  it('T5 alone gets requests for its tasks, and after its removal no other account at its address does', async () => {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    const order = { route: 'videoSynthesis', model: 'film', prompt: 'a cat', request: {} } as const;
    const [task] = await services.tasks.create({ ...toTaskGateway(current), ...order }, randomUUID(), 1);
    assert.ok(task);
    await services.gateways.remove('first');
    const requestCount = gateway.requests.length;
    const failure = await catchFailure(services.taskGateways.getClient(task.gateway, task.gatewayName));
    assert.equal(failure.reason, 'another-account');
    assert.match(failureMessage(failure).sentence, /^first is no longer connected/);
    await catchFailure(services.tasks.adopt({ gateway: task.gateway, gatewayName: 'first' }, 'task-1'));
    const later = gateway.requests.slice(requestCount).map(({ authorization }) => authorization);
    assert.ok(!later.includes('Bearer other-credential'), 'its task was requested with another account');
    await useGateway(services, 'first', gateway.baseUrl, 'first-credential');
    const client = await services.taskGateways.getClient(task.gateway, task.gatewayName);
    await client.listTaskPage({}).catch(() => {});
    assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer first-credential');
  });

  it('gets requests for its tasks under the new name if it was renamed in the settings', async () => {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    const settings = vscode.workspace.getConfiguration('modelGateway');
    const rest = services.gateways.all.filter(({ name }) => name !== 'first');
    const byHand = [...rest, { name: 'by hand', baseUrl: gateway.baseUrl }];
    await settings.update('gateways', byHand, vscode.ConfigurationTarget.Global);
    const { gateway: id } = toTaskGateway(current);
    assert.equal(services.taskGateways.findConfigured(id, 'first')?.name, 'by hand');
    assert.equal(services.taskGateways.findConfigured(id, 'never there'), undefined);
  });

  it('keeps its name and its tasks if another window took the new name first', async () => {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    const order = { route: 'videoSynthesis', model: 'film', prompt: 'a cat', request: {} } as const;
    const [task] = await services.tasks.create({ ...toTaskGateway(current), ...order }, randomUUID(), 1);
    assert.ok(task);
    const { rename: renamed } = services.gateways;
    services.gateways.rename = async (name, to) => {
      await renamed.call(services.gateways, 'other', to);
      return renamed.call(services.gateways, name, to);
    };
    try {
      // The end of the task may be reported before.
      const dialogs = await answerDialogs('$(edit) Rename…', () =>
        typeIntoInputs(['office'], () => openManageGateway('first')),
      );
      assert.ok(dialogs.some(({ message }) => /^first was not renamed to office/.test(message)));
    } finally {
      services.gateways.rename = renamed;
    }
    assert.deepEqual(listNames().slice(-2), ['office', 'first']);
    assert.equal(services.tasks.get(task.key)?.gatewayName, 'first');
  });

  it('cannot get a name that another gateway has or had before', async () => {
    for (const usedName of ['other', 'OTHER', 'Local gateway', '', 'a\u200bb']) {
      const [box] = await renameFirst(usedName);
      assert.ok(box?.problem, usedName);
    }
    await renameFirst('office');
    const [box] = await renameGateway('other', 'first');
    assert.ok(box?.problem);
    assert.notEqual(services.gateways.findOrCreateGateway('https://first').name, 'first');
  });

  it('T5 is the same gateway at another origin, but needs its credential again, and the old one is deleted', async () => {
    const elsewhere = await startScriptedGateway(['m-1'], (response) => response.end());
    const boxes = await typeIntoInputs([elsewhere.baseUrl, 'new-credential'], () =>
      vscode.commands.executeCommand('modelGateway.changeAddress', 'first'),
    );
    assert.deepEqual(
      boxes.map(({ value }) => value),
      [gateway.baseUrl, ''],
    );
    assert.equal(services.connection.state.gateway?.name, 'first');
    assert.deepEqual(
      [...new Set(elsewhere.requests.map(({ authorization }) => authorization))],
      ['Bearer new-credential'],
    );
    assert.equal(listNames().filter((name) => name === 'first').length, 1);
    assert.equal(
      await services.credentials.read({ name: 'first', baseUrl: gateway.baseUrl }),
      undefined,
      'the old one is gone',
    );
    await elsewhere.close();
  });

  it('is named after its new address if it was named after the old one', async () => {
    const { host } = new URL(gateway.baseUrl);
    await useGateway(services, host, gateway.baseUrl, 'host-credential');
    const elsewhere = await startScriptedGateway(['m-1'], (response) => response.end());
    await typeIntoInputs([elsewhere.baseUrl, 'new-credential'], () =>
      vscode.commands.executeCommand('modelGateway.changeAddress', host),
    );
    assert.equal(services.connection.state.gateway?.name, new URL(elsewhere.baseUrl).host);
    assert.equal(services.connection.state.phase, 'ready');
    await elsewhere.close();
  });

  it('T5 is offered its earlier credential after a rename in the settings, at the same origin only', async () => {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    const rest = services.gateways.all.filter(({ name }) => name !== 'first');
    const byHand = [...rest, { name: 'by hand', baseUrl: gateway.baseUrl }];
    await settings.update('gateways', byHand, vscode.ConfigurationTarget.Global);
    const elsewhere = { name: 'by hand', baseUrl: 'https://elsewhere.example' };
    assert.deepEqual(services.credentials.findOrphaned(elsewhere, services.gateways.all), []);
    await answerSteps(['$(key) Use the Credential of “first”'], () =>
      vscode.commands.executeCommand('modelGateway.setCredential', 'by hand'),
    );
    assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer first-credential');
    assert.equal(
      await services.credentials.read({ name: 'by hand', baseUrl: gateway.baseUrl }),
      'first-credential',
    );
    await services.credentials.forget({ name: 'first', baseUrl: gateway.baseUrl });
  });

  it('is chosen from a list if the command names none', async () => {
    await services.gateways.setCurrent('Local gateway');
    await typeIntoInputs(['office'], () =>
      answerDialogsInTurn(['$(edit) Rename…', 'other'], () => openManageGateway()),
    );
    assert.ok(services.gateways.all.some(({ name }) => name === 'office'));
  });
});
