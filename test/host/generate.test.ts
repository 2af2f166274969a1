import assert from 'node:assert/strict';
import { formProblems, generateFields, restSchema } from '../../src/host/panels/generateForm.ts';
import { demoProfile } from '../../src/host/profiles.ts';
import type { Services } from '../../src/host/services.ts';
import { extensionServices } from '../support/extension.ts';

describe('what the Generate page is made of', () => {
  let services: Services;

  before(async () => {
    services = await extensionServices();
    await services.profiles.use(demoProfile.name);
    await services.connection.refresh();
  });

  for (const route of ['interactions', 'videoSynthesis'] as const) {
    it(`${route}: every field has a name and a line of help`, () => {
      const nameless = generateFields(route).filter(({ label, help }) => label === '' || help === '');
      assert.deepEqual(nameless, []);
    });

    it(`${route}: what the form covers is not asked for again`, () => {
      const rest = JSON.stringify(restSchema(route));
      for (const { path } of generateFields(route)) {
        const name = path.at(-1) ?? '';
        const nested = path.length > 1 && ['prompt', 'size', 'aspect_ratio', 'watermark'].includes(name);
        if (nested) assert.ok(!rest.includes(`"${name}":`), `${name} is in the rest`);
      }
      assert.ok(!rest.includes('"model"'));
    });
  }

  it('what is missing or wrong is told at its field', () => {
    assert.deepEqual(
      formProblems('videoSynthesis', { model: 'm', input: {}, parameters: { size: 'big' } }).map(
        ({ path }) => path,
      ),
      [
        ['input', 'prompt'],
        ['parameters', 'size'],
      ],
    );
    assert.deepEqual(formProblems('interactions', { model: 'm', input: 'A cat' }), []);
  });

  it('suggests a model that makes videos, and remembers what was filled in', async () => {
    const { session } = services.generatePages.open();
    assert.equal(session.model, 'demo/video');
    session.setValues({ input: 'Remember me', response_format: { type: 'video' } });
    await session.remember();
    session.chooseRoute('videoSynthesis');
    session.chooseModel('demo/video');
    assert.equal(session.route, 'interactions');
    assert.deepEqual(await session.values(), { input: 'Remember me', response_format: { type: 'video' } });
  });

  it('F70 a ticket is good for one submission', () => {
    const { session } = services.generatePages.open();
    const { ticket } = session;
    assert.deepEqual([session.redeem(ticket), session.redeem(ticket)], [true, false]);
    assert.notEqual(session.ticket, ticket);
  });
});
