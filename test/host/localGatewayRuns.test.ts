import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { GatewayControl } from '../../src/host/connection/gatewayControl.ts';
import { LocalGateway } from '../../src/host/connection/localGateway.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { catchFailure, getServices, waitForEvent } from '../support/extensionServices.ts';
import { readRunningFile } from '../support/gatewayControl.ts';

describe('the local gateway', function () {
  this.timeout(30_000);
  let services: Services;

  before(async () => {
    services = await getServices();
    await services.gateways.setCurrent('Local gateway');
    await services.connection.refresh();
  });

  after(async () => {
    await services.localGateway.consent.grant();
    await services.connection.refresh();
  });

  const stop = () => vscode.commands.executeCommand('modelGateway.localGateway.stop');

  it('is stopped only after a warning about its tasks, and stays stopped until the user starts it', async () => {
    const { gateway } = services.connection.state;
    assert.ok(gateway);
    const prompt = 'A cat. Take 60 seconds.';
    const request = { model: 'demo/video', input: { prompt } };
    const order = { route: 'videoSynthesis', model: 'demo/video', prompt, request } as const;
    const [task] = await services.tasks.create({ ...toTaskGateway(gateway), ...order }, randomUUID(), 1);
    assert.ok(task);
    await waitForEvent(services.tasks.onDidChange, () => services.tasks.get(task.key)?.status === 'running');

    const [dialog] = await answerDialogs(undefined, stop);
    assert.equal(dialog?.message, 'Stop the local gateway for all windows?');
    assert.match(dialog?.detail ?? '', /^It is processing \d+ tasks?\./);
    assert.ok(services.localGateway.isRunning);

    const stopped = waitForEvent(services.localGateway.onDidStop, () => !services.localGateway.isRunning);
    await answerDialogs('Stop', stop);
    await stopped;
    assert.equal(services.connection.state.phase, 'stopped');
    assert.ok(services.connection.state.models.length > 0, 'its models stay on the screen');
    const refused = await catchFailure(services.taskGateways.getClient('demo', gateway.name));
    assert.equal(refused.explanation.id, 'gateway-not-started');
    assert.equal(services.localGateway.isRunning, false, 'no task starts it again');

    await services.localGateway.consent.grant();
    await vscode.commands.executeCommand('modelGateway.localGateway.start');
    assert.equal(services.connection.state.phase, 'ready');
    await services.taskGateways.getClient('demo', gateway.name);
    services.tasks.remove(task.key);
  });

  it('is stopped only after a warning about the open replies of any program', async () => {
    const { baseUrl, credential } = await services.localGateway.start();
    const reply = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo/chat',
        stream: true,
        messages: [{ role: 'user', content: 'Write 800 words.' }],
      }),
    });
    const [dialog] = await answerDialogs(undefined, stop);
    await reply.body?.cancel();
    assert.equal(dialog?.message, 'Stop the local gateway for all windows?');
    assert.match(dialog?.detail ?? '', /1 request is in progress/);
    assert.ok(services.localGateway.isRunning);
  });

  it('is shared with other windows, and a stop in one window stops it for all', async () => {
    const { baseUrl } = await services.localGateway.start();
    const { socket } = readRunningFile(dirname(services.localGateway.configFile));
    const other = await GatewayControl.connect(socket);
    assert.equal((await other.greet()).baseUrl, baseUrl);
    assert.equal((await other.readStatus()).windows, 2);
    const stopped = waitForEvent(services.localGateway.onDidStop, () => !services.localGateway.isRunning);
    await other.stop();
    await stopped;
    assert.equal(services.localGateway.isStopped, true);
    await vscode.commands.executeCommand('modelGateway.localGateway.start');
    assert.equal((await services.localGateway.start()).baseUrl, baseUrl, 'it has its port again');
  });

  it('is shown if another window started it, without being started here', async () => {
    const { baseUrl } = await services.localGateway.start();
    const context = {
      asAbsolutePath: () => '/nowhere',
      extension: { packageJSON: { version: '0.0.1' } },
      globalStorageUri: vscode.Uri.file(dirname(dirname(services.localGateway.configFile))),
      workspaceState: { get: () => vscode.env.remoteName },
    } as unknown as vscode.ExtensionContext;
    const other = new LocalGateway(context, services.log, services.gatewayLog);
    try {
      assert.equal(other.isRunning, false);
      await other.join();
      assert.equal(other.address?.baseUrl, baseUrl);
      assert.equal((await other.start()).baseUrl, baseUrl);
      assert.equal(other.isStartedHere, false);
    } finally {
      other.dispose();
    }
  });

  it('reports that another program took its port, and does not start', async () => {
    const { baseUrl } = await services.localGateway.start();
    const stopped = waitForEvent(services.localGateway.onDidStop, () => !services.localGateway.isRunning);
    await answerDialogs('Stop', stop);
    await stopped;
    const { port } = new URL(baseUrl);
    const other = createServer((socket) => socket.destroy()).listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    try {
      await services.localGateway.consent.grant();
      const [dialog] = await answerDialogs(undefined, () =>
        vscode.commands.executeCommand('modelGateway.localGateway.start'),
      );
      const words = new RegExp(
        `did not start\\. Port ${port} of 127\\.0\\.0\\.1 is in use by another program`,
      );
      assert.match(dialog?.message ?? '', words);
      assert.equal(services.localGateway.isRunning, false);
    } finally {
      await new Promise((closed) => other.close(closed));
    }
    await vscode.commands.executeCommand('modelGateway.localGateway.start');
    assert.equal(services.localGateway.address?.baseUrl, baseUrl);
  });

  it('does not show a dialog for Stop if it is not running', async () => {
    const stopped = waitForEvent(services.localGateway.onDidStop, () => !services.localGateway.isRunning);
    await answerDialogs('Stop', stop);
    await stopped;
    assert.deepEqual(await answerDialogs('Stop', stop), []);
  });
});
