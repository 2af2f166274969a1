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

/** What is known of the row that a menu is opened for. */
interface Clicked {
  readonly view: string;
  readonly viewItem: string;
  readonly listMultiSelection?: boolean;
}

/** Whether a clause of `when` holds, of the few kinds that these menus use. Throws for any other. */
function holds(clause: string, { view, viewItem, listMultiSelection = false }: Clicked): boolean {
  if (clause === '!listMultiSelection') return !listMultiSelection;
  const [, wanted] = /^view == (\S+)$/.exec(clause) ?? [];
  if (wanted !== undefined) return view === wanted;
  const [, whole] = /^viewItem == (\S+)$/.exec(clause) ?? [];
  if (whole !== undefined) return viewItem === whole;
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

describe('the menu of a request', () => {
  it('offers to open it, to send it again, to check the connection where that may be why it failed, and its evidence', () => {
    assert.deepEqual(offered({ view, viewItem: 'request failed sendable check-connection' }), [
      ...['requests.openRequest', 'requests.sendAgain', 'checkConnection'],
      ...evidence,
    ]);
  });

  it('offers no check where the gateway answered, and nothing to send again of what sent nothing', () => {
    const post = offered({ view, viewItem: 'request failed sendable' });
    assert.deepEqual(post, ['requests.openRequest', 'requests.sendAgain', ...evidence]);
    assert.deepEqual(offered({ view, viewItem: 'request succeeded get' }), [
      'requests.openRequest',
      ...evidence,
    ]);
  });

  it('offers for several rows what can be done with several', () => {
    const viewItem = 'request failed sendable check-connection';
    assert.deepEqual(offered({ view, viewItem, listMultiSelection: true }), evidence);
  });

  it('offers nothing for the group of earlier failures', () => {
    assert.deepEqual(offered({ view, viewItem: 'kept' }), []);
  });

  it('offers the check at a task that failed on the way to its gateway, and at no other', () => {
    const checks = (viewItem: string) =>
      offered({ view: 'modelGateway.tasks', viewItem }).includes('checkConnection');
    assert.deepEqual([checks('task check-connection'), checks('task failed')], [true, false]);
  });
});
