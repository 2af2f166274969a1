import { maxPhraseLength } from './simulatedFaults.ts';
import { type Language, languageNamedIn } from './snippets.ts';

/** What the words of a question ask for. */
export interface PromptOptions {
  readonly help: boolean;
  readonly code?: Language;
  readonly table: boolean;
  readonly list: boolean;
  readonly picture: boolean;
  /** The length of the prose. */
  readonly length?: Length;
}

export interface Length {
  readonly unit: 'words' | 'paragraphs';
  readonly count: number;
}

const maxWords = 5_000;
const maxParagraphs = 60;

/** Finds options by words in English and Chinese. A question in any other language gets the overview. */
export function readPromptOptions(question: string): PromptOptions {
  const code = languageNamedIn(question) ?? (asksForCode.test(question) ? 'typescript' : undefined);
  const length = readLength(question);
  return {
    help:
      (question.length <= maxPhraseLength &&
        /^\W*(help|what can you do|帮助|你能做什么)\W*$/iu.test(question)) ||
      /^\s*(帮助|你能做什么)/u.test(question),
    table: /\btables?\b|表格/iu.test(question),
    picture: /\b(draw|paint|sketch)\b|画/iu.test(question.slice(0, maxPhraseLength)),
    list: /\b(lists?|steps|bullets?)\b|列表|步骤/iu.test(question),
    ...(code && { code }),
    ...(length && { length }),
  };
}

const asksForCode = /\b(code|function|script|snippet|program)\b|代码|函数|脚本/iu;

function readLength(question: string): Length | undefined {
  const words = /\b(\d{1,6})[ -]*words?\b|(\d{1,6}) *字/iu.exec(question);
  if (words) return { unit: 'words', count: within(words[1] ?? words[2], maxWords) };
  const paragraphs = /\b(\d{1,6})[ -]*paragraphs?\b|(\d{1,6}) *段/iu.exec(question);
  if (paragraphs) return { unit: 'paragraphs', count: within(paragraphs[1] ?? paragraphs[2], maxParagraphs) };
  if (/(?<!how )\blong(er)?\b|\b(essay|in detail|detailed)\b|长文|长篇|长一点|详细/iu.test(question))
    return { unit: 'words', count: 600 };
  return undefined;
}

function within(digits: string | undefined, max: number): number {
  return Math.min(max, Math.max(1, Number(digits)));
}
