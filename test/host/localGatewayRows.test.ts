import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { gatewayRows } from '../../src/host/models/localGatewayRows.ts';

describe('the rows of the local gateway', () => {
  it('show each of several keys by name, and whether it is refused and until when', () => {
    const until = Date.now() + 60_000;
    const keys = [
      { name: 'key 1', source: 'environment', refused: 402, restsUntil: until },
      { name: 'spare', source: 'command' },
      { name: 'key 3', source: 'missing' },
    ] as const;
    const own = { name: 'own', kind: 'messages', key: 'environment', models: 5, keys } as const;
    const status = {
      kinds: [],
      upstreams: [own],
      windows: 1,
      exitsAfterWindows: true,
      openRequests: 0,
      listing: '',
    };
    const shown = { isRunning: true, isStarting: false, isConfigured: true, lostKeys: [], status };
    const item = gatewayRows(shown).at(-1)?.item();
    const time = new Date(until).toLocaleTimeString(vscode.env.language);
    assert.deepEqual(String(item?.tooltip).split('\n').slice(-4), [
      '',
      `key 1: refused with 402, not used until ${time}`,
      'spare: available',
      'key 3: missing',
    ]);
  });

  it('show when a credential of the configuration expires, and include a row for each expired one', () => {
    const [past, future] = [Date.parse('2020-02-01T00:00:00Z'), Date.parse('2999-01-01T00:00:00Z')];
    const credentials = [
      { name: 'ci', expiresAt: past },
      { name: 'phone', expiresAt: future },
    ];
    const status = {
      kinds: [],
      upstreams: [],
      windows: 1,
      exitsAfterWindows: true,
      openRequests: 0,
      listing: '',
      credentials,
    };
    const [gateway, expired, ...others] = gatewayRows({
      isRunning: true,
      isStarting: false,
      isConfigured: true,
      lostKeys: [],
      status,
    }).map((row) => row.item());
    const time = (at: number) => new Date(at).toLocaleString(vscode.env.language);
    assert.ok(String(gateway?.tooltip).includes(`The credential ci expired on ${time(past)}.`));
    assert.ok(String(gateway?.tooltip).includes(`The credential phone expires on ${time(future)}.`));
    assert.deepEqual([expired?.label, expired?.description], ['Credential expired', 'ci']);
    assert.equal(expired?.command?.command, 'modelGateway.localGateway.editConfiguration');
    assert.deepEqual(others, []);
  });
});
