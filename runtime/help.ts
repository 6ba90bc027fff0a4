import { variables } from '../lib/variables.ts';

const usage = `Usage: npm start                          all services in one process
       npm run node -- SERVICE…           a node of a pool with these services; gateway is one of them
       npx deno task node SERVICE…        the same on Deno, with the permissions of deno.json
       npm run backup -- FILE             saves the embedded database while the platform runs
       npm run backup -- --restore FILE   brings it back into an empty DATA_DIR

Options: --repl      opens a console on the node, which can load and unload services on any node:
                     platform-load worker-1 hello
         --console   opens the same console on a pool, without running a service
         --help      shows this page

Settings come from the environment, and from .env where the environment has none:
`;

/** What `--help` prints: how to start, and every setting with an example. */
export function helpPage(): string {
  const width = Math.max(...Object.keys(variables).map((name) => name.length));
  const lines = Object.entries(variables).map(([name, { about, example }]) => {
    const margin = ' '.repeat(width + 4);
    return `  ${name.padEnd(width)}  ${about}\n${margin}Example: ${example}`;
  });
  return `${usage}\n${lines.join('\n')}\n`;
}

const heading = `# Every setting of the platform with an example; what is not set has its default. Copy this file to .env, which
# npm start reads, and take the marks off what you set. The environment goes before the file.
`;

/** The text of `.env.example`. */
export function exampleEnvironment(): string {
  const entries = Object.entries(variables).map(([name, { about, example }]) => {
    return `# ${about}\n# ${name}=${/\s/.test(example) ? `"${example}"` : example}\n`;
  });
  return [heading, ...entries].join('\n');
}
