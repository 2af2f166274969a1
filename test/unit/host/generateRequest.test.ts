import assert from 'node:assert/strict';
import { formatReadableJson } from '../../../src/host/kit/readableJson.ts';
import { buildTaskRequest, splitRequest } from '../../../src/host/tasks/generate/generateRequest.ts';
import type { Frames } from '../../../src/wire/apis/shared/videoRoute.ts';
import { videoRoute } from '../../../src/wire/apis/videoRoutes.ts';

const first = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
const last = { type: 'image', mimeType: 'image/jpeg', data: 'BBBB' } as const;
const interaction = {
  input: 'A cat',
  response_format: { type: 'video' },
  generation_config: { video_config: { task: 'text_to_video' } },
};
const synthesis = { input: { prompt: 'A cat' }, parameters: { size: '1280*720' } };

describe('the request of the Generate page', () => {
  it('has the values of the form and the model', () => {
    assert.deepEqual(buildTaskRequest('videoSynthesis', 'm', synthesis, {}), { model: 'm', ...synthesis });
    assert.deepEqual(buildTaskRequest('interactions', 'm', interaction, {}), { model: 'm', ...interaction });
  });

  it('has the chosen model, not the model of the values', () => {
    const others = { model: 'another', agent: 'another', stream: true };
    assert.deepEqual(buildTaskRequest('interactions', 'm', { ...others, ...interaction }, {}), {
      model: 'm',
      ...interaction,
    });
    assert.deepEqual(buildTaskRequest('videoSynthesis', 'm', { model: 'another', ...synthesis }, {}), {
      model: 'm',
      ...synthesis,
    });
  });

  it('for an interaction with a picture has the picture and the task image_to_video', () => {
    const { input, generation_config } = buildTaskRequest('interactions', 'm', interaction, { first });
    assert.deepEqual(input, [
      { type: 'text', text: 'A cat' },
      { type: 'image', mime_type: 'image/png', data: 'AAAA' },
    ]);
    assert.deepEqual(generation_config, { video_config: { task: 'image_to_video' } });
  });

  it('does not change a task that the user chose', () => {
    const values = { ...interaction, generation_config: { video_config: { task: 'reference_to_video' } } };
    assert.deepEqual(buildTaskRequest('interactions', 'm', values, { first }).generation_config, {
      video_config: { task: 'reference_to_video' },
    });
  });

  it('for video synthesis has one picture to animate, or a first and a last frame', () => {
    assert.deepEqual(videoRoute('videoSynthesis').frames, ['first', 'last']);
    assert.deepEqual(buildTaskRequest('videoSynthesis', 'm', synthesis, { first }).input, {
      prompt: 'A cat',
      img_url: 'data:image/png;base64,AAAA',
    });
    assert.deepEqual(buildTaskRequest('videoSynthesis', 'm', synthesis, { first, last }).input, {
      prompt: 'A cat',
      first_frame_url: 'data:image/png;base64,AAAA',
      last_frame_url: 'data:image/jpeg;base64,BBBB',
    });
  });

  it('for video synthesis has each picture once, even if addresses were typed as well', () => {
    const typed = (input: object) => ({ input: { prompt: 'A cat', ...input } });
    const listInputFields = (values: object, frames: Frames) =>
      Object.keys(buildTaskRequest('videoSynthesis', 'm', { ...values }, frames).input as object);
    const pair = ['prompt', 'first_frame_url', 'last_frame_url'];
    assert.deepEqual(listInputFields(typed({ img_url: 'x' }), { first, last }), pair);
    assert.deepEqual(listInputFields(typed({ first_frame_url: 'x' }), { first }), ['prompt', 'img_url']);
    assert.deepEqual(listInputFields(typed({ last_frame_url: 'x' }), { first }).toSorted(), pair.toSorted());
  });

  for (const [route, values] of [
    ['interactions', interaction],
    ['videoSynthesis', synthesis],
  ] as const) {
    for (const frames of [
      {},
      { first },
      ...(route === 'videoSynthesis' ? [{ first, last }, { last }] : []),
    ]) {
      it(`for ${route} with ${Object.keys(frames).join(' and ') || 'no picture'} is restored from its recipe`, () => {
        const request = buildTaskRequest(route, 'm', values, frames);
        const recipe = splitRequest(route, request);
        assert.deepEqual(recipe.frames, frames);
        assert.deepEqual(buildTaskRequest(route, 'm', recipe.values, recipe.frames), request);
      });
    }
  }

  it('is shown without the data of its pictures', () => {
    const long = 'A'.repeat(100_000);
    const shown = formatReadableJson({ input: { img_url: long, prompt: 'A cat' } });
    assert.ok(shown.length < 1_000);
    assert.match(shown, /100,000 characters/);
    assert.match(shown, /"A cat"/);
  });
});
