import { send } from '../../support/http.ts';
import { mailboxCookie } from '../../support/mailbox.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

/** The tokens of the links mailed to an address, the oldest first, as one reads them in the development mailbox. */
export async function tokensMailedTo(address: string, count = 1): Promise<string[]> {
  const platform = await sharedPlatform();
  const databaseUrl = await databaseUrlOf(platform);
  const ids = await eventually(async () => {
    const found = await withDatabase(databaseUrl, (database) =>
      database.collection<{ _id: string }>('mail_messages').find({ to: address }).sort({ _id: 1 }).toArray(),
    );
    if (found.length !== count) throw new Error(`${address} has ${found.length} mails in place of ${count}.`);
    return found.map(({ _id }) => _id);
  });
  const headers = { cookie: mailboxCookie(platform) };
  const pages = await Promise.all(ids.map((id) => send(platform.url, { path: `/dev/mailbox/${id}`, headers })));
  return pages.map(({ text }) => /invitations\/accept\?token=([\w-]+)/.exec(text)?.[1] ?? '');
}
