import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { findMissingModels } from '../../src/host/agents/languageModels/setup/copilotAgent.ts';
import { answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { startScriptedGateway } from '../support/scriptedGateway.ts';

const copilotSettings = [
  ['editor.preferCopilotHarness', true],
  ['defaultToCopilotHarness', true],
  ['editor.localAgent.enabled', false],
] as const;
const command = 'modelGateway.vscodeChat.showInNewChats';
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
    answerDialogsInTurn(answers, () => vscode.commands.executeCommand(command));

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
        requiresRestart: false,
      });
      Object.assign(vscode.env, remote);
      assert.deepEqual(await findMissingModels(), {
        canBeShown: false,
        remedy: { [name]: !value },
        requiresRestart: false,
      });
    });
  }

  // The first test of the offer: it is not made again after an answer.
  it('are offered as long as the gateway lists models, with the reason and the limits', async () => {
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
      assert.equal(
        services.offers.row?.reason,
        'VS Code’s settings let new chats use its Copilot agent, which does not show these models. In the Copilot agent, replies appear only when they are complete, Stop does not end requests, @gateway does not work, and subagents and Auto may require an account. The Claude and Codex agents do not show these models.',
      );
      assert.equal(services.offers.row?.item.command?.command, command);
      models.pop();
      await becomes(undefined);
      models.push('second-model');
      await becomes('new-chats');
      Object.assign(vscode.env, remote);
      await set('defaultToCopilotHarness', true);
      await becomes('local-agent');
      assert.equal(
        services.offers.row?.reason,
        'VS Code’s settings let new chats use its Copilot agent, which shows these models only in local windows.',
      );
      const { label, tooltip, command: clicked } = services.offers.row?.item ?? {};
      assert.equal(label, 'Use VS Code’s Local Agent for New Chats');
      assert.match(String(tooltip), /also for local windows/);
      assert.equal(clicked?.command, command);
    } finally {
      await services.gateways.remove('emptied');
      await gateway.close();
    }
  });

  it('show our models after one click, which can be undone', async () => {
    await set('editor.preferCopilotHarness', true);
    await set('agentHost.byokModels.enabled', false);
    const before = values();
    const [done] = await run('Undo');
    assert.match(
      done?.message ?? '',
      /allow its Copilot agent to show these models, unless your organization forbids it\. .*Claude and Codex agents do not show these models\.$/,
    );
    assert.deepEqual(values(), before);

    await run();
    assert.equal(await findMissingModels(), undefined);
    assert.deepEqual(values(), {
      ...before,
      'agentHost.byokModels.enabled': true,
      'agentHost.allowSignedOutWhenUsable': true,
    });
    const [later] = await run('Restore Previous Setting');
    assert.match(later?.message ?? '', /allow its Copilot agent to show these models, unless/);
    assert.deepEqual(values(), before);
  });

  it('keep earlier changes when a later one is undone, and what the user set since', async () => {
    await set('editor.preferCopilotHarness', true);
    await run();
    const first = values();
    Object.assign(vscode.env, remote);
    const [done] = await run('Undo');
    assert.match(done?.message ?? '', /let new chats use its local agent/);
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
    assert.match(done?.message ?? '', /allow its Copilot agent to show these models/);
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
      assert.equal(
        failure?.message,
        'The settings of this workspace override chat.agentHost.byokModels.enabled. Change them there.',
      );
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

  it('need another setting and a restart in VS Code 1.128 to 1.132', async () => {
    const { getConfiguration } = vscode.workspace;
    let agentHost = false;
    const earlier = (section?: string) => {
      const configuration = getConfiguration(section);
      const isEarlier = (name: string) => name === 'agentHost.enabled';
      return Object.assign(Object.create(configuration), {
        inspect: (name: string) =>
          isEarlier(name) ? { defaultValue: false, globalValue: agentHost } : configuration.inspect(name),
        get: (name: string) => (isEarlier(name) ? agentHost : configuration.get(name)),
        update: async (name: string, value: boolean, target: vscode.ConfigurationTarget) => {
          if (isEarlier(name)) agentHost = value;
          else await configuration.update(name, value, target);
        },
      });
    };
    try {
      Object.assign(vscode.workspace, { getConfiguration: earlier });
      const [done] = await run();
      assert.match(
        done?.message ?? '',
        / Restart VS Code\. Before VS Code 1\.133, its Copilot agent may also require an account\.$/,
      );
      assert.equal(agentHost, true);
      await run('Restore Previous Setting');
      assert.equal(agentHost, false);
    } finally {
      Object.assign(vscode.workspace, { getConfiguration });
    }
  });

  it('use the local agent after one click in a remote window, which also applies to local windows', async () => {
    Object.assign(vscode.env, remote);
    await set('defaultToCopilotHarness', true);
    const [done] = await run('Undo');
    assert.match(done?.message ?? '', / This also applies to local windows\.$/);
    assert.deepEqual(values(), { defaultToCopilotHarness: true });
    await run();
    assert.deepEqual(values(), { defaultToCopilotHarness: false });
    const [later] = await run('Restore Previous Setting');
    assert.match(
      later?.message ?? '',
      /If the picker below the message box shows another agent, choose Local\.$/,
    );
  });
});
