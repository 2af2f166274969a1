// `npm run docs`: writes the tables of the pages in docs/ from package.json and from the schemas of the local gateway.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { isCommand, underPinnedNode } from './setup.mjs';

/**
 * The pages with tables, by their paths from the root, each with its tables written anew.
 *
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function pagesWithTables() {
  const tables = await allTables();
  const pages = globSync('docs/**/*.md', { cwd: fileURLToPath(root) }).map((path) => {
    const name = path.replaceAll('\\', '/');
    return /** @type {const} */ ([name, withTables(read(name), tables)]);
  });
  return new Map(pages.filter(([, page]) => page.includes('<!-- table: ')));
}

/**
 * @param {string} page
 * @param {Readonly<Record<string, () => string>>} tables by the names in their markers
 */
function withTables(page, tables) {
  return page.replace(
    /<!-- table: ([^\n]+) -->\n.*?<!-- end of table -->/gs,
    (_, name) => `<!-- table: ${name} -->\n\n${tables[name]?.() ?? missing(name)}\n\n<!-- end of table -->`,
  );
}

/** @returns {never} */
function missing(name) {
  throw new Error(`scripts/docs.mjs has no table "${name}"`);
}

/** @returns {Promise<Readonly<Record<string, () => string>>>} */
async function allTables() {
  const { contributes } = JSON.parse(read('package.json'));
  const texts = JSON.parse(read('package.nls.json'));
  const text = (key) => (/^%.*%$/.test(key) ? texts[key.slice(1, -1)] : key);
  const { properties } = contributes.configuration;
  const { createConfigJsonSchema } = await import('../src/localGateway/config/configSchema.ts');
  const configSchema = /** @type {any} */ (createConfigJsonSchema());
  const config = configSchema.properties;
  const kinds = config.upstreams.items.anyOf;
  return {
    settings: () => settingsTable(properties, text),
    'modelGateway.gateways': () => fieldsTable(properties['modelGateway.gateways'].items, text),
    'modelGateway.models': () => fieldsTable(properties['modelGateway.models'].items, text),
    'modelGateway.spendingLimits': () => fieldsTable(properties['modelGateway.spendingLimits'].items, text),
    'modelGateway.timeouts': () => timeoutsTable(properties['modelGateway.timeouts'], text),
    ...commandTables(contributes, text),
    keys: () => keysTable(contributes.keybindings, (command) => text(getTitle(contributes, command))),
    'configuration fields': () => fieldsTable(withoutInner(configSchema)),
    'upstream kinds': () => kindsTable(kinds),
    'upstream fields': () => fieldsTable(onlyFields(kinds[0], listCommonFields(kinds))),
    'upstream kind fields': () => kindFieldsTable(kinds),
    'alias fields': () => fieldsTable(config.aliases.items),
    'credential fields': () => fieldsTable(config.credentials.items),
  };
}

function settingsTable(properties, text) {
  const rows = Object.entries(properties)
    .toSorted(([, a], [, b]) => a.order - b.order)
    .map(([name, schema]) => [`\`${name}\``, describeSetting(schema, text), formatDefault(schema.default)]);
  return table(['Setting', 'Meaning', 'Default'], rows);
}

function timeoutsTable({ properties, default: defaults }, text) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    describeSetting(schema, text),
    String(defaults[name]),
  ]);
  return table(['Field', 'Time limit', 'Seconds'], rows);
}

/** The fields of an object and of the objects and lists in it. */
function fieldsTable(schema, text = (words) => words) {
  const rows = listFields(schema).map(({ path, field, isRequired }) => [
    `\`${path}\`${isRequired ? ' (required)' : ''}`,
    describeSetting(field, text),
  ]);
  return table(
    ['Field', 'Meaning'],
    rows.filter(([, meaning]) => meaning !== ''),
  );
}

function listFields({ properties, required = [] }, place = '') {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = place + name;
    const inner = field.items?.properties ? field.items : field;
    // The prices of flex processing have the same fields as the prices around them.
    const hasSameFields = Object.keys(inner.properties ?? {}).every((each) =>
      Object.hasOwn(properties, each),
    );
    return [
      { path, field, isRequired: required.includes(name) },
      ...(hasSameFields ? [] : listFields(inner, inner === field ? `${path}.` : `${path}[].`)),
    ];
  });
}

/** The fields of an object, without those of the objects in it. */
function withoutInner({ properties, required }) {
  const outer = Object.entries(properties).map(([name, { description }]) => [name, { description }]);
  return { properties: Object.fromEntries(outer), required };
}

