import assert from 'node:assert/strict';
import {
  digestCredential,
  GatewayCredentials,
} from '../../../../src/localGateway/config/gatewayCredentials.ts';
import { checkRequest, type GuardDecision, maxBodyBytes } from '../../../../src/localGateway/server/guard.ts';
import { RouteTable } from '../../../../src/localGateway/server/routeTable.ts';
import { openRoutes, servedRoutes, taskContent } from '../../../../src/localGateway/server/servedRoutes.ts';
import { videoSynthesis } from '../../../../src/wire/apis/videoSynthesis/videoRoute.ts';
import { routes } from '../../../../src/wire/routes.ts';

type RequestHead = Parameters<typeof checkRequest>[0];

describe('the guard of the local gateway', () => {
  const credentials = new GatewayCredentials('test-credential', () => 0);
  credentials.setNamed([{ name: 'ci', sha256: digestCredential('credential-of-ci').toString('hex') }]);
  const rules = { routes: new RouteTable(servedRoutes), openRoutes, credentials };
  const host = ['Host', '127.0.0.1:8080'];
  const bearer = ['Authorization', 'Bearer test-credential'];
  const json = ['Content-Type', 'application/json'];

  function facts(change: Partial<RequestHead> = {}): RequestHead {
    return {
      httpVersion: '1.1',
      method: 'GET',
      target: '/v1/models',
      rawHeaders: [...host, ...bearer],
      localPort: 8080,
      ...change,
    };
  }
  const decide = (change: Partial<RequestHead>): GuardDecision => checkRequest(facts(change), rules);
  const status = (change: Partial<RequestHead>) => {
    const decision = decide(change);
    return decision.admitted ? 200 : decision.status;
  };

  it('admits a valid request and returns its route', () => {
    const validCredential = { credential: 'test-credential', access: credentials.find('test-credential') };
    const isReadable = false;
    assert.deepEqual(decide({}), {
      admitted: true,
      route: routes.listModels,
      params: {},
      validCredential,
      isReadable,
    });
  });

  const table: readonly (readonly [requestName: string, change: Partial<RequestHead>, status: number])[] = [
    ['HTTP/1.0', { httpVersion: '1.0' }, 505],
    ['HTTP/2.0', { httpVersion: '2.0' }, 505],
    ['an absolute target', { target: 'http://127.0.0.1:8080/v1/models' }, 400],
    ['an asterisk target', { target: '*' }, 400],
    ['an empty target', { target: '' }, 400],
    ['no Host', { rawHeaders: bearer }, 421],
    ['two Hosts', { rawHeaders: [...host, ...host, ...bearer] }, 421],
    ['two Hosts in different case', { rawHeaders: [...host, 'HOST', 'evil.example', ...bearer] }, 421],
    ['localhost', { rawHeaders: ['host', 'localhost:8080', ...bearer] }, 200],
    ['the IPv6 loopback', { rawHeaders: ['host', '[::1]:8080', ...bearer] }, 200],
    ['a Host with a trailing dot', { rawHeaders: ['Host', 'localhost.:8080', ...bearer] }, 421],
    ['a Host with another port', { rawHeaders: ['Host', '127.0.0.1:8081', ...bearer] }, 421],
    ['a Host that only starts correctly', { rawHeaders: ['Host', '127.0.0.1:80800', ...bearer] }, 421],
    ['a Host with user info', { rawHeaders: ['Host', 'x@127.0.0.1:8080', ...bearer] }, 421],
    ['an empty Origin', { rawHeaders: [...host, ...bearer, 'Origin', ''] }, 403],
    ['its own Origin', { rawHeaders: [...host, ...bearer, 'ORIGIN', 'http://127.0.0.1:8080'] }, 403],
    ['a request typed into a browser', { rawHeaders: [...host, ...bearer, 'Sec-Fetch-Site', 'none'] }, 200],
    ['a same-site request', { rawHeaders: [...host, ...bearer, 'Sec-Fetch-Site', 'same-site'] }, 403],
    [
      'two Sec-Fetch-Site',
      { rawHeaders: [...host, ...bearer, 'Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'x'] },
      403,
    ],
    ['a path encoded once', { target: '/v1/%6Dodels?a=b' }, 200],
    ['a path encoded twice', { target: '/v1/%256Dodels' }, 404],
    ['an encoded slash', { target: '/v1%2fmodels' }, 404],
    ['a broken encoding', { target: '/v1/models%' }, 404],
    ['a method the path lacks', { method: 'DELETE' }, 405],
    ['OPTIONS', { method: 'OPTIONS', rawHeaders: host }, 405],
    ['a method in lower case', { method: 'get' }, 405],
    ['no credential', { rawHeaders: host }, 401],
    ['the credential twice', { rawHeaders: [...host, ...bearer, ...bearer] }, 200],
    [
      'the credential in two headers',
      { rawHeaders: [...host, ...bearer, 'X-Api-Key', 'test-credential'] },
      200,
    ],
    ['the credential next to another', { rawHeaders: [...host, ...bearer, 'x-api-key', 'other'] }, 401],
    ['the credential next to an empty one', { rawHeaders: [...host, ...bearer, 'x-goog-api-key', ''] }, 401],
    [
      'the credential next to another scheme',
      { rawHeaders: [...host, 'Authorization', 'Basic eDp5', 'api-key', 'test-credential'] },
      401,
    ],
    ['the credential in the address', { target: '/v1/models?key=test-credential', rawHeaders: host }, 401],
    ['another credential', { rawHeaders: [...host, 'Authorization', 'Bearer test-credentiaL'] }, 401],
    ['the credential without a scheme', { rawHeaders: [...host, 'Authorization', 'test-credential'] }, 401],
    ['an empty credential', { rawHeaders: [...host, 'Authorization', 'Bearer '] }, 401],
    ['the scheme in lower case', { rawHeaders: [...host, 'authorization', 'bearer test-credential'] }, 200],
    ['the credential in an unknown header', { rawHeaders: [...host, 'x-key', 'test-credential'] }, 401],
  ];
  for (const [requestName, change, expected] of table) {
    it(`T26 replies to ${requestName} with ${expected}`, () => assert.equal(status(change), expected));
  }

  it('accepts the credential in every known header on every route', () => {
    for (const { name: route, method, path } of servedRoutes) {
      if (openRoutes.has(route)) continue;
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      for (const name of ['x-vendor-api-key', 'X-Goog-Api-Key', 'x-api-key', 'api-key']) {
        const rawHeaders = [...host, ...json, name, 'test-credential'];
        assert.equal(status({ method, target, rawHeaders }), 200, `${method} ${target} ${name}`);
        const two = [...rawHeaders, 'authorization', 'Bearer other'];
        assert.equal(status({ method, target, rawHeaders: two }), 401, `${method} ${target} ${name}`);
      }
      assert.equal(status({ method, target, rawHeaders: [...host, ...json, ...bearer] }), 200, target);
      assert.equal(status({ method, target, rawHeaders: [...host, ...json] }), 401, target);
    }
  });

  it('returns the owner of the credential, and rejects two credentials', () => {
    const ofCi = ['x-api-key', 'credential-of-ci'];
    const whose = (...headers: readonly string[]) => {
      const decision = decide({ rawHeaders: [...host, ...headers] });
      return decision.admitted ? (decision.validCredential?.access.name ?? 'own') : decision.status;
    };
    assert.equal(whose(...bearer), 'own');
    assert.equal(whose(...ofCi), 'ci');
    assert.equal(whose(...ofCi, 'authorization', 'Bearer credential-of-ci'), 'ci');
    assert.equal(whose(...ofCi, ...bearer), 401);
    assert.equal(whose('x-api-key', digestCredential('credential-of-ci').toString('hex')), 401);
  });

  it('T26 allows health checks from this machine, but not from web pages', () => {
    const health = (...headers: readonly string[]) =>
      status({ target: '/healthz', rawHeaders: [...headers] });
    assert.equal(health(...host), 200);
    assert.equal(health(), 421);
    assert.equal(health(...host, 'Origin', 'https://page.example'), 403);
    assert.equal(health(...host, 'Sec-Fetch-Site', 'cross-site'), 403);
    assert.equal(status({ target: '/metrics', rawHeaders: host }), 401);
  });

  it('admits the methods of the task routes, with a body only where one is expected', () => {
    const admitted = (method: string, target: string, ...more: readonly string[]) => {
      const decision = decide({ method, target, rawHeaders: [...host, ...bearer, ...more] });
      return decision.admitted ? decision.route : decision.status;
    };
    assert.equal(admitted('GET', '/v1/tasks?limit=5'), routes.listTasks);
    assert.equal(admitted('GET', '/v1/tasks/task_1'), routes.readTask);
    assert.equal(admitted('GET', '/v1/tasks/task_1/content?index=1'), taskContent);
    assert.equal(admitted('DELETE', '/v1/tasks/task_1'), routes.deleteTask);
    assert.equal(admitted('DELETE', '/v1/tasks/task_1', ...json), routes.deleteTask);
    assert.equal(admitted('POST', '/v1/tasks/task_1/cancel', ...json), routes.cancelTask);
    assert.equal(admitted('POST', '/v1/tasks/task_1/cancel'), routes.cancelTask);
    assert.equal(admitted('POST', videoSynthesis.route.path, ...json), videoSynthesis.route);
    for (const [method, target] of [
      ['POST', '/v1/tasks'],
      ['DELETE', '/v1/tasks'],
      ['PUT', '/v1/tasks/task_1'],
      ['GET', '/v1/tasks/task_1/cancel'],
      ['DELETE', '/v1/tasks/task_1/content'],
      ['GET', videoSynthesis.route.path],
    ] as const) {
      assert.equal(admitted(method, target, ...json), 405, `${method} ${target}`);
    }
  });

  it('T7 does not match a task route for an id that is a path', () => {
    for (const id of ['', '..', '.', '../x', 'x/..', '%2E%2E', '%2e%2e%2Fx', '%2Fetc', 'x//y', 'x%2F']) {
      assert.equal(status({ target: `/v1/tasks/${id}` }), 404, id);
      assert.equal(status({ target: `/v1/tasks/${id}/content` }), 404, id);
    }
  });

  it('accepts a POST body only as JSON of at most 25 MiB', () => {
    const post = (...more: readonly string[]) =>
      status({ method: 'POST', target: '/v1/chat/completions', rawHeaders: [...host, ...bearer, ...more] });
    const some = ['Content-Length', '2'];
    assert.equal(post(), 200);
    assert.equal(post('Content-Length', '0'), 200);
    assert.equal(post('Content-Length', '0', 'Content-Type', 'text/plain'), 200);
    assert.equal(post(...some), 415);
    assert.equal(post('Transfer-Encoding', 'chunked'), 200);
    assert.equal(post(...json), 200);
    assert.equal(post(...some, ...json, ...json), 415);
    assert.equal(post(...some, 'Content-Type', 'application/json;charset=utf-8'), 200);
    assert.equal(post(...some, 'Content-Type', 'application/jsonp'), 415);
    assert.equal(post(...json, 'Content-Length', String(maxBodyBytes)), 200);
    assert.equal(post(...json, 'Content-Length', String(maxBodyBytes + 1)), 413);
  });

  it('reports the first failed check', () => {
    const faults: readonly (readonly [status: number, applyFault: (facts: RequestHead) => RequestHead])[] = [
      [505, (it) => ({ ...it, httpVersion: '1.0' })],
      [400, (it) => ({ ...it, target: `http://evil.example${it.target}` })],
      [421, (it) => ({ ...it, rawHeaders: it.rawHeaders.with(1, 'evil.example') })],
      [403, (it) => ({ ...it, rawHeaders: [...it.rawHeaders, 'Origin', 'https://evil.example'] })],
      [404, (it) => ({ ...it, target: `${it.target}/x` })],
      [405, (it) => ({ ...it, method: 'PATCH' })],
      [401, (it) => ({ ...it, rawHeaders: it.rawHeaders.with(3, 'Bearer other') })],
      [
        415,
        (it) => ({
          ...it,
          rawHeaders: [...it.rawHeaders.with(5, 'text/plain'), 'Transfer-Encoding', 'chunked'],
        }),
      ],
      [413, (it) => ({ ...it, rawHeaders: [...it.rawHeaders, 'Content-Length', '99999999'] })],
    ];
    const good = facts({
      method: 'POST',
      target: '/v1/chat/completions',
      rawHeaders: [...host, ...bearer, ...json],
    });
    faults.forEach(([expected], i) => {
      const damaged = faults.slice(i).reduce((it, [, applyFault]) => applyFault(it), good);
      assert.equal(status(damaged), expected);
    });
    assert.equal(status(good), 200);
  });

  it('reports whether the credential was sent to an unknown path or with an unknown method', () => {
    const hasValidCredential = (change: Partial<RequestHead>) => {
      const decision = decide(change);
      return !decision.admitted && decision.hasValidCredential;
    };
    assert.equal(hasValidCredential({ target: '/nowhere' }), true);
    assert.equal(
      hasValidCredential({ target: '/nowhere', rawHeaders: [...host, 'x-goog-api-key', 'test-credential'] }),
      true,
    );
    assert.equal(hasValidCredential({ target: '/nowhere', rawHeaders: host }), false);
    assert.equal(hasValidCredential({ method: 'PUT' }), true);
    assert.equal(hasValidCredential({ rawHeaders: [...bearer, 'Host', 'evil.example'] }), true);
    assert.equal(hasValidCredential({ rawHeaders: ['Host', 'evil.example'] }), false);
    assert.equal(hasValidCredential({ rawHeaders: [...host, ...bearer, 'Origin', 'null'] }), true);
  });
});
