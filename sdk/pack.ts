import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `npm run pack -w sdk [folder]`: compiles the client and packs it with its README and license, as a package that needs no
 * other. It uses no network.
 */
const folder = import.meta.dirname;
const root = join(folder, '..');

/** Packs the client into a folder, and returns the path of the archive. */
export function packSdk(destination: string): string {
  const stage = mkdtempSync(join(tmpdir(), 'platform-sdk-'));
  try {
    compileSdk(join(stage, 'dist'));
    cpSync(join(folder, 'README.md'), join(stage, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
    const printed = run('npm', ['pack', '--json', '--pack-destination', resolve(destination)], stage);
    const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
    return join(resolve(destination), filename);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Writes the JavaScript and the declarations into a folder. */
export function compileSdk(destination: string): void {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [compiler, '-p', folder, '--outDir', destination], root);
  // The compiler leaves the names of sources in declarations.
  for (const name of readdirSync(destination)) {
    const file = join(destination, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}

/** The manifest without the fields that only the repository uses. */
function publishedManifest(): object {
  const {
    private: _,
    devDependencies,
    scripts,
    exports: __,
    ...manifest
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { ...manifest, exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, files: ['dist'] };
}

function run(program: string, args: string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

if (import.meta.main) process.stdout.write(`${packSdk(process.argv[2] ?? '.')}\n`);
