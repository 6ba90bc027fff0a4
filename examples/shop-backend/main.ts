import { readOptions } from './options.ts';
import { openPlatform } from './platform/client.ts';
import { readConnection } from './platform/connection.ts';
import { forSending, sendAll } from './platform/send.ts';
import { print } from './print.ts';
import { openShop } from './shop/shop.ts';
import { printStories } from './stories.ts';

/** Simulates a shop, sends its events to the platform, and reads five of the resulting stories. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const connection = await readConnection(options.url, process.env);
  const client = openPlatform(connection);
  const shop = openShop(options);
  const events = forSending(shop.history, connection.tenantId);
  print(`${shop.customers.length} customers, ${events.length} events, ${options.days} days until ${options.until}.`);
  print(`The same shop again: --seed ${options.seed} --until ${options.until} --days ${options.days}`);
  const outcome = await sendAll(client, events);
  print(`${outcome.accepted} accepted, ${outcome.duplicate} already there, ${outcome.rejected.length} rejected.`);
  for (const { eventId, error, message } of outcome.rejected.slice(0, 5)) print(`  ${eventId} ${error}: ${message}`);
  await printStories(client, shop);
  if (outcome.rejected.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
