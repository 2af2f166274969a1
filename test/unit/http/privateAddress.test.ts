import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { mock } from 'node:test';
import { findAddressProblem } from '../../../src/client/gatewayAddress.ts';
import { createGatewayClient } from '../../../src/client/gatewayClient.ts';
import { createGatewayTransports } from '../../../src/client/transports/transportChoice.ts';
import { UndiciTransport } from '../../../src/client/transports/undiciTransport.ts';
import { createPrivateLookup, isPrivateAddress } from '../../../src/http/privateAddress.ts';
import { catchFailure } from '../../support/faultServerCalls.ts';

describe('private addresses', () => {
  const privateAddresses = [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
  ];
  const otherAddresses = [
    '11.0.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '8.8.8.8',
    '100.128.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '127.0.0.1',
    '::1',
    '::',
    '2001:4860:4860::8888',
    'fec0::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '2002:a00:1::1',
    'intranet',
    '',
    '10.1',
    '0x0a000001',
  ];
  for (const address of privateAddresses)
    it(`T5 include ${address}`, () => assert.ok(isPrivateAddress(address)));
  for (const address of otherAddresses)
    it(`T5 do not include ${address || 'the empty string'}`, () => assert.ok(!isPrivateAddress(address)));
});

describe('plain HTTP that the user allowed', () => {
  it('T5 is accepted for private addresses and host names, and rejected for public addresses', () => {
    for (const host of ['192.168.1.5:11434', '[fd00::1]', 'models.local', 'gpu-box', 'gateway.example']) {
      assert.equal(findAddressProblem(`http://${host}`, 'private-network'), undefined, host);
      assert.equal(findAddressProblem(`http://${host}`), 'plain-http', host);
    }
    for (const host of ['8.8.8.8', '169.254.169.254', '[2001:4860:4860::8888]', '[::ffff:10.0.0.1]', '0']) {
      assert.equal(findAddressProblem(`http://${host}`, 'private-network'), 'plain-http', host);
    }
  });

  it('T5 uses neither a proxy nor a second transport for any transport setting', () => {
    const proxied = { proxy: () => 'proxy.example:3128', credential: async () => undefined };
    for (const transport of ['auto', 'host'] as const) {
      const baseUrl = 'http://10.0.0.5';
      const choice = createGatewayTransports({
        ...proxied,
        baseUrl,
        transport,
        plainHttp: 'private-network',
      });
      assert.deepEqual(choice.order(new URL(baseUrl)), ['undici']);
      const secure = createGatewayTransports({
        ...proxied,
        baseUrl: 'https://a.example',
        transport,
        plainHttp: 'private-network',
      });
      assert.deepEqual(secure.order(new URL('https://a.example')), ['https']);
    }
  });

  describe('to a host name', () => {
    let server: Server;
    let port: number;
    let received = 0;
    let answers: readonly LookupAddress[];
    const lookup: LookupFunction = (_, { all }, done) => {
      const [first] = answers;
      if (all) done(null, [...answers]);
      else done(null, first?.address ?? '', first?.family);
    };

    before(async () => {
      server = createServer((_, response) => {
        received += 1;
        response.setHeader('connection', 'close').end('ok');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    });

    after(() => {
      server.closeAllConnections();
      server.close();
    });

    function request(): Promise<string | undefined> {
      const transport = new UndiciTransport({ lookup: createPrivateLookup(lookup) });
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      transport.dispatch(
        { method: 'GET', url: new URL(`http://models.local:${port}`), headers: {} },
        {
          onProxy() {},
          onProxyLogin() {},
          onSent() {},
          onHead() {},
          onData() {},
          onEnd: () => resolve(undefined),
          onError: (error) => resolve('code' in error ? String(error.code) : error.message),
        },
      );
      return promise.finally(() => transport.close());
    }

    it('T5 is rejected when any address of the name is not private at connection time', async () => {
      answers = [{ address: '127.0.0.1', family: 4 }];
      assert.equal(await request(), undefined);
      for (const elsewhere of ['203.0.113.9', '169.254.169.254', '::ffff:203.0.113.9']) {
        answers = [
          { address: '127.0.0.1', family: 4 },
          { address: elsewhere, family: elsewhere.includes(':') ? 6 : 4 },
        ];
        assert.equal(await request(), 'ERR_NOT_PRIVATE_ADDRESS', elsewhere);
      }
      assert.equal(received, 1);
    });

    it('T5 is not used by a client when the name resolves to a public address, and the failure names the reason', async () => {
      const before = received;
      mock.method(dns, 'lookup', lookup);
      const client = createGatewayClient({
        baseUrl: `http://models.local:${port}`,
        plainHttp: 'private-network',
        credential: async () => 'canary-credential',
      });
      try {
        answers = [{ address: '203.0.113.9', family: 4 }];
        const { kind, reason, explanation, wasSent } = await catchFailure(client.listModels());
        assert.deepEqual([kind, reason, wasSent], ['unreachable', 'unusable-address', false]);
        assert.equal(explanation.id, 'plain-http-not-private');
        answers = [{ address: '127.0.0.1', family: 4 }];
        assert.equal((await catchFailure(client.listModels())).kind, 'malformed-reply');
        assert.equal(received, before + 1);
      } finally {
        mock.restoreAll();
        await client.close();
      }
    });
  });
});
