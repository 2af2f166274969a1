import assert from 'node:assert/strict';
import type { ConnectionScript } from '../support/faultServer.ts';
import { catchFailure, testCredential, withFaultServer } from '../support/faultServerCalls.ts';

describe('the model list of a gateway', () => {
  const entries = (from: number, count: number) =>
    Array.from({ length: count }, (_, nth) => ({ id: `m${from + nth}` }));
  const paged =
    (page: (query: URLSearchParams) => readonly [status: number, reply: object]): ConnectionScript =>
    (connection, { path }) => {
      const [status, reply] = page(new URL(path, 'http://gateway').searchParams);
      return connection.respond(status, {}, JSON.stringify(reply));
    };

  it('is read to its end, page by page', async () => {
    const kinds: Readonly<Record<string, (query: URLSearchParams) => object>> = {
      after_id: (query) => {
        const from = Number(query.get('after_id')?.slice(1) ?? -1) + 1;
        return { data: entries(from, 2), has_more: from < 4, first_id: `m${from}`, last_id: `m${from + 1}` };
      },
      token: (query) => {
        const from = Number(query.get('pageToken') ?? 0);
        return { models: entries(from, 2), ...(from < 4 && { nextPageToken: String(from + 2) }) };
      },
      'after an empty page': (query) => {
        const page = Number(query.get('cursor') ?? 0);
        return {
          data: page === 1 ? [] : entries(page === 0 ? 0 : 3, 3),
          next_cursor: page < 2 ? page + 1 : null,
        };
      },
      address: (query) => {
        const from = Number(query.get('from') ?? 0);
        const next = `https://elsewhere.example/v1/models?from=${from + 2}`;
        return { data: entries(from, 2), paging: { next: from < 4 ? next : null } };
      },
    };
    for (const [kind, page] of Object.entries(kinds)) {
      await withFaultServer(
        paged((query) => [200, page(query)]),
        async ({ client, server }) => {
          const ids = (await client.listModels()).map(({ id }) => id);
          assert.deepEqual(ids, ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'], kind);
          assert.equal(server.requests.length, 3, kind);
          assert.ok(server.requests.every(({ path }) => path.startsWith('/v1/models')));
        },
      );
    }
  });

  it('is read without endless loops, and is returned without a further page that is refused', async () => {
    let nth = 0;
    const kinds: Readonly<
      Record<string, readonly [page: (query: URLSearchParams) => readonly [number, object], most: number]>
    > = {
      'the same cursor': [() => [200, { data: entries(nth++ * 2, 2), next_cursor: 'c' }], 2],
      'the same models': [() => [200, { data: entries(0, 2), next_cursor: `c${nth++}` }], 4],
      'ever new models': [() => [200, { data: entries(nth++ * 2, 2), next_cursor: String(nth) }], 100],
      'a refused page': [
        ({ size }) =>
          size > 0 ? [400, { error: 'after is unknown' }] : [200, { data: entries(0, 2), has_more: true }],
        2,
      ],
    };
    for (const [name, [page, most]] of Object.entries(kinds)) {
      await withFaultServer(paged(page), async ({ client, server }) => {
        assert.ok((await client.listModels()).length >= 2, name);
        assert.equal(server.requests.length, most, name);
      });
    }
  });

  it('fails if a further page fails for another reason', async () => {
    await withFaultServer(
      paged(({ size }) => (size > 0 ? [401, {}] : [200, { data: entries(0, 2), has_more: true }])),
      async ({ client }) => assert.equal((await catchFailure(client.listModels())).kind, 'authentication'),
    );
  });

  it('P1 omits models whose fields contain the credential, since lists are stored', async () => {
    const encoded = Buffer.from(testCredential).toString('base64');
    const data = [
      { id: 'kept', name: 'Kept', owned_by: 'maker' },
      { id: `m-${testCredential}` },
      { id: 'named', name: `Model of ${encoded}` },
      { id: 'owned', owned_by: testCredential.toUpperCase() },
    ];
    await withFaultServer(
      (connection) => connection.respond(200, {}, JSON.stringify({ data })),
      async ({ client }) => {
        const listed = await client.listModels();
        assert.deepEqual(
          listed.map(({ id }) => id),
          ['kept'],
        );
      },
    );
  });
});
