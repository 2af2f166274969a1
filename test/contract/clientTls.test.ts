import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import tls from 'node:tls';
import type { FailureReason } from '../../src/wire/failures/gatewayError.ts';
import { catchFailure, withFaultServer } from '../support/faultServerCalls.ts';
import { makeCertificate, type TestCertificate } from '../support/faultServerCertificates.ts';

const ignore = () => {};

for (const transport of ['direct', 'host'] as const) {
  describe(`F7 T30 a gateway over TLS, ${transport} transport`, () => {
    const authority = makeCertificate({ name: 'Test authority', authority: true });
    const trusted = tls.getCACertificates('default');
    before(() => tls.setDefaultCACertificates([...trusted, authority.cert]));
    after(() => tls.setDefaultCACertificates(trusted));

    const address = '127.0.0.1';
    const issuer = authority;
    const cases: readonly (readonly [title: string, certificate: TestCertificate, reason: FailureReason])[] =
      [
        ['signed by itself', makeCertificate({ name: 'self', address }), 'tls-unknown-authority'],
        [
          'for another host',
          makeCertificate({ name: 'other', issuer, address: '127.0.0.2' }),
          'tls-wrong-host',
        ],
        [
          'out of date',
          makeCertificate({ name: 'old', issuer, address, validTo: new Date(0) }),
          'tls-expired',
        ],
        [
          'not valid yet',
          makeCertificate({ name: 'new', issuer, address, validFrom: new Date(4e12) }),
          'tls-expired',
        ],
      ];
    for (const [title, certificate, reason] of cases) {
      it(`is refused with a certificate ${title}, before anything is sent`, async () => {
        await withFaultServer(
          ignore,
          async ({ server, client }) => {
            const failure = await catchFailure(client.listModels());
            assert.deepEqual([failure.kind, failure.reason], ['unreachable', reason]);
            assert.equal(server.requests.length, 0);
          },
          { transport, tls: certificate },
        );
      });
    }

    it('is refused when it does not speak TLS at all', async () => {
      const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
        0,
        '127.0.0.1',
      );
      await once(plain, 'listening');
      await withFaultServer(
        ignore,
        async ({ client }) => assert.equal((await catchFailure(client.listModels())).reason, 'tls-not-tls'),
        { transport, baseUrl: `https://127.0.0.1:${(plain.address() as AddressInfo).port}` },
      );
      plain.close();
    });

    it('is used when its certificate is valid', async () => {
      await withFaultServer(
        (connection) => connection.respond(200, {}, '{"data":[{"id":"a"}]}'),
        async ({ client }) => assert.equal((await client.listModels())[0]?.id, 'a'),
        { transport, tls: makeCertificate({ name: 'good', issuer, address }) },
      );
    });
  });
}
