import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import {
  formatFirstNames,
  formatModelCount,
  formatRemainingFiles,
  formatRunningTasks,
  formatTaskCount,
  tally,
} from '../../src/host/kit/countWords.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';

describe('several selected tasks', () => {
  let services: Services;
  let keys: readonly string[];

  before(async () => {
    services = await getServices();
    await services.gateways.setCurrent(localEntry.name);
    await services.connection.refresh();
    const prompt = 'One of two. Take 60 seconds.';
    const order = {
      ...toTaskGateway(localEntry),
      route: 'videoSynthesis',
      model: 'demo/video',
      prompt,
      request: { model: 'demo/video', input: { prompt } },
    } as const;
    keys = (await services.tasks.create(order, randomUUID(), 2)).map(({ key }) => key);
    await waitForEvent(services.tasks.onDidChange, () =>
      createdTasks().every((task) => task?.status === 'running'),
    );
  });

  after(() => {
    for (const key of keys) services.tasks.remove(key);
  });

  function createdTasks() {
    return keys.map((key) => services.tasks.get(key));
  }

  function run(command: string): Thenable<unknown> {
    const rows = keys.map((key) => ({ kind: 'task', key }));
    return vscode.commands.executeCommand(`modelGateway.tasks.${command}`, rows[0], rows);
  }

  it('have their ids copied, one per line', async () => {
    await answerDialogs('Copy Task ID', () => run('copy'));
    const ids = createdTasks().map((task) => task?.taskId);
    assert.equal(await vscode.env.clipboard.readText(), ids.join('\n'));
    await answerDialogs('Copy Request ID', () => run('copy'));
    const requests = createdTasks().map((task) => task?.requestId);
    assert.equal(await vscode.env.clipboard.readText(), requests.join('\n'));
  });

  it('have their ids copied together with those of tasks that only the gateway knows', async () => {
    const [own = ''] = keys;
    const rows = [
      { kind: 'task', key: own },
      { kind: 'remote', task: { id: 'remote-1' } },
    ];
    await answerDialogs('Copy Task ID', () =>
      vscode.commands.executeCommand('modelGateway.tasks.copy', rows[0], rows),
    );
    assert.equal(await vscode.env.clipboard.readText(), `${createdTasks()[0]?.taskId}\nremote-1`);
    await vscode.commands.executeCommand('modelGateway.tasks.copy', rows[1]);
    assert.equal(await vscode.env.clipboard.readText(), 'remote-1');
  });

  it('are replaced by a list to choose from if VS Code lost the row, with any active page', async () => {
    const [own = ''] = keys;
    await services.taskPages.open({ key: own });
    const copy = (...row: readonly undefined[]) =>
      vscode.commands.executeCommand('modelGateway.tasks.copy', ...row);
    await vscode.env.clipboard.writeText('nothing yet');
    await answerDialogs(undefined, () => copy(undefined));
    assert.equal(await vscode.env.clipboard.readText(), 'nothing yet');
    await answerDialogs('Copy Task ID', () => copy());
    assert.equal(await vscode.env.clipboard.readText(), createdTasks()[0]?.taskId);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('can be unwatched and watched again', async () => {
    await run('stopWatching');
    assert.deepEqual(
      createdTasks().map((task) => task?.watching),
      ['stopped', 'stopped'],
    );
    await run('resume');
    assert.deepEqual(
      createdTasks().map((task) => task?.watching),
      ['on', 'on'],
    );
  });

  it('are counted with correct singular and plural forms', () => {
    assert.deepEqual([0, 1, 2].map(formatTaskCount), ['0 tasks', '1 task', '2 tasks']);
    assert.deepEqual([1, 2].map(formatModelCount), ['1 model', '2 models']);
    assert.deepEqual([1, 2].map(formatRunningTasks), ['1 task is running', '2 tasks are running']);
    assert.match(formatRemainingFiles(1), /^1 saved file stays unless you also delete it/);
    assert.match(formatRemainingFiles(2), /^2 saved files stay unless you also delete them/);
    assert.equal(formatFirstNames(['a', 'b']), '“a”, “b”');
    assert.equal(formatFirstNames([...'abcdefg']), '“a”, “b”, “c”, “d”, “e” and 2 more');
    assert.equal(formatFirstNames(['a', 'b', 'a']), '“a” (2), “b”');
    assert.equal(tally(['cancelled', 'running', 'cancelled']), '2 cancelled, 1 running');
  });
});
