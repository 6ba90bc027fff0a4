const ipv4 = /^127(?:\.\d{1,3}){3}$/;

/** Whether a socket's address is on the loopback interface: 127.0.0.0/8 or ::1, also IPv4-mapped. */
export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || ipv4.test(address.replace(/^::ffff:/i, ''));
}

/** Whether the host name of a URL (`URL.hostname`) is loopback: `localhost`, 127.0.0.0/8 or `[::1]`, and no other name. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || ipv4.test(hostname);
}

/** Whether the host of a `Host` header is loopback, with or without a port; see {@link isLoopbackHost}. */
export function isLoopbackHostHeader(host: string | undefined): boolean {
  if (host === undefined || !/^[a-z0-9.:[\]-]+$/i.test(host)) return false;
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopbackHost(url.hostname);
}

/**
 * A URL with a loopback IP address as its host, without its port and otherwise unchanged; null for any other URL. Such
 * URLs match with every port (RFC 8252 section 7.3).
 */
export function withoutLoopbackPort(url: string): string | null {
  const [, start, rest = ''] = /^(http:\/\/(?:[\d.]+|\[[\da-f:.]+\]))(?::\d+)?([/?].*)?$/i.exec(url) ?? [];
  if (start === undefined || !URL.canParse(url)) return null;
  return isLoopbackHost(new URL(url).hostname) ? start + rest : null;
}
