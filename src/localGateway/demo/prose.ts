import type { Length } from './promptOptions.ts';
import type { SeededRandom } from './seededRandom.ts';

const sentences: readonly string[] = [
  'A request leaves the editor with one credential header and one request id.',
  'The gateway looks at the request before anything else does, and refuses what it does not understand.',
  'Each piece of the reply travels as one event of a stream, and the page paints it when it arrives.',
  'When you stop a reply, the connection closes, and nobody goes on writing what nobody will read.',
  'A reply is complete only when its end mark has been seen; otherwise the text is kept and marked as cut off.',
  'Token counts come last, because only the one who wrote the tokens knows how many there were.',
  'A model list tells what an account may use, and a small request proves that it really works.',
  'One address can stand for many providers, as long as every model keeps a name of its own.',
  'The first token takes the longest; after it the words come at a steady pace.',
  'Errors are worth reading: the class says whose turn it is, and the detail says what to change.',
  'A pause in the stream is not an end, and a connection that closes is not always a failure.',
  'Headings, lists and tables arrive as plain text and become structure only on the page.',
  'Long answers should scroll gently and stay readable while the last line is still being written.',
  'A code block is open until its closing fence arrives, and should look right all the same.',
  'The same question brings the same demo answer, which makes a surprise easy to notice.',
  'Keys stay with the process that needs them, and never travel in an address or a log.',
  'What a model writes is untrusted text, however polite it sounds.',
  'A conversation is sent whole each time, so the earlier turns count as input again.',
  'A limit on tokens cuts the answer in the middle of a thought, and says so in the finish reason.',
  'The editor, the gateway and the upstream each have a clock, and none of them waits for ever.',
];

const titles: readonly string[] = [
  'How it begins',
  'On the way',
  'What the page does',
  'When things go wrong',
  'What stays behind',
  'A closer look',
];

const sentencesPerParagraph = 4;
const paragraphsPerTitle = 3;

/** Writes prose about how a reply travels, which ends with the sentence that reaches the length. */
export function prose(length: Length, random: SeededRandom): string {
  const paragraphs: string[] = [];
  let current: string[] = [];
  let words = 0;
  const reached = () => (length.unit === 'words' ? words >= length.count : paragraphs.length >= length.count);

  for (const sentence of endless(sentences, random)) {
    current.push(sentence);
    words += sentence.split(' ').length;
    if (current.length === sentencesPerParagraph) {
      paragraphs.push(current.join(' '));
      current = [];
    }
    if (reached()) break;
  }
  if (current.length > 0) paragraphs.push(current.join(' '));
  return paragraphs.flatMap((paragraph, i) => [...titleBefore(i), paragraph]).join('\n\n');
}

function titleBefore(paragraph: number): readonly string[] {
  if (paragraph % paragraphsPerTitle !== 0) return [];
  const part = paragraph / paragraphsPerTitle;
  return [`### ${part + 1}. ${titles[part % titles.length]}`];
}

/** All items in a random order, then all in another one, without end. */
function* endless(items: readonly string[], random: SeededRandom): Generator<string> {
  for (;;) {
    const left = [...items];
    while (left.length > 0) yield* left.splice(Math.floor(random() * left.length), 1);
  }
}
