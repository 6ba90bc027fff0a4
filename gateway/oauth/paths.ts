/** Where everything of OAuth lies, exactly so. */
const mount = '/oauth2';
/** Where RFC 8414 section 3.1 has the discovery document of an issuer with a path. */
const wellKnown = '/.well-known/oauth-authorization-server/oauth2';
const discovery = '/oauth2/.well-known/openid-configuration';

/**
 * What a path takes. Programs ask for those that are shared, pages of other origins among them; browsers go to others.
 * What is public takes no credential.
 */
export type Path = { pattern: string; methods: string[]; isShared: boolean; isPublic: boolean };

const get = ['GET', 'HEAD'];

const browser = { isShared: false, isPublic: false };
const program = { isShared: true, isPublic: false };
const open = { isShared: true, isPublic: true };

const paths: Record<string, Omit<Path, 'pattern'>> = {
  '/oauth2/auth': { methods: [...get, 'POST'], ...browser },
  '/oauth2/token': { methods: ['POST'], ...program },
  '/oauth2/userinfo': { methods: [...get, 'POST'], ...program },
  '/oauth2/introspect': { methods: ['POST'], ...program },
  '/oauth2/revoke': { methods: ['POST'], ...program },
  '/oauth2/session/end': { methods: get, ...browser },
  '/oauth2/session/end/confirm': { methods: ['POST'], ...browser },
  '/oauth2/session/end/success': { methods: get, ...browser },
  '/oauth2/.well-known/jwks.json': { methods: get, ...open },
  '/oauth2/.well-known/oauth-authorization-server': { methods: get, ...open },
  [discovery]: { methods: get, ...open },
};

const resumption = /^\/oauth2\/auth\/[\w-]{1,100}$/;
const interaction = /^\/oauth2\/interaction\/([\w-]{1,100})$/;

/** Whether a path is answered here, and not by a service. */
export function isOAuthPath(path: string): boolean {
  return path === mount || path.startsWith(`${mount}/`) || path === wellKnown;
}

/** The path under which the provider has what is asked for. */
export function canonicalPath(path: string): string {
  return path === wellKnown ? discovery : path;
}

/** What there is at a path, as it is written: the provider alone would take any case, and a slash behind; null: nothing. */
export function findPath(path: string): Path | null {
  const known = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (known) return { pattern: path, ...known };
  if (resumption.test(path)) return { pattern: '/oauth2/auth/:uid', methods: get, ...browser };
  if (interactionOf(path) === null) return null;
  return { pattern: '/oauth2/interaction/:uid', methods: [...get, 'POST'], ...browser };
}

/** The authorization whose user is asked at a path; null for any other path. */
export function interactionOf(path: string): string | null {
  return interaction.exec(path)?.[1] ?? null;
}

/** The part of an address that the provider, mounted here, looks at. */
export function belowMount(url: string): string {
  return url.slice(mount.length);
}
