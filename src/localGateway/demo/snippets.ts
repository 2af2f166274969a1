const snippets = {
  typescript: (topic: string) => `interface Reply {
  readonly topic: string;
  readonly tokens: readonly string[];
}

/** Joins the tokens of a reply, as a chat page does while they arrive. */
export function textOf(reply: Reply): string {
  return reply.tokens.join('');
}

console.log(textOf({ topic: '${topic}', tokens: ['Hello', ', ', 'world', '!'] }));`,

  javascript: (topic: string) => `const topic = '${topic}';
const counts = new Map();

for (const word of topic.toLowerCase().split(' ')) {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

console.table([...counts]);`,

  python: (topic: string) => `from collections import Counter


def count_words(text: str) -> Counter[str]:
    """Count how often each word occurs, whatever its case."""
    return Counter(text.lower().split())


for word, count in count_words("${topic}").most_common(3):
    print(f"{word:>12} {count}")`,

  bash: (topic: string) => `#!/usr/bin/env bash
set -euo pipefail

topic="${topic}"
for word in $topic; do
  printf '%-12s %d\\n' "$word" "\${#word}"
done | sort -k2 -nr`,

  json: (topic: string) => `{
  "topic": "${topic}",
  "demo": true,
  "tokens": ["Hello", ", ", "world", "!"],
  "usage": { "prompt_tokens": 9, "completion_tokens": 4 }
}`,

  sql: (topic: string) => `-- ${topic}
SELECT model, count(*) AS replies, round(avg(tokens), 1) AS average_tokens
FROM reply
WHERE finish_reason = 'stop'
GROUP BY model
ORDER BY replies DESC
LIMIT 10;`,

  rust: (topic: string) => `use std::collections::BTreeMap;

fn main() {
    let topic = "${topic}";
    let mut counts = BTreeMap::new();
    for word in topic.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    println!("{counts:?}");
}`,

  go: (topic: string) => `package main

import (
	"fmt"
	"strings"
)

func main() {
	for i, word := range strings.Fields("${topic}") {
		fmt.Printf("%d: %s\\n", i+1, word)
	}
}`,

  html: (topic: string) => `<!doctype html>
<html lang="en">
  <head>
    <title>${topic}</title>
  </head>
  <body>
    <h1>${topic}</h1>
    <p>Written by a demo model.</p>
  </body>
</html>`,

  css: (topic: string) => `/* ${topic} */
.reply {
  display: grid;
  gap: 0.5rem;
  color: var(--vscode-foreground);
}

.reply > code {
  font-family: var(--vscode-editor-font-family);
}`,
} satisfies Record<string, (topic: string) => string>;

export type Language = keyof typeof snippets;

const languagePatterns: readonly (readonly [Language, RegExp])[] = [
  ['typescript', /\b(typescript|ts)\b/iu],
  ['javascript', /\b(javascript|js|node\.?js)\b/iu],
  ['python', /\bpython\b/iu],
  ['bash', /\b(bash|shell)\b/iu],
  ['json', /\bjson\b/iu],
  ['sql', /\bsql\b/iu],
  ['rust', /\brust\b/iu],
  ['go', /\b(golang|in go|go (code|program|function))\b/iu],
  ['html', /\bhtml\b/iu],
  ['css', /\bcss\b/iu],
];

export const languages: readonly string[] = Object.keys(snippets);

export function findLanguage(question: string): Language | undefined {
  return languagePatterns.find(([, name]) => name.test(question))?.[0];
}

/** Writes a short program in a fenced block. The code contains only plain letters and digits of the question. */
export function writeCodeBlock(language: Language, question: string): string {
  const words = question.match(/[A-Za-z0-9]+/g) ?? [];
  const topic = words.slice(0, 5).join(' ') || 'a demo';
  return `\`\`\`${language}\n${snippets[language](topic)}\n\`\`\``;
}
