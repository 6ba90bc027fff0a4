import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titleOf } from './markdown.ts';

export type Group = 'start' | 'guides' | 'tables' | 'api';

/** A page made from a file of this repository. */
export type GuidePage = { slug: string; group: Group; file: string; title: string; source: string };

const root = join(import.meta.dirname, '..', '..');

/** The pages in the order of the navigation. */
const files: readonly (readonly [group: Group, slug: string, file: string])[] = [
  ['start', '', 'docs/guide/index.md'],
  ['start', 'start', 'docs/guide/start.md'],
  ['start', 'concepts', 'docs/guide/concepts.md'],
  ['guides', 'express', 'docs/guide/express.md'],
  ['guides', 'nextjs', 'docs/guide/nextjs.md'],
  ['guides', 'organizations', 'docs/guide/organizations.md'],
  ['guides', 'access', 'docs/guide/access.md'],
  ['guides', 'quotas', 'docs/guide/quotas.md'],
  ['guides', 'files', 'docs/guide/files.md'],
  ['guides', 'events', 'docs/guide/events.md'],
  ['guides', 'mail', 'docs/guide/mail.md'],
  ['guides', 'chat', 'docs/guide/chat.md'],
  ['guides', 'production', 'docs/guide/production.md'],
  ['tables', 'vocabulary', 'docs/events.md'],
  ['tables', 'errors', 'docs/errors.md'],
  ['tables', 'widget', 'docs/widget.md'],
  ['tables', 'client', 'sdk/README.md'],
  ['tables', 'settings', 'docs/settings.md'],
  ['tables', 'operations', 'docs/operations.md'],
  ['api', 'api', 'docs/guide/api.md'],
];

/** Reads the files. They are parts of the release, so they are read once. */
export function readGuide(): GuidePage[] {
  return files.map(([group, slug, file]) => {
    const source = readFileSync(join(root, file), 'utf8');
    return { slug, group, file, title: titleOf(source), source };
  });
}
