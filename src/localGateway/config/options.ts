import { parseArgs } from 'node:util';
import { configName } from './names.ts';

/** What the program is started for. */
export type Action = 'help' | 'version' | 'serve' | 'check' | 'stop' | 'newCredential' | 'makeCredential';

export interface Options {
  readonly action: Action;
  readonly demo: boolean;
  /** 0 means any free port. Absent, the port of the configuration counts, or the one of the last time. */
  readonly port?: number;
  /** Path of the configuration file. */
  readonly config?: string;
  /** Tokens per second of the demo models; 0 means no delay. */
  readonly pace?: number;
  /** Path of the file of tasks. */
  readonly tasks?: string;
  /** Path of the folder for credential, port and tasks. */
  readonly state?: string;
  /** Path of the access log; `-` for standard error. */
  readonly accessLog?: string;
  /** Whether the user allows what the configuration says of upstreams now. */
  readonly trust: boolean;
  /** Whether the credential is replaced before anything is served. */
  readonly newCredential: boolean;
  /** Whose credential to make. */
  readonly makeCredential?: string;
  /** How many seconds after its last window it ends; absent where it runs until it is stopped. */
  readonly whileWindows?: number;
}

/** The command line is invalid. The message names the option and what it expects. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const helpText = `Local model gateway: one address on this machine for the models of several upstreams.

Usage: npm run gateway -- [options]        in the repository
       npx model-gateway-local [options]    as a package

  --demo             serve the demo models (no account, no network)
  --config FILE      serve the upstreams of a configuration file, and read it again when it changes or on SIGHUP
  --check            try the configuration: read it, ask each upstream for its models, tell each result, and end
  --trust            allow its upstreams as the file names them now: where requests go, and with which keys. With
                     --check, a gateway that runs with the same folder takes it at once
  --port N           listen on this port of 127.0.0.1; 0 takes any free one. By default the port of the
                     configuration, or one that is chosen at the first start and kept
  --state FOLDER     keep credential, port and tasks in this folder; by default in this user's folder for state.
                     One gateway at a time runs with a folder
  --tasks FILE       keep tasks in this file, which is made where it is missing and may be shared by several
                     gateways; by default tasks.sqlite in the folder above
  --new-credential   replace the credential first; alone, only do that
  --make-credential NAME
                     print a credential for another program, and what the configuration says of it
  --access-log FILE  add a line of JSON for each request to this file; - for standard error
  --stop             stop the gateway that runs with this folder
  --while-windows N  end N seconds after the last window of VS Code that uses it has closed
  --pace N           demo models write N tokens a second; 0 means without waiting
  --version          show the version
  --help             show this text

Once it listens, one line of JSON tells where: {"baseUrl": "...", "credentialFile": "..."}. The credential in
that file stays the same over restarts, and only you can read it. Each route takes it in any header that clients
send one in, which are Authorization: Bearer, api-key, x-api-key, x-goog-api-key and x-vendor-api-key:

  GET  /v1/models
  POST /v1/chat/completions
  POST /v1beta/models/{model}:generateContent
  POST /v1beta/models/{model}:streamGenerateContent
  POST /v1beta/interactions
  POST /api/v1/services/aigc/video-generation/video-synthesis
  GET  /v1/tasks
  GET  /v1/tasks/{task_id}
  GET  /v1/tasks/{task_id}/content
  POST /v1/tasks/{task_id}/cancel
  DELETE /v1/tasks/{task_id}
  POST /v1/messages
  POST /v1/responses
  POST /v1/videos     and what reads, lists and deletes them
  GET  /metrics       in the text format of Prometheus; with your own credential
  GET  /healthz       without a credential

Beside them it serves what providers' own client libraries ask for: single models, model lists in three formats,
token counts, and tasks as interactions and as native video synthesis tell them.

Demo models answer on all of them, demo/video with small clips; the models of an upstream in the
formats that its kind has. /v1 stands for /v1beta as well.

Configuration file (JSON; comments may stand in it):

  {
    "upstreams": [
      {
        "name": "local",
        "kind": "openai-compatible",
        "baseUrl": "http://127.0.0.1:11434/v1"
      },
      {
        "name": "team",
        "kind": "openai-compatible",
        "baseUrl": "https://models.example/v1",
        "keyEnv": "TEAM_MODELS_KEY",
        "models": ["small", "large"],
        "headers": { "X-Project": "demo" }
      }
    ],
    "aliases": [
      { "name": "fast", "models": ["local/llama", "team/small"] }
    ],
    "credentials": [
      { "name": "ci", "sha256": "...", "models": ["team/small*"], "requestsPerMinute": 60 }
    ]
  }

Upstreams elsewhere are reached through the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names, but for those in NO_PROXY.

kind is openai-compatible, content-generation, cloud-platform, messages, responses, dashscope, interactions or videos;
the README tells what each takes. keyEnv names the environment variable that holds the key, keyCommand a command that
prints it, keyFile a file that holds it; keys never stand in the file. models lists ids instead of
asking the upstream. headers are sent with every request and hold no credentials.

Model ids: demo models are demo/<id>; all others are the upstream's own. Where several upstreams list the same id,
the first one in the file keeps it. <upstream name>/<id> always leads to that upstream. An alias asks its models in
their order; the next one is asked where nothing was sent, or after 429.

Exit codes: 0 stopped, helped or all is well, 1 could not start or failed, 2 wrong options or configuration,
3 another gateway runs with the same folder, 4 its port is taken.
`;

const known = {
  help: { type: 'boolean' },
  demo: { type: 'boolean' },
  port: { type: 'string' },
  config: { type: 'string' },
  pace: { type: 'string' },
  tasks: { type: 'string' },
  state: { type: 'string' },
  check: { type: 'boolean' },
  trust: { type: 'boolean' },
  stop: { type: 'boolean' },
  version: { type: 'boolean' },
  'new-credential': { type: 'boolean' },
  'make-credential': { type: 'string' },
  'access-log': { type: 'string' },
  'while-windows': { type: 'string' },
} as const;

/**
 * Reads the command line.
 *
 * @throws {UsageError}
 */
