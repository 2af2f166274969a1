import assert from 'node:assert/strict';
import { changeRoute } from '../../../src/host/tasks/generate/routeChange.ts';
import { videoRoute } from '../../../src/wire/apis/videoRoutes.ts';

type Values = Readonly<Record<string, unknown>>;

const interactions = videoRoute('interactions').defaults;
const synthesis = videoRoute('videoSynthesis').defaults;

function toSynthesis(values: Values, to: Values = synthesis, wasShown = false) {
  return changeRoute({ route: 'interactions', values }, { route: 'videoSynthesis', values: to }, wasShown);
}

function toInteractions(values: Values, to: Values = interactions, wasShown = false) {
  return changeRoute({ route: 'videoSynthesis', values }, { route: 'interactions', values: to }, wasShown);
}

describe('another route of the Generate form', () => {
  it('keeps prompt, aspect ratio, resolution, duration and seed, as the route writes them', () => {
    const native = {
      input: { prompt: 'A cat' },
      parameters: { size: '1080*1920', duration: 8, seed: 7 },
    };
    const { values, left } = toInteractions(native);
    assert.deepEqual(values, {
      input: 'A cat',
      response_format: { type: 'video', aspect_ratio: '9:16', resolution: '1080p', duration: '8s' },
      generation_config: { video_config: { task: 'text_to_video' }, seed: 7 },
      background: true,
    });
    assert.deepEqual(left, []);
    assert.deepEqual(toSynthesis(values), { values: native, left: [] });
  });

  for (const [aspect_ratio, resolution, parameters] of [
    ['16:9', undefined, { size: '1280*720' }],
    ['1:1', undefined, { size: '960*960' }],
    ['1:1', '720p', { ratio: '1:1', resolution: '720P' }],
    ['21:9', '1080p', { ratio: '21:9', resolution: '1080P' }],
  ] as const) {
    it(`tells ${aspect_ratio} in ${resolution ?? 'any resolution'} as a size where there is one`, () => {
      const values = { response_format: { aspect_ratio, ...(resolution && { resolution }) } };
      const changed = toSynthesis(values, {});
      assert.deepEqual(changed.values, { parameters });
      assert.deepEqual(changed.left, []);
    });
  }

  it('names what it has no place for', () => {
    const { left } = toInteractions({
      input: { prompt: 'A cat', negative_prompt: 'dogs' },
      parameters: { size: '640*640', resolution: '480P', duration: 5, watermark: true },
    });
    assert.deepEqual(
      left.map((path) => path.join('.')),
      ['input.negative_prompt', 'parameters.size', 'parameters.resolution', 'parameters.watermark'],
    );
    assert.deepEqual(
      toSynthesis({
        input: [{ type: 'text' }],
        background: false,
        response_format: { duration: '2.5s' },
      }).left.map((path) => path.join('.')),
      ['input', 'background', 'response_format.duration'],
    );
  });

  it('keeps what was remembered of the route where the other one says nothing', () => {
    const remembered = { parameters: { duration: 10, watermark: false } };
    const { values } = toSynthesis({ input: 'A cat', response_format: { aspect_ratio: '16:9' } }, remembered);
    assert.deepEqual(values, {
      input: { prompt: 'A cat' },
      parameters: { size: '1280*720', duration: 10, watermark: false },
    });
  });

  it('and back again brings what was left out, and not what was unset meanwhile', () => {
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
