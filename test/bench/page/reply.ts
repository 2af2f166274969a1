const vocabulary = (
  'the gateway sends each chunk as soon as the model has produced it so that a reader sees words rather than ' +
  'waiting for the whole reply which may take a minute or more when it is long'
).split(' ');

/** The number of parts of the reply; each holds one block of code. */
const parts = 40;

/**
 * A Markdown reply of about `length` characters: headings, paragraphs, lists, tables, quotes and forty
 * blocks of code. The same on every run.
 */
export function markdownReply(length: number): string {
  const next = numbers(7);
  const partLength = length / parts;
  return Array.from({ length: parts }, (_, at) => part(at, partLength, next)).join('');
}

/** A reproducible sequence of numbers below `limit`. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 2 ** 16) % limit;
  };
}

function part(at: number, length: number, next: (limit: number) => number): string {
  const sentence = () => {
    const words = Array.from({ length: 8 + next(12) }, () => vocabulary[next(vocabulary.length)]);
    if (next(3) === 0) words[2] = `**${words[2]}**`;
    if (next(4) === 0) words[4] = `\`${words[4]}\``;
    if (next(6) === 0) words[5] = `[link](https://example.com/${at})`;
    return `${words.join(' ')}.`;
  };
  const sentences = (count: number) => Array.from({ length: count }, sentence).join(' ');
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');
  const blocks = [
    `## Part ${at}`,
    lines(6, (index) => `- **Item ${index}**: ${sentence()}`),
    `| Name | Value | Note |\n|---|---:|---|\n${lines(6, (index) => `| row ${index} | ${next(1000)} | ${sentence()} |`)}`,
    `\`\`\`ts\n${lines(8, (index) => code(index, next))}\n\`\`\``,
    lines(4, (index) => `${index + 1}. ${sentence()}`),
    `> ${sentences(2)}`,
  ];
  while (blocks.join('\n\n').length < length) blocks.push(sentences(4));
  return `${blocks.join('\n\n')}\n\n`;
}

function code(index: number, next: (limit: number) => number): string {
  return `export function handler${index}(value: number): string {
  // what the model wrote about it
  const total = value * ${next(100)};
  return \`result: \${total}\`;
}`;
}
