import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import type { MissingPart } from '../../../conversations/conversation/conversationRecord.ts';
import { readMissingName } from '../../../conversations/conversation/history.ts';

const uriSchema = z.string().max(8192);
const lineSchema = z.int().min(1);

const fileReferenceSchema = z.strictObject({
  kind: z.literal('file'),
  uri: uriSchema,
  /** The first and the last line, from 1; absent for the whole file. */
  lines: z.tuple([lineSchema, lineSchema]).optional(),
  /** The symbol declared in these lines. */
  symbol: z.string().max(500).optional(),
  /** The digest of the text at the time when the reference was added. */
  digest: z.string().max(64),
});

/** The problems of one file, or of all files. */
const problemsReferenceSchema = z.strictObject({ kind: z.literal('problems'), uri: uriSchema.optional() });

/** The uncommitted changes of one file, or of a whole repository, which is identified by the URI of its root. */
const changesReferenceSchema = z.strictObject({
  kind: z.literal('changes'),
  repository: uriSchema,
  uri: uriSchema.optional(),
});

/** A text that is stored in the reference itself: from a dropped file, or sent with an earlier question. */
const textReferenceSchema = z.strictObject({
  kind: z.literal('text'),
  name: z.string().max(4096),
  language: z.string().max(100),
  text: z.string(),
  /** The size in bytes of a text that is too large to be included. */
  bytes: z.int().optional(),
});

/** An attachment whose bytes are missing: they are no longer on the disk, or were not imported (`other`). */
const missingReferenceSchema = z.strictObject({
  kind: z.literal('missing'),
  type: z.enum(['image', 'file', 'other']),
  name: z.string().max(4096).optional(),
  /** The hash of the missing bytes. */
  hash: z.string().max(64).optional(),
});

const contextReferenceSchema = z.discriminatedUnion('kind', [
  fileReferenceSchema,
  problemsReferenceSchema,
  changesReferenceSchema,
  textReferenceSchema,
  missingReferenceSchema,
]);

/** A context item of a question, identified by its location. Its text is read when the question is sent. */
export type ContextReference = Readonly<z.infer<typeof contextReferenceSchema>>;

/** The reason why a context item cannot be sent. The message is for the user and names the item. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

/** Reads a reference that was stored with a draft; undefined if it is invalid. */
export function readContextReference(json: JsonObject): ContextReference | undefined {
  return contextReferenceSchema.safeParse(json).data;
}

/** Creates a placeholder for a missing attachment. A question with a placeholder cannot be sent. */
export function createMissingReference(part: MissingPart): ContextReference {
  const name = readMissingName(part)?.slice(0, 4096);
  return {
    kind: 'missing',
    type: part.type,
    ...(name !== undefined && { name }),
    ...(part.type !== 'other' && { hash: part.hash }),
  };
}

/** Whether two references have the same location, even if the text there has changed. */
export function hasSameLocation(one: ContextReference, other: ContextReference): boolean {
  return createLocationKey(one) === createLocationKey(other);
}

function createLocationKey(reference: ContextReference): string {
  return JSON.stringify({ ...reference, digest: undefined, symbol: undefined });
}

/** Computes a digest of a text, to detect changes. */
export function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Formats the display name of a reference: the path within the workspace with its lines, or the kind of item. */
export function formatReferenceName(reference: ContextReference): string {
  switch (reference.kind) {
    case 'file': {
      const { lines, symbol } = reference;
      const path = formatDisplayPath(vscode.Uri.parse(reference.uri));
      const range = lines ? `#L${lines[0]}${lines[1] === lines[0] ? '' : `-${lines[1]}`}` : '';
      return symbol === undefined ? path + range : `${path}${range} (${symbol})`;
    }
    case 'problems':
      return reference.uri === undefined
        ? vscode.l10n.t('Problems')
        : vscode.l10n.t('Problems in {0}', formatDisplayPath(vscode.Uri.parse(reference.uri)));
    case 'changes':
      return vscode.l10n.t(
        'Changes in {0}',
        formatDisplayPath(vscode.Uri.parse(reference.uri ?? reference.repository)),
      );
    case 'text':
      return reference.name;
    case 'missing':
      return reference.name ?? nameAttachmentKind(reference.type);
  }
}

/** Returns the display name of an attachment without a name. */
export function nameAttachmentKind(type: MissingPart['type']): string {
  return type === 'image' ? vscode.l10n.t('Picture') : vscode.l10n.t('File');
}

/**
 * Formats the path of a file within the workspace. For a file outside the workspace, returns only the file name, so
 * that no paths of this machine are revealed.
 */
export function formatDisplayPath(file: vscode.Uri): string {
  if (!vscode.workspace.getWorkspaceFolder(file)) return file.path.split('/').at(-1) ?? '';
  const path = vscode.workspace.asRelativePath(file);
  return path === file.fsPath ? (file.path.split('/').at(-1) ?? '') : path;
}
