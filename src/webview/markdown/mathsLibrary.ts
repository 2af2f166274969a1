/** What `dist/maths.js` exports: a bundle of its own, half as large as all the rest of the page. */
type Maths = typeof import('../maths/formulaTree.ts');

let loaded: Maths | undefined;
let loading: Promise<void> | undefined;

/** What reads formulas, once it has been loaded. */
export function loadedMaths(): Maths | undefined {
  return loaded;
}

/** Loads what reads formulas. Only the first call does; where that fails, formulas stay as they were written. */
export function loadMaths(): Promise<void> {
  loading ??= importMaths();
  return loading;
}

async function importMaths(): Promise<void> {
  const address = new URL('./maths.js', import.meta.url).href;
  loaded = await (import(address) as Promise<Maths>).catch(() => undefined);
}