/** The link at the end of a setting's description in VS Code. */
const helpLink = / ?\[[^\]]+\]\(command:[^)]*\)$/;

function describeSetting(schema, text) {
  const words = text(schema.markdownDescription ?? schema.description ?? '').replace(helpLink, '');
  const { enum: choices = [], enumDescriptions = [] } = schema;
  if (choices.every((choice) => words.includes(choice))) return words;
  const names = choices.map((choice, index) => {
    const meaning = text(enumDescriptions[index] ?? '').replace(/\.$/, '');
    return meaning === '' ? `\`${choice}\`` : `\`${choice}\`: ${meaning}`;
  });
  const list = enumDescriptions.length > 0 ? names.join('; ') : `Values: ${names.join(', ')}`;
  return `${words} ${list}.`.trim();
}

function formatDefault(value) {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  return typeof value === 'object' ? 'see below' : `\`${value}\``;
}

/** The groups of commands, each with the beginnings of its IDs. A command belongs to the first group that matches. */
const commandGroups = {
  gateways: /^(connect|useLocalGateway|tryDemo|switchGateway|setCredential|checkConnection|manageGateway)$/,
  models: /^(models\.|refreshModels|findModel|copyModelId|vscodeChat\.)/,
  'code and prompts': /^(context|apply|prompts|chat\.(edit|remove)ResponseSchema|chat\.copyCode)/,
  chats: /^(newChat|chats?\.|outline\.)/,
  videos: /^(generate$|tasks\.)/,
  'the local gateway': /^localGateway\./,
  requests: /^requests\./,
  'everything else': /^/,
};

/** The menus outside the views, as places. */
const menuPlaces = {
  'webview/context': 'selected text in a chat',
  'editor/title': 'editor title bar',
  'editor/context': 'menu of an editor',
  'explorer/context': 'menu of a file',
  'editor/title/context': 'menu of a tab',
  'scm/title': 'Source Control',
  'scm/resourceState/context': 'Source Control',
};

/** A table for each group of commands. Omits commands that have only a key. */
function commandTables({ commands, menus, views }, text) {
  const names = new Map(Object.values(views).flatMap((some) => some.map(({ id, name }) => [id, text(name)])));
  const createRows = (group) =>
    commands
      .filter(({ command }) => getCommandGroup(command) === group)
      .map((command) => [`*${text(command.title)}*`, listPlaces(command, menus, names).join(', ')])
      .filter(([, where]) => where !== '')
      .toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return Object.fromEntries(
    Object.keys(commandGroups).map((group) => [
      `commands of ${group}`,
      () => table(['Command', 'Where'], createRows(group)),
    ]),
  );
}

function getCommandGroup(id) {
  const name = id.replace('modelGateway.', '');
  return Object.keys(commandGroups).find((group) => commandGroups[group].test(name));
}

function listPlaces({ command, enablement = '' }, { commandPalette, ...menus }, names) {
  const isHidden = commandPalette.some((item) => item.command === command && item.when === 'false');
  // The Command Palette has no view and no source control provider.
  const isInPalette = !isHidden && !/^(view|scmProvider) == \S+$/.test(enablement);
  const inMenus = Object.entries(menus).flatMap(([menu, items]) =>
    items
      .filter((item) => item.command === command)
      .flatMap(({ when = '' }) => menuPlaces[menu] ?? viewsIn(when, names)),
  );
  return [...new Set([...(isInPalette ? ['palette'] : []), ...inMenus])];
}

/** The views that a condition names, as `view == ID`, or as several IDs in a pattern. */
function viewsIn(when, names) {
  const [, condition = missing(`menu: ${when}`)] = /\bview (?:==|=~) (\S+)/.exec(when) ?? [];
  const named = [...names].filter(([id]) => condition.includes(id.split('.')[1] ?? id));
  return named.map(([, name]) => `${name} view`);
}

