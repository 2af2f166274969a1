import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandName, untitledCommands } from '../../src/host/kit/manifest/contributions.ts';

interface Contributions {
  readonly commands: readonly { readonly command: string }[];
  readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

/** Also runs with the installed package, which does not have a test mode. */
describe('the extension in a real VS Code', () => {
  let extension: vscode.Extension<unknown>;

  before(async () => {
    const found = vscode.extensions.getExtension('model-gateway.model-gateway');
    assert(found, 'the extension is installed');
    extension = found;
    await extension.activate();
  });

  it('activates', () => {
    assert(extension.isActive);
  });

  it('registers exactly the commands of its manifest, and those without a title', async () => {
    const { commands, views }: Contributions = extension.packageJSON.contributes;
    const untitled = untitledCommands.map((id) => commandName(id));
    const declared = [...commands.map(({ command }) => command), ...untitled];
    const viewIds = Object.values(views).flatMap((group) => group.map(({ id }) => id));
    const registered = await vscode.commands.getCommands(true);
    const ours = registered.filter((id) => id.startsWith('modelGateway.') && !isGenerated(id, viewIds));
    assert.deepEqual(ours.toSorted(), declared.toSorted());
  });
});

/** VS Code itself adds commands for each view. */
function isGenerated(command: string, viewIds: readonly string[]): boolean {
  const verbs = ['focus', 'open', 'removeView', 'resetViewLocation', 'toggleVisibility'];
  return viewIds.some((id) => verbs.some((verb) => command === `${id}.${verb}`));
}
