/** What `dist/maths.js` exports: a bundle of its own, half as large as all the rest of the page. */
type Maths = typeof import('../maths/formulaTree.ts');

let loaded: Maths | undefined;
let isLoading = false;

/** What reads formulas, once it has been loaded. */
export function loadedMaths(): Maths | undefined {
  return loaded;
}

/**
 * Loads the library. Only the first call does; where that fails, formulas stay as they were written.
 *
 * @param onLoad called once: what it does is for all formulas that wait
 */
export function loadMaths(onLoad: () => void): void {
  if (isLoading) return;
  isLoading = true;
  void importMaths().then(onLoad);
}

async function importMaths(): Promise<void> {
  const address = new URL('./maths.js', import.meta.url).href;
  loaded = await (import(address) as Promise<Maths>).catch(() => undefined);
}
