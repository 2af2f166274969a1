/** What a user may say beside the address and the key. */
export interface ExtraField {
  /** The member of the configuration. */
  readonly name: 'project' | 'location';
  readonly usual?: string;
}

/** A kind of upstream as the wizard offers it: with the address that most have. */
export interface UpstreamOffer {
  readonly id: string;
  /** Whose it is, as its users call it. */
  readonly title: string;
  /** The kind in the configuration. */
  readonly kind: string;
  /** The usual address; empty where there is none. */
  readonly baseUrl: string;
  /** A name for it; it begins the ids of its models where several upstreams are configured. */
  readonly name: string;
  readonly key: 'needed' | 'maybe' | 'by-command';
  /** Whether there is one such provider, so that nobody is asked for its address or name. */
  readonly isOne?: true;
  readonly fields?: readonly ExtraField[];
  /** The command that usually prints its key. */
  readonly command?: string;
  /** What its entry says beside what the user does. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** The likeliest first. */
export const upstreamOffers: readonly UpstreamOffer[] = [
  {
    ...{ id: 'openai', title: 'OpenAI', kind: 'openai-compatible', key: 'needed', name: 'openai' },
    ...{
      baseUrl: 'https://api.openai.com/v1',
      entry: { formats: ['chatCompletions', 'responses'] },
      isOne: true,
    },
  },
  {
    ...{ id: 'anthropic', title: 'Anthropic', kind: 'messages', key: 'needed', name: 'anthropic' },
    ...{ baseUrl: 'https://api.anthropic.com', isOne: true },
  },
  {
    ...{ id: 'gemini', title: 'Gemini', kind: 'content-generation', key: 'needed', name: 'gemini' },
    ...{ baseUrl: 'https://generativelanguage.googleapis.com', entry: { interactions: true }, isOne: true },
  },
  {
    ...{ id: 'local', title: 'Model Server', kind: 'openai-compatible', key: 'maybe', name: 'local' },
    baseUrl: 'http://127.0.0.1:11434/v1',
  },
  {
    ...{
      id: 'compatible',
      title: 'OpenAI-Compatible',
      kind: 'openai-compatible',
      key: 'maybe',
      name: 'models',
    },
    baseUrl: '',
  },
  {
    ...{ id: 'messages', title: 'Messages', kind: 'messages', key: 'maybe', name: 'messages' },
    baseUrl: '',
  },
  {
    ...{ id: 'cloud', title: 'Google Cloud', kind: 'cloud-platform', key: 'by-command', name: 'cloud' },
    baseUrl: 'https://aiplatform.googleapis.com',
    fields: [{ name: 'project' }, { name: 'location', usual: 'global' }],
    command: 'gcloud auth print-access-token',
  },
  {
    ...{ id: 'dashscope', title: 'DashScope', kind: 'dashscope', key: 'needed', name: 'dashscope' },
    baseUrl: 'https://dashscope.aliyuncs.com',
  },
  {
    ...{ id: 'responses', title: 'Responses', kind: 'responses', key: 'maybe', name: 'responses' },
    baseUrl: 'https://api.openai.com',
  },
  {
    ...{
      id: 'interactions',
      title: 'Interactions',
      kind: 'interactions',
      key: 'needed',
      name: 'interactions',
    },
    baseUrl: 'https://generativelanguage.googleapis.com',
  },
  {
    ...{ id: 'videos', title: 'Video Jobs', kind: 'videos', key: 'needed', name: 'videos' },
    baseUrl: 'https://api.openai.com',
  },
];

/** The name, with a number where it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted.slice(0, 28)}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
