/** The scopes of OpenID Connect; all others are permissions of the platform or of a tenant. */
export const openidScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access'];

/** The scopes that a text names, each once. */
export function splitScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter(Boolean))];
}
