import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `act` while another program holds each file during the first two attempts to rename it, as on Windows. */
export async function runWithHeldFiles<Result>(act: () => Promise<Result>): Promise<Result> {
  const { rename } = fs;
  let heldCount = 0;
  fs.rename = async (from, to) => {
    heldCount += 1;
    if (heldCount <= 2) throw Object.assign(new Error('EBUSY: held by the test'), { code: 'EBUSY' });
    await rename(from, to);
  };
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    fs.rename = rename;
    syncBuiltinESMExports();
  }
}
