import assert from 'node:assert/strict';
import tls from 'node:tls';
import { checkGateway } from '../../src/client/connectionCheck/checkGateway.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import {
  address,
  assertCase,
  checkConnection,
  createConnectionCases,
  listStates,
  readFailedStep,
  startListener,
  startServer,
} from '../support/connectionCases.ts';
import { replyWith } from '../support/faultServer.ts';
import { testCredential } from '../support/faultServerCalls.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';

const list = '{"object":"list","data":[{"id":"model-a"},{"id":"model-b"}]}';

describe('the connection check', () => {
  const authority = makeCertificate({ name: 'Test authority', authority: true });
  const trusted = tls.getCACertificates('default');
  before(() => tls.setDefaultCACertificates([...trusted, authority.cert]));
  after(() => tls.setDefaultCACertificates(trusted));

  it('passes every step for a working gateway, reports the findings of each, and sends one request', async () => {
    const seen: string[] = [];
    const target = await startServer(
      (connection, { method, path }) => {
        seen.push(`${method} ${path}`);
        return connection.respond(200, {}, list);
      },
      makeCertificate({ name: 'good', issuer: authority, address }),
    );
    const result = await checkConnection(target);
    assert.deepEqual(listStates(result), [
      'address passed',
      'name skipped',
      'connection passed',
      'proxy passed',
      'tls passed',
      'models passed',
      'credential passed',
    ]);
    assert.equal(result.error, undefined);
    assert.deepEqual(seen, ['GET /v1/models']);
    assert.deepEqual(
      result.models.map(({ id }) => id),
      ['model-a', 'model-b'],
    );
    const secured = result.steps.find((step) => step.name === 'tls' && step.state === 'passed');
    assert.ok(secured?.name === 'tls' && secured.state === 'passed');
    assert.match(secured.found.protocol ?? '', /^TLSv1/);
    assert.equal(secured.found.certificates[0]?.subject, 'good');
    assert.equal(secured.found.certificates[0]?.issuer, 'Test authority');
  });

  it('reports the addresses of a host name', async () => {
    const target = await startServer((connection) => connection.respond(200, {}, list));
    const baseUrl = target.options.baseUrl.replace(address, 'gateway.localhost');
    const { steps } = await checkConnection({ ...target, options: { baseUrl } });
    const nameStep = steps.find(({ name }) => name === 'name');
    assert.ok(nameStep?.name === 'name' && nameStep.state === 'passed');
    assert.ok(nameStep.found.addresses.includes(address));
  });

  for (const each of createConnectionCases(() => authority)) {
    it(`ends at the step ${each.step} for ${each.title}, with the failure class and the remedy`, () =>
      assertCase(each));
  }

  it('reports the certificates of an untrusted gateway without sending a request to it', async () => {
    const issuer = makeCertificate({ name: 'Nobody', authority: true });
    let requests = 0;
    const target = await startServer(
      () => requests++,
      makeCertificate({ name: 'stranger', address, issuer }),
    );
    const { certificates = [] } = readFailedStep(await checkConnection(target));
    assert.deepEqual(
      certificates.map(({ subject, issuer: by }) => [subject, by]),
      [['stranger', 'Nobody']],
    );
    assert.match(certificates[0]?.hosts ?? '', /127\.0\.0\.1/);
    assert.match(certificates[0]?.sha256 ?? '', /^[\dA-F:]{95}$/);
    assert.equal(requests, 0);
  });

  it('reports the certificates also when VS Code’s network stack refused them', async () => {
    const issuer = makeCertificate({ name: 'Nobody', authority: true });
    let requests = 0;
    const target = await startServer(
      () => requests++,
      makeCertificate({ name: 'stranger', address, issuer }),
    );
    const failed = readFailedStep(
      await checkConnection({ ...target, options: { ...target.options, transport: 'host' } }),
    );
    assert.equal(failed.name, 'tls');
    assert.deepEqual(
      failed.certificates?.map(({ subject, issuer: by }) => [subject, by]),
      [['stranger', 'Nobody']],
    );
    assert.equal(requests, 0);
  });

  it('passes the models step and fails the credential step when the credential is refused', async () => {
    const result = await checkConnection(await startServer(replyWith(403, '{}')));
    assert.deepEqual(listStates(result).slice(-2), ['models passed', 'credential failed']);
  });

  it('reports whether a credential is set', async () => {
    const target = await startServer(replyWith(200, list));
    const { steps } = await checkConnection({
      ...target,
      options: { ...target.options, credential: async () => undefined },
    });
    const last = steps.at(-1);
    assert.ok(last?.name === 'credential' && last.state === 'passed' && !last.found.isSet);
  });

  it('ends at once when it is cancelled, and closes its connection', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const target = await startListener((socket) => {
      socket.on('close', () => closed.resolve());
      controller.abort();
    });
    await assert.rejects(
      checkGateway(
        { credential: async () => testCredential, ...target.options },
        { signal: controller.signal },
      ),
      (error) => GatewayError.is(error, 'cancelled'),
    );
    await closed.promise;
    await target.close?.();
  });
});
