import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  type FilePrompt,
  type PromptProblem,
  readPrompt,
} from '../../../src/host/chat/prompts/promptFile.ts';
import {
  fillTemplate,
  findEditorVariables,
  findMissingInputs,
  measureFilledTemplate,
  readTemplate,
} from '../../../src/host/chat/prompts/promptTemplate.ts';
import { assertLinear } from '../../support/linearCost.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this

function prompt(text: string): FilePrompt {
  const read = readPrompt(text, 'explain.prompt.md');
  assert.ok(read.prompt, JSON.stringify(read.problem));
  return read.prompt;
}

function problem(text: string): PromptProblem {
  const read = readPrompt(text, 'explain.prompt.md');
  assert.ok(read.problem);
  return read.problem;
}

function filled(text: string, written: Readonly<Record<string, string>> = {}): string {
  const editor = new Map([
    ['selection', 'let x = ${input:who}; // ${file}'],
    ['language', 'typescript'],
  ] as const);
  return fillTemplate(readTemplate(text, 1), editor, written);
}

describe('a prompt file', () => {
  it('is rejected if its front matter is too long, and its name is one visible line', () => {
    const names = Array.from({ length: 5000 }, (_, nth) => `name${nth}: x`).join('\n');
    assert.deepEqual(problem(`---\n${names}\n---\nText`), {
      kind: 'long-front-matter',
      length: names.length + 1,
      line: 1,
    });
    const { name, description } = prompt(
      `---\nname: "a\\u202eb\\nc"\ndescription: "${'d'.repeat(5000)}"\n---\nText`,
    );
    assert.equal(name, 'ab c');
    assert.equal(description.length, 1000);
  });

  it('is rejected if its front matter is nested too deeply', () => {
    const deep = '['.repeat(8000) + ']'.repeat(8000);
    assert.deepEqual(problem(`---\ntools: ${deep}\n---\nText`), { kind: 'deep-front-matter', line: 1 });
  });

  it('can have inputs with any name except __proto__', () => {
    const { template } = prompt('${input:constructor} ${input:toString:x} ${input:__proto__}');
    assert.deepEqual(findMissingInputs(template, {}), ['constructor']);
    assert.deepEqual(template.unknown, [{ name: 'input:__proto__', line: 1 }]);
    assert.equal(fillTemplate(template, new Map(), { constructor: 'a' }), 'a x ${input:__proto__}');
  });

  it('may be Markdown only, and is then named after its file', () => {
    const { name, description, models, format, template } = prompt('\n# Explain\n\nThis.\n');
    assert.deepEqual([name, description, models, format], ['explain', '', [], undefined]);
    assert.equal(fillTemplate(template, new Map(), {}), '# Explain\n\nThis.');
  });

  it('has its name, description, hint, models and API format in its front matter', () => {
    const read = prompt(
      "---\r\nname: why\r\ndescription: 'Why: because'\r\nargument-hint: [a, b]\r\n---\r\nHi".replace(
        '[a, b]',
        'what to explain',
      ),
    );
    assert.deepEqual([read.name, read.description, read.hint], ['why', 'Why: because', 'what to explain']);
    const withModels = prompt(
      '---\nmodel: [GPT X (work), gpt-x-mini]\napi-format: contentGeneration\n---\nHi',
    );
    assert.deepEqual(withModels.models, ['GPT X (work)', 'gpt-x-mini']);
    assert.equal(withModels.format, 'contentGeneration');
  });

  it('may have numbers and booleans as its name and description', () => {
    const { name, description } = prompt('---\nname: 2024\ndescription: true\n---\nHi');
    assert.deepEqual([name, description], ['2024', 'true']);
  });

  it('ignores front matter fields of other programs', () => {
    const read = prompt("---\nagent: ask\nmode: 'agent'\ntools: ['search', {a: 1}]\nmodel: gpt-x\n---\nHi");
    assert.deepEqual(read.models, ['gpt-x']);
  });

  it('reports the problem and its line if it cannot be read', () => {
    const cases: readonly (readonly [string, Partial<PromptProblem>])[] = [
      ['---\nname: x\nHi', { kind: 'open-front-matter', line: 1 }],
      ['---\nname: x\ndescription: [\n---\nHi', { kind: 'front-matter', line: 4 }],
      ['---\nname: x\nname: y\n---\nHi', { kind: 'front-matter', line: 3 }],
      ['---\n- a\n---\nHi', { kind: 'front-matter', line: 2 }],
      ['---\nmodel: x\nname:\n  a: b\n---\nHi', { kind: 'not-a-text', line: 3 }],
      ['---\nname: x\napi-format: smoke-signals\n---\nHi', { kind: 'unknown-format', line: 3 }],
      ['---\nname: x\n---\n\n', { kind: 'empty' }],
      ['', { kind: 'empty', line: 1 }],
      ['Hi\0', { kind: 'binary', line: 1 }],
      ['x'.repeat(300_000), { kind: 'too-long', line: 1 }],
    ];
    for (const [text, expected] of cases) {
      const found = problem(text);
      assert.deepEqual({ ...found, ...expected }, found, text.slice(0, 60));
    }
  });

  it('is rejected if its front matter repeats YAML aliases many times', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 12; at += 1) {
      const earlier = Array(9)
        .fill(`*a${at - 1}`)
        .join(', ');
      lines.push(`a${at}: &a${at} [${earlier}]`);
    }
    assert.equal(problem(`---\n${lines.join('\n')}\n---\nHi`).kind, 'front-matter');
  });

  it('is read without an exception for any content', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^---\n[-a:[\]{}&*!|>'"#\n ]{0,60}\n---\n.{0,20}$/));
    fc.assert(fc.property(text, (bytes) => void readPrompt(bytes, 'x.prompt.md')));
  });
});

