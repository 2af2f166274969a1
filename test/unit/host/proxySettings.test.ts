import assert from 'node:assert/strict';
import { findProxy } from '../../../src/host/connection/proxySettings.ts';

type EditorProxySettings = Parameters<typeof findProxy>[1];

const origin = 'https://gateway.example';
const unset: EditorProxySettings = { support: 'override', proxy: '', noProxy: [], env: {} };

describe('the configured proxy of a gateway', () => {
  const cases: readonly (readonly [
    title: string,
    settings: Partial<EditorProxySettings>,
    proxy: string | undefined,
  ])[] = [
    ['is undefined without settings', {}, undefined],
    ['is http.proxy', { proxy: 'http://proxy.example:3128' }, 'proxy.example:3128'],
    ['is http.proxy before any variable', { proxy: 'http://a:1', env: { HTTPS_PROXY: 'http://b:2' } }, 'a:1'],
    ['ignores a blank http.proxy', { proxy: '  ', env: { https_proxy: 'http://b:2/' } }, 'b:2'],
    ['may be an address without a scheme', { proxy: 'proxy.example:3128' }, 'proxy.example:3128'],
    ['may be a SOCKS proxy', { env: { ALL_PROXY: 'socks5h://127.0.0.1:1080' } }, '127.0.0.1:1080'],
    [
      'is taken from lower-case variables first',
      { env: { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' } },
      'lower:1',
    ],
    ['is HTTP_PROXY if only that is set', { env: { HTTP_PROXY: 'http://plain:1' } }, 'plain:1'],
    ['is undefined if proxies are switched off', { support: 'off', proxy: 'http://a:1' }, undefined],
    ['is undefined if the settings have wrong types', { proxy: 7, noProxy: 'x', support: null }, undefined],
    [
      'is shown without user name and password',
      { proxy: 'http://jo:p%40ss@w/0rd@proxy.example:3128/' },
      'proxy.example:3128',
    ],
    ['may have an IPv6 address', { proxy: 'http://jo:pass@[::1]:8080' }, '[::1]:8080'],
    [
      'is named as unreadable if its address cannot be read',
      { proxy: 'jo:secret' },
      'at an unreadable address',
    ],
  ];
  for (const [title, settings, proxy] of cases) {
    it(title, () => assert.equal(findProxy(origin, { ...unset, ...settings }), proxy));
  }

  const excepted: readonly (readonly [
    origin: string,
    settings: Partial<EditorProxySettings>,
    is: boolean,
  ])[] = [
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
    it(`with ${JSON.stringify(settings)} ${is ? 'does not apply' : 'applies'} to ${address}`, () => {
      const proxy = findProxy(address, { ...unset, proxy: 'http://p:1', ...settings });
      assert.equal(proxy, is ? undefined : 'p:1');
    });
  }
});
