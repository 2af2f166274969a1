import assert from 'node:assert/strict';
import type { Credentials } from '../../src/host/connection/credentials.ts';
import type { LocalGateway } from '../../src/host/connection/localGateway.ts';
import { LocalUpstreams } from '../../src/host/connection/localUpstreams.ts';
import type { Log } from '../../src/host/kit/display/log.ts';

describe('the keys of upstreams', () => {
  it('are sent again if the local gateway did not receive them', async () => {
    const received: Readonly<Record<string, string>>[] = [];
    let key = 'old';
    let isReachable = true;
    const onDidChange = () => ({ dispose: () => {} });
    const control = {
      onDidChange,
      async readStatus() {
        const keySource = received.length > 0 ? 'window' : 'none';
        return { upstreams: [{ name: 'acme', origin: 'https://acme.example', key: keySource }], listing: '' };
      },
      async sendKeys(keys: Readonly<Record<string, string>>) {
        if (!isReachable) throw new Error('no reply');
        received.push(keys);
      },
    };
    const upstreams = new LocalUpstreams(
      { control, onDidChange, configFile: '/missing/model-gateway.json' } as unknown as LocalGateway,
      { onDidChange, read: async () => key, wasStored: () => false } as unknown as Credentials,
      { info: () => {} } as unknown as Log,
    );
    await upstreams.refresh();
    key = 'new';
    isReachable = false;
    await upstreams.refresh();
    isReachable = true;
    await upstreams.refresh();
    upstreams.dispose();
    assert.deepEqual(received, [{ acme: 'old' }, { acme: 'new' }]);
  });
});
