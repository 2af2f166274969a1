import { isCount, isObject } from '../../../base/json.ts';
import type {
  ChatRequestRecord,
  ConversationRecord,
  CostRecord,
  MessageRecord,
  Origin,
  OriginSource,
  PartRecord,
  UsageRecord,
} from '../../conversation/conversationRecord.ts';
import { latestTime } from '../reading/fieldValues.ts';

/** Normalizes a value when it is read or written; undefined if it is invalid. */
type Field = (value: unknown, reading: FieldReading) => unknown;

/** Counts the invalid values that are dropped. */
interface FieldReading {
  countDropped(): void;
}

/** The maximum nesting depth of values without a known structure. */
const maxDepth = 256;

const text: Field = (value) => (typeof value === 'string' ? value : undefined);

const id: Field = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 512 ? value.toWellFormed() : undefined;

const amount: Field = (value) => (Number.isFinite(value) ? value : undefined);

const time: Field = (value) => (isCount(value) && value <= latestTime ? value : undefined);

const hash: Field = (value) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : undefined;

/** Accepts an object with any members, unchanged. */
const anyObject: Field = (value) => (isObject(value) && !isDeeper(value, maxDepth) ? value : undefined);

function oneOf(...words: readonly string[]): Field {
  const allowed = new Set<unknown>(words);
  return (value) => (allowed.has(value) ? value : undefined);
}

/** Accepts a list; invalid items are dropped. */
function list(item: Field): Field {
  return (value, reading) => {
    if (!Array.isArray(value)) return undefined;
    return value.flatMap((each) => {
      const normalized = item(each, reading);
      if (normalized === undefined) reading.countDropped();
      return normalized === undefined ? [] : [normalized];
    });
  };
}

/**
 * Accepts an object, and writes its members in the order of `fields`; other members are dropped. The object is
 * invalid if a `required` member is missing or invalid; other invalid members are dropped.
 */
function object(fields: Readonly<Record<string, Field>>, required: readonly string[]): Field {
  const entries = Object.entries(fields);
  const requiredNames = new Set(required);
  return (value, reading) => {
    if (!isObject(value)) return undefined;
    const result: Record<string, unknown> = {};
    for (const [name, field] of entries) {
      const input = Object.hasOwn(value, name) ? value[name] : undefined;
      const normalized = input === undefined ? undefined : field(input, reading);
      if (normalized !== undefined) result[name] = normalized;
      else if (requiredNames.has(name)) return undefined;
      else if (input !== undefined) reading.countDropped();
    }
    return result;
  };
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}

/** The members of a record in the order of writing. The type requires an entry for each member of the record. */
type FieldsOf<Source> = Readonly<Record<keyof Required<Source>, Field>>;

const sources: Readonly<Record<OriginSource, true>> = {
  chatgpt: true,
  claude: true,
  'open-webui': true,
  librechat: true,
  vscode: true,
  sharegpt: true,
  markdown: true,
};

const originFields: FieldsOf<Origin> = {
  source: oneOf(...Object.keys(sources)),
  id: text,
};

const conversationFields: FieldsOf<ConversationRecord> = {
  id,
  title: text,
  createdAt: time,
  changedAt: time,
  head: id,
  compared: list(id),
  workspace: text,
  gateway: text,
  gatewayName: text,
  model: text,
  format: text,
  parameters: anyObject,
  pinnedAt: time,
  archivedAt: time,
  deletedAt: time,
  origin: object(originFields, ['source', 'id']),
  forkOf: id,
  extra: anyObject,
};

const usageFields: FieldsOf<UsageRecord> = {
  inputTokens: amount,
  outputTokens: amount,
  reasoningTokens: amount,
  cachedTokens: amount,
  cacheWriteTokens: amount,
};

const costFields: FieldsOf<CostRecord> = {
  usd: amount,
  source: oneOf('gateway', 'user-price', 'listed-price'),
};

const requestFields: FieldsOf<ChatRequestRecord> = {
  id: text,
  gateway: text,
  gatewayName: text,
  model: text,
  replyModel: text,
  format: text,
  systemPrompt: text,
  parameters: anyObject,
  requestedAt: time,
  outcome: oneOf('complete', 'truncated', 'pending', 'interrupted', 'cancelled', 'failed'),
  error: anyObject,
  endReason: text,
  finishReason: text,
  gatewayRequestId: text,
  replyId: text,
  firstTokenMs: amount,
  reasoningMs: amount,
  totalMs: amount,
  usage: object(usageFields, []),
  serviceTier: text,
  cost: object(costFields, ['usd', 'source']),
};

type PartOf<Type, Part = PartRecord> = Part extends { readonly type: infer Types }
  ? Type extends Types
    ? Part
    : never
  : never;

function createPartField<Type extends PartRecord['type']>(
  fields: FieldsOf<Omit<PartOf<Type>, 'type'>>,
  required: readonly string[],
): Field {
  return object({ type: text, ...fields }, required);
}

const bytesFields = { mimeType: text, hash, name: text, language: text };

const partFields: Readonly<Record<PartRecord['type'], Field>> = {
  text: createPartField<'text'>({ text }, ['text']),
  reasoning: createPartField<'reasoning'>({ text, signature: text }, ['text']),
  toolCall: createPartField<'toolCall'>({ id: text, name: text, arguments: text, signature: text }, [
    'id',
    'name',
    'arguments',
  ]),
  toolResult: createPartField<'toolResult'>({ id: text, name: text, text }, ['id', 'name', 'text']),
  image: createPartField<'image'>(bytesFields, ['mimeType', 'hash']),
  file: createPartField<'file'>(bytesFields, ['mimeType', 'hash']),
  refusal: createPartField<'refusal'>({ text }, ['text']),
  citation: createPartField<'citation'>({ url: text, title: text }, []),
  other: createPartField<'other'>({ value: anyObject }, ['value']),
};

const part: Field = (value, reading) => {
  const type = (value as { readonly type?: unknown } | null)?.type;
  if (typeof type === 'string' && Object.hasOwn(partFields, type)) {
    return partFields[type as PartRecord['type']](value, reading);
  }
  // Parts of later versions have unknown types.
  const unknownPart = anyObject(value, reading);
  return unknownPart === undefined ? undefined : { type: 'other', value: unknownPart };
};

const messageFields: FieldsOf<MessageRecord> = {
  id,
  parent: id,
  role: oneOf('system', 'user', 'assistant', 'tool'),
  createdAt: time,
  state: oneOf('arriving', 'done', 'stopped'),
  choices: list(list(part)),
  request: object(requestFields, ['id', 'model', 'requestedAt']),
  editOf: id,
  lastChild: id,
  extra: anyObject,
};

export const normalizeConversation = object(conversationFields, ['id', 'title', 'createdAt', 'changedAt']);

export const normalizeMessage = object(messageFields, ['id', 'role', 'createdAt', 'state', 'choices']);

/** Finds the members of a line that records do not have, from later versions or from other programs. */
export function findUnknownMembers(line: object, kind: 'conversation' | 'message'): ReadonlySet<string> {
  const knownFields: object = kind === 'conversation' ? conversationFields : messageFields;
  const lineMembers = new Set(['type', 'messages', 'attachments']);
  return new Set(
    Object.keys(line).filter((name) => !Object.hasOwn(knownFields, name) && !lineMembers.has(name)),
  );
}
