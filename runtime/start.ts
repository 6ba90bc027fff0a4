import { StartError } from '../lib/start-error.ts';
import { parseSettings, SettingsError } from '../lib/variables.ts';
import { readArguments } from './arguments.ts';
import { helpPage } from './help.ts';

/** The entry of every node. What depends on the settings is loaded once they are known to be right. */
async function main(): Promise<void> {
  const { help, ...node } = readArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(helpPage());
    return;
  }
  parseSettings(process.env);
  const { runNode } = await import('./run-node.ts');
  await runNode(node);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartError || error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
