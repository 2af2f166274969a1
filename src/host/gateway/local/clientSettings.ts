import { quoteForPowerShell, quoteForSh, writePowerShellCurl } from '../../../requests/formats/curl.ts';

/** The local gateway's address, and the values that programs send to it. */
interface SettingsTarget {
  /** The address before `/v1`. */
  readonly baseUrl: string;
  /** The id of a model that it lists. */
  readonly model: string;
  /** The credential, if the user chose to copy it; otherwise a placeholder is copied. */
  readonly credential?: string;
  /** The shell that runs the commands; POSIX if absent. */
  readonly shell?: ShellName;
}

export type ShellName = keyof typeof shells;

/** A program or library that works with the gateway without changes. */
export interface ClientProgram {
  readonly id: string;
  /** The name of the product. */
  readonly name: string;
  /** Where the user pastes the copied text. */
  readonly pasteTarget: 'python' | 'javascript' | 'terminal' | 'file';
  /** The file for the text, if `pasteTarget` is `file`. */
  readonly file?: string;
  readonly settings: (target: SettingsTarget) => string;
}

interface Shell {
  /** Quotes a word safely, because a model id may contain any characters. */
  readonly quote: (word: string) => string;
  readonly setVariable: (name: string, value: string) => string;
  readonly unsetVariable: (name: string) => string;
}

const shells = {
  sh: {
    quote: quoteForSh,
    setVariable: (name, value) => `export ${name}=${quoteForSh(value)}`,
    unsetVariable: (name) => `unset ${name}`,
  },
  powershell: {
    quote: quoteForPowerShell,
    setVariable: (name, value) => `$env:${name} = ${quoteForPowerShell(value)}`,
    unsetVariable: (name) => `Remove-Item Env:${name} -ErrorAction Ignore`,
  },
} as const satisfies Readonly<Record<string, Shell>>;

/** The placeholder for the credential until the user chooses to copy it. */
export const hiddenCredential = '<credential>';

const credentialVariable = 'MODEL_GATEWAY_CREDENTIAL';

