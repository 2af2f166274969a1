import assert from 'node:assert/strict';
import { ChatTestPage, createTurn, noParameters } from './support/chatPage.ts';
import { GenerateTestPage, synthesis } from './support/generatePage.ts';
import { showcase } from './support/showcase.ts';
import { startedAt, TaskTestPage } from './support/taskPage.ts';
import { running, severalResults } from './support/taskShowcase.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import type { TestPage } from './support/testPage.ts';

const chinese = { language: 'zh-CN', width: 900, height: 1200 } as const;

/** Texts that are the same in every language: units, names of formats and keys, and literals of JSON. */
const sameEverywhere =
  /^(?:API|JSON|CSV|ID|Markdown|Shift|Esc(?:ape)?|Enter|Ctrl|Alt|tok|token|s|px|KB|MB|true|false)$/;

/** The keys in a tooltip. */
const keys = /\((?:\w+\+)?\w+\)/g;

describe('the pages in Simplified Chinese', () => {
  const chat = new ChatTestPage(getTestBrowser);
  const generate = new GenerateTestPage();
  const task = new TaskTestPage();

  afterEach(() => Promise.all([chat.close(), generate.close(), task.close()]));

  it('contain no English text in a new chat', async () => {
    await chat.open(chinese);
    await chat.show([], { parametersSet: 3, suggestions: ['问题'] }, { draft: '问题' });
    await chat.page.getByRole('heading', { name: '询问 gpt-x-mini' }).waitFor();
    await chat.page.getByRole('button', { name: '添加系统提示词' }).click();
    await checkTexts(chat, 'chat-new', ['gpt-x-mini', 'work-gateway', 'Chat Completions (OpenAI)', 'Chat']);
  });

  it('contain no English text in a chat with all parts of a reply', async () => {
    await chat.open({ ...chinese, height: 2600 });
    await chat.show(showcase);
    await chat.page.getByText('That is all.').waitFor();
    await chat.page.getByRole('button', { name: '编辑问题' }).first().click();
    await chat.post({ type: 'perform', action: 'find' });
    await chat.page.getByRole('search').waitFor();
    const texts = showcase.flatMap(({ question, replies, notice, figures }) => [
      question,
      ...replies.flatMap(({ text, reasoning, toolCalls }) => [
        text,
        reasoning,
        ...toolCalls.flatMap((call) => [call.name ?? '', call.arguments]),
      ]),
      ...(notice
        ? [notice.title, notice.detail, notice.requestId ?? '', ...notice.buttons.map(({ label }) => label)]
        : []),
      figures.finishReason ?? '',
    ]);
    await checkTexts(chat, 'chat', [
      ...texts,
      'gpt-x-mini',
      'work-gateway',
      'Chat Completions (OpenAI)',
      'Chat',
      'collector.example',
    ]);
  });

  it('contain no English text in the parameters sheet', async () => {
    await chat.open(chinese);
    await chat.show([createTurn({ text: '好' })]);
    await chat.page.getByRole('button', { name: '参数' }).click();
    await chat.post({
      ...noParameters,
      schema: {
        type: 'object',
        properties: {
          temperature: { type: 'number', minimum: 0, maximum: 2 },
          stop: { type: 'array', items: { type: 'string' } },
        },
      },
      values: { temperature: 3 },
    });
    await chat.page.getByRole('spinbutton').waitFor();
    assert.match(await chat.page.locator('.field-note').first().innerText(), /^未设置：应为数字（0 到 2）$/);
    await checkTexts(chat, 'parameters', [
      'gpt-x-mini',
      'work-gateway',
      'Chat Completions (OpenAI)',
      'Chat',
      'temperature',
      'stop',
      'How do I do this?',
    ]);
  });

  it('contain no English text on the Generate page', async () => {
    await generate.open({ ...chinese, now: startedAt + 300_000 });
    const fields = synthesis.form.fields.map((field, at) => ({ ...field, label: `字段 ${at}`, help: '' }));
    const tile = { ...running.tile, prompt: '', status: '正在运行' };
    await generate.post({
      type: 'state',
      state: { ...synthesis, form: { ...synthesis.form, fields }, tiles: [tile] },
    });
    await generate.page.getByRole('button', { name: '更多' }).click();
    await generate.page.getByText('没有提示词').waitFor();
    await checkTexts(generate, 'generate', [
      'demo/video',
      'Video synthesis',
      'Synthesis',
      'work-gateway',
      'wan-t2v',
      'Reported by the gateway: “in_progress”',
      ...choices,
    ]);
  });

  it('contain no English text on the task page', async () => {
    for (const [name, view] of Object.entries({ running, results: severalResults })) {
      await task.open({ ...chinese, now: startedAt + 42_000 });
      await task.show(view);
      await task.page.getByRole('heading', { name: '时间线' }).waitFor();
      await checkTexts(task, `task-${name}`, collectTexts(view));
    }
  });
});

const choices = synthesis.form.fields.flatMap(({ choices: all = [] }) => all.map(({ label }) => label));

/** All texts in a message of the host. */
function collectTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}

/** Checks all visible and spoken texts, wide and at 300 pixels, where the page must not scroll sideways. */
async function checkTexts<I, O extends { type: string; channel: string }>(
  page: TestPage<I, O>,
  name: string,
  foreignTexts: readonly string[],
): Promise<void> {
  await page.nextFrames();
  await page.savePicture(`chinese-${name}`);
  assert.equal(await page.page.evaluate(() => document.documentElement.lang), 'zh-CN');
  assert.deepEqual(findLatinWords(await readTexts(page), foreignTexts), []);
  await page.setTheme('light');
  await page.resize(300, 1200);
  await page.savePicture(`chinese-${name}-narrow`);
  assert.deepEqual(await findWideElements(page), []);
}

/** The visible texts, and those that are read aloud or in a tooltip. */
async function readTexts<I, O extends { type: string; channel: string }>({
  page,
}: TestPage<I, O>): Promise<readonly string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
    for (const element of document.querySelectorAll('body *')) {
      for (const attribute of ['title', 'aria-label', 'placeholder', 'aria-valuetext', 'alt'])
        texts.push(element.getAttribute(attribute) ?? '');
      if (element.ariaLabel) texts.push(element.ariaLabel);
    }
    return texts.filter((text) => /\p{L}/u.test(text));
  });
}

/** The words in Latin letters that are not in foreign texts, each with the text around it. */
function findLatinWords(texts: readonly string[], foreignTexts: readonly string[]): readonly string[] {
  const outside = new Set(foreignTexts.flatMap((text) => text.match(/[A-Za-z]+/g) ?? []));
  return texts.flatMap((text) =>
    (text.replace(keys, '').match(/[A-Za-z]+/g) ?? [])
      .filter((word) => !sameEverywhere.test(word) && !outside.has(word))
      .map((word) => `${word} in “${text.trim()}”`),
  );
}

async function findWideElements<I, O extends { type: string; channel: string }>({
  page,
}: TestPage<I, O>): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('html, header, header *, main, footer, footer *, .sheet, .sheet *')]
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .filter(
        (element) =>
          getComputedStyle(element).overflowX === 'visible' && getComputedStyle(element).display !== 'inline',
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 300)),
  );
}
