import assert from 'node:assert/strict';
import type * as z from 'zod';
import { withValue } from '../../../src/base/nestedValues.ts';
import { interactionsRequest } from '../../../src/wire/apis/interactions/schema.ts';
import { isSynchronous } from '../../../src/wire/apis/shared/videoRoute.ts';
import { textFormats } from '../../../src/wire/apis/textFormats.ts';
import { type VideoRouteId, videoRoutes } from '../../../src/wire/apis/videoRoutes.ts';
import { videoSynthesisRequest } from '../../../src/wire/apis/videoSynthesis/schema.ts';

const schemas: Readonly<Record<VideoRouteId, z.ZodObject>> = {
  interactions: interactionsRequest,
  videoSynthesis: videoSynthesisRequest,
};
const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;

describe('the video routes', () => {
  it('have an error format of their own or of the text format with the same id', () => {
    const textIds: readonly string[] = textFormats.map(({ id }) => id);
    const formless = videoRoutes.filter(({ id, error }) => error === undefined && !textIds.includes(id));
    assert.deepEqual(
      formless.map(({ id }) => id),
      [],
      'define the form of an error in the `error` of these routes in video.ts',
    );
  });

  for (const route of videoRoutes) {
    it(`include ${route.id}, whose group is its id`, () => {
      assert.equal(route.route.group, route.id);
    });

    it(`include ${route.id}, whose defaults need only a prompt`, () => {
      const schema = schemas[route.id];
      const request = withValue({ model: 'm', ...route.defaults }, route.promptPath, 'A cat');
      assert.deepEqual(schema.safeParse(request).error?.issues ?? [], []);
      assert.equal(isSynchronous(route, request), false);
      for (const field of route.ownFields) assert.ok(field in schema.shape, field);
    });

    it(`include ${route.id}, which adds every frame picture and returns it unchanged`, () => {
      const schema = schemas[route.id];
      const request = withValue({ model: 'm', ...route.defaults }, route.promptPath, 'A cat');
      const frames = Object.fromEntries(route.frames.map((frame) => [frame, image]));
      const sent = route.addFrames(request, frames);
      assert.deepEqual(schema.safeParse(sent).error?.issues ?? [], []);
      const { values, frames: takenFrames } = route.removeFrames(sent);
      assert.deepEqual(takenFrames, frames);
      assert.deepEqual(route.addFrames(values, takenFrames), sent);
    });
  }

  it('are awaited only if the route is synchronous and the request is not in the background', () => {
    const awaiting = videoRoutes.filter((route) => isSynchronous(route, {})).map(({ id }) => id);
    assert.deepEqual(awaiting, ['interactions']);
    for (const route of videoRoutes) assert.equal(isSynchronous(route, { background: true }), false);
  });
});
