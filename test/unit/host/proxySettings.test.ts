import assert from 'node:assert/strict';
import { type ProxySettings, proxyFor } from '../../../src/host/connection/proxySettings.ts';

const origin = 'https://gateway.example';
const unset: ProxySettings = { support: 'override', proxy: '', noProxy: [], env: {} };

describe('the proxy that is set for a gateway', () => {
  const cases: readonly (readonly [
    title: string,
    settings: Partial<ProxySettings>,
    proxy: string | undefined,
  ])[] = [
    ['none', {}, undefined],
    ['http.proxy', { proxy: 'http://proxy.example:3128' }, 'proxy.example:3128'],
    ['http.proxy before the environment', { proxy: 'http://a:1', env: { HTTPS_PROXY: 'http://b:2' } }, 'a:1'],
    ['blank http.proxy', { proxy: '  ', env: { https_proxy: 'http://b:2/' } }, 'b:2'],
    ['an address without a scheme', { proxy: 'proxy.example:3128' }, 'proxy.example:3128'],
    ['socks', { env: { ALL_PROXY: 'socks5h://127.0.0.1:1080' } }, '127.0.0.1:1080'],
    [
      'lower case first',
      { env: { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' } },
      'lower:1',
    ],
    ['only one for http', { env: { HTTP_PROXY: 'http://plain:1' } }, 'plain:1'],
    ['proxies switched off', { support: 'off', proxy: 'http://a:1' }, undefined],
    ['settings of any type', { proxy: 7, noProxy: 'x', support: null }, undefined],
    [
      'no user name and no password',
      { proxy: 'http://jo:p%40ss@w/0rd@proxy.example:3128/' },
      'proxy.example:3128',
    ],
    ['an IPv6 address', { proxy: 'http://jo:pass@[::1]:8080' }, '[::1]:8080'],
    ['nothing of an address that cannot be read', { proxy: 'jo:secret' }, 'at an unreadable address'],
  ];
  for (const [title, settings, proxy] of cases) {
    it(title, () => assert.equal(proxyFor(origin, { ...unset, ...settings }), proxy));
  }

  const excepted: readonly (readonly [origin: string, settings: Partial<ProxySettings>, is: boolean])[] = [
    [origin, { env: { NO_PROXY: 'gateway.example' } }, true],
    [origin, { env: { no_proxy: 'other.example,.example' } }, true],
    [origin, { env: { NO_PROXY: 'EXAMPLE' } }, true],
    ['https://mygateway.example', { env: { NO_PROXY: 'gateway.example' } }, false],
    [origin, { env: { NO_PROXY: '*' } }, true],
    [origin, { env: { NO_PROXY: 'gateway.example:443' } }, true],
    [origin, { env: { NO_PROXY: 'gateway.example:8443' } }, false],
    ['https://gateway.example:8443', { env: { NO_PROXY: 'gateway.example:8443' } }, true],
    [origin, { noProxy: ['gateway.example'] }, true],
    [origin, { noProxy: [' *.example', '*'] }, true],
    // The list in the settings replaces the one in the environment.
    [origin, { noProxy: ['other.example'], env: { NO_PROXY: 'gateway.example' } }, false],
  ];
  for (const [address, settings, is] of excepted) {
    it(`${JSON.stringify(settings)} ${is ? 'excepts' : 'does not except'} ${address}`, () => {
      const proxy = proxyFor(address, { ...unset, proxy: 'http://p:1', ...settings });
      assert.equal(proxy, is ? undefined : 'p:1');
    });
  }
});
