import { providerRoutes } from '../providerRoutes.ts';
import { invalidField, type Query } from '../query.ts';
import type { GatewayRequest, ServedRoute } from '../server/handler.ts';
import { taskStatuses } from '../tasks/taskIdentity.ts';
import type { StoredTask } from '../tasks/taskState.ts';
import type { TaskStore } from '../tasks/taskStore.ts';
import type { VideoService } from './makeVideo.ts';

const defaultLimit = 20;

/**
 * Serves the list of all videos, newest first unless asked otherwise, whichever route made them. It asks no
 * upstream.
 *
 * @param videoForm a task as a video job
 */
export function videoListRoute(
  { tasks }: VideoService,
  videoForm: (task: StoredTask, request: GatewayRequest) => Promise<object> | object,
): ServedRoute {
  return {
    route: providerRoutes.listVideos,
    async answer(request) {
      const store = tasks.open();
      const { limit, order, after } = request.query;
      const { name: owner } = request.access;
      const page = store.list({
        limit: readLimit(limit),
        oldestFirst: readOrder(order) === 'asc',
        videosOnly: true,
        statuses: taskStatuses,
        ...(after !== undefined && { after: placeOf(store, after, request) }),
        ...(owner !== undefined && { owner }),
      });
      const data = await Promise.all(page.tasks.map((task) => videoForm(task, request)));
      const [first] = page.tasks;
      const last = page.tasks.at(-1);
      const ends = { first_id: first?.id ?? null, last_id: last?.id ?? null };
      return { json: { object: 'list', data, ...ends, has_more: page.hasMore } };
    },
  };
}

function readLimit(limit: Query[string] = String(defaultLimit)): number {
  if (typeof limit === 'string' && /^\d{1,3}$/.test(limit) && Number(limit) <= 100) return Number(limit);
  throw invalidField('limit', 'a whole number from 0 to 100');
}

function readOrder(order: Query[string] = 'desc'): 'asc' | 'desc' {
  if (order === 'asc' || order === 'desc') return order;
  throw invalidField('order', 'asc or desc');
}

function placeOf(
  store: TaskStore,
  after: Exclude<Query[string], undefined>,
  { access }: GatewayRequest,
): number {
  const task = typeof after === 'string' ? store.get(after) : undefined;
  const place = task && access.mayUse(task.owner) ? store.placeOf(task.id) : undefined;
  if (place === undefined) throw invalidField('after', 'the last_id of a page, of a video that still exists');
  return place;
}
