/** The scopes that a text names, each once. */
export function splitScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter(Boolean))];
}
