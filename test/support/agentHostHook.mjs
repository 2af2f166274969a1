// Loaded into VS Code's server and its agent host. It connects the agent host to `AgentHostBridge`: VS Code itself
// connects them only in a local desktop window.
import childProcess from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

// The server removes NODE_OPTIONS from the environment of its processes.
const { fork } = childProcess;
childProcess.fork = (path, args = [], options = {}) => {
  const isAgentHost = args.includes('--type=agentHost');
  const execArgv = [...(options.execArgv ?? process.execArgv), `--import=${import.meta.url}`];
  return fork(path, args, isAgentHost ? { ...options, execArgv } : options);
};
syncBuiltinESMExports();

const marker = 'I=new nR,';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/agentHostMain.js')) return loaded;
    const source = String(loaded.source);
    if (source.split(marker).length !== 2) throw new Error('This agent host is not the expected one.');
    return { ...loaded, source: source.replace(marker, `${marker}globalThis.connectModels(I),`) };
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
