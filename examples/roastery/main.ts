import '../../runtime/env-file.js';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFirstRun } from '../shop-backend/platform/connection.ts';
import { print } from '../shop-backend/print.ts';
import { openOrganization } from './organization.ts';
import { seedRoastery } from './seed.ts';

const usage = `Usage: npm run seed                             fills the first organization of the platform that runs on DATA_DIR
                                                with the business of a coffee roastery, to look around in
       npm run seed -- --url ADDRESS --key KEY  fills the organization of this API key, which has the scope svc:admin
       --mailbox ADDRESS                        with the token, as the start prints it: members accept their invitations
                                                there; without --url it is the one of this machine
A repeated run adds only what is missing. It is for a platform in development: with a mail server configured, it
mails invitations and notices to addresses of example.com.`;

/** The entry of `npm run seed`. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { url: text, key: text, mailbox: text, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return print(usage);
  const { url, key } = await addressOf(values.url, values.key);
  const organization = await openOrganization(url, key);
  const mailbox = values.mailbox ?? (values.url === undefined ? await localMailbox() : null);
  const { steps, customerIds, token, password } = await seedRoastery(organization, mailbox);
  print();
  for (const { what, total, added, where } of steps) {
    print(`${`${total} ${what}`.padEnd(20)}${`${added} new`.padEnd(10)}${where}`);
  }
  print();
  print(`${customerIds.length} customers; the first: ${organization.console}/customers/${customerIds[0]}`);
  if (password !== null) print(`Password of the new members, shown once: ${password}`);
  if (token !== null) print(`API key of the shop, shown once: ${token}`);
  print('The invitations and mails are in the mailbox; its address is printed at each start of the platform.');
}

/** Completes the address and the key from `first-run.json`, which the platform writes to DATA_DIR. */
async function addressOf(url: string | undefined, key: string | undefined): Promise<{ url: string; key: string }> {
  const { DATA_DIR = './data' } = process.env;
  const file = join(DATA_DIR, 'first-run.json');
  const firstRun =
    url && key ? {} : await readFirstRun(file).catch(() => ({ publicUrl: undefined, apiKey: undefined }));
  const [address, apiKey] = [url ?? firstRun.publicUrl, key ?? firstRun.apiKey];
  if (!address || !apiKey)
    throw new Error(`Start the platform first, or name --url and --key: ${file} cannot be read.`);
  return { url: address.replace(/\/+$/, ''), key: apiKey };
}

/** The mailbox of the platform of this machine, which has the same settings; null where it sends mail. */
async function localMailbox(): Promise<string | null> {
  const { isMailboxInUse, mailboxLink } = await import('../../web/mailbox-page.ts');
  return isMailboxInUse() ? mailboxLink() : null;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
