import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { nameOfMissing } from '../../../conversations/conversation/history.ts';
import type { MissingPart } from '../../../conversations/conversation/record.ts';

const uri = z.string().max(8192);
const line = z.int().min(1);

const fileReference = z.strictObject({
  kind: z.literal('file'),
  uri,
  /** The first and the last line, from 1; absent for the whole file. */
  lines: z.tuple([line, line]).optional(),
  /** The symbol that these lines declare. */
  symbol: z.string().max(500).optional(),
  /** The digest of the text when it was added. */
  seen: z.string().max(64),
});

/** Of a file, or of all. */
const problemsReference = z.strictObject({ kind: z.literal('problems'), uri: uri.optional() });

/** What is not committed in a repository, by its root: of a file, or of all. */
const changesReference = z.strictObject({
  kind: z.literal('changes'),
  repository: uri,
  uri: uri.optional(),
});

/** A text that is nowhere else: of a file that was dropped, or that went along with a question before. */
const textReference = z.strictObject({
  kind: z.literal('text'),
  name: z.string().max(4096),
  language: z.string().max(100),
  text: z.string(),
  /** How big it is, where that is too much to be here. */
  bytes: z.int().optional(),
});

/** Something that was attached and is not on the disk any more: a picture or a file; `other` was never imported. */
const goneAttachment = z.strictObject({
  kind: z.literal('gone'),
  type: z.enum(['image', 'file', 'other']),
  name: z.string().max(4096).optional(),
  /** The hash of its bytes. */
  hash: z.string().max(64).optional(),
});

const contextReference = z.discriminatedUnion('kind', [
  fileReference,
  problemsReference,
  changesReference,
  textReference,
  goneAttachment,
]);

/** What of the code is to go along with a question: where it is. Its text is taken when the question is sent. */
export type ContextReference = Readonly<z.infer<typeof contextReference>>;

export type FileReference = Extract<ContextReference, { kind: 'file' }>;

/** Reads a reference that was kept with a draft; undefined for what is none. */
export function readContextReference(kept: JsonObject): ContextReference | undefined {
  return contextReference.safeParse(kept).data;
}

/** What stands for an attachment that is gone, so that nothing is sent as if it were there. */
export function goneReference(part: MissingPart): ContextReference {
  const name = nameOfMissing(part)?.slice(0, 4096);
  return {
    ...{ kind: 'gone', type: part.type },
    ...(name !== undefined && { name }),
    ...(part.type !== 'other' && { hash: part.hash }),
  };
}

/** Whether two references are to the same place, whatever is there. */
export function isSamePlace(one: ContextReference, other: ContextReference): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(reference: ContextReference): string {
  return JSON.stringify({ ...reference, seen: undefined, symbol: undefined });
}

/** The digest of a text, by which a change of it is noticed. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What people call it: the path within the workspace with its lines, or what it is. */
export function referenceName(reference: ContextReference): string {
  switch (reference.kind) {
    case 'file': {
      const { lines, symbol } = reference;
      const path = fileName(vscode.Uri.parse(reference.uri));
      const range = lines ? `#L${lines[0]}${lines[1] === lines[0] ? '' : `-${lines[1]}`}` : '';
      return symbol === undefined ? path + range : `${path}${range} (${symbol})`;
    }
    case 'problems':
      return reference.uri === undefined
        ? vscode.l10n.t('Problems')
        : vscode.l10n.t('Problems of {0}', fileName(vscode.Uri.parse(reference.uri)));
    case 'changes':
      return vscode.l10n.t(
        'Changes of {0}',
        fileName(vscode.Uri.parse(reference.uri ?? reference.repository)),
      );
    case 'text':
      return reference.name;
    case 'gone':
      return reference.name ?? kindOfGone(reference.type);
  }
}

/** What people call an attachment without a name. */
export function kindOfGone(type: MissingPart['type']): string {
  return type === 'image' ? vscode.l10n.t('Picture') : vscode.l10n.t('File');
}

/** The path within the workspace; of what is elsewhere the last part, which tells nothing of this machine. */
export function fileName(file: vscode.Uri): string {
  if (!vscode.workspace.getWorkspaceFolder(file)) return file.path.split('/').at(-1) ?? '';
  const path = vscode.workspace.asRelativePath(file);
  return path === file.fsPath ? (file.path.split('/').at(-1) ?? '') : path;
}
