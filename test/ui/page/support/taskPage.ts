import type { FromTaskPage, TaskTile, TaskView, ToTaskPage } from '../../../../src/protocol/taskPage.ts';
import type { ServedFile } from './pageServer.ts';
import { getTestBrowser } from './testBrowser.ts';
import { type SentMessage, TestPage } from './testPage.ts';
import type { ThemeName } from './themes.ts';

/** The start of these tests' task: 14:01:02 of a November afternoon, in any time zone. */
export const startedAt = new Date(2026, 10, 20, 14, 1, 2).getTime();

/** The task page alone. */
export class TaskTestPage extends TestPage<ToTaskPage, SentMessage<FromTaskPage>> {
  constructor() {
    super(getTestBrowser, '/task');
  }

  override async setTheme(name: ThemeName): Promise<void> {
    await super.setTheme(name);
    await this.page.evaluate((variables) => {
      for (const [variable, value] of Object.entries(variables))
        document.documentElement.style.setProperty(`--vscode-${variable}`, value);
    }, taskColours[name]);
  }

  async show(state: TaskView): Promise<void> {
    await this.post({ type: 'state', state });
  }
}

/** The facts that a test sets for a task. */
export type TaskDraft = Partial<Omit<TaskView, 'tile'>> & { readonly tile?: Partial<TaskTile> };

/** A completed task without results, with the facts of the test. */
export function createTaskView({ tile, ...draft }: TaskDraft = {}): TaskView {
  return {
    tile: {
      key: 'task-1',
      appearance: 'completed',
      status: 'Completed',
      model: 'wan-t2v',
      prompt: 'A cat on a red roof at sunset',
      startedAt,
      ...tile,
    },
    results: [],
    buttons: [],
    mainButtons: 0,
    recipe: [],
    timeline: [],
    failedPolls: [],
    ...draft,
  };
}

let recorded: Promise<ServedFile> | undefined;

/** A second of a moving square, recorded once in a separate page: VP8, which every Chromium plays. */
export function recordClip(): Promise<ServedFile> {
  recorded ??= record();
  return recorded;
}

async function record(): Promise<ServedFile> {
  const recorder = new TaskTestPage();
  await recorder.open();
  const base64 = await recorder.page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
    const context = canvas.getContext('2d');
    const recording = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm; codecs=vp8' });
    const data = new Promise<Blob>((resolve) => {
      recording.addEventListener('dataavailable', (event) => resolve(event.data));
    });
    recording.start();
    for (let frame = 0; frame < 25; frame += 1) {
      if (context) {
        context.fillStyle = 'teal';
        context.fillRect(0, 0, 320, 180);
        context.fillStyle = 'orange';
        context.fillRect(frame * 8, 60, 60, 60);
      }
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    recording.stop();
    const bytes = new Uint8Array(await (await data).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  await recorder.close();
  return { path: '/clip.webm', mimeType: 'video/webm', body: Buffer.from(base64, 'base64') };
}

/** The colours of the same four themes that only the task page uses. */
const taskColours: Readonly<Record<ThemeName, Readonly<Record<string, string>>>> = {
  light: {
    'menu-background': '#ffffff',
    'menu-border': '#cecece',
    'menu-foreground': '#3b3b3b',
    'menu-selectionBackground': '#005fb8',
    'menu-selectionForeground': '#ffffff',
  },
  dark: {
    'menu-background': '#1f1f1f',
    'menu-border': '#454545',
    'menu-foreground': '#cccccc',
    'menu-selectionBackground': '#0078d4',
    'menu-selectionForeground': '#ffffff',
  },
  'high-contrast': {
    'menu-background': '#000000',
    'menu-border': '#6fc3df',
    'menu-foreground': '#ffffff',
    'menu-selectionBorder': '#f38518',
    'menu-selectionForeground': '#ffffff',
  },
  'high-contrast-light': {
    'menu-background': '#ffffff',
    'menu-border': '#0f4a85',
    'menu-foreground': '#292929',
    'menu-selectionBorder': '#006bbd',
    'menu-selectionForeground': '#292929',
  },
};
