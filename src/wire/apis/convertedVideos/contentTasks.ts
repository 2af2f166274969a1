import type { JsonObject } from '../../../base/json.ts';
import type { Setting } from '../shared/receivedRequest.ts';
import { idAtTop, type TaskRecordFormat } from '../taskRecord/taskRecordFormat.ts';
import { convertedVideoRecords, omitUndefined, resolveShape, type VideoForm } from './videoOrder.ts';

/** Content generation tasks of Ark, such as videos of Seedance. */
export const contentTasksForm: VideoForm = {
  label: 'Ark content generation tasks',
  write(order, model, notes) {
    const { prompt, negativePrompt, seconds, seed, sound, watermark, metadata } = order;
    if (negativePrompt) notes.refuse(negativePrompt.path, 'has no negative prompts');
    if (metadata) notes.drop(metadata.path);
    const { aspectRatio, resolution } = resolveShape(order, notes);
    const text = prompt === '' ? [] : [{ type: 'text', text: prompt }];
    return omitUndefined({
      model,
      content: [...text, ...writeFrame(order.first, 'first_frame'), ...writeFrame(order.last, 'last_frame')],
      ratio: aspectRatio,
      resolution,
      duration: seconds?.value,
      seed: seed?.value,
      generate_audio: sound?.value,
      watermark: watermark?.value,
    });
  },
};

function writeFrame(picture: Setting<string> | undefined, role: string): readonly JsonObject[] {
  return picture ? [{ type: 'image_url', image_url: { url: picture.value }, role }] : [];
}

/** Content generation tasks as tasks of the local gateway. */
export const contentTasks: TaskRecordFormat = {
  ...convertedVideoRecords,
  ...idAtTop,
  hasContentRoute: false,
  resultLifetimeMs: 24 * 60 * 60 * 1000,
};
