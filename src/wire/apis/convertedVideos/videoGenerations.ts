import { isObject } from '../../../base/json.ts';
import { lenientNotes } from '../shared/receivedRequest.ts';
import { readUsableId, type TaskRecordFormat } from '../taskRecord/taskRecordFormat.ts';
import {
  convertedVideoRecords,
  omitUndefined,
  resolvePixelSize,
  resolveShape,
  type VideoForm,
} from './videoOrder.ts';

/**
 * Video generations of new-api and its forks. They pass `metadata` on to the provider of the model, whose names
 * for the aspect ratio differ.
 */
export const videoGenerationsForm: VideoForm = {
  label: 'video generations (new-api)',
  write(order, model, notes) {
    const { prompt, negativePrompt, seconds, seed, sound, watermark } = order;
    if (order.last) notes.refuse(order.last.path, 'has no last picture');
    const size = resolvePixelSize(order);
    const { aspectRatio, resolution } = resolveShape(order, lenientNotes);
    const metadata = omitUndefined({
      negative_prompt: negativePrompt?.value,
      aspect_ratio: aspectRatio,
      ratio: aspectRatio,
      resolution,
      generate_audio: sound?.value,
      watermark: watermark?.value,
      seed: seed?.value,
      ...order.metadata?.value,
    });
    return omitUndefined({
      model,
      prompt,
      image: order.first?.value,
      duration: seconds?.value,
      ...(size && { size: `${size.width}x${size.height}`, ...size }),
      seed: seed?.value,
      ...(Object.keys(metadata).length > 0 && { metadata }),
    });
  },
};

/**
 * Video generations as tasks of the local gateway. The address of a result may be a route of new-api itself. Its host
 * is the one that the owner configured, which the local gateway may not be able to reach.
 */
export const videoGenerations: TaskRecordFormat = {
  ...convertedVideoRecords,
  hasContentRoute: true,
  contentAddress: /\/v1\/videos?\/(?:generations\/)?[^/]+\/content$/,
  missingCode: 'task_not_exist',
  readId: ({ task_id, data, id }) =>
    readUsableId(task_id) ?? (isObject(data) ? readUsableId(data.task_id) : undefined) ?? readUsableId(id),
  replaceId: ({ task_id: _, ...record }, id) =>
    isObject(record.data) ? { ...record, id, data: { ...record.data, task_id: id } } : { ...record, id },
};
