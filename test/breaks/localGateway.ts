import type { WrongPatch } from './wrongPatch.ts';

/** The callers of the local gateway. */
export const localGatewayPatches: readonly WrongPatch[] = [
  {
    promise: 'P13',
    title: 'serves a caller without a credential',
    file: 'src/localGateway/server/guard.ts',
    find: "if (!validCredential) return { ...createRefusal(401, 'credential'), group: route.group, ...expiry };",
    replace: '',
    tests: ['test/unit/localGateway/server/guard.test.ts'],
  },
  {
    promise: 'P13',
    title: 'accepts any credential of the right length',
    file: 'src/localGateway/config/gatewayCredentials.ts',
    find: 'if (bytes.length === this.#own.length && timingSafeEqual(bytes, this.#own)) return ownAccess;',
    replace: 'if (bytes.length === this.#own.length) return ownAccess;',
    tests: ['test/unit/localGateway/server/guard.test.ts'],
  },
  {
    promise: 'P13',
    title: 'accepts a valid credential next to a wrong one',
    file: 'src/localGateway/server/guard.ts',
    find: ' || credentials.some((value) => value !== credential)',
    replace: '',
    tests: ['test/unit/localGateway/server/guard.test.ts'],
  },
  {
    promise: 'P13',
    title: 'accepts requests under any host name',
    file: 'src/localGateway/server/guard.ts',
    find: '!isOwnHost(headers.hosts, head.localPort)',
    replace: 'false',
    tests: ['test/unit/localGateway/server/guard.test.ts'],
  },
  {
    promise: 'P13',
    title: 'accepts requests of web pages',
    file: 'src/localGateway/server/guard.ts',
    find: "if (headers.hasOrigin) return { ...createRefusal(403, 'origin'), ...authentication };",
    replace: '',
    tests: ['test/unit/localGateway/server/guard.test.ts'],
  },
];
