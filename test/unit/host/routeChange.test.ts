import assert from 'node:assert/strict';
import { convertForm } from '../../../src/host/tasks/generate/routeChange.ts';
import { videoRoute } from '../../../src/wire/apis/videoRoutes.ts';

type Values = Readonly<Record<string, unknown>>;

const interactions = videoRoute('interactions').defaults;
const synthesis = videoRoute('videoSynthesis').defaults;

function toSynthesis(values: Values, to: Values = synthesis, wasShown = false) {
  return convertForm({ route: 'interactions', values }, { route: 'videoSynthesis', values: to }, wasShown);
}

function toInteractions(values: Values, to: Values = interactions, wasShown = false) {
  return convertForm({ route: 'videoSynthesis', values }, { route: 'interactions', values: to }, wasShown);
}

describe('changing the route of the Generate form', () => {
  it('converts prompt, aspect ratio, resolution, duration and seed to the new route', () => {
    const native = {
      input: { prompt: 'A cat' },
      parameters: { size: '1080*1920', duration: 8, seed: 7 },
    };
    const { values, dropped } = toInteractions(native);
    assert.deepEqual(values, {
      input: 'A cat',
      response_format: { type: 'video', aspect_ratio: '9:16', resolution: '1080p', duration: '8s' },
      generation_config: { video_config: { task: 'text_to_video' }, seed: 7 },
      background: true,
    });
    assert.deepEqual(dropped, []);
    assert.deepEqual(toSynthesis(values), { values: native, dropped: [] });
  });

  for (const [aspect_ratio, resolution, parameters] of [
    ['16:9', undefined, { size: '1280*720' }],
    ['1:1', undefined, { size: '960*960' }],
    ['1:1', '720p', { ratio: '1:1', resolution: '720P' }],
    ['21:9', '1080p', { ratio: '21:9', resolution: '1080P' }],
  ] as const) {
    it(`converts ${aspect_ratio} in ${resolution ?? 'any resolution'} to a size if there is one`, () => {
      const values = { response_format: { aspect_ratio, ...(resolution && { resolution }) } };
      const changed = toSynthesis(values, {});
      assert.deepEqual(changed.values, { parameters });
      assert.deepEqual(changed.dropped, []);
    });
  }

  it('reports values that the new route does not support', () => {
    const { dropped } = toInteractions({
      input: { prompt: 'A cat', negative_prompt: 'dogs' },
      parameters: { size: '640*640', resolution: '480P', duration: 5, watermark: true },
    });
    assert.deepEqual(
      dropped.map((path) => path.join('.')),
      ['input.negative_prompt', 'parameters.size', 'parameters.resolution', 'parameters.watermark'],
    );
    assert.deepEqual(
      toSynthesis({
        input: [{ type: 'text' }],
        background: false,
        response_format: { duration: '2.5s' },
      }).dropped.map((path) => path.join('.')),
      ['input', 'background', 'response_format.duration'],
    );
  });

  it('uses remembered values of the new route that the old route does not set', () => {
    const remembered = { parameters: { duration: 10, watermark: false } };
    const { values } = toSynthesis({ input: 'A cat', response_format: { aspect_ratio: '16:9' } }, remembered);
    assert.deepEqual(values, {
      input: { prompt: 'A cat' },
      parameters: { size: '1280*720', duration: 10, watermark: false },
    });
  });

  it('back restores unsupported values, but not values that were unset in between', () => {
    const native = {
      input: { prompt: 'A cat', negative_prompt: 'dogs' },
      parameters: { duration: 5, seed: 7, resolution: '480P' },
    };
    const between = toInteractions(native).values;
    const { generation_config: _, ...unset } = between;
    const { values } = toSynthesis({ ...unset, input: 'A dog' }, native, true);
    assert.deepEqual(values, {
      input: { prompt: 'A dog', negative_prompt: 'dogs' },
      parameters: { duration: 5, ratio: '16:9', resolution: '480P' },
    });
  });
});
