import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Finish, Section, SectionCitation, SectionStep } from '../../stream/sections.ts';
import { eventStream } from '../../stream/sse.ts';
import { callArguments, type ReplyFacts, type ReplyForm, type StreamWriter } from '../shared/replyForm.ts';
import { contentGeneration } from './format.ts';
import type { GenerateContentReply, Part } from './schema.ts';

/** @param framing the form of a stream: server-sent events, or a JSON array in pieces */
export function contentGenerationReplies(framing: 'events' | 'array'): ReplyForm {
  return {
    signsCalls: true,
    body: (facts, choices) =>
      ({
        candidates: choices.map(({ sections, finish }, index) => ({
          content: { role: 'model', parts: sections.flatMap(partsOf) },
          ...endOf(finish),
          ...groundingOf(sections.flatMap(({ citations }) => citations)),
          index,
        })),
        ...tailOf(facts),
      }) satisfies GenerateContentReply,
    stream: (facts, choices) =>
      streamWriter(facts, choices, framing === 'array' ? arrayFraming() : eventFraming),
  };
}

function streamWriter(
  facts: ReplyFacts,
  choices: number,
  { contentType, opening, frame, ending }: Framing,
): StreamWriter {
  const event = (candidates: GenerateContentReply['candidates']) =>
    frame({ candidates, ...tailOf(facts) } satisfies GenerateContentReply);
  const citationsByChoice = new Map<number, SectionCitation[]>();
  return {
    contentType,
    opening,
    step(step, index) {
      if (step.type === 'cite') {
        const citations = citationsByChoice.get(index);
        if (citations) citations.push(step.citation);
        else citationsByChoice.set(index, [step.citation]);
        return '';
      }
      const parts = stepParts(step);
      return parts.length === 0 ? '' : event([{ content: { role: 'model', parts }, index }]);
    },
    ending(finishes) {
      // Clients expect content in every candidate.
      const content = { role: 'model' as const, parts: [{ text: '' }] };
      const ends = finishes.slice(0, choices).map((finish, index) => {
        const grounding = groundingOf(citationsByChoice.get(index) ?? []);
        return event([{ content, ...endOf(finish), ...grounding, index }]);
      });
      return ends.join('') + ending();
    },
    failure: (error) => frame(contentGeneration.error.body(error)) + ending(),
  };
}

/** How the elements of a stream are separated. */
interface Framing extends Pick<StreamWriter, 'contentType' | 'opening'> {
  frame(element: object): string;
  ending(): string;
}

const eventFraming: Framing = {
  contentType: eventStream,
  opening: () => '',
  frame: (element) => `data: ${JSON.stringify(element)}\r\n\r\n`,
  ending: () => '',
};

function arrayFraming(): Framing {
  let separator = '';
  return {
    contentType: 'application/json; charset=utf-8',
    opening: () => '[',
    frame(element) {
      const text = separator + JSON.stringify(element);
      separator = '\n,\n';
      return text;
    },
    ending: () => '\n]\n',
  };
}

/** The parts for a step. Calls and signatures are written when their section is closed. */
function stepParts(step: Exclude<SectionStep, { type: 'cite' }>): Part[] {
  const { section } = step;
  const { kind } = section.head;
  if (step.type === 'add') return kind === 'call' ? [] : textParts(section, step.text);
  if (step.type === 'open') return [];
  if (kind === 'reasoning' && section.signature !== undefined) return [signaturePart(section.signature)];
  return kind === 'text' || kind === 'reasoning' || kind === 'refusal' ? [] : partsOf(section);
}

function partsOf(section: Section): Part[] {
  const { head, text, signature } = section;
  switch (head.kind) {
    case 'media':
      return [{ inlineData: { mimeType: head.mimeType, data: head.data } }];
    case 'link':
      return [{ fileData: { mimeType: head.mimeType, fileUri: head.url } }];
    case 'call': {
      const { id, name } = head;
      const functionCall = { id, name, args: callArguments(name, section) };
      return [{ functionCall, ...(signature !== undefined && { thoughtSignature: signature }) }];
    }
    default: {
      const parts = text === '' ? [] : textParts(section, text);
      return signature === undefined ? parts : [...parts, signaturePart(signature)];
    }
  }
}

function textParts({ head }: Section, text: string): Part[] {
  return head.kind === 'reasoning' ? [{ text, thought: true }] : [{ text }];
}

function signaturePart(thoughtSignature: string): Part {
  return { text: '', thought: true, thoughtSignature };
}

/** The member with the sources, which is written after all text. */
function groundingOf(citations: readonly SectionCitation[]) {
  if (citations.length === 0) return {};
  const groundingChunks = citations.map(({ url, title }) => ({
    web: { uri: url, ...(title !== undefined && { title }) },
  }));
  return { groundingMetadata: { groundingChunks } };
}

function endOf({ reason }: Finish) {
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

function tailOf(facts: ReplyFacts) {
  const { id, model } = facts;
  const usage = facts.usage();
  return { ...(usage && { usageMetadata: usageOf(usage) }), modelVersion: model, responseId: id };
}

/** The output count does not include the reasoning. */
function usageOf({
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
