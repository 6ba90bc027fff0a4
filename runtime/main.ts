import { StartError } from '../lib/start-error.ts';
import { parseSettings, SettingsError } from '../lib/variables.ts';
import { readArguments } from './arguments.ts';
import { helpPage } from './help.ts';

/** Runs the command line of a node. Modules that read the settings are loaded after the settings were validated. */
export async function main(): Promise<void> {
  try {
    const { help, ...node } = readArguments(process.argv.slice(2));
    if (help) {
      process.stdout.write(helpPage());
      return;
    }
    parseSettings(process.env);
    const { runNode } = await import('./run-node.ts');
    await runNode(node);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
