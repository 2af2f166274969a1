/** A fenced code block of Markdown, whose fence is longer than any within. */
export function fenced(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const word = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  return `${fence}${word}\n${code}${code.endsWith('\n') ? '' : '\n'}${fence}`;
}
