import { createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The token of the mailbox for development that the start of a platform prints, by the key in its folder. */
export function mailboxToken({ dataDir }: { dataDir: string }): string {
  const secret = readFileSync(join(dataDir, 'secret-key'), 'utf8');
  const key = Buffer.from(hkdfSync('sha256', secret, 'platform', 'web.mailbox', 32));
  return createHmac('sha256', key).update('token').digest('base64url');
}

/** The cookie of a browser that has opened the mailbox. */
export const mailboxCookie = (platform: { dataDir: string }): string => `platform_mailbox=${mailboxToken(platform)}`;
