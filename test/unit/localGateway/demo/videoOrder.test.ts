import assert from 'node:assert/strict';
import { planVideo } from '../../../../src/localGateway/demo/planVideo.ts';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import type { InteractionsRequest } from '../../../../src/wire/apis/interactions/schema.ts';
import type { VideoSynthesisRequest } from '../../../../src/wire/apis/videoSynthesis/schema.ts';

describe('the plan of a demo video', () => {
  const model = 'demo/video';
  function interaction(body: Partial<InteractionsRequest> = {}) {
    const request = { model, input: 'A cat', response_format: { type: 'video' }, ...body };
    return planVideo({ format: 'interactions', body: request }).plan;
  }
  function synthesis(parameters: VideoSynthesisRequest['parameters'], prompt = 'A cat') {
    const body = { model, input: { prompt }, parameters };
    return planVideo({ format: 'videoSynthesis', body }).plan;
  }
  const format = (aspect_ratio: string) =>
    interaction({ response_format: { type: 'video', aspect_ratio } }).results[0]?.name;

  it('has 2 seconds in the queue, and 8 seconds of running for a video of 5 seconds', () => {
    const { queueMs, runMs, hasEnd, failure, isCancellable } = interaction();
    assert.deepEqual([queueMs, runMs, hasEnd, failure, isCancellable], [2_000, 8_000, true, undefined, true]);
    assert.equal(interaction({ response_format: { type: 'video', duration: '10s' } }).runMs, 13_000);
    assert.equal(synthesis({ duration: 10 }).runMs, 13_000);
    assert.equal(synthesis({ duration: 2_000_000_000 }).runMs, 63_000);
  });

  const forms: readonly (readonly [form: string, clip: string])[] = [
    ['16:9', 'landscape'],
    ['21:9', 'landscape'],
    ['9:16', 'portrait'],
    ['3:4', 'square'],
    ['1:1', 'square'],
    ['5:4', 'square'],
    ['0:0', 'landscape'],
    ['1:999999', 'portrait'],
  ];
  for (const [form, clip] of forms) {
    it(`has the clip with the nearest aspect ratio: ${form}`, () => {
      assert.equal(format(form), clip);
      assert.equal(synthesis({ size: form.replace(':', '*') }).results[0]?.name, clip);
      assert.equal(synthesis({ ratio: form }).results[0]?.name, clip);
    });
  }

  it('has different clips for several videos', () => {
    const names = interaction({ input: 'make 4 videos', response_format: [{ type: 'video' }] }).results;
    assert.deepEqual(
      names.map(({ name }) => name),
      ['landscape', 'portrait', 'square', 'landscape'],
    );
  });

  it('contains the prompt from every form of input, cut if it is long', () => {
    const parts = [
      { type: 'text', text: 'A cat' },
      { type: 'image', data: 'AAAA', mime_type: 'image/png' },
    ];
    assert.equal(interaction({ input: { type: 'text', text: ' A cat ' } }).prompt, 'A cat');
    assert.equal(interaction({ input: parts }).prompt, 'A cat');
    assert.equal(interaction({ input: [{ type: 'user_input', content: parts }] }).prompt, 'A cat');
    assert.equal(synthesis(null, 'x'.repeat(5_000)).prompt.length, 2_001);
    const body = { model, input: { img_url: 'https://pictures.example/a.png' } };
    assert.equal(planVideo({ format: 'videoSynthesis', body }).plan.prompt, '');
  });

  it('is rejected with the name of an unsupported field', () => {
    const refused: readonly (readonly [Partial<InteractionsRequest>, string])[] = [
      [{ previous_interaction_id: 'x' }, 'previous_interaction_id'],
      [{ response_format: { type: 'video', gcs_uri: 'gs://bucket/x' } }, 'response_format.gcs_uri'],
    ];
    for (const [body, param] of refused) {
      assert.throws(
        () => interaction(body),
        (error) => error instanceof HttpError && error.status === 400 && error.param === param,
      );
    }
  });
});
