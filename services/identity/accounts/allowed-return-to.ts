import { originOfReturnTo } from '../../../lib/return-to.ts';
import { settings } from '../../../lib/settings.ts';
import { OAuthClientModel } from '../../../models/identity/oauth-client.ts';

/** Whether a browser may be sent there: to the platform itself, or to an origin that an OAuth client has registered. */
export async function isAllowedReturnTo(url: string): Promise<boolean> {
  const origin = originOfReturnTo(url, settings.PUBLIC_URL);
  if (origin === null) return false;
  if (origin === new URL(settings.PUBLIC_URL).origin) return true;
  const registered = OAuthClientModel.exists({ redirectOrigins: origin });
  return (await registered.setOptions({ acrossTenants: true })) !== null;
}
