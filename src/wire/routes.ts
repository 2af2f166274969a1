/** The header for the credential. Each route uses exactly one. */
export type CredentialHeader = 'bearer' | 'vendor-api-key' | 'api-key';

/** One route of a gateway, for the client and the local gateway. */
export interface Route {
  /** The route's name in exchange records. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path template; `{name}` is one encoded segment. */
  readonly path: string;
  readonly credential: CredentialHeader;
  /** The id of an API format, `models`, `tasks`, `storedResponses` or `videos`. */
  readonly group: string;
  /** Query parameters of every request. */
  readonly query?: Readonly<Record<string, string>>;
  /** Whether the route streams its replies, if the path decides this instead of the body. */
  readonly isStreamed?: boolean;
  /** Whether a request may be a form (multipart/form-data) instead of JSON. */
  readonly acceptsForm?: boolean;
}

/** Adds each route's name from the table. */
export function defineRoutes<const Table extends Readonly<Record<string, Omit<Route, 'name'>>>>(
  table: Table,
): { readonly [Name in keyof Table]: Table[Name] & { readonly name: Name } } {
  const entries = Object.entries(table).map(([name, route]) => [name, { name, ...route }]);
  return Object.fromEntries(entries);
}

/** The routes for models and tasks. The routes of an API format are in its `format.ts`. */
export const routes = defineRoutes({
  listModels: { method: 'GET', path: '/v1/models', credential: 'bearer', group: 'models' },
  listTasks: { method: 'GET', path: '/v1/tasks', credential: 'bearer', group: 'tasks' },
  readTask: { method: 'GET', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
  cancelTask: { method: 'POST', path: '/v1/tasks/{task_id}/cancel', credential: 'bearer', group: 'tasks' },
  deleteTask: { method: 'DELETE', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
});

/** Additional routes of LiteLLM. */
export const litellmRoutes = defineRoutes({
  readModelInfo: { method: 'GET', path: '/v1/model/info', credential: 'bearer', group: 'models' },
});
