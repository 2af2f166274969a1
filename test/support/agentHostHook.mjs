// Loaded into VS Code's server, its agent host and its extension host. It connects the agent host to
// `AgentHostBridge`: VS Code itself connects them only in a local desktop window.
import childProcess from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const ours = '"model-gateway.model-gateway"';

/** The replaced texts and their replacements, by the file of a program. */
const patches = {
  'agentHostMain.js': [['I=new nR,', 'I=new nR,globalThis.connectModels(I),']],
  'extensionHostProcess.js': [
    // code-server allows proposed APIs to every extension, which desktop VS Code does not.
    ['function Oe(i,t){return!0}', `function Oe(i,t){return i.identifier.value!==${ours}}`],
    // Our extension sees a local desktop window.
    ['get remoteName(){return ey(', `get remoteName(){return P.identifier.value===${ours}?void 0:ey(`],
    ['get uiKind(){return t.uiKind}', `get uiKind(){return P.identifier.value===${ours}?1:t.uiKind}`],
  ],
};

// The server removes NODE_OPTIONS from the environment of its processes.
const { fork } = childProcess;
childProcess.fork = (path, args = [], options = {}) => {
  const isPatched = args.some((each) => ['--type=agentHost', '--type=extensionHost'].includes(each));
  const execArgv = [...(options.execArgv ?? process.execArgv), `--import=${import.meta.url}`];
  return fork(path, args, isPatched ? { ...options, execArgv } : options);
};
syncBuiltinESMExports();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    let source = String(loaded.source);
    for (const [before, after] of patches[basename(url)] ?? []) {
      const parts = source.split(before);
      if (parts.length !== 2) throw new Error(`This ${basename(url)} is not the expected one.`);
      source = parts.join(after);
    }
    return basename(url) in patches ? { ...loaded, source } : loaded;
  },
});

const address = process.env.AGENT_HOST_BRIDGE;
const pollMs = 500;

/** Registers a connection to the window's models, as VS Code's desktop does. */
globalThis.connectModels = (registry) => {
  registry.register('test', {
    chat: (request) => call('chat', request),
    onDidChangeModels(listener) {
      const timer = setInterval(() => call('models').then(listener, () => {}), pollMs);
      return { dispose: () => clearInterval(timer) };
    },
  });
};

async function call(path, body) {
  const reply = await fetch(new URL(path, address), { method: 'POST', body: JSON.stringify(body ?? {}) });
  return reply.json();
}
