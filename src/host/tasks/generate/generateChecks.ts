import * as vscode from 'vscode';
import type * as z from 'zod';
import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';
import type { FormProblem } from '../../../protocol/generatePage.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { getRequestSchema, nameField } from '../task/videoForm.ts';

/** A problem that is found before a request is sent and prevents the request. */
export interface RequestProblem extends FormProblem {
  /** Whether a field is still empty. Shown when the user submits, not while typing. */
  readonly isMissing: boolean;
}

const taskPath = ['generation_config', 'video_config', 'task'];

/** Finds the problems of a request by field. Fields that the schema does not know are valid. */
export function findFormProblems(route: VideoRouteId, body: JsonObject): readonly RequestProblem[] {
  const missingMedia = pictureChecks[route]?.(body) ?? [];
  const missing = [
    ...findMissingPrompt(route, body),
    ...(missingMedia.length > 0 ? missingMedia : findMissingForModel(body)),
  ];
  const invalid = [
    ...findSchemaProblems(route, body),
    ...findZeros(route, body),
    ...findContradictions(body),
    ...findExclusions(route, body),
  ];
  const isReported = ({ path }: FormProblem) => missing.some((each) => isOverlapping(path, each.path));
  return [
    ...missing.map((each) => ({ ...each, isMissing: true })),
    ...invalid.filter((each) => !isReported(each)).map((each) => ({ ...each, isMissing: false })),
  ];
}

/** Reads the prompt of a request; empty if it has none. */
export function readRequestPrompt(route: VideoRouteId, body: JsonObject): string {
  return listTexts(valueAt(body, videoRoute(route).promptPath))
    .join('\n')
    .trim();
}

/** Lists the texts of an input: itself, its parts and its steps. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? listTexts(value.text ?? value.content) : [];
}

function findMissingPrompt(route: VideoRouteId, body: JsonObject): readonly FormProblem[] {
  if (readRequestPrompt(route, body) !== '') return [];
  return [{ path: videoRoute(route).promptPath, problem: vscode.l10n.t('Describe the video.') }];
}

/** The checks for missing pictures and videos of each route. */
const pictureChecks: Readonly<Partial<Record<VideoRouteId, (body: JsonObject) => readonly FormProblem[]>>> = {
  interactions: findMissingMedia,
  videoSynthesis: findMissingFirstFrame,
};

/** Finds missing media by the kind of task. Unknown kinds are valid. */
function findMissingMedia(body: JsonObject): readonly FormProblem[] {
  // The result of an earlier interaction may be the input of this one.
  if (valueAt(body, ['previous_interaction_id'])) return [];
  switch (valueAt(body, taskPath)) {
    case 'image_to_video':
      if (hasPart(body.input, 'image', 'video')) return [];
      return [
        createFirstFrameProblem(
          vscode.l10n.t('Image to video requires a picture: add one here, or switch to text to video.'),
        ),
      ];
    case 'reference_to_video':
      if (hasPart(body.input, 'image', 'video')) return [];
      return [
        createFirstFrameProblem(
          vscode.l10n.t('Reference to video requires a picture: add one here, or switch to text to video.'),
        ),
      ];
    case 'edit':
    case 'extend':
    case 'upscale':
      return hasPart(body.input, 'video') ? [] : [createMissingVideoProblem()];
    default:
      return [];
  }
}

function createMissingVideoProblem(): FormProblem {
  return {
    path: taskPath,
    problem: vscode.l10n.t(
      'This needs an input video: under More, set previous_interaction_id to the interaction that created the video.',
    ),
  };
}

function findMissingFirstFrame({ input }: JsonObject): readonly FormProblem[] {
  if (!valueAt(input, ['last_frame_url']) || hasPicture(input)) return [];
  return [
    createFirstFrameProblem(
      vscode.l10n.t('A last frame requires a first frame: add one here, or remove the last frame.'),
    ),
  ];
}

/** Finds a missing picture by abbreviations in the model's id, such as `i2v`, which name the required input. */
function findMissingForModel({
  model,
  input,
  previous_interaction_id: earlier,
}: JsonObject): readonly FormProblem[] {
  if (!/(?:^|[^a-z\d])(?:i2v|kf2v)(?:[^a-z\d]|$)/i.test(scalarText(model)) || earlier) return [];
  if (hasPicture(input) || valueAt(input, ['last_frame_url']) || hasPart(input, 'image', 'video')) return [];
  return [createFirstFrameProblem(vscode.l10n.t('This model makes videos from a picture: add one here.'))];
}

