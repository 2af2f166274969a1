import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { readDataUrl } from '../shared/messageParts.ts';
import type { RequestNotes, Setting } from '../shared/receivedRequest.ts';
import { readUsableId, type TaskRecordFormat } from '../taskRecord/taskRecordFormat.ts';
import { convertedVideoRecords, omitUndefined, resolveShape, type VideoForm } from './videoOrder.ts';

/** Whether a model makes videos only by long-running predictions. */
export function isVeo(model: string): boolean {
  return /(?:^|\/)veo-/i.test(model);
}

/**
 * Veo: long-running predictions of the Gemini API and of the cloud platform.
 *
 * @param isCloud whether it is the cloud platform, which bills for each of several videos by default and can make
 *   videos without sound
 */
export function createLongRunningVideoForm(isCloud: boolean): VideoForm {
  return {
    label: 'Veo',
    write(order, _model, notes) {
      const { prompt, negativePrompt, seconds, seed, sound, watermark, metadata } = order;
      if (watermark?.value) notes.refuse(watermark.path, 'has no visible watermarks');
      if (sound?.value === false && !isCloud) notes.refuse(sound.path, 'always adds sound');
      if (metadata) notes.drop(metadata.path);
      const { aspectRatio, resolution } = resolveShape(order, notes);
      const instance = omitUndefined({
        prompt,
        image: writePicture(order.first, notes),
        lastFrame: writePicture(order.last, notes),
      });
      const parameters = omitUndefined({
        aspectRatio,
        resolution,
        durationSeconds: seconds?.value,
        negativePrompt: negativePrompt?.value,
        seed: seed?.value,
        ...(isCloud && { sampleCount: 1, generateAudio: sound?.value }),
      });
      return {
        instances: [instance],
        ...(Object.keys(parameters).length > 0 && { parameters }),
      };
    },
  };
}

function writePicture(picture: Setting<string> | undefined, notes: RequestNotes): JsonObject | undefined {
  if (!picture) return undefined;
  const image = readDataUrl(picture.value);
  if (!image) {
    notes.refuse(picture.path, 'accepts pictures only as data, not at an address');
    return undefined;
  }
  return { bytesBase64Encoded: image.data, mimeType: image.mimeType };
}

/** The words of `google.rpc.Code`, because the errors of operations contain only its numbers. */
const codeWords: ReadonlyMap<string, string> = new Map([
  ['1', 'cancelled'],
  ['2', 'unknown'],
  ['3', 'invalid_argument'],
  ['4', 'deadline_exceeded'],
  ['5', 'not_found'],
  ['7', 'permission_denied'],
  ['8', 'resource_exhausted'],
  ['9', 'failed_precondition'],
  ['13', 'internal'],
  ['14', 'unavailable'],
  ['16', 'unauthenticated'],
]);

/** Long-running predictions as tasks of the local gateway. Providers delete the files after two days. */
export const longRunningVideos: TaskRecordFormat = {
  ...convertedVideoRecords,
  hasContentRoute: false,
  resultLifetimeMs: 2 * 24 * 60 * 60 * 1000,
  readId: ({ name }) => readUsableId(name),
  replaceId: (record, name) => ({ ...record, name }),
  readFailureCode({ error, response }) {
    if (isObject(error)) return codeWords.get(scalarText(error.code));
    // Without an error, an operation has failed only if its videos were filtered.
    return isObject(response) ? 'content_filter' : undefined;
  },
};
