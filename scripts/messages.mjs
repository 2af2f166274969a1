// The messages of the extension host: those in its source, and those of the tables that it translates from. `npm
// run l10n` lists the missing and the unused messages of the Chinese bundle.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';

/** VS Code's location of the extension host's Chinese texts: `l10n` of package.json names the folder. */
export const chineseBundle = new URL('media/l10n/bundle.l10n.zh-cn.json', root);

/** Functions with many messages take `t` out of `vscode.l10n`. */
const translators = ['vscode.l10n.t', 'l10n.t', 't'];

/**
 * Finds all messages that the extension host translates.
 *
 * @returns {Promise<{ messages: Set<string>, unknown: string[] }>} the keys that a bundle needs; and the calls
 * whose message is neither a literal in the source nor comes from a table that is named here
 */
export async function hostMessages() {
  const [{ literals, computed }, tables] = await Promise.all([sourceCalls(), messageTables()]);
  return {
    messages: new Set([...literals, ...Object.values(tables).flat()]),
    unknown: computed.filter((call) => !Object.hasOwn(tables, call)),
  };
}

/** The messages that are not literals in the call: all possible values, by file and argument. */
async function messageTables() {
  const { sentences } = await import('../src/wire/explanations/sentences.ts');
  const { listCatalogueTitles } = await import('../src/wire/failures/failureCatalogue.ts');
  const titles = listCatalogueTitles();
  const help = await videoHelp();
  return {
    'explanationWords.ts: template': Object.values(sentences),
    'explanationWords.ts: entry.title': titles,
    'failureMessage.ts: catalogueEntry(error).title': titles,
    'explainFailure.ts: title': titles,
    'modelRows.ts: failure.title': titles,
    'requestWords.ts: catalogueEntry({ ...failure, ...(status !== undefined && { status }) }).title': titles,
    'chatParametersPage.ts: english': await parameterHelp(),
    'videoForm.ts: description': help,
    'videoForm.ts: english': help,
    'generateChecks.ts: toIssueSentence(issue)': await videoProblems(),
  };
}

/** The help of the parameters of chats. */
async function parameterHelp() {
  const { buildParameterSchema } = await import('../src/host/kit/pages/parameterSchema.ts');
  const { textFormats } = await import('../src/wire/apis/textFormats.ts');
  const help = new Set();
  const note = (english) => {
    help.add(english);
    return english;
  };
  await Promise.all(textFormats.map((format) => buildParameterSchema(format, note)));
  return [...help];
}

/** The help of the fields of the Generate page. */
async function videoHelp() {
  const { toJSONSchema } = await import('zod');
  const { interactionsRequest } = await import('../src/wire/apis/interactions/schema.ts');
  const { videoTaskRecordFormats } = await import('../src/wire/apis/taskRecordFormats.ts');
  const help = new Set();
  const schemas = Object.values(videoTaskRecordFormats).map(({ schema }) => schema);
  for (const schema of [interactionsRequest, ...schemas]) {
    const { properties } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    JSON.stringify(properties, (name, value) => {
      if (name === 'description' && typeof value === 'string') help.add(value);
      return value;
    });
  }
  return [...help];
}

/** The messages of the video schemas about invalid values, each as a sentence. */
async function videoProblems() {
  const { videoRoutes } = await import('../src/wire/apis/videoRoutes.ts');
  const sources = videoRoutes.map(({ id }) => `src/wire/apis/${id}/schema.ts`);
  const texts = await Promise.all(sources.map((path) => readFile(new URL(path, root), 'utf8')));
  const sentences = texts.flatMap((text) => [
    ...[...text.matchAll(/\.regex\(\/.+\/, '(.+)'\)/g)].map(([, problem]) => `It ${problem}.`),
    ...[...text.matchAll(/^ {4}message: '(.+)',$/gm)].map(([, problem]) => problem),
  ]);
  return ['Invalid input', ...sentences];
}

/** The translation calls in the source, as the compiler reads it. */
async function sourceCalls() {
  const { API } = await import('typescript/unstable/sync');
  const is = await import('typescript/unstable/ast/is');
  const config = fileURLToPath(new URL('tsconfig.json', root));
  const api = new API({ cwd: fileURLToPath(root) });
  /** @type {string[]} */
  const literals = [];
  /** @type {string[]} */
  const computed = [];
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const paths = project?.rootFiles.filter((path) => /\/src\/(host\/|extension\.ts$)/.test(path)) ?? [];
    for (const path of paths) {
      const file = project?.program.getSourceFile(path);
      const visit = (node) => {
        node.forEachChild(visit);
        if (!is.isCallExpression(node) || !translators.includes(node.expression.getText(file))) return;
        const [message] = node.arguments;
        if (message === undefined) return;
        if (is.isStringLiteral(message) || is.isNoSubstitutionTemplateLiteral(message)) {
          literals.push(message.text);
        } else computed.push(`${basename(path)}: ${message.getText(file).replace(/\s+/g, ' ')}`);
      };
      file?.forEachChild(visit);
    }
    return { literals, computed };
  } finally {
    api.close();
  }
}

/** Prints the changes that the bundle needs. */
async function listDifferences() {
  const { messages } = await hostMessages();
  const bundle = JSON.parse(await readFile(chineseBundle, 'utf8'));
  const missing = [...messages].filter((message) => !Object.hasOwn(bundle, message));
  const unused = Object.keys(bundle).filter((message) => !messages.has(message));
  const lines = [
    ...missing.map((message) => `missing: ${JSON.stringify(message)}`),
    ...unused.map((message) => `unused: ${JSON.stringify(message)}`),
  ];
  console.log(lines.join('\n') || `All ${messages.size} messages are translated.`);
}

if (isCommand(import.meta.url)) await underPinnedNode(import.meta.url, listDifferences);
