import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../lib/settings/settings.ts';

/** The addresses to open once a node is ready, and how the first user logs in, for the person who started it. */
export async function renderWelcome(services: string[]): Promise<string> {
  const { PUBLIC_URL } = settings;
  const rows = [
    ['Console', `${PUBLIC_URL}/console`],
    ['API docs', `${PUBLIC_URL}/docs`],
    ...(await mailboxRow(services)),
    ...loginRow(),
  ];
  return `\n${rows.map(([name = '', value]) => `  ${name.padEnd(10)}${value}\n`).join('')}\n`;
}

/** The development mailbox, which only this node knows to be in use where it delivers mail itself. */
async function mailboxRow(services: string[]): Promise<string[][]> {
  if (!services.includes('mail')) return [];
  const { isMailboxInUse, mailboxLink } = await import('../web/mailbox-page.ts');
  return isMailboxInUse() ? [['Mailbox', mailboxLink()]] : [];
}

/**
 * Names the file of the first password, which no longer has it once the user has another. Nothing once the file is
 * deleted, or where another node did the first run.
 */
function loginRow(): string[][] {
  const file = join(settings.DATA_DIR, 'first-run.json');
  try {
    const first = JSON.parse(readFileSync(file, 'utf8')) as { adminEmail: string; adminPassword?: string };
    const how =
      first.adminPassword === undefined ? 'npm run admin gives a new password' : `with the password in ${file}`;
    return [['Log in', `as ${first.adminEmail}, ${how}`]];
  } catch {
    return [];
  }
}
