import { platformPermission } from '../lib/permissions.ts';
import { type Html, html } from './html.ts';

const wordings: Record<string, string> = {
  openid: 'Know that it is you',
  profile: 'See your profile: your name, picture, gender, birth date and addresses',
  email: 'See your email address and, together with your profile, your contacts',
  offline_access: 'Do all this also while you are away, until you take it back',
  'svc:read': 'Read everything in the services of the organization',
  'svc:write': 'Read and change everything in the services of the organization',
  'svc:admin': 'Do everything in the organization, its administration included',
};

/** The description of a scope for the user who grants it. */
export function describeScope(scope: string): Html {
  const known = wordings[scope] ?? platformPermission(scope)?.description;
  return known === undefined ? html`Use the permission <code>${scope}</code>` : html`${known}`;
}
