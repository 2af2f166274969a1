import type { PatchedCall } from './patchedCalls.ts';

/** The errors of the layers, in the form in which they report them. */
export const ErrorOf = {
  /** Calls that write alternate between a full disk and a broken one. */
  call({ layer, name, writes }: Pick<PatchedCall, 'layer' | 'name' | 'writes'>, nth: number): Error {
    const isFull = writes && nth % 2 === 0;
    if (layer === 'sqlite') return sqliteError(isFull);
    if (layer === 'socket') return systemError('ECONNRESET', name);
    return systemError(isFull ? 'ENOSPC' : 'EIO', name);
  },

  full({ layer, name }: Pick<PatchedCall, 'layer' | 'name'>): Error {
    return layer === 'sqlite' ? sqliteError(true) : systemError('ENOSPC', name);
  },
};

function sqliteError(isFull: boolean): Error {
  const message = isFull ? 'database or disk is full' : 'disk I/O error';
  const errcode = isFull ? 13 : 10;
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message });
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: failed by the test, ${syscall}`), { code, syscall });
}
