import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/services.ts';
import { extensionServices } from '../support/extensionServices.ts';

const settings = () => vscode.workspace.getConfiguration('modelGateway');
const earlier = [
  { name: 'of before', baseUrl: 'https://before.example', resultOrigins: ['https://10.1.2.3'] },
];

/** What an earlier version kept under other names goes on to count. */
describe('gateways in the setting of an earlier version', () => {
  let services: Services;
  let kept: unknown;

  before(async () => {
    services = await extensionServices();
    kept = settings().inspect('gateways')?.globalValue;
    await settings().update('gateways', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('profiles', earlier, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    await settings().update('profiles', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('gateways', kept, vscode.ConfigurationTarget.Global);
  });

  it('are there, whole', () => {
    assert.deepEqual(services.gateways.all, earlier);
  });

  it('move to the present setting when another is added', async () => {
    const added = { name: 'new', baseUrl: 'https://new.example' };
    await services.gateways.save(added);
    assert.deepEqual(services.gateways.all, [...earlier, added]);
    assert.deepEqual(settings().inspect('gateways')?.globalValue, [...earlier, added]);
    assert.equal(settings().inspect('profiles')?.globalValue, undefined);
  });
});
