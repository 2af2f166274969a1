import assert from 'node:assert/strict';
import { PathTemplate, splitPath } from '../../../../src/localGateway/server/routeTable.ts';
import { listSpellings, providerRoutes } from '../../../../src/localGateway/server/servedRoutes.ts';
import { contentGenerationRoutes } from '../../../../src/wire/apis/contentGeneration/format.ts';
import { storedResponsesRoutes } from '../../../../src/wire/apis/responses/format.ts';
import { routes } from '../../../../src/wire/routes.ts';

/** The path in one spelling: the value of each `{name}` is one encoded segment. */
function matchPath(target: string, template: string): string | undefined {
  const segments = splitPath(target);
  const params = segments && new PathTemplate(template).match(segments);
  return params && template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
}

describe('the path of a route', () => {
  const { path: generate } = contentGenerationRoutes.generateContent;
  const { path: stream } = contentGenerationRoutes.streamGenerateContent;

  it('is matched after decoding each segment once', () => {
    assert.equal(matchPath('/v1/models?x=/v1', routes.listModels.path), '/v1/models');
    assert.equal(matchPath('/v1/%6Dodels', routes.listModels.path), '/v1/models');
    for (const other of ['/v1%2Fmodels', '/v1/models/', '//v1/models', '/v1/%256Dodels', '/v1/%zz', '/v1']) {
      assert.equal(matchPath(other, routes.listModels.path), undefined, other);
    }
  });

  const ids: readonly (readonly [sent: string, canonical: string])[] = [
    ['small', 'small'],
    ['demo%2Fchat', 'demo%2Fchat'],
    ['demo/chat', 'demo%2Fchat'],
    ['models/demo/chat', 'models%2Fdemo%2Fchat'],
    ['models%2Fsmall', 'models%2Fsmall'],
    ['a:b%3Ac', 'a%3Ab%3Ac'],
    ['%E6%A8%A1', '%E6%A8%A1'],
    ['x%252Fy', 'x%252Fy'],
    ['x:generateContent', 'x%3AgenerateContent'],
  ];
  for (const [sent, canonical] of ids) {
    it(`contains the model ${sent} as one encoded segment`, () => {
      const path = `/v1beta/models/${canonical}:generateContent`;
      assert.equal(matchPath(`/v1beta/models/${sent}:generateContent?alt=sse`, generate), path);
      assert.equal(matchPath(`/v1beta/models/${sent}%3AgenerateContent`, generate), path);
    });
  }

  it('T7 is not matched for an empty model or a model that is a path', () => {
    for (const id of ['', '..', '.', '../x', 'x/..', 'x//y', '%2E%2E', '%2e%2e%2Fx', '/', 'x/', '%2Fx']) {
      assert.equal(matchPath(`/v1beta/models/${id}:generateContent`, generate), undefined, id);
    }
  });

  it('ends with the method, which differs for streamed and whole replies', () => {
    assert.equal(matchPath('/v1beta/models/x:streamGenerateContent', generate), undefined);
    assert.equal(matchPath('/v1beta/models/x:generateContent', stream), undefined);
    assert.equal(matchPath('/v1beta/models/x:generateContent/', generate), undefined);
    assert.equal(matchPath('/v1beta/models/x', generate), undefined);
  });

  it('contains the model even if a library omits `models/` or writes it twice', () => {
    const ids: readonly (readonly [sent: string, canonical: string])[] = [
      ['demo/chat', 'demo%2Fchat'],
      ['demo%2Fchat', 'demo%2Fchat'],
      ['tunedModels/x', 'tunedModels%2Fx'],
      ['publishers/x/models/y', 'publishers%2Fx%2Fmodels%2Fy'],
      ['models%2Fdemo%2Fchat', 'models%2Fdemo%2Fchat'],
    ];
    const paths = listSpellings(contentGenerationRoutes.generateContent).map(({ path }) => path);
    for (const version of ['v1', 'v1beta']) {
      for (const [sent, canonical] of ids) {
        const found = paths.flatMap((path) => matchPath(`/${version}/${sent}:generateContent`, path) ?? []);
        assert.deepEqual(found, [`/${version}/${canonical}:generateContent`], sent);
      }
    }
  });

  it('ends with a model and its tags, but not with an unknown method', () => {
    const { path } = providerRoutes.readModel;
    for (const id of ['small', 'llama3:8b', 'x/y:latest', 'm:8b-instruct-q4_K_M'])
      assert.equal(matchPath(`/v1/models/${id}`, path), `/v1/models/${encodeURIComponent(id)}`);
    for (const id of ['x:embedContent', 'x/y%3AbatchEmbedContents', '', 'x/', '..'])
      assert.equal(matchPath(`/v1/models/${id}`, path), undefined, id);
  });

  it('matches several segments only for a model at the end', () => {
    const { path } = storedResponsesRoutes.cancelResponse;
    assert.equal(matchPath('/v1/responses/a%2Fb/cancel', path), '/v1/responses/a%2Fb/cancel');
    assert.equal(matchPath('/v1/responses/a/b/cancel', path), undefined);
    assert.equal(matchPath('/v1/tasks/a', routes.readTask.path), '/v1/tasks/a');
    assert.equal(matchPath('/v1/tasks/a/cancel', routes.readTask.path), undefined);
    assert.equal(matchPath('/v1/tasks', routes.readTask.path), undefined);
  });
});
