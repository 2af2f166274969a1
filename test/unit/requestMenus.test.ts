import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

interface MenuItem {
  readonly command: string;
  readonly when?: string;
  readonly group: string;
}

const url = new URL('../../package.json', import.meta.url);
const { contributes } = JSON.parse(readFileSync(url, 'utf8')) as {
  readonly contributes: { readonly menus: Readonly<Record<string, readonly MenuItem[]>> };
};

/** The context values of the row whose menu is opened. */
interface Clicked {
  readonly view: string;
  readonly viewItem: string;
  readonly listMultiSelection?: boolean;
}

/** Whether a `when` clause is true. Throws for kinds of clauses that these menus do not use. */
function holds(clause: string, { view, viewItem, listMultiSelection = false }: Clicked): boolean {
  if (clause === '!listMultiSelection') return !listMultiSelection;
  const [, expectedView] = /^view == (\S+)$/.exec(clause) ?? [];
  if (expectedView !== undefined) return view === expectedView;
  const [, expectedItem] = /^viewItem == (\S+)$/.exec(clause) ?? [];
  if (expectedItem !== undefined) return viewItem === expectedItem;
  const [, pattern = assert.fail(clause)] = /^viewItem =~ \/(.*)\/$/.exec(clause) ?? [];
  return new RegExp(pattern).test(viewItem);
}

/** The commands that the context menu of a row offers, in its order. */
function offered(clicked: Clicked): readonly string[] {
  const own = (contributes.menus['view/item/context'] ?? []).filter(({ when = '', group }) =>
    when.startsWith(`view == ${clicked.view} `) && !group.startsWith('inline')
      ? when.split(' && ').every((clause) => holds(clause, clicked))
      : false,
  );
  const sorted = own.toSorted((one, other) => (one.group < other.group ? -1 : 1));
  return sorted.map(({ command }) => command.replace('modelGateway.', ''));
}

const view = 'modelGateway.requests';
const evidence = ['requests.copy', 'requests.exportHar'];

describe('the context menu of a request', () => {
  it('offers to open, resend, copy and export it, and to check the connection where that may be the cause', () => {
    assert.deepEqual(offered({ view, viewItem: 'request failed sendable check-connection' }), [
      'requests.openRequest',
      'requests.sendAgain',
      'checkConnection',
      ...evidence,
    ]);
  });

  it('omits the connection check when the gateway replied, and resending for a GET request', () => {
    const post = offered({ view, viewItem: 'request failed sendable' });
    assert.deepEqual(post, ['requests.openRequest', 'requests.sendAgain', ...evidence]);
    assert.deepEqual(offered({ view, viewItem: 'request succeeded get' }), [
      'requests.openRequest',
      ...evidence,
    ]);
  });

  it('offers only copying and exporting when several rows are selected', () => {
    const viewItem = 'request failed sendable check-connection';
    assert.deepEqual(offered({ view, viewItem, listMultiSelection: true }), evidence);
  });

  it('is empty for the group of earlier failures', () => {
    assert.deepEqual(offered({ view, viewItem: 'earlier-failures' }), []);
  });

  it('offers the connection check for a task only if its connection failed', () => {
    const checks = (viewItem: string) =>
      offered({ view: 'modelGateway.tasks', viewItem }).includes('checkConnection');
    assert.deepEqual([checks('task check-connection'), checks('task failed')], [true, false]);
  });
});
