import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStreamType } from '../../stream/sse.ts';
import {
  type ReplyFacts,
  type ReplyForm,
  readCallArguments,
  type StreamWriter,
} from '../shared/replyForm.ts';
import { contentGeneration } from './format.ts';
import type { GenerateContentReply, Part } from './schema.ts';

/** @param framing the form of a stream: server-sent events, or a JSON array in pieces */
export function createContentGenerationReplies(framing: 'events' | 'array'): ReplyForm {
  return {
    signsCalls: true,
    writeBody: (facts, choices) =>
      ({
        candidates: choices.map(({ sections, finish }, index) => ({
          content: { role: 'model', parts: sections.flatMap(writeParts) },
          ...writeEnd(finish),
          ...writeGrounding(sections.flatMap(({ citations }) => citations)),
          index,
        })),
        ...writeTail(facts),
      }) satisfies GenerateContentReply,
    createWriter: (facts, choices) =>
      createStreamWriter(facts, choices, framing === 'array' ? createArrayFraming() : eventFraming),
  };
}

function createStreamWriter(
  facts: ReplyFacts,
  choices: number,
  { contentType, open: opening, frame, ending }: Framing,
): StreamWriter {
  const writeEvent = (candidates: GenerateContentReply['candidates']) =>
    frame({ candidates, ...writeTail(facts) } satisfies GenerateContentReply);
  const citationsByChoice = new Map<number, SectionCitation[]>();
  return {
    contentType,
    open: opening,
    writeStep(step, index) {
      if (step.type === 'cite') {
        const citations = citationsByChoice.get(index);
        if (citations) citations.push(step.citation);
        else citationsByChoice.set(index, [step.citation]);
        return '';
      }
      const parts = writeStepParts(step);
      return parts.length === 0 ? '' : writeEvent([{ content: { role: 'model', parts }, index }]);
    },
    end(finishes) {
      // Clients expect content in every candidate.
      const content = { role: 'model' as const, parts: [{ text: '' }] };
      const ends = finishes.slice(0, choices).map((finish, index) => {
        const grounding = writeGrounding(citationsByChoice.get(index) ?? []);
        return writeEvent([{ content, ...writeEnd(finish), ...grounding, index }]);
      });
      return ends.join('') + ending();
    },
    fail: (error) => frame(contentGeneration.error.body(error)) + ending(),
  };
}

/** How the elements of a stream are written and separated. */
interface Framing extends Pick<StreamWriter, 'contentType' | 'open'> {
  frame(element: object): string;
  ending(): string;
}

const eventFraming: Framing = {
  contentType: eventStreamType,
  open: () => '',
  frame: (element) => `data: ${JSON.stringify(element)}\r\n\r\n`,
  ending: () => '',
};

function createArrayFraming(): Framing {
  let separator = '';
  return {
    contentType: 'application/json; charset=utf-8',
    open: () => '[',
    frame(element) {
      const text = separator + JSON.stringify(element);
      separator = '\n,\n';
      return text;
    },
    ending: () => '\n]\n',
  };
}

/** The parts for a step. Calls and signatures are written when their section is closed. */
function writeStepParts(step: Exclude<SectionStep, { type: 'cite' }>): Part[] {
  const { section } = step;
  const { kind } = section.head;
  if (step.type === 'add') return kind === 'call' ? [] : writeTextParts(section, step.text);
  if (step.type === 'open') return [];
  if (kind === 'reasoning' && section.signature !== undefined) return [writeSignaturePart(section.signature)];
  return kind === 'text' || kind === 'reasoning' || kind === 'refusal' ? [] : writeParts(section);
}

function writeParts(section: Section): Part[] {
  const { head, text, signature } = section;
  switch (head.kind) {
    case 'media':
      return [{ inlineData: { mimeType: head.mimeType, data: head.data } }];
    case 'link':
      return [{ fileData: { mimeType: head.mimeType, fileUri: head.url } }];
    case 'call': {
      const { id, name } = head;
      const functionCall = { id, name, args: readCallArguments(name, section) };
      return [{ functionCall, ...(signature !== undefined && { thoughtSignature: signature }) }];
    }
    default: {
      const parts = text === '' ? [] : writeTextParts(section, text);
      return signature === undefined ? parts : [...parts, writeSignaturePart(signature)];
    }
  }
}

function writeTextParts({ head }: Section, text: string): Part[] {
  return head.kind === 'reasoning' ? [{ text, thought: true }] : [{ text }];
}

function writeSignaturePart(thoughtSignature: string): Part {
  return { text: '', thought: true, thoughtSignature };
}

/** The member with the sources, which is written after all text. */
function writeGrounding(citations: readonly SectionCitation[]) {
  if (citations.length === 0) return {};
  const groundingChunks = citations.map(({ url, title }) => ({
    web: { uri: url, ...(title !== undefined && { title }) },
  }));
  return { groundingMetadata: { groundingChunks } };
}

function writeEnd({ reason }: Finish) {
  return { finishReason: finishWords[reason] };
}

/** The format has no word for tool calls. */
const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  error: 'OTHER',
  other: 'OTHER',
};

function writeTail(facts: ReplyFacts) {
  const { id, model } = facts;
  const usage = facts.usage();
  return { ...(usage && { usageMetadata: writeUsage(usage) }), modelVersion: model, responseId: id };
}

/** The output count does not include the reasoning. */
function writeUsage({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = inputTokens + outputTokens,
  cachedTokens,
  reasoningTokens = 0,
}: Usage) {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - reasoningTokens),
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
    ...(cachedTokens && { cachedContentTokenCount: cachedTokens }),
    totalTokenCount: totalTokens,
  };
}
