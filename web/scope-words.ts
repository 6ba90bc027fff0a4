import { isSystemPermission, platformPermission } from '../lib/contract/permissions.ts';
import { type Html, html } from './html.ts';
import { texts } from './texts.ts';

/** The description of a scope for the user who grants it. */
export function describeScope(scope: string): Html {
  const { known, other } = texts().scopes;
  const wordings: Record<string, string | undefined> = known;
  const words = wordings[scope] ?? permissionWords(scope, platformPermission(scope)?.description);
  return words === undefined ? other(scope) : html`${words}`;
}

/** Describes a permission: one of the platform's in the language of the page, another one as it was declared. */
export function permissionWords<D extends string | undefined>(key: string, declared: D): string | D {
  return isSystemPermission(key) ? texts().permissions[key] : declared;
}

/** The name of a group of permissions; a namespace of an organization is its own name. */
export function permissionGroupName(namespace: string): string {
  const known: Record<string, string | undefined> = texts().permissionGroups;
  return Object.hasOwn(known, namespace) ? (known[namespace] ?? namespace) : namespace;
}