/** The meaning of each `when` of a key, in the order of the table. */
const places = {
  '': 'anywhere',
  'editorTextFocus && editorHasSelection': 'an editor with a selection',
  'editorTextFocus && !editorHasSelection': 'an editor without a selection',
  'activeWebviewPanelId == modelGateway.chat': 'a chat',
  'activeWebviewPanelId == modelGateway.chat && !sideBarFocus && !panelFocus && !auxiliaryBarFocus && !terminalFocus && !inQuickOpen':
    'a chat',
  'activeWebviewPanelId == modelGateway.chat && modelGateway.chatStreaming && !inputFocus':
    'a chat, while a reply arrives',
  'activeWebviewPanelId == modelGateway.chat && modelGateway.chatComparing': 'a chat, while it compares',
  'focusedView == modelGateway.chats && !inputFocus': 'the Chats view',
  'focusedView == modelGateway.chats && !inputFocus && modelGateway.chatsDeleted':
    'the Chats view, after a deletion',
  'focusedView == modelGateway.outline && !inputFocus': 'the Chat Outline view',
  'focusedView == modelGateway.models && !inputFocus': 'the Models view',
  'focusedView == modelGateway.tasks && !inputFocus': 'the Tasks view',
  'focusedView == modelGateway.tasks && listFocus && !inputFocus': 'the Tasks view',
  'activeWebviewPanelId == modelGateway.task && modelGateway.taskPreview': 'a previewed task',
};

/** Closes an input of this extension, as users expect; it does not appear in a menu. */
const withoutTitle = 'modelGateway.closeInput';

function keysTable(bindings, title) {
  const order = Object.keys(places);
  const rows = bindings
    .filter(({ command }) => command !== withoutTitle)
    .toSorted((a, b) => order.indexOf(a.when ?? '') - order.indexOf(b.when ?? ''))
    .map(({ command, key, mac, when = '' }) => [
      keyName(key),
      mac === undefined ? keyName(key) : keyName(mac),
      `*${title(command)}*`,
      places[when] ?? missing(`key: ${when}`),
    ]);
  return table(['Key', 'On macOS', 'Command', 'Where'], rows);
}

function keyName(key) {
  const names = { escape: 'Esc' };
  const pressed = key.split(' ').map((chord) =>
    chord
      .split('+')
      .map((part) => names[part] ?? part[0].toUpperCase() + part.slice(1))
      .join('+'),
  );
  return pressed.join(' ');
}

function getTitle({ commands }, id) {
  return commands.find(({ command }) => command === id)?.title ?? missing(`command: ${id}`);
}

/** The API formats of the models of each kind of upstream. */
const formatsOfKinds = {
  'openai-compatible':
    'chat completions; responses and messages, if `formats` or `modelFormats` names them; videos with `videos` or `videoGenerations`',
  'content-generation': 'content generation; Veo videos; interactions with `interactions`',
  'cloud-platform':
    'content generation and chat completions (`google/…`), messages (partners, such as `anthropic/…`), chat completions (all others), Veo videos',
  messages: 'messages',
  responses: 'responses, also in the background',
  dashscope: 'chat completions, native video synthesis',
  ark: 'chat completions, responses, Seedance videos',
  interactions: 'interactions, also in the background, and videos',
  videos: 'video jobs only',
};

function kindsTable(kinds) {
  const rows = kinds.map(({ properties: { kind, baseUrl } }) => [
    `\`${kind.const}\``,
    formatsOfKinds[kind.const] ?? missing(`kind of upstream: ${kind.const}`),
    baseUrl.description,
  ]);
  return table(['`kind`', 'API formats', '`baseUrl`'], rows);
}

function kindFieldsTable(kinds) {
  const common = listCommonFields(kinds);
  const rows = kinds.flatMap(({ properties, required }) =>
    Object.entries(properties)
      .filter(([name]) => !common.includes(name))
      .map(([name, schema]) => [
        `\`${properties.kind.const}\``,
        `\`${name}\`${required.includes(name) ? ' (required)' : ''}`,
        schema.description,
      ]),
  );
  return table(['`kind`', 'Field', 'Meaning'], rows);
}

function listCommonFields(kinds) {
  const [first, ...others] = kinds.map(({ properties }) => Object.keys(properties));
  return first.filter((name) => others.every((names) => names.includes(name)));
}

/** `baseUrl` and `kind` are described by the table of kinds. */
function onlyFields({ properties, required }, names) {
  const wanted = names.filter((name) => name !== 'baseUrl' && name !== 'kind');
  return { properties: Object.fromEntries(wanted.map((name) => [name, properties[name]])), required };
}

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} rows
 */
function table(heads, rows) {
  // Pages omit tags that are not in code.
  const escaped = (cell) => cell.replaceAll('|', '\\|').replaceAll(/<\/?think>/g, '`$&`');
  const line = (cells) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

function read(path) {
  return readFileSync(new URL(path, root), 'utf8');
}

if (isCommand(import.meta.url)) {
  await underPinnedNode(import.meta.url, async () => {
    await step('Writing the tables of docs/', async () => {
      for (const [path, page] of await pagesWithTables()) writeFileSync(new URL(path, root), page);
    });
  });
}
