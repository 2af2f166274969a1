/** The exports of `dist/maths.js`, a separate bundle that is half as large as the rest of the page. */
type Maths = typeof import('../maths/formulaTree.ts');

let loaded: Maths | undefined;
let isLoading = false;

/** The library that reads formulas, after it has been loaded. */
export function loadedMaths(): Maths | undefined {
  return loaded;
}

/**
 * Loads the library on the first call only. If loading fails, formulas are still shown as source.
 *
 * @param onLoad called once, and updates all waiting formulas
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