/** The programs, each with the settings that its documentation describes: base URL, key, model. */
export const clientPrograms: readonly ClientProgram[] = [
  {
    id: 'openai-sdk',
    name: 'OpenAI SDK for Python',
    pasteTarget: 'python',
    settings: (target) =>
      joinLines(
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${stringLiteral(`${target.baseUrl}/v1`)}, api_key=${stringLiteral(getCredential(target))})`,
        'reply = client.chat.completions.create(',
        `    model=${stringLiteral(target.model)}, messages=[{"role": "user", "content": "Hello"}]`,
        ')',
        'print(reply.choices[0].message.content)',
      ),
  },
  {
    id: 'openai-sdk-js',
    name: 'OpenAI SDK for JavaScript',
    pasteTarget: 'javascript',
    settings: (target) =>
      joinLines(
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: ${stringLiteral(`${target.baseUrl}/v1`)}, apiKey: ${stringLiteral(getCredential(target))} });`,
        'const reply = await client.chat.completions.create({',
        `  model: ${stringLiteral(target.model)}, messages: [{ role: "user", content: "Hello" }],`,
        '});',
        'console.log(reply.choices[0].message.content);',
      ),
  },
  {
    id: 'anthropic-sdk',
    name: 'Anthropic SDK for Python',
    pasteTarget: 'python',
    settings: (target) =>
      joinLines(
        'from anthropic import Anthropic',
        '',
        `client = Anthropic(base_url=${stringLiteral(target.baseUrl)}, api_key=${stringLiteral(getCredential(target))})`,
        'reply = client.messages.create(',
        `    model=${stringLiteral(target.model)}, max_tokens=1024, messages=[{"role": "user", "content": "Hello"}]`,
        ')',
        'print(reply.content[0].text)',
      ),
  },
  {
    id: 'anthropic-sdk-js',
    name: 'Anthropic SDK for JavaScript',
    pasteTarget: 'javascript',
    settings: (target) =>
      joinLines(
        "import Anthropic from '@anthropic-ai/sdk';",
        '',
        `const client = new Anthropic({ baseURL: ${stringLiteral(target.baseUrl)}, apiKey: ${stringLiteral(getCredential(target))} });`,
        'const reply = await client.messages.create({',
        `  model: ${stringLiteral(target.model)}, max_tokens: 1024, messages: [{ role: "user", content: "Hello" }],`,
        '});',
        'console.log(reply.content.map((part) => part.text ?? "").join(""));',
      ),
  },
  {
    id: 'google-sdk',
    name: 'Google Gen AI SDK for Python',
    pasteTarget: 'python',
    settings: (target) =>
      joinLines(
        'from google import genai',
        '',
        'client = genai.Client(',
        `    api_key=${stringLiteral(getCredential(target))}, http_options={"base_url": ${stringLiteral(target.baseUrl)}}`,
        ')',
        `reply = client.models.generate_content(model=${stringLiteral(target.model)}, contents="Hello")`,
        'print(reply.text)',
      ),
  },
  {
    id: 'google-sdk-js',
    name: 'Google Gen AI SDK for JavaScript',
    pasteTarget: 'javascript',
    settings: (target) =>
      joinLines(
        "import { GoogleGenAI } from '@google/genai';",
        '',
        'const client = new GoogleGenAI({',
        `  apiKey: ${stringLiteral(getCredential(target))}, httpOptions: { baseUrl: ${stringLiteral(target.baseUrl)} },`,
        '});',
        `const reply = await client.models.generateContent({ model: ${stringLiteral(target.model)}, contents: "Hello" });`,
        'console.log(reply.text);',
      ),
  },
  { id: 'curl', name: 'curl', pasteTarget: 'terminal', settings: curlSettings },
  {
    id: 'claude-code',
    name: 'Claude Code',
    pasteTarget: 'terminal',
    settings: (target) =>
      joinLines(
        setVariable(target, 'ANTHROPIC_BASE_URL', target.baseUrl),
        setVariable(target, 'ANTHROPIC_AUTH_TOKEN', getCredential(target)),
        setVariable(target, 'ANTHROPIC_MODEL', target.model),
        '# All of its own model names select this model, because it uses smaller models for smaller tasks.',
        ...['FABLE', 'OPUS', 'SONNET', 'HAIKU'].map((tier) =>
          setVariable(target, `ANTHROPIC_DEFAULT_${tier}_MODEL`, target.model),
        ),
        getShell(target).unsetVariable('ANTHROPIC_API_KEY'),
        'claude',
      ),
  },
  {
    id: 'codex',
    name: 'Codex',
    pasteTarget: 'file',
    file: '~/.codex/config.toml',
    settings: (target) =>
      joinLines(
        `model = ${stringLiteral(target.model)}`,
        'model_provider = "model-gateway"',
        '# Only models that are served by Responses (OpenAI) can search the web. For these, remove this line.',
        'web_search = "disabled"',
        '',
        '[model_providers.model-gateway]',
        'name = "Model Gateway"',
        `base_url = ${stringLiteral(`${target.baseUrl}/v1`)}`,
        `env_key = "${credentialVariable}"`,
        'wire_api = "responses"',
        '',
        `# In the terminal, before Codex: ${setVariable(target, credentialVariable, getCredential(target))}`,
      ),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    pasteTarget: 'terminal',
    settings: (target) =>
      joinLines(
        '# Gemini CLI uses another address only if it signs in with an API key. Select this with /auth, or write',
        '# into ~/.gemini/settings.json {"security": {"auth": {"selectedType": "gemini-api-key"}}}',
        setVariable(target, 'GOOGLE_GEMINI_BASE_URL', target.baseUrl),
        setVariable(target, 'GEMINI_API_KEY', getCredential(target)),
        setVariable(target, 'GEMINI_MODEL', target.model),
        'gemini',
      ),
  },
  {
    id: 'continue',
    name: 'Continue',
    pasteTarget: 'file',
    file: '~/.continue/config.yaml',
    settings: (target) =>
      joinLines(
        '# If you already have such a file, add only the entry below "models".',
        'name: Model Gateway',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        `  - name: ${stringLiteral(`${target.model} (Model Gateway)`)}`,
        '    provider: openai',
        `    model: ${stringLiteral(target.model)}`,
        `    apiBase: ${stringLiteral(`${target.baseUrl}/v1`)}`,
        `    apiKey: ${stringLiteral(getCredential(target))}`,
      ),
  },
  {
    id: 'aider',
    name: 'Aider',
    pasteTarget: 'terminal',
    settings: (target) =>
      joinLines(
        setVariable(target, 'OPENAI_API_BASE', `${target.baseUrl}/v1`),
        setVariable(target, 'OPENAI_API_KEY', getCredential(target)),
        `aider --model ${getShell(target).quote(`openai/${target.model}`)}`,
      ),
  },
];

function getCredential({ credential }: SettingsTarget): string {
  return credential ?? hiddenCredential;
}

function curlSettings(target: SettingsTarget): string {
  const url = `${target.baseUrl}/v1/chat/completions`;
  const body = JSON.stringify({ model: target.model, messages: [{ role: 'user', content: 'Hello' }] });
  const credential = setVariable(target, credentialVariable, getCredential(target));
  if (target.shell === 'powershell') {
    const headers = [
      { name: 'Authorization', value: 'Bearer ', takesCredential: true },
      { name: 'Content-Type', value: 'application/json', takesCredential: false },
    ];
    return joinLines(credential, writePowerShellCurl({ method: 'POST', url, headers, body }));
  }
  return joinLines(
    credential,
    `curl ${quoteForSh(url)} \\`,
    `  -H "Authorization: Bearer $${credentialVariable}" -H 'Content-Type: application/json' \\`,
    `  -d ${quoteForSh(body)}`,
  );
}

/** The command that sets an environment variable. */
function setVariable(target: SettingsTarget, name: string, value: string): string {
  return getShell(target).setVariable(name, value);
}

function getShell({ shell = 'sh' }: SettingsTarget): Shell {
  return shells[shell];
}

/** A string literal of JSON, which is valid in Python, JavaScript, TOML and YAML as well. */
function stringLiteral(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function joinLines(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
