/** Whether a host name, as a URL spells it, stands for this machine itself (RFC 6761). No name server is asked. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}
