import { StartError } from '../lib/settings/start-error.ts';
import { parseSettings, type Settings } from '../lib/settings/variables.ts';
import { prestartEmbeddedServer } from '../mixins/embedded-server.ts';
import { type Arguments, allVariables, checkServiceSettings, helpPage, readArguments } from './command-line.ts';

/** Runs the command line of a node. Modules that read the settings are loaded after the settings were validated. */
export async function main(commandLine = process.argv.slice(2)): Promise<void> {
  try {
    const node = readArguments(commandLine);
    if (node.help) {
      process.stdout.write(helpPage(await allVariables()));
      return;
    }
    // The output of a command is its result, so only warnings are logged.
    if (node.command !== null) process.env.LOG_LEVEL ??= 'warn';
    const settings = parseSettings(process.env);
    await checkServiceSettings();
    if (node.console && node.services.length === 0 && !settings.NATS_URL) {
      const { runRemoteConsole } = await import('./operator/console.ts');
      return await runRemoteConsole(settings.DATA_DIR, node);
    }
    if (servesDatabase(node, settings)) prestartEmbeddedServer(settings.DATA_DIR);
    const { runNode } = await import('./run-node.ts');
    await runNode(node);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Whether this process certainly serves the embedded database: a node with selected services may not need it. */
function servesDatabase({ services, console: onlyConsole }: Arguments, { MONGO_URL }: Settings): boolean {
  return services.length === 0 && !onlyConsole && !MONGO_URL;
}
