import type { WrongPatch } from './wrongPatch.ts';

/** Text of a model or a gateway, in the pages and in VS Code. */
export const untrustedTextPatches: readonly WrongPatch[] = [
  {
    promise: 'P4',
    title: 'opens links in a reply that run commands',
    file: 'src/webview/markdown/linkTargets.ts',
    find: 'const openable = /^(?:https?:\\/\\/|mailto:)/i;',
    replace: 'const openable = /^(?:https?:\\/\\/|mailto:|command:)/i;',
    tests: ['test/unit/webview/linkTargets.test.ts'],
  },
  {
    promise: 'P4',
    title: 'shows a link that runs a command in a notification',
    file: 'src/host/kit/display/plainText.ts',
    find: "return text.replaceAll('](', '] (').replaceAll('$(', '$ (');",
    replace: "return text.replaceAll('$(', '$ (');",
    tests: ['test/unit/host/plainText.test.ts'],
  },
  {
    promise: 'P4',
    title: 'lets formulas contain links and pictures',
    file: 'src/webview/maths/formulaTree.ts',
    find: 'trust: false',
    replace: 'trust: true',
    tests: ['test/unit/webview/maths.test.ts'],
    grep: 'is rejected with',
  },
  {
    promise: 'P4',
    title: 'loads the images of a reply',
    file: 'src/webview/markdown/tokenElements.ts',
    find: "const chip = createElement('span', 'image-chip', { title: t('Image not loaded: {0}', source) });",
    replace:
      "const chip = createElement('span', 'image-chip');\n" +
      "  chip.append(createElement('img', '', { src: source }));",
    tests: ['test/ui/page/hostile.test.ts'],
    grep: 'do not create elements that load or run anything',
  },
];
