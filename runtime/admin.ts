import { parseArgs } from 'node:util';
import { parseSettings } from '../lib/settings/variables.ts';
import { main } from './main.ts';
import { readUsing, runCommand } from './run-command.ts';

const usage = `Usage: npm run admin                      gives the first user (ADMIN_EMAIL) a new password, and shows it
       npm run admin -- --email ADDRESS   gives it to the user who logs in with this address
The platform must be running. The user's sessions end.
`;

/** The entry of `npm run admin`: a new password for an operator who has lost first-run.json. */
async function resetPassword(): Promise<void> {
  const { email, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  await main(['-c', `identity:new-password ${email ?? parseSettings(process.env).ADMIN_EMAIL}`, '--yes']);
}

function readCommandLine(): { email: string | undefined; help: boolean } {
  const options = { email: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } } as const;
  return readUsing(usage, () => {
    const { email, help } = parseArgs({ options }).values;
    if (email !== undefined && !/^[^\s"'\\]+@[^\s"'\\]+$/.test(email)) throw new Error('--email is an email address.');
    return { email, help };
  });
}

await runCommand(resetPassword);
