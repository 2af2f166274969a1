import type { Locator } from 'playwright-core';
import type {
  FromGeneratePage,
  GenerateForm,
  GenerateState,
  ToGeneratePage,
} from '../../../../src/protocol/generatePage.ts';
import type { TaskTile } from '../../../../src/protocol/taskPage.ts';
import { browserOfTests } from './browserOfTests.ts';
import type { PageOptions } from './pageBrowser.ts';
import { type SentMessage, TestPage } from './testPage.ts';

/** A file that the page may show, by its path on the page's server. */
interface ServedFile {
  readonly path: string;
  readonly mimeType: string;
  readonly body: Buffer;
}

interface GenerateOptions extends PageOptions {
  readonly files?: readonly ServedFile[];
  /** Stops the page's clock at this time, in milliseconds since 1970. */
  readonly now?: number;
}

/** The Generate page alone. */
export class GenerateTestPage extends TestPage<
  ToGeneratePage,
  SentMessage<FromGeneratePage>,
  GenerateOptions
> {
  constructor() {
    super(browserOfTests, '/generate');
  }

  protected override async prepare({ files = [], now }: GenerateOptions): Promise<void> {
    for (const { path, mimeType, body } of files) {
      await this.page.route(`**${path}`, (route) => route.fulfill({ contentType: mimeType, body }));
    }
    if (now !== undefined) await this.stopClock(now);
  }

  prompt(): Locator {
    return this.page.getByRole('textbox', { name: 'Prompt', exact: true });
  }

  labelled(name: string): Locator {
    return this.page.getByLabel(name, { exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  /** Shows the fields under More. */
  async openMore(): Promise<void> {
    await this.button(/^More/).click();
    await this.page.getByRole('group', { name: 'More' }).waitFor();
  }

  /** The button that sends the request. */
  generate(): Locator {
    return this.button(/^Generate/);
  }

  /** One of the choices of a group. */
  radio(group: string, name: string): Locator {
    return this.page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true });
  }

  /** Shows a form with nothing wrong and nothing made, but for what a test says. */
  async show(state: Partial<GenerateState> = {}): Promise<void> {
    await this.post({ type: 'state', state: { ...synthesis, ...state } });
    await this.generate().waitFor();
    await this.nextFrames();
  }

  /** What the page told the host, of one kind. */
  async postedOf<T extends FromGeneratePage['type']>(
    type: T,
  ): Promise<readonly Extract<SentMessage<FromGeneratePage>, { type: T }>[]> {
    await this.nextFrames();
    const all = await this.posted();
    return all.filter(
      (message): message is Extract<SentMessage<FromGeneratePage>, { type: T }> => message.type === type,
    );
  }

  /** The body that the host was told last. */
  async body(): Promise<unknown> {
    return (await this.postedOf('set-values')).at(-1)?.values;
  }
}

export const synthesisForm: GenerateForm = {
  fields: [
    {
      path: ['input', 'prompt'],
      label: 'Prompt',
      help: '',
      control: 'prompt',
    },
    {
      path: ['parameters', 'size'],
      label: 'Size',
      help: 'Width*height in pixels, such as 1280*720; some models take resolution instead.',
      control: 'choice',
      choices: ['1280*720', '720*1280', '960*960', '1920*1080', '1080*1920'].map((value) => ({
        value,
        label: value.replace('*', ' × '),
      })),
      open: true,
    },
    {
      path: ['parameters', 'resolution'],
      label: 'Resolution',
      help: '480P, 720P or 1080P, for models that take it instead of a size.',
      control: 'choice',
      choices: ['480P', '720P', '1080P'].map((value) => ({ value, label: value })),
      open: true,
    },
    {
      path: ['parameters', 'duration'],
      label: 'Duration',
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((value) => ({ value, label: `${value} s` })),
      open: true,
      minimum: 1,
    },
    {
      path: ['input', 'negative_prompt'],
      label: 'Negative prompt',
      help: 'Content that it should not show.',
      isRare: true,
      control: 'text',
    },
    {
      path: ['parameters', 'seed'],
      label: 'Seed',
      isRare: true,
      help: 'Same seed and same request: much the same video.',
      control: 'number',
      minimum: 0,
    },
    {
      path: ['parameters', 'prompt_extend'],
      label: 'Enhance prompt',
      isRare: true,
      help: 'Let the provider enhance the prompt first.',
      control: 'switch',
    },
    {
      path: ['parameters', 'watermark'],
      label: 'Watermark',
      isRare: true,
      help: 'Mark the video as made by a model.',
      control: 'switch',
    },
  ],
  rest: {
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: { template: { type: 'string', description: 'Name of a ready-made effect.' } },
      },
      parameters: {
        type: 'object',
        properties: {
          audio: { type: 'boolean', description: 'Generate sound as well.' },
          ratio: { type: 'string', description: 'Form of the video, beside a resolution.' },
        },
      },
    },
  },
  values: { parameters: { size: '1280*720', duration: 5 } },
  defaults: { parameters: { size: '1280*720', duration: 5 } },
  exclusions: [
    [
      [['parameters', 'size']],
      [
        ['parameters', 'resolution'],
        ['parameters', 'ratio'],
      ],
    ],
  ],
  count: 1,
};

