// Resolves the module `vscode` to the stand-in, for tests and for the bundle of the extension.
import { registerHooks } from 'node:module';

const standIn = new URL('vscode.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: standIn, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
});

/** Ends the extension after the last test, as VS Code does: its open handles would keep the process alive. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    const { deactivate } = await import('./extension.ts');
    await deactivate();
  },
};
