import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { argumentsObject, isPart, type PartOf, placedParts } from '../encoding.ts';
import type { Content, ContentGenerationRequest, Part } from './request.ts';

/** The members of a request that hold the conversation. */
export type ContentGenerationConversation = Pick<ContentGenerationRequest, 'contents' | 'systemInstruction'>;

/**
 * Encodes a conversation. Adjacent messages of one role become one turn, because all results of a turn must
 * be together. System messages go into a field of their own.
 */
export function encodeContentGeneration(
  messages: readonly ForeignMessage[],
): Encoded<ContentGenerationConversation> {
  const omitted = new Omissions();
  const contents: Content[] = [];
  const instructions: Part[] = [];
  for (const message of messages) {
    const { role, parts, verbatim } = message;
    if (role === 'system') {
      if (contents.length > 0) omitted.add(explain('omitted-system-place'));
      const texts = placedParts(message, omitted).filter(isPart('text'));
      instructions.push(...texts.map(({ text }) => ({ text })));
    } else {
      const said = verbatim ?? parts.filter(saysSomething).map((part) => encodePart(part, omitted));
      addTurn(contents, role === 'user' ? 'user' : 'model', said);
    }
  }
  return {
    body: { contents, ...(instructions.length > 0 && { systemInstruction: { parts: instructions } }) },
    omitted: omitted.all,
  };
}

/** Providers refuse empty parts. */
function saysSomething(part: ForeignPart): boolean {
  if (part.type === 'reasoning') return part.text !== '' || part.signature !== undefined;
  return part.type !== 'text' || part.text !== '';
}

function addTurn(contents: Content[], role: 'user' | 'model', parts: readonly Part[]): void {
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else if (parts.length > 0) contents.push({ role, parts: [...parts] });
}

function encodePart(part: ForeignPart, omitted: Omissions): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
    case 'document':
      return inlineData(part);
    case 'imageLink':
      return {
        fileData: { fileUri: part.url, ...(part.mimeType !== undefined && { mimeType: part.mimeType }) },
      };
    case 'reasoning':
      return {
        text: part.text,
        // A signature without text came with a part of the answer, and goes back with one.
        ...(part.text !== '' && { thought: true }),
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolCall':
      return {
        functionCall: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          args: argumentsObject(part, omitted),
        },
        ...(part.signature !== undefined && { thoughtSignature: part.signature }),
      };
    case 'toolResult':
      return {
        functionResponse: {
          ...(part.id !== '' && { id: part.id }),
          name: part.name,
          response: { [part.failed ? 'error' : 'output']: part.text },
          ...(part.pictures?.length && { parts: part.pictures.map(inlineData) }),
        },
      };
  }
}

function inlineData({ mimeType, data }: PartOf<'image' | 'document'>): Part {
  return { inlineData: { mimeType, data } };
}
