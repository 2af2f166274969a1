/** The header for the credential. Each route uses exactly one. */
export type CredentialHeader = 'bearer' | 'vendor-api-key' | 'api-key';

/** One route of a gateway, as client and local gateway share it. */
export interface Route {
  /** What it is called in what is told of an exchange. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path template; `{name}` is one encoded segment. */
  readonly path: string;
  readonly credential: CredentialHeader;
  /** What it is about: the id of an API format, `models`, `tasks` or `storedResponses`. */
  readonly group: string;
  /** What its address always says beside the path. */
  readonly query?: Readonly<Record<string, string>>;
  /** Whether replies are streamed, where the route decides that and not the body. */
  readonly isStreamed?: boolean;
}

/** Gives each route the name that it has in the table. */
export function named<const Table extends Readonly<Record<string, Omit<Route, 'name'>>>>(
  table: Table,
): { readonly [Name in keyof Table]: Table[Name] & { readonly name: Name } } {
  const entries = Object.entries(table).map(([name, route]) => [name, { name, ...route }]);
  return Object.fromEntries(entries);
}

/** The routes of models and tasks. Those of an API format are in its folder, in `format.ts`. */
export const routes = named({
  listModels: { method: 'GET', path: '/v1/models', credential: 'bearer', group: 'models' },
  listTasks: { method: 'GET', path: '/v1/tasks', credential: 'bearer', group: 'tasks' },
  readTask: { method: 'GET', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
  cancelTask: { method: 'POST', path: '/v1/tasks/{task_id}/cancel', credential: 'bearer', group: 'tasks' },
  deleteTask: { method: 'DELETE', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
});
