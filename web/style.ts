import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accentStyle } from './theme.ts';

const parts = ['base.css', 'account.css', 'console.css'].map((name) =>
  readFileSync(join(import.meta.dirname, 'style', name)),
);
const bytes = Buffer.concat([...parts, Buffer.from(accentStyle())]);
const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);

/** The URL of the style sheet. It changes with the content, so that no browser shows a new page with an old style. */
export const styleHref = `/self-service/style.css?v=${version}`;

/** The style sheet of all pages. */
export const styleSheet = bytes;