export const synthesis: GenerateState = {
  target: {
    gateway: 'work-gateway',
    model: 'demo/video',
    route: 'Video synthesis',
    routeShort: 'Synthesis',
    frames: ['first', 'last'],
  },
  form: synthesisForm,
  pictures: {},
  problems: [],
  price: '',
  tiles: [],
  submissionToken: 'token-1',
};

export const interactionsForm: GenerateForm = {
  fields: [
    {
      path: ['input'],
      label: 'Prompt',
      help: '',
      control: 'prompt',
    },
    {
      path: ['response_format', 'aspect_ratio'],
      label: 'Aspect ratio',
      help: '',
      control: 'choice',
      choices: ['16:9', '9:16', '1:1'].map((value) => ({ value, label: value })),
      open: true,
    },
    {
      path: ['response_format', 'duration'],
      label: 'Duration',
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((seconds) => ({ value: `${seconds}s`, label: `${seconds} s` })),
      open: true,
    },
    {
      path: ['response_format', 'resolution'],
      label: 'Resolution',
      help: '',
      control: 'choice',
      choices: ['360p', '720p', '1080p', '4k'].map((value) => ({ value, label: value })),
      open: true,
    },
    {
      path: ['generation_config', 'video_config', 'task'],
      label: 'Kind of task',
      help: '',
      isRare: true,
      control: 'choice',
      choices: [
        { value: 'text_to_video', label: 'Text to video' },
        { value: 'image_to_video', label: 'Image to video' },
        { value: 'reference_to_video', label: 'Reference to video' },
      ],
      open: true,
    },
    { path: ['background'], label: 'Run in background', help: '', isRare: true, control: 'switch' },
    { path: ['store'], label: 'Store on provider', help: '', isRare: true, control: 'switch' },
  ],
  rest: {
    type: 'object',
    properties: {
      response_format: {
        type: 'object',
        properties: { type: { type: 'string' }, delivery: { type: 'string' } },
      },
      service_tier: { type: 'string', description: 'Class of service, such as standard, flex or priority.' },
    },
  },
  values: {
    response_format: { type: 'video', aspect_ratio: '16:9' },
    generation_config: { video_config: { task: 'text_to_video' } },
    background: true,
  },
  defaults: {
    response_format: { type: 'video', aspect_ratio: '16:9' },
    generation_config: { video_config: { task: 'text_to_video' } },
    background: true,
  },
  exclusions: [],
  count: 1,
};

export const interactions: Partial<GenerateState> = {
  target: {
    gateway: 'demo',
    model: 'demo/video',
    route: 'Interactions (Gemini)',
    routeShort: 'Interactions',
    frames: ['first'],
  },
  form: interactionsForm,
};

/** A completed task, with what a test says about it. */
export function tile(draft: Partial<TaskTile> = {}): TaskTile {
  return {
    key: 'task-1',
    appearance: 'completed',
    status: 'Completed',
    model: 'wan-t2v',
    prompt: 'A cat on a red roof at sunset',
    startedAt: Date.UTC(2026, 10, 20, 14, 1, 2),
    ...draft,
  };
}

/** Tasks in every state, newest first. */
export function showcaseTiles(now: number): readonly TaskTile[] {
  const minute = 60_000;
  return [
    tile({
      key: 'a',
      appearance: 'queued',
      status: 'Queued',
      startedAt: now - 20_000,
      prompt:
        'A harbour at dawn, fishing boats leave one by one, gulls above, the camera glides over the water and then up towards the lighthouse',
    }),
    tile({
      key: 'b',
      appearance: 'running',
      status: 'Running',
      startedAt: now - minute,
      progress: { kind: 'estimated', startedAt: now - minute, typicalMs: 77_000 },
    }),
    tile({
      key: 'c',
      startedAt: now - 5 * minute,
      media: { kind: 'video', src: '/clip.webm', mimeType: 'video/webm' },
    }),
    tile({
      key: 'd',
      appearance: 'attention',
      status: 'Unknown outcome',
      model: 'omni-video-preview-with-a-long-name',
      startedAt: now - 50 * minute,
    }),
    tile({ key: 'e', appearance: 'failed', status: 'Failed', startedAt: now - 180 * minute }),
    tile({ key: 'f', appearance: 'cancelled', status: 'Cancelled', startedAt: now - 26 * 60 * minute }),
    tile({
      key: 'g',
      appearance: 'unwatched',
      status: 'No longer watched',
      startedAt: now - 9 * 24 * 60 * minute,
      prompt: '',
    }),
  ];
}
