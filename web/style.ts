import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionOf } from './script.ts';
import { accentStyle } from './theme.ts';

const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'style', name));
const bytes = Buffer.concat([...['base.css', 'account.css', 'console.css'].map(read), Buffer.from(accentStyle())]);
const inboxBytes = Buffer.concat(['inbox.css', 'inbox-thread.css', 'inbox-composer.css'].map(read));

/** The URL of the style sheet. It changes with the content, so that no browser shows a new page with an old style. */
export const styleHref = `/self-service/style.css?v=${versionOf(bytes)}`;
export const inboxStyleHref = `/self-service/inbox.css?v=${versionOf(inboxBytes)}`;

/** The style sheets: one for all pages, and an additional one for the inbox. */
export const styleSheets = [
  { path: '/self-service/style.css', bytes },
  { path: '/self-service/inbox.css', bytes: inboxBytes },
];
