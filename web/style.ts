import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { versionOf } from './script.ts';
import { brandStyle } from './theme.ts';

/** Every page has these parts; their cascade layers decide, not their order. */
const everywhere = [
  'tokens',
  'base',
  'frame',
  'states',
  'buttons',
  'fields',
  'table',
  'detail',
  'overlay',
  'hosted',
  'lists',
  'media',
];
/** Styles of single screens of the console. */
const ofScreens = [
  'charts',
  'story',
  'messages',
  'templates',
  'access',
  'usage',
  'logs',
  'settings',
  'files',
  'front',
  'screens',
];

const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'style', `${name}.css`));

/** The type of pages: Noto Sans with Latin letters. Other scripts have the fonts of the reader's system. */
const font = readFileSync(
  createRequire(import.meta.url).resolve('@fontsource-variable/noto-sans/files/noto-sans-latin-wght-normal.woff2'),
);
export const fontFile = { path: '/self-service/noto-sans.woff2', bytes: font };
/** The URLs change with the content, so that no browser shows a new page with an old style. */
export const fontHref = `${fontFile.path}?v=${versionOf(font)}`;
const fontFace = `@font-face{font-family:"Noto Sans Variable";src:url("${fontHref}") format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2190-2193,U+2212,U+2215}`;

const bytes = Buffer.concat([Buffer.from(fontFace), ...everywhere.map(read), Buffer.from(brandStyle())]);
const screensBytes = Buffer.concat(ofScreens.map(read));
const inboxBytes = Buffer.concat(['inbox', 'inbox-thread'].map(read));
const docsBytes = read('docs');

export const styleHref = `/self-service/style.css?v=${versionOf(bytes)}`;
export const screensStyleHref = `/self-service/screens.css?v=${versionOf(screensBytes)}`;
export const inboxStyleHref = `/self-service/inbox.css?v=${versionOf(inboxBytes)}`;
export const docsStyleHref = `/self-service/docs.css?v=${versionOf(docsBytes)}`;

/** The style sheets: one for all pages, one for the console, and additional ones for the inbox and the documentation. */
export const styleSheets = [
  { path: '/self-service/style.css', bytes },
  { path: '/self-service/screens.css', bytes: screensBytes },
  { path: '/self-service/inbox.css', bytes: inboxBytes },
  { path: '/self-service/docs.css', bytes: docsBytes },
];
