/** Why a request is given up whose reply did not begin in time. */
export class FirstByteLimit extends Error {
  override readonly name = 'FirstByteLimit';
}