export function parseOptions(args: readonly string[]): Options {
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(`"${token.value}" is not an option. See --help.`);
    if (token.kind !== 'option') continue;
    if (!isKnown(token.name)) throw new UsageError(`There is no option ${token.rawName}. See --help.`);
    if (known[token.name].type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value.`);
    }
    values.set(token.name, token.value ?? '');
  }
  return {
    action: actionOf(values),
    demo: values.has('demo'),
    port: wholeNumber(values, 'port', 65_535),
    config: filePath(values, 'config', 'a configuration file'),
    tasks: filePath(values, 'tasks', 'a file to keep tasks in'),
    state: filePath(values, 'state', 'a folder to keep credential, port and tasks in'),
    accessLog: filePath(values, 'access-log', 'a file for the access log'),
    pace: wholeNumber(values, 'pace', 100_000),
    trust: values.has('trust'),
    newCredential: values.has('new-credential'),
    makeCredential: nameOf(values),
    whileWindows: wholeNumber(values, 'while-windows', 86_400),
  };
}

function actionOf(values: ReadonlyMap<string, string>): Action {
  const serves = values.has('demo') || values.has('config');
  if (values.has('help')) return 'help';
  if (values.has('version')) return 'version';
  if (values.has('make-credential')) return 'makeCredential';
  if (values.has('stop')) return 'stop';
  if (values.has('check')) {
    if (serves) return 'check';
    throw new UsageError('--check expects --config FILE, the configuration to try.');
  }
  if (serves) return 'serve';
  if (values.has('new-credential')) return 'newCredential';
  throw new UsageError('There is nothing to serve: give --demo, --config FILE or both. See --help.');
}

function isKnown(name: string): name is keyof typeof known {
  return Object.hasOwn(known, name);
}

function wholeNumber(values: ReadonlyMap<string, string>, name: string, max: number): number | undefined {
  const value = values.get(name);
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value) && Number(value) <= max) return Number(value);
  throw new UsageError(`--${name} expects a whole number from 0 to ${max}, not "${value}".`);
}

function filePath(values: ReadonlyMap<string, string>, name: string, what: string): string | undefined {
  const value = values.get(name);
  if (value === '') throw new UsageError(`--${name} expects the path of ${what}.`);
  return value;
}

function nameOf(values: ReadonlyMap<string, string>): string | undefined {
  const name = values.get('make-credential');
  if (name === undefined || configName.safeParse(name).success) return name;
  throw new UsageError('--make-credential expects a name of 1 to 32 lower-case letters, digits and hyphens.');
}
