/** What replies may hold beyond plain Markdown, as blocks of it. */
export const showcase: readonly string[] = [
  '### What replies may hold',
  'Maths, in a line such as $e^{i\\pi} + 1 = 0$ or on lines of its own:',
  '$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$',
  '- [x] tasks that are done\n- [ ] and tasks to do',
  '> [!TIP]\n> Words that stand out[^note], and keys such as <kbd>Enter</kbd>.',
  '<details>\n<summary>What is folded away</summary>\n\nIt is shown when you open it.\n\n</details>',
  '[^note]: A footnote, with the way back to its mention.',
];