function createFirstFrameProblem(problem: string): FormProblem {
  return { path: ['frames', 'first'], problem };
}

/** Whether the input of native video synthesis has a picture. */
function hasPicture(input: unknown): boolean {
  const media = valueAt(input, ['media']);
  const references = valueAt(input, ['reference_urls']);
  return (
    [valueAt(input, ['img_url']), valueAt(input, ['first_frame_url'])].some(Boolean) ||
    [media, references].some((list) => Array.isArray(list) && list.length > 0)
  );
}

/** Whether an input has a part of one of these types, itself or in a step. */
function hasPart(input: unknown, ...kinds: readonly string[]): boolean {
  const pieces: readonly unknown[] = Array.isArray(input) ? input : [input];
  return pieces.filter(isObject).some(({ type, mime_type: mime, content }) => {
    const kind = typeof mime === 'string' ? mime.split('/')[0] : undefined;
    return (
      kinds.includes(scalarText(type)) ||
      kinds.includes(kind ?? '') ||
      (content !== undefined && hasPart(content, ...kinds))
    );
  });
}

function findSchemaProblems(route: VideoRouteId, body: JsonObject): readonly FormProblem[] {
  const issues = getRequestSchema(route).safeParse(body).error?.issues ?? [];
  return issues.map((issue) => ({ path: issue.path.map(String), problem: describeIssue(issue) }));
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return describeExpected(issue.expected) ?? issue.message;
  if (issue.code === 'too_small' && issue.origin !== 'string') {
    return vscode.l10n.t('Enter {0} or more.', String(issue.minimum));
  }
  if (issue.code === 'too_big' && issue.origin !== 'string') {
    return vscode.l10n.t('Enter {0} or less.', String(issue.maximum));
  }
  // The messages of a schema are English and have translations.
  return vscode.l10n.t(toIssueSentence(issue));
}

function toIssueSentence({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_format' ? `It ${message}.` : message;
}

function describeExpected(kind: string): string | undefined {
  const words: Readonly<Record<string, string>> = {
    int: vscode.l10n.t('Enter a whole number.'),
    number: vscode.l10n.t('Enter a number.'),
    string: vscode.l10n.t('Enter text.'),
    boolean: vscode.l10n.t('Choose on or off.'),
  };
  return words[kind];
}

function findZeros(route: VideoRouteId, body: JsonObject): readonly FormProblem[] {
  return videoRoute(route)
    .measurePaths.filter((path) =>
      /(?:^|[^\d.])0+(?:\.0*)?(?:[^\d.]|$)/.test(scalarText(valueAt(body, path))),
    )
    .map((path) => ({ path, problem: vscode.l10n.t('It must be more than 0.') }));
}

/**
 * Finds contradictions. An interaction that is not stored has no id, so it cannot run in the background or
 * continue another one.
 */
function findContradictions(body: JsonObject): readonly FormProblem[] {
  const { store, background, previous_interaction_id: earlier } = body;
  if (store !== false || !(background || earlier)) return [];
  const problem = background
    ? vscode.l10n.t(
        'Background tasks must be stored: turn on “Store on provider”, or turn off “Run in background”.',
      )
    : vscode.l10n.t(
        'An interaction that continues an earlier one must be stored: turn on “Store on provider”.',
      );
  return [{ path: ['store'], problem }];
}

/** Finds fields that exclude each other, and are all set. */
function findExclusions(route: VideoRouteId, body: JsonObject): readonly FormProblem[] {
  const findSetPath = (side: readonly (readonly string[])[]) =>
    side.find((path) => (valueAt(body, path) ?? undefined) !== undefined);
  return videoRoute(route).exclusions.flatMap(([one, other]) => {
    const first = findSetPath(one);
    const second = findSetPath(other);
    if (!first || !second) return [];
    const names = [first, second].map((path) => nameField(route, path));
    return [{ path: second, problem: vscode.l10n.t('Set either {0} or {1}, not both.', ...names) }];
  });
}

/** Whether one path is the beginning of the other. */
function isOverlapping(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).every((name, index) => name === other[index]);
}
