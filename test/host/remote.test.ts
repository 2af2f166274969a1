import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { NotStartedError, toGatewayError } from '../../src/host/connection/unsentError.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';

describe('T27 the local gateway in a remote window', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
    assert.ok(vscode.env.remoteName, 'these tests run in a remote window');
    const { localGateway } = services;
    // Tasks of earlier tests would start it again.
    await localGateway.consent.withdraw();
    localGateway.stop();
    await waitForEvent(localGateway.onDidStop, () => !localGateway.isRunning);
  });

  after(() => services.localGateway.consent.grant());

  it('shows a question first, and does not start if the user declines', async () => {
    await services.localGateway.consent.withdraw();
    const [dialog] = await answerDialogs(undefined, () =>
      vscode.commands.executeCommand('modelGateway.useLocalGateway'),
    );
    assert.equal(dialog?.message, 'Start the local gateway on the remote machine?');
    assert.match(dialog.detail, /forwards automatically/);
    assert.equal(services.localGateway.isRunning, false);
  });

  it('is not started automatically, and the failure offers to start it', async () => {
    await services.localGateway.consent.withdraw();
    await services.gateways.setCurrent(localEntry.name);
    const { error } = await services.connection.refresh();
    assert.ok(error);
    assert.match(error.message, /^Local gateway did not start\. .*runs only with your permission/);
    assert.equal((error.cause as Error).name, 'NotStartedError');
    const [action] = failureMessage(toGatewayError(new NotStartedError('…'), localEntry)).actions;
    assert.equal(action, 'start-local-gateway');
    assert.equal(services.localGateway.isRunning, false);
  });

  it('starts after the user agrees, without a question the next time', async () => {
    await services.localGateway.consent.withdraw();
    const start = () => vscode.commands.executeCommand('modelGateway.tryDemo');
    assert.equal((await answerDialogs('Start There', start)).length, 1);
    assert.equal(services.localGateway.isRunning, true);
    assert.deepEqual(await answerDialogs(undefined, start), []);
  });
});
