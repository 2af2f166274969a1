import type { TextLength } from './promptOptions.ts';
import type { SeededRandom } from './seededRandom.ts';

const sentences: readonly string[] = [
  'A request leaves the editor with one credential header and one request id.',
  'The gateway checks each request first, and refuses any request that it does not understand.',
  'Each part of the reply is sent as one event of a stream, and the page shows it when it arrives.',
  'When you stop a reply, the connection closes, and the model generates no more tokens for it.',
  'A reply is complete only when its end mark was received; otherwise the page marks the text as cut off.',
  'Token counts come last, because they are known only when the model has finished its reply.',
  'A model list shows which models an account can use, and a small request verifies that they work.',
  'One address can serve the models of many providers, as long as every model has a unique name.',
  'The first token takes the longest; the other tokens follow at a steady pace.',
  'Read the error messages: the class shows who can fix the problem, and the details show how.',
  'A pause does not mean that the stream has ended, and a closed connection is not always a failure.',
  'Headings, lists and tables arrive as plain text and are formatted only on the page.',
  'Long replies should scroll smoothly and stay readable while the last line is still being written.',
  'A code block is open until its closing fence arrives, and should still be shown correctly.',
  'The same question gets the same demo reply, which makes a difference easy to notice.',
  'Keys stay in the process that needs them, and are never part of an address or a log.',
  'The text of a model is not trusted, however polite it sounds.',
  'The whole conversation is sent each time, so the earlier turns count as input again.',
  'A token limit can cut off the reply in the middle of a sentence, and the finish reason shows this.',
  'The editor, the gateway and the upstream have their own timeouts, and none of them waits forever.',
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

/** Writes prose about the path of a reply. The last sentence is the one that reaches the length. */
export function writeProse(length: TextLength, random: SeededRandom): string {
  const paragraphs: string[] = [];
  let current: string[] = [];
  let words = 0;
  const isReached = () =>
    length.unit === 'words' ? words >= length.count : paragraphs.length >= length.count;

  for (const sentence of shuffleEndlessly(sentences, random)) {
    current.push(sentence);
    words += sentence.split(' ').length;
    if (current.length === sentencesPerParagraph) {
      paragraphs.push(current.join(' '));
      current = [];
    }
    if (isReached()) break;
  }
  if (current.length > 0) paragraphs.push(current.join(' '));
  return paragraphs.flatMap((paragraph, i) => [...createTitle(i), paragraph]).join('\n\n');
}

function createTitle(paragraph: number): readonly string[] {
  if (paragraph % paragraphsPerTitle !== 0) return [];
  const part = paragraph / paragraphsPerTitle;
  return [`### ${part + 1}. ${titles[part % titles.length]}`];
}

/** Yields all items in a random order, then repeats this in other orders without an end. */
function* shuffleEndlessly(items: readonly string[], random: SeededRandom): Generator<string> {
  for (;;) {
    const remaining = [...items];
    while (remaining.length > 0) yield* remaining.splice(Math.floor(random() * remaining.length), 1);
  }
}
