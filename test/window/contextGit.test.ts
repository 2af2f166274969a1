import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { ContextCompletion } from '../../src/host/chat/completion/contextCompletion.ts';
import { addFiles } from '../../src/host/chat/context/addContext.ts';
import { createContextViews } from '../../src/host/chat/context/contextView.ts';
import { loadGitApi, readChangesText } from '../../src/host/chat/context/gitRepositories.ts';
import { isGitIgnored } from '../../src/host/chat/context/sendConsent.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { answerDialogs } from '../support/dialogs.ts';
import {
  createFolderInWorkspace,
  getServices,
  unloadClosedChats,
  waitForEvent,
} from '../support/extensionServices.ts';

type GitRepository = NonNullable<Awaited<ReturnType<typeof loadGitApi>>>['repositories'][number];

/** Opens a repository as VS Code does when a file of it is edited. */
interface Opening {
  openRepository(root: vscode.Uri): Promise<unknown>;
}

describe('git', () => {
  let services: Services;
  let folder: string;
  let chat: ChatPanel;

  before(async () => {
    services = await getServices();
    folder = createFolderInWorkspace('git-');
    // VS Code would open each repository as soon as it exists.
    await setDetection(false);
    for (const name of ['outer', 'outer/inner', 'closed']) createRepository(name);
    for (const name of ['outer', 'outer/inner']) await (await loadOpening()).openRepository(at(name));
    chat = await services.chats.open({});
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    rmSync(folder, { recursive: true });
    await setDetection(undefined);
  });

  afterEach(() => {
    for (const { id } of chat.session.unsent.context.entries) chat.session.unsent.context.remove(id);
  });

  const setDetection = (value: boolean | undefined) =>
    vscode.workspace
      .getConfiguration('git')
      .update('autoRepositoryDetection', value, vscode.ConfigurationTarget.Global);
  const at = (path: string) => vscode.Uri.file(join(folder, path));
  const loadOpening = async () => (await loadGitApi()) as unknown as Opening;
  const listShown = () => createContextViews(chat.session.unsent.context.entries);

  /** A repository with one change, which ignores `*.secret`. */
  function createRepository(name: string): void {
    const root = join(folder, name);
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: root,
      });
    mkdirSync(root, { recursive: true });
    git('init', '--quiet');
    writeFileSync(join(root, 'a.txt'), 'before\n');
    writeFileSync(join(root, '.gitignore'), '*.secret\n');
    git('add', 'a.txt', '.gitignore');
    git('commit', '--quiet', '-m', 'Begin');
    writeFileSync(join(root, 'a.txt'), `changed in ${name}\n`);
    writeFileSync(join(root, 'a.secret'), 'secret\n');
    writeFileSync(join(root, 'b.txt'), 'new\n');
  }

  /** Replaces functions of git while a test runs, for every repository. */
  async function withPatchedGit(act: () => Promise<void>, instead: Partial<GitRepository>): Promise<void> {
    const repository = (await loadGitApi())?.getRepository(at('outer/a.txt'));
    const prototype: GitRepository = Object.getPrototypeOf(repository);
    const before = Object.keys(instead).map((name) => [name, Reflect.get(prototype, name)]);
    Object.assign(prototype, instead);
    await act().finally(() => Object.assign(prototype, Object.fromEntries(before)));
  }

  /** Replaces the git program while a test runs. */
  async function withGit(script: string, act: () => Promise<void>): Promise<void> {
    const program = join(folder, 'git.sh');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    const prototype = Object.getPrototypeOf((await loadGitApi())?.git);
    const path = Object.getOwnPropertyDescriptor(prototype, 'path') ?? assert.fail();
    Object.defineProperty(prototype, 'path', { configurable: true, get: () => program });
    await act().finally(() => Object.defineProperty(prototype, 'path', path));
  }

  it('lets the user choose one of several repositories, and adds the changes of that one', async () => {
    const name = `${basename(folder)}/outer/inner`;
    await answerDialogs(name, () => vscode.commands.executeCommand('modelGateway.context.addChanges'));
    assert.deepEqual(
      listShown().map((each) => each.name),
      [`Changes in ${name}`],
    );
    const text = await readChangesText(at('outer/inner'));
    assert.ok(text.includes('+changed in outer/inner'), text);
    assert.ok((await readChangesText(at('outer'))).includes('+changed in outer\n'));
  });

  it('offers the changes of each repository by its name with #', async () => {
    const completion = new ContextCompletion(() => undefined);
    const items = await completion.complete('changes', chat.session, new AbortController().signal);
    const labels = items.map(({ label }) => label);
    for (const name of ['outer', 'outer/inner']) {
      assert.ok(labels.includes(`Changes in ${basename(folder)}/${name}`), labels.join('\n'));
    }
  });

  for (const name of ['outer', 'outer/inner', 'closed']) {
    it(`makes ignored files of ${name} need confirmation, whether VS Code has opened it or not`, async () => {
      const seen = await answerDialogs(undefined, () =>
        addFiles(chat.session.unsent, [at(`${name}/a.secret`)]),
      );
      assert.match(seen[0]?.detail ?? '', /Git ignores it/);
      assert.deepEqual(
        await answerDialogs(undefined, () => addFiles(chat.session.unsent, [at(`${name}/b.txt`)])),
        [],
      );
    });
  }

  it('reports a changed file of a repository that is not open, and adds the others', async () => {
    const clicked = ['closed/a.txt', 'outer/a.txt'].map((path) => ({ resourceUri: at(path) }));
    const seen = await answerDialogs(undefined, () =>
      vscode.commands.executeCommand('modelGateway.context.addChanges', ...clicked),
    );
    assert.match(seen[0]?.message ?? '', /not added: .*closed\/a\.txt$/);
    assert.deepEqual(
      listShown().map((each) => each.name),
      [`Changes in ${basename(folder)}/outer/a.txt`],
    );
  });

  it('is given up after a timeout if it hangs, and the ignore state is then unknown', async () => {
    const never = () => new Promise<never>(() => {});
    await withGit('exec sleep 60', async () => {
      assert.equal(await isGitIgnored(at('outer/b.txt'), 50), undefined);
    });
    await withPatchedGit(
      async () => {
        await assert.rejects(
          readChangesText(at('outer'), undefined, 50),
          /did not list the changes in “.*outer”/,
        );
        await assert.rejects(readChangesText(at('outer'), at('outer/a.txt'), 50), /within 1 seconds/);
      },
      { diff: never, diffIndexWithHEAD: never },
    );
  });

  it('has its failures reported, and a file of unknown ignore state needs confirmation', async () => {
    const fail = () => Promise.reject(new Error('Failed to execute git'));
    await withGit('exit 128', async () => {
      const seen = await answerDialogs(undefined, () => addFiles(chat.session.unsent, [at('outer/b.txt')]));
      assert.match(seen[0]?.detail ?? '', /Git did not report whether it ignores this file/);
    });
    await withPatchedGit(
      async () => {
        await assert.rejects(readChangesText(at('outer')), /Git could not list the changes in “.*outer”/);
      },
      { diff: fail },
    );
    await waitForEvent(chat.session.unsent.context.onDidChange, () => listShown().length === 0);
  });
});
