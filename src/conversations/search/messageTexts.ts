import type { MessageRecord, PartRecord } from '../conversation/conversationRecord.ts';

/** The searchable texts of a message. */
interface MessageTexts {
  /** The texts, citations and file names of all choices. */
  readonly text: string;
  /** Reasoning, and the arguments and results of tool calls. */
  readonly reasoning: string;
  readonly hasImage: boolean;
}

export function readTexts({ choices }: MessageRecord): MessageTexts {
  const parts = choices.flat();
  const joinTexts = (listTexts: (part: PartRecord) => readonly string[]) =>
    parts.flatMap(listTexts).join('\n');
  return {
    text: joinTexts(listMessageTexts),
    reasoning: joinTexts(listReasoningTexts),
    hasImage: parts.some(({ type }) => type === 'image'),
  };
}

function listMessageTexts(part: PartRecord): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'citation':
      return [part.title ?? '', part.url ?? ''];
    case 'image':
    case 'file':
      return 'name' in part && part.name !== undefined ? [part.name] : [];
    default:
      return [];
  }
}

function listReasoningTexts(part: PartRecord): readonly string[] {
  switch (part.type) {
    case 'reasoning':
      return [part.text];
    case 'toolCall':
      return [part.name, part.arguments];
    case 'toolResult':
      return [part.name, part.text];
    default:
      return [];
  }
}
