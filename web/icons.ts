import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Html, html } from './html.ts';
import { versionOf } from './script.ts';

/** The symbols of assets/icons.svg: a grid of 24 px, strokes of 1.5. */
const iconNames = [
  'overview',
  'inbox',
  'story',
  'users',
  'user',
  'user-plus',
  'member',
  'shield',
  'app',
  'key',
  'mail',
  'template',
  'send',
  'bell',
  'channel',
  'chat',
  'folder',
  'file',
  'image',
  'event',
  'webhook',
  'logs',
  'usage',
  'settings',
  'search',
  'plus',
  'minus',
  'x',
  'check',
  'down',
  'right',
  'left',
  'switch',
  'sort',
  'arrow',
  'external',
  'more',
  'copy',
  'download',
  'upload',
  'trash',
  'edit',
  'eye',
  'filter',
  'calendar',
  'clock',
  'globe',
  'lock',
  'alert',
  'info',
  'ok',
  'bad',
  'refresh',
  'link',
  'code',
  'terminal',
  'node',
  'queue',
  'org',
  'card',
  'receipt',
  'tag',
  'logout',
  'sun',
  'moon',
  'device',
  'phone',
  'menu',
  'grid',
  'clip',
  'passkey',
  'google',
  'help',
  'docs',
  'bolt',
  'note',
  'pin',
  'undo',
  'box',
  'truck',
  'star',
  'gear',
] as const;
export type IconName = (typeof iconNames)[number];

const bytes = readFileSync(join(import.meta.dirname, 'assets', 'icons.svg'));

/** The file of all icons, which gateways serve. Its URL changes with its content. */
export const iconFile = { path: '/self-service/icons.svg', bytes };
const iconsHref = `${iconFile.path}?v=${versionOf(bytes)}`;

/** Renders an icon of 18 px, or of 16 (`sm`) or 14 (`xs`). Screen readers skip it, because the words next to it are its name. */
export function renderIcon(name: IconName, size?: 'sm' | 'xs'): Html {
  return html`<svg class="icon${size && ` ${size}`}" aria-hidden="true"><use href="${iconsHref}#${name}"/></svg>`;
}

/** How they look, for the gallery. */
export const examples = {
  Icons: () => html`<div class="row wrap">${iconNames.map((name) => renderIcon(name))}</div>`,
};
