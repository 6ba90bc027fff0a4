import { parseArgs } from 'node:util';
import { connectOptionsFor } from '../lib/settings/mongo-url.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { parseSettings, type Settings } from '../lib/settings/variables.ts';
import { databaseFolder } from '../mixins/embedded-server.ts';
import { print, readUsing, runCommand } from './run-command.ts';

const usage = `Usage: npm run rotate-keys                        makes a new signing key, also while the platform runs
       npm run rotate-keys -- --lead-seconds 60   seconds for which it is published before it signs
`;
const defaultLead = '60';
const maxLead = 24 * 3600;

/** The entry of `npm run rotate-keys`. Needs the database and the SECRET_KEY of the platform whose keys it rotates. */
async function main(): Promise<void> {
  const { leadSeconds, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  const url = await databaseUrl(parseSettings(process.env));
  // Imported late, because these modules read the settings on load and the environment must be checked first.
  const { default: mongoose } = await import('mongoose');
  const { requireSecretKey } = await import('./check-database.ts');
  const { rotateSigningKeys } = await import('../services/identity/oauth/signing-keys.ts');
  await mongoose.connect(url, connectOptionsFor(url));
  try {
    await requireSecretKey();
    const { _id, signsFrom } = await rotateSigningKeys(leadSeconds);
    print(`The key ${_id} is published from now on, and signs from ${signsFrom.toISOString()} on.`);
  } finally {
    await mongoose.disconnect();
  }
}

function readCommandLine(): { leadSeconds: number; help: boolean } {
  const options = {
    'lead-seconds': { type: 'string', default: defaultLead },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  return readUsing(usage, () => {
    const { values } = parseArgs({ options });
    const text = values['lead-seconds'];
    const leadSeconds = Number(text);
    const isLead = /^\d+$/.test(text) && leadSeconds <= maxLead;
    if (!isLead) throw new Error(`--lead-seconds is a whole number up to ${maxLead}.`);
    return { leadSeconds, help: values.help };
  });
}

async function databaseUrl({ MONGO_URL, DATA_DIR }: Settings): Promise<string> {
  if (MONGO_URL) return MONGO_URL.reveal();
  const { findEmbeddedMongo } = await import('../embedded/mongo/index.ts');
  const url = await findEmbeddedMongo(databaseFolder(DATA_DIR));
  if (url) return url;
  throw new StartError(`No platform runs on ${DATA_DIR}. Start it first, or set MONGO_URL to its database.`);
}

await runCommand(main);
