import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSettings } from '../lib/settings/variables.ts';
import { print, readUsing, runCommand } from './run-command.ts';

const usage = `Usage: npm run erasures -- FILE           saves the list of erasures of the database to FILE, also while the platform
                                          runs
       npm run erasures -- --apply FILE   repeats these erasures in a database that was restored from an older backup,
                                          before the platform starts
`;

/** The entry of `npm run erasures`. Needs the SECRET_KEY of the platform. */
async function main(): Promise<void> {
  const { file, applies, help } = readCommandLine();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  parseSettings(process.env);
  if (applies) await apply(file);
  else await save(file);
}

function readCommandLine(): { file: string; applies: boolean; help: boolean } {
  const options = { apply: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } as const;
  return readUsing(usage, () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [file = ''] = positionals;
    if (positionals.length !== 1 && !values.help) throw new Error('Name one file.');
    return { file, applies: values.apply, help: values.help === true };
  });
}

// Imported late, because these modules read the settings on load and the environment must be checked first.

async function save(file: string): Promise<void> {
  const { requireNoFile, saveList } = await import('./erasure-list.ts');
  const { withDatabase } = await import('./with-database.ts');
  requireNoFile(file);
  const count = await withDatabase((database) => saveList(file, database), { alone: false });
  print(`${count} erasures were saved to ${resolve(file)}. Keep it on another disk than the database.`);
}

async function apply(file: string): Promise<void> {
  const { applyErasures, outcomeOf } = await import('./apply-erasures.ts');
  print(outcomeOf(await applyErasures(file)));
}

await runCommand(main);
