import { existsSync } from 'node:fs';

// Node's --env-file-if-exists prints a line when there is no file. On Deno, its option --env-file reads the file.
if (!('Deno' in globalThis) && existsSync('.env')) process.loadEnvFile('.env');
