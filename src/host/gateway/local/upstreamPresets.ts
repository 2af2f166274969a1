/** A value that the user enters in addition to the address and the key. */
export interface ExtraField {
  /** The name of the field in the configuration. */
  readonly name: 'project' | 'location';
  readonly defaultValue?: string;
}

/** A kind of upstream in the wizard, with its usual address. */
export interface UpstreamPreset {
  readonly id: string;
  /** The provider's name, as its users write it. */
  readonly title: string;
  /** The kind in the configuration. */
  readonly kind: string;
  /** The usual address; empty if the kind does not have one. */
  readonly baseUrl: string;
  /** The default name. Model ids start with the name if several upstreams have the same model. */
  readonly name: string;
  readonly key: 'needed' | 'maybe' | 'by-command';
  /** Whether there is only one such provider: then the wizard does not prompt for its address or name. */
  readonly isSingle?: true;
  readonly fields?: readonly ExtraField[];
  /** The command that usually prints its key. */
  readonly command?: string;
  /** Fixed fields of its configuration entry. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** The presets of the wizard, the likeliest first. */
export const upstreamPresets: readonly UpstreamPreset[] = [
  {
    id: 'openai',
    title: 'OpenAI',
    kind: 'openai-compatible',
    key: 'needed',
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    entry: { formats: ['chatCompletions', 'responses'] },
    isSingle: true,
  },
  {
    id: 'anthropic',
    title: 'Anthropic',
    kind: 'messages',
    key: 'needed',
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    isSingle: true,
  },
  {
    id: 'gemini',
    title: 'Gemini',
    kind: 'content-generation',
    key: 'needed',
    name: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    entry: { interactions: true },
    isSingle: true,
  },
  {
    id: 'local',
    title: 'Model Server',
    kind: 'openai-compatible',
    key: 'maybe',
    name: 'local',
    baseUrl: 'http://127.0.0.1:11434/v1',
  },
  {
    id: 'compatible',
    title: 'OpenAI-Compatible',
    kind: 'openai-compatible',
    key: 'maybe',
    name: 'models',
    baseUrl: '',
  },
  {
    id: 'messages',
    title: 'Messages',
    kind: 'messages',
    key: 'maybe',
    name: 'messages',
    baseUrl: '',
  },
  {
    id: 'cloud',
    title: 'Google Cloud',
    kind: 'cloud-platform',
    key: 'by-command',
    name: 'cloud',
    baseUrl: 'https://aiplatform.googleapis.com',
    fields: [{ name: 'project' }, { name: 'location', defaultValue: 'global' }],
    command: 'gcloud auth print-access-token',
  },
  {
    id: 'dashscope',
    title: 'DashScope',
    kind: 'dashscope',
    key: 'needed',
    name: 'dashscope',
    baseUrl: 'https://dashscope.aliyuncs.com',
  },
  {
    id: 'ark',
    title: 'Volcengine Ark',
    kind: 'ark',
    key: 'needed',
    name: 'ark',
    baseUrl: 'https://ark.cn-beijing.volces.com',
  },
  {
    id: 'new-api',
    title: 'New API',
    kind: 'openai-compatible',
    key: 'needed',
    name: 'new-api',
    baseUrl: '',
    entry: { videoGenerations: true },
  },
  {
    id: 'responses',
    title: 'Responses',
    kind: 'responses',
    key: 'maybe',
    name: 'responses',
    baseUrl: 'https://api.openai.com',
  },
  {
    id: 'interactions',
    title: 'Interactions',
    kind: 'interactions',
    key: 'needed',
    name: 'interactions',
    baseUrl: 'https://generativelanguage.googleapis.com',
  },
  {
    id: 'videos',
    title: 'Video Jobs',
    kind: 'videos',
    key: 'needed',
    name: 'videos',
    baseUrl: 'https://api.openai.com',
  },
];

/** The preferred name, with a number if the name is in use. */
export function unusedName(preferred: string, taken: readonly string[]): string {
  if (!taken.includes(preferred)) return preferred;
  for (let number = 2; ; number++) {
    const name = `${preferred.slice(0, 28)}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
