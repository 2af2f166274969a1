import assert from 'node:assert/strict';
import { normalizeModelId } from '../../../src/localGateway/http/requestBody.ts';
import {
  generationModels,
  type ModelFormat,
  messagesModels,
  type ServedModel,
} from '../../../src/localGateway/routes/modelFormats.ts';
import { decodeModelList } from '../../../src/wire/apis/models/modelList.ts';

const models: readonly ServedModel[] = Array.from({ length: 45 }, (_, i) => ({
  id: `work/модель ${i}`,
  owner: 'work',
  methods: [],
  upstream: 'work',
  isStale: false,
}));
const ids = models.map(({ id }) => id);

describe('the models of the local gateway', () => {
  /** All pages of a list in their order, as the client libraries request them. */
  function walk(
    format: ModelFormat,
    first: Record<string, string>,
    next: (page: object) => object | undefined,
  ) {
    const found: string[] = [];
    let pages = 0;
    for (let query: object | undefined = first; query; ) {
      const page = format.list(models, query as Record<string, string>);
      found.push(...(decodeModelList(page) ?? []).map(({ id }) => id));
      pages += 1;
      const more = next(page);
      query = more && { ...first, ...more };
    }
    return { found, pages };
  }

  it('are listed page by page in the messages format, each once, in both directions', () => {
    const forward = (page: object) => {
      const { has_more, last_id } = page as { has_more: boolean; last_id: string };
      return has_more ? { after_id: last_id } : undefined;
    };
    assert.deepEqual(walk(messagesModels, {}, forward), { found: ids, pages: 3 });
    assert.deepEqual(walk(messagesModels, { limit: '7' }, forward), { found: ids, pages: 7 });
    assert.deepEqual(walk(messagesModels, { limit: '45' }, forward), { found: ids, pages: 1 });
    const before = messagesModels.list(models, { limit: '3', before_id: ids[4] ?? '' });
    assert.deepEqual(
      { ...before, data: (decodeModelList(before) ?? []).map(({ id }) => id) },
      { data: ids.slice(1, 4), has_more: true, first_id: ids[1], last_id: ids[3] },
    );
  });

  it('are listed page by page in content generation, each once', () => {
    const forward = (page: object) => {
      const { nextPageToken } = page as { nextPageToken?: string };
      return nextPageToken === undefined ? undefined : { pageToken: nextPageToken };
    };
    assert.deepEqual(walk(generationModels, {}, forward), { found: ids, pages: 1 });
    for (const size of ['1', '9', '44', '45']) {
      const { found, pages } = walk(generationModels, { pageSize: size }, forward);
      assert.deepEqual(found, ids);
      assert.equal(pages, Math.ceil(45 / Number(size)));
    }
  });

  it('are not listed for an invalid limit or page token', () => {
    const wrong: readonly (readonly [format: ModelFormat, query: object, pattern: RegExp])[] = [
      [messagesModels, { limit: 'many' }, /^limit: expected a whole number/],
      [messagesModels, { after_id: 'missing' }, /^after_id: expected a value from an earlier page/],
      [messagesModels, { limit: ['1', '2'] }, /^limit/],
      [generationModels, { pageSize: '-1' }, /^pageSize/],
      [generationModels, { pageToken: 'missing' }, /^pageToken/],
    ];
    for (const [format, query, pattern] of wrong)
      assert.throws(() => format.list(models, query as Record<string, string>), { message: pattern });
  });

  it('have a valid creation time, also if their upstream reports an invalid one', () => {
    const times: readonly (readonly [created: number | undefined, shown: string])[] = [
      [undefined, '1970-01-01T00:00:00.000Z'],
      [0, '1970-01-01T00:00:00.000Z'],
      [1e300, '1970-01-01T00:00:00.000Z'],
      [-1e300, '1970-01-01T00:00:00.000Z'],
      [1_767_225_600, '2026-01-01T00:00:00.000Z'],
    ];
    for (const [created, shown] of times) {
      const model = messagesModels.describe({
        id: 'x',
        owner: '',
        methods: [],
        upstream: 'work',
        isStale: false,
        created,
      });
      assert.equal((model as { created_at: string }).created_at, shown);
    }
  });

  it('are found by all names that client libraries use', () => {
    const names: readonly (readonly [name: string, id: string])[] = [
      ['demo/chat', 'demo/chat'],
      ['models/demo/chat', 'demo/chat'],
      ['models/models/demo/chat', 'demo/chat'],
      ['publishers/demo/models/chat', 'demo/chat'],
      ['models/publishers/demo/models/chat', 'demo/chat'],
      ['projects/p/locations/l/publishers/demo/models/chat', 'demo/chat'],
      ['tunedModels/x', 'tunedModels/x'],
      ['publishers/demo', 'publishers/demo'],
    ];
    for (const [name, id] of names) assert.equal(normalizeModelId(name), id);
  });
});
