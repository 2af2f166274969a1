import * as vscode from 'vscode';
import * as z from 'zod';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';
import type { FieldChoice, GenerateField } from '../../../protocol/generatePage.ts';
import { interactionsRequest } from '../../../wire/apis/interactions/schema.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { videoSynthesisRequest } from '../../../wire/apis/videoSynthesis/schema.ts';
import { withHelp } from '../../kit/pages/parameterSchema.ts';

type Field = Omit<GenerateField, 'help'> & { readonly help?: string };

/** The main fields of a route, with help from the request's schema. */
export function mainFields(route: VideoRouteId): readonly GenerateField[] {
  const schema = jsonSchema(route);
  return forms[route].fields().map((field) => ({ help: helpText(schema, field.path), ...field }));
}

/** The form's name of the field at a path; the path itself if it has none. */
export function fieldName(route: VideoRouteId, path: readonly string[]): string {
  return mainField(route, path)?.label ?? otherName(path) ?? path.join('.');
}

/** The form's name for a value of the field at a path; the value itself if it has none. */
export function valueName(route: VideoRouteId, path: readonly string[], value: unknown): string {
  const { t } = vscode.l10n;
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (path.join('.') === resultKind && value === 'video') return t('Video');
  const choice = mainField(route, path)?.choices?.find((each) => each.value === value);
  return choice?.label ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

function mainField(route: VideoRouteId, path: readonly string[]): Field | undefined {
  return forms[route].fields().find((each) => each.path.join() === path.join());
}

/** The field of interactions for the kind of result; the form only makes videos. */
const resultKind = 'response_format.type';

/** The names of fields that are filled in automatically, or that are among the form's other fields. */
function otherName(path: readonly string[]): string | undefined {
  switch (path.join('.')) {
    case resultKind:
      return vscode.l10n.t('Result');
    case 'parameters.ratio':
      return vscode.l10n.t('Aspect ratio');
    default:
      return undefined;
  }
}

/**
 * The JSON Schema of a request without the main fields. It is false for a field that is filled in automatically.
 */
export function restSchema(route: VideoRouteId): object {
  const own = videoRoute(route).ownFields;
  const paths = [...own.map((name) => [name]), ...forms[route].fields().map(({ path }) => path)];
  const rest = paths.reduce<JsonObject>(without, jsonSchema(route));
  const { properties } = rest;
  const taken = Object.fromEntries(own.map((name) => [name, false]));
  const schema = { ...rest, properties: { ...(isObject(properties) && properties), ...taken } };
  return withHelp(schema, (english) => vscode.l10n.t(english));
}

/** The schema of a route's requests. */
export function requestSchema(route: VideoRouteId): z.ZodObject {
  return forms[route].schema;
}

/** The schema of a route's requests and its main fields. */
interface Form {
  readonly schema: z.ZodObject;
  fields(): readonly Field[];
}

const forms: Readonly<Record<VideoRouteId, Form>> = {
  interactions: { schema: interactionsRequest, fields: interactionFields },
  videoSynthesis: { schema: videoSynthesisRequest, fields: synthesisFields },
};

function interactionFields(): readonly Field[] {
  return [
    {
      path: ['input'],
      label: vscode.l10n.t('Prompt'),
      help: '',
      control: 'prompt',
    },
    {
      path: ['response_format', 'aspect_ratio'],
      label: vscode.l10n.t('Aspect ratio'),
      help: '',
      control: 'choice',
      choices: choices('16:9', '9:16', '1:1'),
      open: true,
    },
    {
      path: ['response_format', 'duration'],
      label: vscode.l10n.t('Duration'),
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((seconds) => ({ value: `${seconds}s`, label: secondsLabel(seconds) })),
      open: true,
    },
    {
      path: ['response_format', 'resolution'],
      label: vscode.l10n.t('Resolution'),
      help: '',
      control: 'choice',
      choices: choices('360p', '720p', '1080p', '4k'),
      open: true,
    },
    {
      path: ['generation_config', 'video_config', 'task'],
      label: vscode.l10n.t('Kind of task'),
      help: '',
      isRare: true,
      control: 'choice',
      choices: [
        { value: 'text_to_video', label: vscode.l10n.t('Text to video') },
        { value: 'image_to_video', label: vscode.l10n.t('Image to video') },
        { value: 'reference_to_video', label: vscode.l10n.t('Reference to video') },
        { value: 'edit', label: vscode.l10n.t('Edit') },
        { value: 'extend', label: vscode.l10n.t('Extend') },
        { value: 'upscale', label: vscode.l10n.t('Upscale') },
      ],
      open: true,
    },
    { path: ['generation_config', 'seed'], label: vscode.l10n.t('Seed'), isRare: true, control: 'number' },
    { path: ['background'], label: vscode.l10n.t('Run in background'), isRare: true, control: 'switch' },
    { path: ['store'], label: vscode.l10n.t('Store on provider'), isRare: true, control: 'switch' },
  ];
}

function synthesisFields(): readonly Field[] {
  return [
    { path: ['input', 'prompt'], label: vscode.l10n.t('Prompt'), help: '', control: 'prompt' },
    {
      path: ['parameters', 'size'],
      label: vscode.l10n.t('Size'),
      control: 'choice',
      choices: ['1280*720', '720*1280', '960*960', '1920*1080', '1080*1920'].map((value) => ({
        value,
        label: value.replace('*', ' × '),
      })),
      open: true,
    },
    {
      path: ['parameters', 'resolution'],
      label: vscode.l10n.t('Resolution'),
      control: 'choice',
      choices: ['480P', '720P', '1080P'].map((value) => ({ value, label: value.toLowerCase() })),
      open: true,
    },
    {
      path: ['parameters', 'duration'],
      label: vscode.l10n.t('Duration'),
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((seconds) => ({ value: seconds, label: secondsLabel(seconds) })),
      open: true,
      minimum: 1,
    },
    {
      path: ['input', 'negative_prompt'],
      label: vscode.l10n.t('Negative prompt'),
      isRare: true,
      control: 'text',
    },
    {
      path: ['parameters', 'seed'],
      label: vscode.l10n.t('Seed'),
      isRare: true,
      control: 'number',
      minimum: 0,
    },
    {
      path: ['parameters', 'prompt_extend'],
      label: vscode.l10n.t('Enhance prompt'),
      isRare: true,
      control: 'switch',
    },
    {
      path: ['parameters', 'watermark'],
      label: vscode.l10n.t('Watermark'),
      isRare: true,
      control: 'switch',
    },
  ];
}

function secondsLabel(seconds: number): string {
  return vscode.l10n.t('{0} s', seconds);
}

function choices(...values: readonly string[]): readonly FieldChoice[] {
  return values.map((value) => ({ value, label: value }));
}

function jsonSchema(route: VideoRouteId): JsonObject {
  return z.toJSONSchema(z.looseObject(requestSchema(route).shape), { io: 'input', unrepresentable: 'any' });
}

function helpText(schema: JsonObject, path: readonly string[]): string {
  const description = property(schema, path)?.description;
  return typeof description === 'string' ? vscode.l10n.t(description) : '';
}

function property(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  return path.reduce<JsonObject | undefined>((inner, name) => {
    const next = valueAt(objectIn(inner), ['properties', name]);
    return isObject(next) ? next : undefined;
  }, schema);
}

/** Removes one property from a schema, at any depth, and objects left without properties. */
function without(schema: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  const inner = objectIn(schema);
  if (name === undefined || inner === undefined || !isObject(inner.properties)) return schema;
  const { [name]: taken, ...others } = inner.properties;
  const left = rest.length > 0 && isObject(taken) ? without(taken, rest) : undefined;
  const properties = left && hasProperties(left) ? { ...others, [name]: left } : others;
  const required = Array.isArray(inner.required) ? inner.required.filter((each) => each !== name) : [];
  const { properties: _, required: __, anyOf: ___, ...facts } = { ...schema, ...inner };
  return { ...facts, properties, ...(required.length > 0 && { required }) };
}

/** Returns the object schema among the alternatives of a value, which usually include null or a list. */
function objectIn(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema === undefined || isObject(schema.properties)) return schema;
  const kinds: readonly unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  for (const kind of kinds.filter(isObject)) {
    const object = objectIn(kind);
    if (object) return object;
  }
  return undefined;
}

function hasProperties(schema: JsonObject): boolean {
  return isObject(schema.properties) && Object.keys(schema.properties).length > 0;
}
