import { parseArgs } from 'node:util';

export interface Options {
  readonly help: boolean;
  readonly demo: boolean;
  /** 0 means any free port. */
  readonly port: number;
  /** Path of the configuration file. */
  readonly config?: string;
  /** Tokens per second of the demo models; 0 means no delay. */
  readonly pace?: number;
  /** Path of the file of tasks. */
  readonly tasks?: string;
}

/** The command line is invalid. The message names the option and what it expects. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const helpText = `Local model gateway: one address on this machine for the models of several upstreams.

Usage: npm run gateway -- [options]

  --demo          serve the demo models (no account, no network)
  --config FILE   serve the upstreams of a configuration file
  --port N        listen on this port of 127.0.0.1; 0, the default, takes any free one
  --pace N        demo models write N tokens a second; 0 means without waiting
  --tasks FILE    keep tasks in this file, which is made where it is missing and may be shared by several
                  gateways; by default in this user's folder for state
  --help          show this text

Once it listens, one line of JSON tells where: {"baseUrl": "...", "credentialFile": "..."}. The credential in
that file is valid until the gateway stops. Each route takes it in any header that clients send one in, which
are Authorization: Bearer, api-key, x-api-key, x-goog-api-key and x-vendor-api-key:

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

Beside them it serves what providers' own client libraries ask for: single models, model lists in three formats,
token counts, and tasks as interactions and as native video synthesis tell them.

Demo models answer on all of them, demo/video with small clips; OpenAI-compatible upstreams on
/v1/chat/completions. /v1 stands for /v1beta as well.

Configuration file (JSON):

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
    ]
  }

Upstreams elsewhere are reached through the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names, but for those in NO_PROXY.

keyEnv names the environment variable that holds the key; keys never stand in the file. models lists ids
instead of asking the upstream. headers are sent with every request and hold no credentials.

Model ids: demo models are demo/<id>. With one upstream its ids are served as it gives them; with several,
every id is <upstream name>/<id>.

Exit codes: 0 stopped or helped, 1 could not start or failed, 2 wrong options or configuration.
`;

const known = {
  help: { type: 'boolean' },
  demo: { type: 'boolean' },
  port: { type: 'string' },
  config: { type: 'string' },
  pace: { type: 'string' },
  tasks: { type: 'string' },
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
  const options = {
    help: values.has('help'),
    demo: values.has('demo'),
    port: wholeNumber(values, 'port', 65_535) ?? 0,
    config: filePath(values, 'config', 'a configuration file'),
    tasks: filePath(values, 'tasks', 'a file to keep tasks in'),
    pace: wholeNumber(values, 'pace', 100_000),
  };
  if (!options.help && !options.demo && options.config === undefined) {
    throw new UsageError('There is nothing to serve: give --demo, --config FILE or both. See --help.');
  }
  return options;
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
