import assert from 'node:assert/strict';
import {
  findNameProblem,
  maxGatewayNameLength,
  readGateway,
  readGateways,
  readIdentity,
} from '../../../src/host/connection/configuredGateway.ts';

const plain = { name: 'work', baseUrl: 'https://gateway.example' };

describe('a gateway in the settings', () => {
  it('needs a name and an address', () => {
    assert.deepEqual(readGateway(plain), plain);
    for (const wrong of [
      null,
      [],
      'work',
      {},
      { name: 'work' },
      { ...plain, name: '' },
      { ...plain, baseUrl: 'x' },
    ]) {
      assert.equal(readGateway(wrong), undefined);
    }
  });

  it('is identified by its id, which a second gateway cannot have', () => {
    const renamed = { ...plain, name: 'office', id: 'work' };
    assert.deepEqual(readGateway(renamed), renamed);
    assert.deepEqual([renamed, plain].map(readIdentity), ['work', 'work']);
    assert.deepEqual(readGateway({ ...plain, id: 'work' }), plain);
    assert.deepEqual(readGateway({ ...plain, id: 7 }), plain);
    const copied = { ...renamed, name: 'copy' };
    assert.deepEqual(readGateways([renamed, copied, 'x']), [renamed, { ...plain, name: 'copy' }]);
    assert.deepEqual(readGateways('x'), []);
  });

  it('has the choice of the user for prompt caching, if there is one', () => {
    for (const promptCaching of [true, false])
      assert.deepEqual(readGateway({ ...plain, promptCaching }), { ...plain, promptCaching });
    assert.deepEqual(readGateway({ ...plain, promptCaching: 'no' }), plain);
  });

  it('T8 accepts valid result origins, and drops invalid ones', () => {
    const resultOrigins = [
      'https://files.internal:8443',
      'http://10.0.0.5:9000/',
      'https://Files.Internal',
      'https://files.internal/public',
      'https://user@files.internal',
      'file:///etc',
      'files.internal',
      '',
      7,
    ];
    assert.deepEqual(readGateway({ ...plain, resultOrigins }), {
      ...plain,
      resultOrigins: ['https://files.internal:8443', 'http://10.0.0.5:9000', 'https://files.internal'],
    });
    assert.deepEqual(readGateway({ ...plain, resultOrigins: 'https://files.internal' }), plain);
  });

  it('can override header names and paths', () => {
    const gateway = {
      ...plain,
      headers: { preset: 'provider', overrides: { vendorBeta: 'x-beta' } },
      openRoutes: {
        messages: { path: '/anthropic/v1/messages', credential: 'api-key' },
        responses: { path: '/openai/v1/responses' },
      },
    };
    assert.deepEqual(readGateway(gateway), gateway);
  });

  it('drops overrides with header names that are invalid, or used by HTTP or the credential', () => {
    const overrides = {
      vendorApiKey: 'Authorization',
      vendorAsync: 'a b',
      vendorVersion: 'Content-Length',
      other: 'x-y',
    };
    assert.deepEqual(readGateway({ ...plain, headers: { overrides } }), {
      ...plain,
      headers: { preset: 'interface', overrides: {} },
    });
  });

  it('drops paths that are an address or have a query', () => {
    const openRoutes = {
      messages: { path: 'https://other.example/v1' },
      responses: { path: '/v1?x', credential: 'cookie' },
    };
    assert.deepEqual(readGateway({ ...plain, openRoutes }), {
      ...plain,
      openRoutes: { messages: {}, responses: {} },
    });
  });
});

describe('the gateway name', () => {
  const cases: readonly (readonly [name: string, problem: ReturnType<typeof findNameProblem>])[] = [
    ['Work', undefined],
    ['仕事 🇫🇷 é', undefined],
    ['', 'empty'],
    [' ', 'empty'],
    ['x'.repeat(maxGatewayNameLength), undefined],
    ['x'.repeat(maxGatewayNameLength + 1), 'too-long'],
    ['a\nb', 'unprintable'],
    ['a\u0000b', 'unprintable'],
    ['a\u202eb', 'unprintable'],
    ['wo\u200brk', 'unprintable'],
    ['home', 'taken'],
    ['HOME', 'taken'],
  ];
  for (const [name, problem] of cases) {
    it(`${JSON.stringify(name).slice(0, 30)} is ${problem ?? 'valid'}`, () =>
      assert.equal(findNameProblem(name, ['Home', 'Local gateway']), problem));
  }
});
