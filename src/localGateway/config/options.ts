import { parseArgs } from 'node:util';
import { configName } from '../upstreams/configNames.ts';

type Action = 'help' | 'version' | 'serve' | 'check' | 'stop' | 'newCredential' | 'makeCredential';

export interface Options {
  readonly action: Action;
  readonly demo: boolean;
  /**
   * 0 means any free port. If absent, the port of the configuration is used; without one, the port of the previous
   * run.
   */
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
  /** Whether the user consents to the upstreams in the current configuration. */
  readonly trust: boolean;
  /** Whether the credential is replaced before the gateway starts to serve. */
  readonly replacesCredential: boolean;
  /** The name for a credential to create. */
  readonly makeCredential?: string;
  /** The number of seconds without a window after which the gateway ends; absent if it runs until it is stopped. */
  readonly exitAfterWindows?: number;
}

/** The command line is invalid. The message names the option and the expected value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const helpText = `Local model gateway: one address on this machine for the models of several upstreams.

Usage: npm run gateway -- [options]        in the repository
       npx model-gateway-local [options]    as a package

  --demo             serve the demo models (no account, no network)
  --config FILE      serve the upstreams of a configuration file, and read it again when it changes or on SIGHUP
  --check            test the configuration: read it, list the models of each upstream, print the results, and exit
  --trust            allow its upstreams as they are in the file now: the addresses of requests, and the keys. With
                     --check, a gateway that runs with the same folder uses it at once
  --port N           listen on this port of 127.0.0.1; 0 selects any free port. By default the port of the
                     configuration, or a port that is chosen at the first start and reused
  --state FOLDER     store credential, port and tasks in this folder; by default in this user's folder for state.
                     Only one gateway at a time can run with a folder
  --tasks FILE       store tasks in this file, which is created if it is missing and can be shared by several
                     gateways; by default tasks.sqlite in the folder above
  --new-credential   replace the credential first; without other options, only do that
  --make-credential NAME
                     print a credential for another program, and its entry for the configuration
  --access-log FILE  add a line of JSON for each request to this file; - for standard error
  --stop             stop the gateway that runs with this folder
  --exit-after-windows N
                     exit N seconds after the last window of VS Code that uses it has closed
  --pace N           demo models write N tokens per second; 0 means without delay
  --version          show the version
  --help             show this text

Once it listens, it prints its address as one line of JSON: {"baseUrl": "...", "credentialFile": "..."}. The
credential in that file stays the same across restarts, and only you can read it. Each route accepts it in any of
the headers Authorization: Bearer, api-key, x-api-key, x-goog-api-key and x-vendor-api-key. The routes are:

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
  POST /v1/videos     and the routes that read, list and delete videos
  GET  /metrics       in the text format of Prometheus; requires your own credential
  GET  /healthz       without a credential

It also serves the other requests of providers' client libraries: single models, model lists in three formats,
token counts, and tasks in the formats of interactions and of native video synthesis.

Demo models reply on all of these routes, demo/video with small clips. The models of an upstream reply in the
formats of its kind. /v1 can be used in place of /v1beta.

Configuration file (JSON, may contain comments):

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

Upstreams on other machines are reached through the proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, except those in
NO_PROXY.

kind is openai-compatible, content-generation, cloud-platform, messages, responses, dashscope, ark, interactions or
videos; docs/local-gateway/upstreams.md lists the fields of each. keyEnv names the environment variable that holds the key,
keyCommand a command that prints it, keyFile a file that holds it, keys several of them; the configuration never
contains keys. models lists ids in place of the upstream's own list. headers are sent with every request and must not
contain credentials.

Model ids: demo models are demo/<id>; all others are the upstream's own. If several upstreams list the same id,
it belongs to the first one in the file. <upstream name>/<id> always selects that upstream. An alias tries its models
in their order; the next one is used if nothing was sent, or after 429.

Exit codes: 0 success or stopped, 1 could not start or failed, 2 invalid options or configuration,
3 another gateway runs with the same folder, 4 its port is in use.
`;

const optionSpecs = {
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
  'exit-after-windows': { type: 'string' },
} as const;

/**
 * Reads the command line.
 *
 * @throws {UsageError}
 */
export function parseOptions(args: readonly string[]): Options {
  const { tokens } = parseArgs({ args: [...args], options: optionSpecs, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(`"${token.value}" is not an option. See --help.`);
    if (token.kind !== 'option') continue;
    if (!isOptionName(token.name)) throw new UsageError(`There is no option ${token.rawName}. See --help.`);
    if (optionSpecs[token.name].type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value.`);
    }
    values.set(token.name, token.value ?? '');
  }
  return {
    action: selectAction(values),
    demo: values.has('demo'),
    port: readWholeNumber(values, 'port', 65_535),
    config: readPath(values, 'config', 'a configuration file'),
    tasks: readPath(values, 'tasks', 'a file to store tasks in'),
    state: readPath(values, 'state', 'a folder to store credential, port and tasks in'),
    accessLog: readPath(values, 'access-log', 'a file for the access log'),
    pace: readWholeNumber(values, 'pace', 100_000),
    trust: values.has('trust'),
    replacesCredential: values.has('new-credential'),
    makeCredential: readCredentialName(values),
    exitAfterWindows: readWholeNumber(values, 'exit-after-windows', 86_400),
  };
}

function selectAction(values: ReadonlyMap<string, string>): Action {
  const serves = values.has('demo') || values.has('config');
  if (values.has('help')) return 'help';
  if (values.has('version')) return 'version';
  if (values.has('make-credential')) return 'makeCredential';
  if (values.has('stop')) return 'stop';
  if (values.has('check')) {
    if (serves) return 'check';
    throw new UsageError('--check expects --config FILE, the configuration to test.');
  }
  if (serves) return 'serve';
  if (values.has('new-credential')) return 'newCredential';
  throw new UsageError('There is nothing to serve: give --demo, --config FILE or both. See --help.');
}

function isOptionName(name: string): name is keyof typeof optionSpecs {
  return Object.hasOwn(optionSpecs, name);
}

function readWholeNumber(values: ReadonlyMap<string, string>, name: string, max: number): number | undefined {
  const value = values.get(name);
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value) && Number(value) <= max) return Number(value);
  throw new UsageError(`--${name} expects a whole number from 0 to ${max}, not "${value}".`);
}

function readPath(
  values: ReadonlyMap<string, string>,
  name: string,
  description: string,
): string | undefined {
  const value = values.get(name);
  if (value === '') throw new UsageError(`--${name} expects the path of ${description}.`);
  return value;
}

function readCredentialName(values: ReadonlyMap<string, string>): string | undefined {
  const name = values.get('make-credential');
  if (name === undefined || configName.safeParse(name).success) return name;
  throw new UsageError('--make-credential expects a name of 1 to 32 lower-case letters, digits and hyphens.');
}
