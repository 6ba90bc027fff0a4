import { platformPermission } from '../lib/contract/permissions.ts';
import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** The description of a scope for the user who grants it. */
export function describeScope(scope: string): Html {
  const { known, other } = texts().scopes;
  const wordings: Record<string, string | undefined> = known;
  const words = wordings[scope] ?? platformPermission(scope)?.description;
  return words === undefined ? other(scope) : html`${words}`;
}
