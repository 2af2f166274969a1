import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { readFrames } from '../../src/host/tasks/generate/framePictures.ts';
import { findFormProblems } from '../../src/host/tasks/generate/generateChecks.ts';
import { buildRestSchema, listMainFields } from '../../src/host/tasks/task/videoForm.ts';
import { videoRoutes } from '../../src/wire/apis/videoRoutes.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { createFolderInWorkspace, getServices } from '../support/extensionServices.ts';

describe('the Generate page', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
    await services.gateways.setCurrent(localEntry.name);
    await services.connection.refresh();
  });

  for (const { id: route } of videoRoutes) {
    it(`gives every field of ${route} a name, and help that adds to the name`, () => {
      for (const { label, help } of listMainFields(route)) {
        assert.notEqual(label, '');
        const words = help.toLowerCase().match(/[a-z]{4,}/g) ?? [];
        assert.ok(help === '' || words.some((word) => !label.toLowerCase().includes(word)), help);
      }
    });

    it(`does not repeat form fields of ${route} in the other parameters`, () => {
      const rest = JSON.stringify(buildRestSchema(route));
      for (const { path } of listMainFields(route)) {
        const name = path.at(-1) ?? '';
        const nested = path.length > 1 && ['prompt', 'size', 'aspect_ratio', 'watermark'].includes(name);
        if (nested) assert.ok(!rest.includes(`"${name}":`), `${name} is in the rest`);
      }
      assert.ok(rest.includes('"model":false'), 'it is not an unknown field either');
    });
  }

  it('reports missing and wrong values at their fields', () => {
    assert.deepEqual(
      findFormProblems('videoSynthesis', { model: 'm', input: {}, parameters: { size: 'big' } }).map(
        ({ path }) => path,
      ),
      [
        ['input', 'prompt'],
        ['parameters', 'size'],
      ],
    );
    assert.deepEqual(findFormProblems('interactions', { model: 'm', input: 'A cat' }), []);
  });

  it('reports fields whose values have no text form', () => {
    const strange = JSON.parse('{"toString":1}');
    assert.deepEqual(
      findFormProblems('videoSynthesis', {
        model: strange,
        input: { prompt: 'A cat' },
        parameters: { duration: strange, size: strange },
      }).map(({ path }) => path.join('.')),
      ['model', 'parameters.size', 'parameters.duration'],
    );
    const task = { video_config: { task: 'edit' } };
    assert.deepEqual(
      findFormProblems('interactions', {
        model: 'm',
        input: [{ type: strange, text: 'A cat' }],
        generation_config: task,
      }).at(0)?.path,
      ['generation_config', 'video_config', 'task'],
    );
  });

  describe('reports the fields that are known to be refused', () => {
    const picture = { type: 'image', mime_type: 'image/png', data: 'AAAA' };
    const video = { type: 'video', uri: 'https://example.test/v.mp4' };
    const text = { type: 'text', text: 'A cat' };
    const createInteraction = (task: string, other: object = {}) => ({
      model: 'm',
      input: 'A cat',
      generation_config: { video_config: { task } },
      ...other,
    });
    const createSynthesis = (input: object, parameters: object = {}) => ({
      model: 'm',
      input: { prompt: 'A cat', ...input },
      parameters,
    });
    const format = (facts: object) => ({ response_format: { type: 'video', ...facts } });
    const steps = [{ type: 'user_input', content: [text, picture] }];
    const task = 'generation_config.video_config.task';
    const first = 'frames.first';

    const interactions: Readonly<Record<string, readonly [object, ...string[]]>> = {
      'text to video': [createInteraction('text_to_video')],
      'an unknown kind of task': [createInteraction('dream_to_video')],
      'image to video without a picture': [createInteraction('image_to_video'), first],
      'image to video with a picture': [createInteraction('image_to_video', { input: [text, picture] })],
      'image to video with a picture in a step': [createInteraction('image_to_video', { input: steps })],
      'image to video from an earlier task': [
        createInteraction('image_to_video', { previous_interaction_id: 'i' }),
      ],
      'reference to video without a picture': [createInteraction('reference_to_video'), first],
      'an edit of a picture': [createInteraction('edit', { input: [text, picture] }), task],
      'an extension without a video': [createInteraction('extend'), task],
      'an upscaled video': [createInteraction('upscale', { input: [text, video] })],
      'no prompt and no picture': [createInteraction('image_to_video', { input: ' ' }), 'input', first],
      'a background task not stored': [
        createInteraction('text_to_video', { background: true, store: false }),
        'store',
      ],
      'a ratio with zero': [
        createInteraction('text_to_video', format({ aspect_ratio: '16:0' })),
        'response_format.aspect_ratio',
      ],
      'a duration of zero': [
        createInteraction('text_to_video', format({ duration: '0s' })),
        'response_format.duration',
      ],
      'half a second': [createInteraction('text_to_video', format({ duration: '0.5s' }))],
      'a temperature out of range': [
        { model: 'm', input: 'A cat', generation_config: { temperature: 9 } },
        'generation_config.temperature',
      ],
    };
    const synthesis: typeof interactions = {
      'a last frame without a first': [createSynthesis({ last_frame_url: 'x' }), first],
      'a last frame with a first': [createSynthesis({ last_frame_url: 'x', first_frame_url: 'y' })],
      'values out of range': [
        createSynthesis({}, { duration: 0, seed: -1, size: '0*0' }),
        'parameters.duration',
        'parameters.seed',
        'parameters.size',
      ],
      'an empty request': [{ model: 'm' }, 'input.prompt'],
      'a size and a resolution': [
        createSynthesis({}, { size: '1280*720', resolution: '720P' }),
        'parameters.resolution',
      ],
      'a size and a ratio': [createSynthesis({}, { size: '1280*720', ratio: '16:9' }), 'parameters.ratio'],
      'a resolution and a ratio': [createSynthesis({}, { size: null, resolution: '720P', ratio: '16:9' })],
      'a picture in two fields': [
        createSynthesis({ img_url: 'x', first_frame_url: 'y', last_frame_url: 'z' }),
        'input.first_frame_url',
      ],
      'an image model without a picture': [{ ...createSynthesis({}), model: 'wan2.5-i2v-preview' }, first],
      'an image model with a picture': [
        { ...createSynthesis({ img_url: 'x' }), model: 'wan2.5-i2v-preview' },
      ],
    };
    for (const [route, cases] of Object.entries({ interactions, videoSynthesis: synthesis })) {
      for (const [what, [body, ...paths]] of Object.entries(cases)) {
        it(`for ${route}: ${what}`, () => {
          const found = findFormProblems(route as 'interactions', body as Readonly<Record<string, unknown>>);
          assert.deepEqual(found.map(({ path }) => path.join('.')).sort(), paths.toSorted());
        });
      }
    }

    it('with messages that name a remedy', () => {
      const problems = findFormProblems(
        'videoSynthesis',
        createSynthesis({}, { duration: 2.5, seed: -1, size: 'big' }),
      );
      assert.deepEqual(problems.map(({ problem }) => problem).sort(), [
        'Enter 0 or more.',
        'Enter a whole number.',
        'It must be width*height, such as 1280*720.',
      ]);
      const both = findFormProblems(
        'videoSynthesis',
        createSynthesis({}, { size: '1280*720', resolution: '720P' }),
      );
      assert.equal(both[0]?.problem, 'Set either Size or Resolution, not both.');
    });
  });

  it('places pictures dropped from the Explorer into free frames, or reports why not', async () => {
    const folder = createFolderInWorkspace('frames-');
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const files = {
      'a.png': png,
      'b.PNG': png,
      'text.png': 'text',
      'c.txt': 'text',
      'big.png': Buffer.alloc(10 * 1024 * 1024 + 1),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const drop = async (...names: readonly string[]) => {
      // As seen by the window, which runs on another machine than its extensions.
      const seen = { scheme: 'vscode-remote', authority: 'ssh-remote+box' };
      const uris = names.map((name) => vscode.Uri.file(join(folder, name)).with(seen).toString());
      const placed: string[] = [];
      const dialogs = await answerDialogs(undefined, async () => {
        for (const { frame, image } of await readFrames(uris, ['last', 'first'])) {
          assert.deepEqual(Buffer.from(image.data, 'base64'), png);
          placed.push(frame);
        }
      });
      return [placed.join(), ...dialogs.map(({ message }) => message)];
    };
    const none = 'Only PNG, JPEG, GIF and WebP pictures can be used.';
    assert.deepEqual(await drop('c.txt', 'a.png', 'b.PNG'), ['last,first']);
    assert.deepEqual(await drop('text.png', 'a.png'), ['last', none]);
    assert.deepEqual(await drop('c.txt'), ['', none]);
    assert.deepEqual(await drop('big.png'), [
      '',
      'This picture is larger than 10 MB. Make it smaller and try again.',
    ]);
    assert.match((await drop('none.png'))[1] ?? '', /none\.png” does not exist or cannot be read/);
    rmSync(folder, { recursive: true });
  });

  it('suggests a model that makes videos, and restores the earlier values of a model', async () => {
    const { session } = await services.generatePages.open({});
    assert.equal(session.model, 'demo/video');
    session.setValues({ input: 'Remember me', response_format: { type: 'video' } });
    await session.remember();
    session.chooseRoute('videoSynthesis');
    session.chooseModel('demo/chat');
    session.chooseModel('demo/video');
    assert.equal(session.route, 'interactions');
    assert.deepEqual(session.values, { input: 'Remember me', response_format: { type: 'video' } });
  });

  it('keeps typed values when another model, or the same one, is chosen', async () => {
    const { session } = await services.generatePages.open({});
    session.chooseModel('demo/video');
    session.setValues({ input: 'Remember me', response_format: { type: 'video', duration: '5s' } });
    await session.remember();
    const typed = { input: 'Typed', response_format: { type: 'video', duration: '8s' } };
    session.setValues(typed);
    session.chooseModel('demo/video');
    assert.deepEqual(session.values, typed);
    session.chooseModel('never/used');
    assert.deepEqual(session.values, typed);
    session.setValues({ ...typed, input: 'Typed anew' });
    session.chooseModel('demo/video');
    assert.deepEqual(session.values, {
      input: 'Typed anew',
      response_format: { type: 'video', duration: '5s' },
    });
  });

  it('F70 accepts a submission token once', async () => {
    const { session } = await services.generatePages.open({});
    const { submissionToken } = session;
    assert.deepEqual(
      [session.consumeToken(submissionToken), session.consumeToken(submissionToken)],
      [true, false],
    );
    assert.notEqual(session.submissionToken, submissionToken);
  });
});