describe('the variables of a prompt', () => {
  it('are replaced once, and variables in their values are not replaced', () => {
    assert.equal(filled('In ${language}:\n${selection}'), 'In typescript:\nlet x = ${input:who}; // ${file}');
    assert.equal(
      filled('${input:a}${input:b}', { a: '${input:b}', b: '${selection}' }),
      '${input:b}${selection}',
    );
  });

  it('are not replaced after a backslash or if unknown, and unknown ones are reported with their line', () => {
    const template = readTemplate('\\${selection}\n${PATH} `${a + 1}`\n${input:}', 5);
    assert.equal(fillTemplate(template, new Map(), {}), '${selection}\n${PATH} `${a + 1}`\n${input:}');
    assert.deepEqual(template.unknown, [
      { name: 'PATH', line: 6 },
      { name: 'a + 1', line: 6 },
      { name: 'input:', line: 7 },
    ]);
  });

  it('for user input are listed once, in the order of the text, and may have a default with colons', () => {
    const text = '${input:who} ${input:url:http://a.example:80} ${input:who:you} ${input: who }';
    const template = readTemplate(text, 1);
    assert.deepEqual(template.inputs, [
      { name: 'who', fallback: 'you' },
      { name: 'url', fallback: 'http://a.example:80' },
    ]);
    assert.equal(fillTemplate(template, new Map(), { who: ' ' }), 'you http://a.example:80 you you');
  });

  it('are missing if they have neither a value nor a default', () => {
    const template = readTemplate('${input:a} ${input:b:c} ${input:toString}', 1);
    assert.deepEqual(findMissingInputs(template, {}), ['a', 'toString']);
    assert.deepEqual(findMissingInputs(template, { a: 'x', toString: 'y' } as never), []);
  });

  it('are counted before they are replaced, so that a short template cannot grow without limit', () => {
    const template = readTemplate('${fileContent}'.repeat(18_000), 1);
    const values = new Map([['fileContent', 'x'.repeat(1024 * 1024)] as const]);
    assert.equal(measureFilledTemplate(template, values, {}), 18_000 * 1024 * 1024);
    assertLinear(
      (n) => readTemplate('${file}'.repeat(n) + '${clipboard}'.repeat(n), 1),
      (long) => findEditorVariables(long),
    );
  });

  it('for editor values are listed with the line where they first occur', () => {
    const template = readTemplate('a\n${file} ${selection}\n${file}', 3);
    const values = findEditorVariables(template).map(({ name, line }) => `${name} ${line}`);
    assert.deepEqual(values, ['file 4', 'selection 4']);
  });
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the end of these
