import * as vscode from 'vscode';
import type * as z from 'zod';
import { isObject } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type { FormProblem } from '../../protocol/generatePage.ts';
import { type VideoRouteId, videoRoute } from '../../wire/apis/videoRoutes.ts';
import { requestSchema } from './generateForm.ts';

type Values = Readonly<Record<string, unknown>>;

/** A problem of a request that is known before it is sent, so that it is not sent. */
export interface KnownProblem extends FormProblem {
  /** Something is still to be filled in, which is told when the user wants to go on, not while they write. */
  readonly missing: boolean;
}

const taskPath = ['generation_config', 'video_config', 'task'];

/** What is wrong with a request, field by field. Fields that the schema does not know pass. */
export function formProblems(route: VideoRouteId, body: Values): readonly KnownProblem[] {
  const media = missingPictures[route]?.(body) ?? [];
  const missing = [...missingPrompt(route, body), ...(media.length > 0 ? media : missingForModel(body))];
  const wrong = [...schemaProblems(route, body), ...zeros(route, body), ...contradictions(body)];
  const isTold = ({ path }: FormProblem) => missing.some((each) => overlaps(path, each.path));
  return [
    ...missing.map((each) => ({ ...each, missing: true })),
    ...wrong.filter((each) => !isTold(each)).map((each) => ({ ...each, missing: false })),
  ];
}

/** The prompt of a request, empty where there is none. */
export function promptOf(route: VideoRouteId, body: Values): string {
  return textsOf(valueAt(body, videoRoute(route).promptPath))
    .join('\n')
    .trim();
}

/** The texts of an input: itself, its pieces, and what is said in its steps. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? textsOf(value.text ?? value.content) : [];
}

function missingPrompt(route: VideoRouteId, body: Values): readonly FormProblem[] {
  if (promptOf(route, body) !== '') return [];
  return [{ path: videoRoute(route).promptPath, problem: vscode.l10n.t('Say what the video should show.') }];
}

/** What a request lacks that is not its prompt, where a route has more to say about that. */
const missingPictures: Readonly<Partial<Record<VideoRouteId, (body: Values) => readonly FormProblem[]>>> = {
  interactions: missingMedia,
  videoSynthesis: missingFirstFrame,
};

/** What a kind of task works on, where that is not the prompt alone. Kinds that nobody knows pass. */
function missingMedia(body: Values): readonly FormProblem[] {
  // What an earlier interaction made may be what this one works on.
  if (valueAt(body, ['previous_interaction_id'])) return [];
  switch (valueAt(body, taskPath)) {
    case 'image_to_video':
      if (holds(body.input, 'image', 'video')) return [];
      return [
        firstFrame(vscode.l10n.t('Image to video needs a picture: add one here, or make it text to video.')),
      ];
    case 'reference_to_video':
      if (holds(body.input, 'image', 'video')) return [];
      return [
        firstFrame(
          vscode.l10n.t('Reference to video needs a picture: add one here, or make it text to video.'),
        ),
      ];
    case 'edit':
    case 'extend':
    case 'upscale':
      return holds(body.input, 'video') ? [] : [missingVideo()];
    default:
      return [];
  }
}

function missingVideo(): FormProblem {
  return {
    path: taskPath,
    problem: vscode.l10n.t(
      'This needs a video to work on: under More, name the interaction that made it in previous_interaction_id.',
    ),
  };
}

function missingFirstFrame({ input }: Values): readonly FormProblem[] {
  if (!valueAt(input, ['last_frame_url']) || hasPicture(input)) return [];
  return [firstFrame(vscode.l10n.t('A last frame needs a first one: add it here, or remove the last.'))];
}

/** Models whose id says by the field's abbreviations that they start from a picture refuse a request without. */
function missingForModel({ model, input, previous_interaction_id: earlier }: Values): readonly FormProblem[] {
  if (!/(?:^|[^a-z\d])(?:i2v|kf2v)(?:[^a-z\d]|$)/i.test(String(model)) || earlier) return [];
  if (hasPicture(input) || valueAt(input, ['last_frame_url']) || holds(input, 'image', 'video')) return [];
  return [firstFrame(vscode.l10n.t('This model makes videos from a picture: add one here.'))];
}

function firstFrame(problem: string): FormProblem {
  return { path: ['frames', 'first'], problem };
}

/** Whether a native video synthesis has a picture to begin with. */
function hasPicture(input: unknown): boolean {
  const media = valueAt(input, ['media']);
  const references = valueAt(input, ['reference_urls']);
  return (
    [valueAt(input, ['img_url']), valueAt(input, ['first_frame_url'])].some(Boolean) ||
    [media, references].some((list) => Array.isArray(list) && list.length > 0)
  );
}

/** Whether an input holds a piece of one of these kinds, in itself or in a step. */
function holds(input: unknown, ...kinds: readonly string[]): boolean {
  const pieces: readonly unknown[] = Array.isArray(input) ? input : [input];
  return pieces.filter(isObject).some(({ type, mime_type: mime, content }) => {
    const kind = typeof mime === 'string' ? mime.split('/')[0] : undefined;
    return (
      kinds.includes(String(type)) ||
      kinds.includes(kind ?? '') ||
      (content !== undefined && holds(content, ...kinds))
    );
  });
}

function schemaProblems(route: VideoRouteId, body: Values): readonly FormProblem[] {
  const issues = requestSchema(route).safeParse(body).error?.issues ?? [];
  return issues.map((issue) => ({ path: issue.path.map(String), problem: issueText(issue) }));
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return expectation(issue.expected) ?? issue.message;
  if (issue.code === 'too_small' && issue.origin !== 'string') {
    return vscode.l10n.t('Enter {0} or more.', String(issue.minimum));
  }
  if (issue.code === 'too_big' && issue.origin !== 'string') {
    return vscode.l10n.t('Enter {0} or less.', String(issue.maximum));
  }
  // The words of a schema are English, like every key of a translation.
  return vscode.l10n.t(issue.code === 'invalid_format' ? `It ${issue.message}.` : issue.message);
}

function expectation(kind: string): string | undefined {
  const words: Readonly<Record<string, string>> = {
    int: vscode.l10n.t('Enter a whole number.'),
    number: vscode.l10n.t('Enter a number.'),
    string: vscode.l10n.t('Enter a text.'),
    boolean: vscode.l10n.t('Choose on or off.'),
  };
  return words[kind];
}

function zeros(route: VideoRouteId, body: Values): readonly FormProblem[] {
  return videoRoute(route)
    .measurePaths.filter((path) =>
      /(?:^|[^\d.])0+(?:\.0*)?(?:[^\d.]|$)/.test(String(valueAt(body, path) ?? '')),
    )
    .map((path) => ({ path, problem: vscode.l10n.t('It must be more than 0.') }));
}

/** What is not kept has no id: nothing runs in its background, and it goes on from nothing. */
function contradictions(body: Values): readonly FormProblem[] {
  const { store, background, previous_interaction_id: earlier } = body;
  if (store !== false || !(background || earlier)) return [];
  const problem = background
    ? vscode.l10n.t('What runs in the background must be kept: keep it, or do not run it in the background.')
    : vscode.l10n.t('What goes on from an earlier interaction must be kept.');
  return [{ path: ['store'], problem }];
}

/** Whether one path leads to the other, or to what is inside it. */
function overlaps(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).every((name, index) => name === other[index]);
}
