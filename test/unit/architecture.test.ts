import { readdirSync, readFileSync, statSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { trackedFiles } from '../support/tracked-files.ts';

const root = join(import.meta.dirname, '..', '..');
const tracked = trackedFiles();
const sources = tracked.filter((file) => file.endsWith('.ts') && !/^(test|bench|examples)\//.test(file));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The names of a service's mixins, in their order. */
function mixinsOf(file: string): string[] {
  const [, list = ''] = /^ {2}mixins: \[(.*?)\],?$/ms.exec(textOf(file)) ?? [];
  // Their arguments go, the innermost first.
  let names = list.replace(/\/\/.*$/gm, '');
  while (/\([^()]*\)/.test(names)) names = names.replace(/\([^()]*\)/g, '');
  return names.split(',').flatMap((name) => name.trim().split(/\s/)[0] || []);
}

/** What a source imports, statically or not: files from the root's view, packages by name. */
function importsOf(file: string): string[] {
  const found = textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map(([, name]) =>
    name!.startsWith('.') ? relative(root, join(root, dirname(file), name!)) : name!,
  );
}

/** What the runtime loads together with a source: its static imports without those of types. */
function loadedWith(file: string): string[] {
  const found = stripTypeScriptTypes(textOf(file)).matchAll(/^(?:import|export)\s(?:[^';]*\sfrom\s)?\s*'([^']+)'/gm);
  return [...found].map(([, name]) =>
    name!.startsWith('.') ? relative(root, join(root, dirname(file), name!)) : name!,
  );
}

/** The imports below `folder` that `isAllowed` refuses, each with its file. */
function strayImports(folder: string, isAllowed: (imported: string, file: string) => boolean): string[] {
  const files = sources.filter((file) => file.startsWith(folder));
  expect(files).not.toEqual([]);
  return files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !isAllowed(imported, file))
      .map((imported) => `${file} imports ${imported}`),
  );
}

const isPackage = (imported: string): boolean => !imported.includes('.ts');
const isOneOf =
  (...folders: string[]) =>
  (imported: string): boolean =>
    isPackage(imported) || folders.some((folder) => imported.startsWith(folder));

/** What a service with a listener of its own needs of the kernel. */
const listenerFiles = ['http/site-service.ts', 'http/health.ts'];

describe('the house', () => {
  test('lets a service import its own files and models, mixins, the library, and a listener of its own', () => {
    const stray = strayImports('services/', (imported, file) => {
      const own = file.split('/')[1];
      return isOneOf(
        `services/${own}/`,
        `models/${own}/`,
        'messaging/',
        'web/',
        'widget/',
        'mixins/',
        'lib/',
        ...listenerFiles,
      )(imported);
    });
    expect(stray).toEqual([]);
  });

  test.each([
    ['lib/', ['lib/']],
    ['models/', ['models/', 'messaging/', 'lib/']],
    ['messaging/', ['messaging/', 'web/', 'mixins/', 'lib/']],
    ['embedded/', ['embedded/']],
    ['mixins/', ['mixins/', 'lib/', 'embedded/']],
    ['http/', ['http/', 'web/', 'mixins/', 'lib/']],
    ['web/', ['web/', 'lib/']],
    ['widget/', ['widget/', 'web/']],
    ['sdk/src/', ['sdk/src/']],
    ['gateway/', ['gateway/', 'http/', 'web/', 'widget/', 'mixins/', 'lib/']],
  ])('lets %s import nothing above it', (folder, allowed) => {
    expect(strayImports(folder, isOneOf(...allowed))).toEqual([]);
  });

  test('keeps the fold of stories pure', () => {
    const pure = new Set([
      'lib/data/exact-json.ts',
      ...['capitalize', 'email-address', 'graphemes', 'language', 'phone-number'].map(
        (name) => `lib/format/${name}.ts`,
      ),
    ]);
    const stray = strayImports(
      'services/context/story/',
      (imported) => imported.startsWith('services/context/story/') || pure.has(imported),
    );
    expect(stray).toEqual([]);
    const files = sources.filter((file) => file.startsWith('services/context/story/'));
    expect(files.filter((file) => /\bnow\(|Date\.now|new Date\(\)|Math\.random/.test(textOf(file)))).toEqual([]);
  });

  test('lists the database behind what works with it, so that it starts before and closes after', () => {
    const lists = tracked
      .filter((file) => file.endsWith('.service.ts'))
      .map((file) => ({ file, list: mixinsOf(file) }));
    const opens = (mixin: string) => mixin.startsWith('mongo') && mixin !== 'mongoIndexes';
    const withDatabase = lists.filter(({ list }) => list.some(opens));
    expect(withDatabase.length).toBeGreaterThan(8);
    const stray = withDatabase.filter(({ list }) => {
      const others = list.slice(list.findIndex(opens) + 1);
      return !others.every((mixin) => mixin === 'siteService');
    });
    expect(stray).toEqual([]);
  });

  test('takes the ids and secrets of what an idempotent action makes from its operation', () => {
    const idempotent = sources.filter((file) => /^ {2}idempotent: \{/m.test(textOf(file)));
    expect(idempotent).not.toEqual([]);
    const own = /\bnewId\(|\bnew(?:ApiKey|Random)Token\(|\brandom(?:Bytes|UUID)\(/;
    const stray = idempotent.filter((file) => own.test(textOf(file).replaceAll('operation.newId(', '')));
    expect(stray).toEqual([]);
  });

  test('reads the environment where settings are read, and nowhere else', () => {
    // A thread is told where compiled code is kept.
    const allowed = [
      'lib/settings/settings.ts',
      'lib/settings/define-settings.ts',
      'lib/concurrency/worker-thread.ts',
      // In the samples that it writes.
      'gateway/docs/samples.ts',
      'runtime/',
      // Samples for readers, as text.
      'services/identity/pages/console/applications-quickstart.ts',
    ];
    const readers = sources.filter((file) => /\bprocess\.env\b/.test(textOf(file)));
    expect(readers.filter((file) => !allowed.some((place) => file.startsWith(place)))).toEqual([]);
  });

  test('loads packages of rare use only when they are used', () => {
    const imported = new Set(['runtime/run-node.ts', ...sources.filter((file) => file.endsWith('.service.ts'))]);
    // The iteration visits files that are added during it.
    for (const file of imported) {
      if (isPackage(file) || !sources.includes(file)) continue;
      for (const name of loadedWith(file)) imported.add(name);
    }
    expect(imported.size).toBeGreaterThan(400);
    const rare =
      /^(?:minio|nats|ioredis|stripe|oidc-provider|pdfkit|harfbuzzjs|bidi-js|liquidjs|mjml|html-to-text|nodemailer|sharp|libphonenumber-js|marked|minisearch)/;
    expect([...imported].filter((name) => rare.test(name))).toEqual([]);
  });

  test('opens HTTP listeners in the kernel, and nowhere else', () => {
    const openers = sources.filter((file) => /\bcreateServer\b/.test(textOf(file)));
    // Those that speak another protocol.
    const others = ['embedded/mongo/server.ts', 'runtime/operator/socket.ts'];
    expect(openers.filter((file) => !others.includes(file))).toEqual(['http/listener.ts']);
  });

  test('names the actions of a service once: the types of calls are written by npm run generate alone', () => {
    const services = sources.filter((file) => file.startsWith('services/'));
    const declaring = services.filter((file) => /^\s*interface Calls\b/m.test(textOf(file)));
    expect(declaring.filter((file) => !file.endsWith('/calls.ts'))).toEqual([]);
    expect(declaring.length).toBeGreaterThanOrEqual(8);
  });

  test('leaves no unfinished work and no test that does not run', () => {
    const marks = /\b(?:TODO|FIXME|XXX)\b|\b(?:test|describe)\.(?:skip|only|todo)\b|\bx(?:it|test|describe)\(/;
    const marked = tracked.filter((file) => /\.(ts|js|md)$/.test(file) && file !== 'test/unit/architecture.test.ts');
    expect(marked.filter((file) => marks.test(textOf(file)))).toEqual([]);
  });

  test('names no folder of a machine', () => {
    const text = tracked.filter((file) => /\.(ts|js|json|md|yml|yaml)$|^\.ci\//.test(file));
    const folder = new RegExp(`/(?:home|root|Users|${'work'})/[a-z]`);
    expect(text.filter((file) => folder.test(textOf(file)))).toEqual([]);
  });

  test('holds no large file', () => {
    const large = tracked.filter((file) => statSync(join(root, file)).size > 300_000);
    expect(large.filter((file) => !file.endsWith('package-lock.json') && file !== 'sdk/src/api.ts')).toEqual([]);
  });
});

/** The packages that the platform is built on. Jest runs the tests; each other one is imported where it is used. */
const mission = 'moleculer moleculer-web nats mongoose mongodb zod jose ioredis minio sharp node-cron jest'.split(' ');

test('the platform is built on the packages of its mission', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json'));
  const present = Object.keys({ ...dependencies, ...devDependencies });
  expect(mission.filter((name) => !present.includes(name))).toEqual([]);
  const code = sources.map(textOf).join('\n');
  const isImported = (name: string) => new RegExp(`\\bfrom '${name}(?:/[^']*)?'|import\\('${name}'\\)`).test(code);
  expect(mission.filter((name) => name !== 'jest' && !isImported(name))).toEqual([]);
});

describe.each(['package.json', 'bench/package.json', 'sdk/package.json'])('%s', (file) => {
  const manifest = JSON.parse(textOf(file)) as Record<string, Record<string, string> | undefined>;

  test('has at most twenty scripts', () => {
    expect(Object.keys(manifest.scripts ?? {}).length).toBeLessThanOrEqual(20);
  });

  test('names exact versions', () => {
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const versions = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

describe('the documents', () => {
  const index = textOf('docs/decisions/README.md');
  const headings = ['Context', 'Decision', 'Consequences'];

  test('have an index of all decisions', () => {
    const pages = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
    const listed = [...index.matchAll(/\]\((\d{4}-[a-z0-9-]+\.md)\)/g)];
    expect(listed.map(([, name]) => name)).toEqual(pages.sort());
  });

  test.each(tracked.filter((file) => /^docs\/decisions\/\d{4}-/.test(file)))(
    'have in %s at most 400 words, the headings of a decision, and its title in the index',
    (page) => {
      const text = textOf(page);
      const [, number, title] = /^# (\d{4}) (.+)\n/.exec(text) ?? [];
      const [, listed] =
        new RegExp(`^\\| \\[${number}\\]\\(${basename(page)}\\) +\\| (.+?) +\\|`, 'm').exec(index) ?? [];
      expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(400);
      expect([...text.matchAll(/^#{2,} (.+)$/gm)].map(([, heading]) => heading)).toEqual(headings);
      expect(basename(page).slice(0, 4)).toBe(number);
      expect(listed).toBe(title);
    },
  );

  test('point to files that exist', () => {
    const pages = tracked.filter((file) => file.endsWith('.md'));
    const links = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => join(dirname(page), link!)),
    );
    expect(links).not.toEqual([]);
    expect(links.filter((link) => !statSync(join(root, link), { throwIfNoEntry: false }))).toEqual([]);
  });

  test('name in docs/glossary.md files and folders that exist', () => {
    const paths = [...textOf('docs/glossary.md').matchAll(/`([a-z]+\/[^`]*?(?:\.ts|\/))`/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !statSync(join(root, path), { throwIfNoEntry: false }))).toEqual([]);
  });

  test('have a front page of at most 900 words', () => {
    expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
  });

  test('have the licence that package.json names', () => {
    expect(textOf('LICENSE')).toMatch(/Apache License\s+Version 2\.0/);
    expect(JSON.parse(textOf('package.json'))).toMatchObject({ license: 'Apache-2.0' });
  });
});
