import { StartError } from '../lib/start-error.ts';
import { parseSettings, SettingsError } from '../lib/variables.ts';
import { readArguments } from './arguments.ts';
import { helpPage } from './help.ts';

/** Does what the command line of a node asks for. What depends on the settings is loaded once they are known to be right. */
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
