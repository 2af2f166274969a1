import type { GatewayRequest } from '../server/handler.ts';
import { interactionOf } from '../tasks/interactionRecord.ts';
import { ownRecord } from '../tasks/ownRecord.ts';
import type { RemoteTask } from '../tasks/remoteTask.ts';
import { responseOf } from '../tasks/responseRecord.ts';
import { synthesisOutput } from '../tasks/synthesisRecord.ts';
import { isRemote, type StoredTask } from '../tasks/taskState.ts';
import { videoOf } from '../tasks/videoRecord.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';
import type { VideoService } from './makeVideo.ts';

/** The gateway's address as the caller knows it. The guard has checked the Host header. */
export function addressOf({ headers }: Pick<GatewayRequest, 'headers'>): string {
  return `http://${headers.host}`;
}

/** A task whose upstream has a record of the format to show. */
export function hasOwnRecord(task: StoredTask, format: TaskFormat): task is RemoteTask {
  return isRemote(task) && task.format === format && task.told.record !== undefined;
}

/** The record of a task in the form of the route that made it. */
export async function ownForm(
  { remote }: Pick<VideoService, 'remote'>,
  task: RemoteTask,
  request: Pick<GatewayRequest, 'headers' | 'id'>,
): Promise<object> {
  const address = addressOf(request);
  if (task.told.record !== undefined) {
    return ownRecord(task, address, async (index) => {
      const kept = task.kept[index];
      return kept && remote.results.read(kept);
    });
  }
  switch (task.format) {
    case 'responses':
      return responseOf(task);
    case 'interactions':
      return interactionOf(task, { video: undefined, address });
    case 'videos':
      return videoOf(task);
    case 'videoSynthesis':
      return { id: task.id, request_id: request.id, output: synthesisOutput(task, address) };
  }
}
