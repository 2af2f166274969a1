import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { findMissingModels } from '../../src/host/agents/languageModels/setup/copilotAgent.ts';
import { offerRow } from '../../src/host/models/modelsViewOffers.ts';
import { answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { startScriptedGateway } from '../support/scriptedGateway.ts';

const copilotSettings = [
  ['editor.preferCopilotHarness', true],
  ['defaultToCopilotHarness', true],
  ['editor.localAgent.enabled', false],
] as const;
const names = [
  ...copilotSettings.map(([name]) => name),
  'agentHost.byokModels.enabled',
  'agentHost.allowSignedOutWhenUsable',
];

describe('New chats of VS Code with its Copilot agent', () => {
  const remote = { remoteName: vscode.env.remoteName, uiKind: vscode.env.uiKind };
  const local = { remoteName: undefined, uiKind: vscode.UIKind.Desktop };
  const set = (name: string, value: unknown) =>
    vscode.workspace.getConfiguration('chat').update(name, value, vscode.ConfigurationTarget.Global);
  const values = () =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = vscode.workspace.getConfiguration('chat').inspect(name)?.globalValue;
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const run = (...answers: readonly string[]) =>
    answerDialogsInTurn(answers, () =>
      vscode.commands.executeCommand('modelGateway.vscodeChat.showInNewChats'),
    );

  before(getServices);
  beforeEach(() => Object.assign(vscode.env, local));
  afterEach(async () => {
    Object.assign(vscode.env, remote);
    for (const name of names) await set(name, undefined);
  });

  it('are no reason for an offer while new chats use the local agent', async () => {
    assert.equal(await findMissingModels(), undefined);
    await set('agentHost.byokModels.enabled', true);
    assert.equal(await findMissingModels(), undefined);
  });

  for (const [name, value] of copilotSettings) {
    it(`lack our models if ${name} is ${value}`, async () => {
      await set(name, value);
      assert.deepEqual(await findMissingModels(), {
        canBeShown: true,
        remedy: { 'agentHost.byokModels.enabled': true, 'agentHost.allowSignedOutWhenUsable': true },
      });
      Object.assign(vscode.env, remote);
      assert.deepEqual(await findMissingModels(), { canBeShown: false, remedy: { [name]: !value } });
    });
  }

  // The first test of the offer: it is not made again after an answer.
  it('are offered as long as the gateway lists models', async () => {
    const services = await getServices();
    const models = ['first-model'];
    const gateway = await startScriptedGateway(models, () => {});
    const becomes = async (offer: string | undefined) => {
      await services.connection.refresh();
      await waitForEvent(services.offers.onDidChange, () => services.offers.current === offer);
    };
    try {
      await useGateway(services, 'emptied', gateway.baseUrl, 'test-credential');
      await set('editor.preferCopilotHarness', true);
      await becomes('new-chats');
      models.pop();
      await becomes(undefined);
      models.push('second-model');
      await becomes('new-chats');
    } finally {
      await services.gateways.remove('emptied');
      await gateway.close();
    }
  });

  it('show our models after one click in the Models view, which can be undone', async () => {
    assert.equal(offerRow('new-chats').command?.command, 'modelGateway.vscodeChat.showInNewChats');
    await set('editor.preferCopilotHarness', true);
    await set('agentHost.byokModels.enabled', false);
    const before = values();
    const [done] = await run('Undo');
    assert.match(done?.message ?? '', /shows these models now\. .*Stop does not end requests/);
    assert.deepEqual(values(), before);

    await run();
    assert.equal(await findMissingModels(), undefined);
    assert.deepEqual(values(), {
      ...before,
      'agentHost.byokModels.enabled': true,
      'agentHost.allowSignedOutWhenUsable': true,
    });
    const [later] = await run('Restore Previous Setting');
    assert.match(later?.message ?? '', /VS Code shows these models in new chats/);
    assert.deepEqual(values(), before);
  });

  it('keep earlier changes when a later one is undone, and what the user set since', async () => {
    await set('editor.preferCopilotHarness', true);
    await run();
    const first = values();
    Object.assign(vscode.env, remote);
    const [done] = await run('Undo');
    assert.equal(done?.message, 'New chats in VS Code use its local agent now.');
    assert.deepEqual(values(), first, 'only the change of the remote window is undone');
    await run();
    assert.equal(values()['editor.preferCopilotHarness'], false);
    Object.assign(vscode.env, local);
    await set('editor.preferCopilotHarness', true);
    await run('Restore Previous Setting');
    assert.deepEqual(values(), { 'editor.preferCopilotHarness': true });
  });

  it('show our models with the Copilot agent that the user chose in VS Code’s picker', async () => {
    assert.equal(await findMissingModels(), undefined, 'there is no offer');
    const [done] = await run('Undo');
    assert.match(done?.message ?? '', /shows these models now\./);
    assert.deepEqual(values(), {});
    await run();
    assert.deepEqual(values(), {
      'agentHost.byokModels.enabled': true,
      'agentHost.allowSignedOutWhenUsable': true,
    });
    await run('Restore Previous Setting');
    assert.deepEqual(values(), {});
  });

  it('remain unchanged, with the reason, if the workspace has its own value', async () => {
    const inWorkspace = (value: unknown) =>
      vscode.workspace
        .getConfiguration('chat')
        .update('agentHost.byokModels.enabled', value, vscode.ConfigurationTarget.Workspace);
    await inWorkspace(false);
    try {
      const [failure, ...others] = await run('Undo');
      assert.match(failure?.message ?? '', /workspace has its own value of chat\.agentHost\.byokModels/);
      assert.deepEqual(others, []);
      assert.deepEqual(values(), {});
    } finally {
      await inWorkspace(undefined);
    }
  });

  it('use the local agent in any case if no folder is on a disk', async () => {
    await set('editor.preferCopilotHarness', true);
    const { workspaceFolders } = vscode.workspace;
    const [folder] = workspaceFolders ?? [];
    const virtual = { ...folder, uri: vscode.Uri.parse('memfs:/folder') };
    try {
      Object.assign(vscode.workspace, { workspaceFolders: [virtual] });
      assert.equal(await findMissingModels(), undefined);
      Object.assign(vscode.workspace, { workspaceFolders: [virtual, folder] });
      assert.ok(await findMissingModels());
    } finally {
      Object.assign(vscode.workspace, { workspaceFolders });
    }
    assert.ok(await findMissingModels());
  });

  it('do not change if one of the settings cannot be changed', async () => {
    await set('editor.preferCopilotHarness', true);
    const before = values();
    const { getConfiguration } = vscode.workspace;
    const refusing = (section?: string) => {
      const configuration = getConfiguration(section);
      const update = async (name: string, ...rest: readonly [unknown, vscode.ConfigurationTarget]) => {
        if (name === 'agentHost.allowSignedOutWhenUsable') throw new Error('set by a policy');
        await configuration.update(name, ...rest);
      };
      return Object.assign(Object.create(configuration), { update });
    };
    try {
      Object.assign(vscode.workspace, { getConfiguration: refusing });
      const [failure, ...others] = await run();
      assert.match(failure?.message ?? '', /did not change its setting: set by a policy/);
      assert.deepEqual(others, []);
    } finally {
      Object.assign(vscode.workspace, { getConfiguration });
    }
    assert.deepEqual(values(), before);
  });

  it('use the local agent after one click in a remote window', async () => {
    Object.assign(vscode.env, remote);
    await set('defaultToCopilotHarness', true);
    const [done] = await run('Undo');
    assert.equal(done?.message, 'New chats in VS Code use its local agent now.');
    assert.deepEqual(values(), { defaultToCopilotHarness: true });
    await run();
    assert.deepEqual(values(), { defaultToCopilotHarness: false });
    await run('Restore Previous Setting');
  });
});
