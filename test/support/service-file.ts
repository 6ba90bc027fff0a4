import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Writes a service `greeter` of one public action, as an operator would put it into SERVICES_DIR; gives its path. */
export function writeGreeter(folder: string, greeting: string, { started = '', stopped = '' } = {}): string {
  const file = join(folder, 'greeter.service.ts');
  writeFileSync(
    file,
    `import { z } from '${root}/node_modules/zod/index.js';
import { defineAction } from '${root}/lib/contract/define-action.ts';

const greet = defineAction({
  rest: 'GET /v1/greeting',
  summary: 'Greet',
  permission: 'public',
  input: {},
  output: z.strictObject({ greeting: z.string() }),
  handler: () => Promise.resolve({ greeting: '${greeting}' }),
});

export default { name: 'greeter', actions: { greet }, started() { ${started} }, stopped() { ${stopped} } };
`,
  );
  return file;
}
