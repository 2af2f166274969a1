import type { WrongPatch } from './wrongPatch.ts';

/** Proxies on the way to a gateway. */
export const networkPatches: readonly WrongPatch[] = [
  {
    promise: 'P14',
    title: 'ignores the proxy of the environment',
    file: 'src/host/connection/proxySettings.ts',
    find: "typeof proxy === 'string' && proxy.trim() !== '' ? proxy : findProxyVariable(env)?.value;",
    replace: "typeof proxy === 'string' && proxy.trim() !== '' ? proxy : undefined;",
    tests: ['test/unit/host/proxySettings.test.ts'],
  },
  {
    promise: 'P14',
    title: 'uses the proxy for addresses that are exceptions',
    file: 'src/host/connection/proxySettings.ts',
    find: 'return address && !isExcepted(new URL(origin), noProxy, env) ? readProxyHost(address) : undefined;',
    replace: 'return address ? readProxyHost(address) : undefined;',
    tests: ['test/unit/host/proxySettings.test.ts'],
  },
  {
    promise: 'P14',
    title: 'connects without the configured proxy',
    file: 'src/client/transports/nodeHttpsTransport.ts',
    find: 'this.#requiredProxy !== undefined && this.#proxy === undefined && !this.#request.reusedSocket;',
    replace: 'false;',
    tests: ['test/contract/clientNetwork.test.ts'],
    grep: 'when no transport goes through the configured proxy',
  },
  {
    promise: 'P14',
    title: 'ends the connection while the user types the password of the proxy',
    file: 'src/client/requestTimeouts.ts',
    find: 'this.#phaseAt += now - this.#proxyLoginSince;',
    replace: '',
    tests: ['test/unit/client/requestTimeouts.test.ts'],
    grep: 'is paused while VS Code asks for the credentials of a proxy',
  },
];
