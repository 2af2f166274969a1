import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { listImports, readSourceFiles, readTestFiles } from '../support/sourceImports.ts';

/** The longest chain of imports at run time: a reader who follows a call opens at most this many files. */
const longestChain = 20;

/** The number of names that each room may export. Lower it when the room needs fewer. */
const mostExports: Readonly<Record<string, number>> = {
  'extension.ts': 2,
  base: 78,
  client: 138,
  conversations: 345,
  host: 912,
  http: 31,
  localGateway: 566,
  protocol: 109,
  requests: 40,
  storage: 106,
  tasks: 138,
  webview: 369,
  wire: 572,
};

/** A file with fewer lines, one importer and no test belongs in its importer, unless it is in `separateFiles`. */
const fewLines = 60;

/** The reasons why small files with one importer are separate files. */
const separateFiles: Readonly<Record<string, readonly string[]>> = {
  'one of several of a kind: formats, tools, kinds of upstreams, rows': [
    'src/conversations/formats/shareGpt.ts',
    'src/host/agents/languageModelTools/listModels.ts',
    'src/host/agents/languageModelTools/readTask.ts',
    'src/host/agents/languageModelTools/startVideo.ts',
    'src/host/chat/context/problemsText.ts',
    'src/localGateway/routes/healthAndMetrics.ts',
    'src/localGateway/upstreams/kinds/ark.ts',
    'src/localGateway/upstreams/kinds/dashscope.ts',
    'src/localGateway/upstreams/kinds/messages.ts',
    'src/wire/apis/responses/commonParameters.ts',
  ],
  'the commands of a feature, in a table of their own': [
    'src/host/app/commands.ts',
    'src/host/chat/commands/outlineCommands.ts',
    'src/host/gateway/connect/helpCommands.ts',
  ],
  'a service that its floor creates, with a state of its own': [
    'src/host/requests/requestDrafts.ts',
    'src/host/requests/usage/usageDocument.ts',
  ],
  'loaded only when it is needed, or before anything else is': [
    'src/client/requiredNode.ts',
    'src/host/app/commandTable.ts',
    'src/host/agents/languageModelTools/registerTools.ts',
    'src/host/agents/participant/registerParticipant.ts',
  ],
  'its importer has almost 300 lines or more': [
    'src/conversations/saving/placeholderReplies.ts',
    'src/host/connection/connectionSettings.ts',
    'src/host/connection/remoteConsent.ts',
    'src/localGateway/upstreams/hiddenKey/choiceHash.ts',
  ],
  'somebody would look for it by its name': [
    'src/host/chat/session/continuation.ts',
    'src/host/chat/prompts/examplePrompt.ts',
    'src/localGateway/tasks/watchTasks.ts',
    'src/webview/chat/composer/fileMentions.ts',
    'src/webview/chat/welcome.ts',
    'src/webview/generate/restSheet.ts',
  ],
};

describe('the modules of src/', () => {
  const files = readSourceFiles();
  const imports = listImports(files);

  it('are in folders without import cycles inside a room, types included', () => {
    const cycles = folderCycles(
      imports
        .map(({ from, to }) => [posix.dirname(from), posix.dirname(to)] as const)
        .filter(([from, to]) => from !== to && room(from) === room(to)),
    );
    assert.deepEqual(
      cycles,
      [],
      'these folders import each other: move what both need into a folder below them, or pass it in',
    );
  });

  it(`form chains of at most ${longestChain} imports`, () => {
    const importsOf = new Map<string, string[]>();
    for (const { from, to, isType } of imports) {
      if (!isType && files.has(to)) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
    }
    const chains = new Map<string, readonly string[]>();
    const findChain = (file: string): readonly string[] => {
      const known = chains.get(file);
      if (known) return known;
      const below = (importsOf.get(file) ?? []).map(findChain);
      const longest = below.reduce((one, other) => (other.length > one.length ? other : one), []);
      const chain = [file, ...longest];
      chains.set(file, chain);
      return chain;
    };
    const longest = [...files.keys()].map(findChain).sort((one, other) => other.length - one.length)[0] ?? [];
    assert.ok(longest.length <= longestChain, `remove a step of this chain:\n${longest.join('\n')}`);
  });

  it(`have more than ${fewLines} lines, a second importer, or a listed reason to be separate`, () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of [...imports, ...listImports(readTestFiles())]) {
      importers.set(to, (importers.get(to) ?? new Set()).add(from));
    }
    const small = [...files].filter(([, text]) => text.split('\n').length <= fewLines);
    const fragments = small.map(([file]) => file).filter((file) => importers.get(file)?.size === 1);
    const listed = Object.values(separateFiles).flat();
    assert.deepEqual(
      {
        fragments: fragments.filter((file) => !listed.includes(file)),
        unusedEntries: listed.filter((file) => !fragments.includes(file)),
      },
      { fragments: [], unusedEntries: [] },
      'merge each fragment into its only importer, or list it in `separateFiles` in test/unit/moduleGraph.test.ts',
    );
  });

  it('export at most the number of names that each room is allowed', () => {
    const counts = new Map<string, number>();
    for (const [file, text] of files) {
      const names = [...text.matchAll(/^export (?!\*|\{|type \{)/gm)].length;
      counts.set(room(file), (counts.get(room(file)) ?? 0) + names);
    }
    for (const [name, count] of counts) {
      assert.ok(
        count <= (mostExports[name] ?? 0),
        `${name} exports ${count} names: drop \`export\` where no other file needs it, or merge files`,
      );
    }
  });
});

function room(file: string): string {
  return file.split('/')[1] ?? file;
}

/** The groups of folders that reach each other by imports. */
function folderCycles(edges: readonly (readonly [string, string])[]): readonly (readonly string[])[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reached = new Map([...next.keys()].map((folder) => [folder, reachable(folder, next)] as const));
  const groups = new Map<string, readonly string[]>();
  for (const [folder, below] of reached) {
    if (!below.has(folder)) continue;
    const group = [...below].filter((other) => reached.get(other)?.has(folder)).sort();
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

function reachable(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const other of next.get(folder) ?? []) {
      if (seen.has(other)) continue;
      seen.add(other);
      open.push(other);
    }
  }
  return seen;
}
