import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isLoopback } from '../../../src/base/loopback.ts';
import { buildRouteUrl, findAddressProblem } from '../../../src/client/gatewayAddress.ts';
import { contentGenerationRoutes } from '../../../src/wire/apis/contentGeneration/format.ts';
import { routes } from '../../../src/wire/routes.ts';

describe('the address of a route', () => {
  const base = 'https://gateway.example:8443/api/';

  it('is below the base address, including its path', () => {
    assert.equal(buildRouteUrl(base, routes.listModels).href, 'https://gateway.example:8443/api/v1/models');
    assert.equal(
      buildRouteUrl('https://gateway.example', routes.listModels).href,
      'https://gateway.example/v1/models',
    );
  });

  it('encodes a model id with slashes, spaces and Unicode as one segment', () => {
    const { pathname } = buildRouteUrl(base, contentGenerationRoutes.generateContent, {
      model: 'maker/模型 1',
    });
    assert.equal(pathname, '/api/v1beta/models/maker%2F%E6%A8%A1%E5%9E%8B%201:generateContent');
  });

  it('T7 stays on its origin and path for hostile ids, and ids such as “..” are rejected', () => {
    const ids = [
      '../x',
      '//evil',
      'http://evil',
      '%2e%2e/',
      'a?b',
      'a#b',
      '\u0000',
      'a\\..\\b',
      'x'.repeat(10_240),
      '\ud800',
    ];
    for (const task_id of ids) {
      const url = buildRouteUrl(base, routes.cancelTask, { task_id });
      assert.match(url.href, /^https:\/\/gateway\.example:8443\/api\/v1\/tasks\/[^/?#]+\/cancel$/);
    }
    for (const task_id of ['.', '..', '']) {
      assert.throws(() => buildRouteUrl(base, routes.cancelTask, { task_id }), TypeError);
    }
    assert.throws(() => buildRouteUrl(base, routes.cancelTask), TypeError);
  });

  it('T7 has the same origin and number of segments for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 3 }), (task_id) => {
        const url = buildRouteUrl(base, routes.readTask, { task_id });
        assert.equal(url.origin, 'https://gateway.example:8443');
        assert.equal(url.pathname.split('/').length, 5);
      }),
    );
  });
});

describe('a base address', () => {
  it('may be https on any host and http on this machine', () => {
    const good = [
      'https://gateway.example',
      'https://gateway.example/api',
      'http://localhost:8080',
      'http://127.0.0.1:1',
    ];
    for (const baseUrl of [...good, 'http://[::1]:9', 'http://127.8.9.10', 'http://dev.localhost']) {
      assert.equal(findAddressProblem(baseUrl), undefined, baseUrl);
    }
  });

  it('is rejected if it is not http, not encrypted, or has credentials or a query', () => {
    assert.equal(findAddressProblem('gateway.example'), 'not-an-address');
    assert.equal(findAddressProblem('ftp://gateway.example'), 'not-http');
    assert.equal(findAddressProblem('http://gateway.example'), 'plain-http');
    assert.equal(findAddressProblem('http://127.0.0.1.evil.example'), 'plain-http');
    assert.equal(findAddressProblem('http://localhost.evil.example'), 'plain-http');
    assert.equal(findAddressProblem('https://user:pass@gateway.example'), 'contains-credentials');
    assert.equal(findAddressProblem('https://gateway.example/?key=1'), 'contains-query');
    assert.equal(findAddressProblem('https://gateway.example/#x'), 'contains-query');
  });

  it('is recognised as this machine only by an exact loopback name', () => {
    assert.ok(isLoopback('LOCALHOST'));
    for (const host of ['127.0.0.1.nip.example', 'notlocalhost', '128.0.0.1', '[::2]', '0.0.0.0']) {
      assert.equal(isLoopback(host), false, host);
    }
  });
});
