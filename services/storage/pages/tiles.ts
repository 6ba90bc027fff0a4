import { renderPick } from '../../../web/bulk.ts';
import { withQuery } from '../../../web/filters.ts';
import { type Html, html } from '../../../web/html.ts';
import { type IconName, renderIcon } from '../../../web/icons.ts';
import { formatSize } from '../../../web/numbers.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { isTransformable } from '../images/transform-query.ts';
import { type Bucket, filePath, folderPath, iconOf, type Row, type StoredFile } from './files-page.ts';
import { texts } from './texts.ts';

/** How the files of a folder are shown: `tiles`, or empty for the list. */
export type View = '' | 'tiles';

const views = [
  ['', 'logs'],
  ['tiles', 'grid'],
] as const satisfies readonly (readonly [View, IconName])[];

/** Renders the links that switch between the list and the tiles, each to the address that `hrefOf` gives. */
export function renderViews(current: View, hrefOf: (view: View) => string): Html {
  const t = texts().folder.views;
  return html`<nav class="seg" aria-label="${t.label}">${views.map(
    ([view, icon]) =>
      html`<a href="${hrefOf(view)}" aria-label="${t[view || 'list']}"${view === current && html` aria-current="true"`}>${renderIcon(icon, 'sm')}</a>`,
  )}</nav>`;
}

type Tiles = {
  rows: readonly Row[];
  /** Names the list of files for screen readers. */
  label: string;
  nameOf: (row: Row) => string;
  /** Whether files can be chosen for a bulk action. */
  canChoose: boolean;
};

/** Renders folders and files as tiles, images with a thumbnail. */
export function renderTiles(visit: OrganizationVisit, bucket: Bucket, { rows, label, nameOf, canChoose }: Tiles): Html {
  const folders = rows.flatMap((row) => ('folder' in row ? [row] : []));
  const files = rows.flatMap((row) => ('folder' in row ? [] : [row]));
  const folder = (row: (typeof folders)[number]): Html => {
    const href = folderPath(visit, bucket.name, row.folder, { view: 'tiles' });
    return html`<li class="tile dir">${renderIcon('folder')}<a class="name clip" href="${href}"><bdi>${nameOf(row).slice(0, -1)}</bdi></a></li>
`;
  };
  const file = (row: StoredFile): Html =>
    html`<li class="tile">${canChoose && renderPick(nameOf(row), nameOf(row))}${renderThumbnail(bucket, row)}<a class="name clip" href="${filePath(visit, row)}"><bdi>${nameOf(row)}</bdi></a><span class="quiet tiny">${formatSize(row.size)}</span></li>
`;
  return html`${folders.length > 0 && html`<ul class="tiles" aria-label="${texts().folder.folders}">${folders.map(folder)}</ul>`}
${files.length > 0 && html`<ul class="tiles" aria-label="${label}">${files.map(file)}</ul>`}`;
}

/** The size in which a tile shows an image on a screen of two pixels to one. */
const thumbnail = { w: '240', h: '180', dpr: '2', fit: 'cover', f: 'webp' } as const;

/** Variants are made of public images, and the console shows what other origins may embed; others have an icon. */
function renderThumbnail({ corsOrigins }: Bucket, { public: isPublic, mimeType, url }: StoredFile): Html {
  if (!isPublic || !isTransformable(mimeType) || corsOrigins.length === 0) {
    return html`<span class="thumb">${renderIcon(iconOf(mimeType))}</span>`;
  }
  const { w, h } = thumbnail;
  return html`<span class="thumb"><img src="${withQuery(url, thumbnail)}" alt="" width="${w}" height="${h}" loading="lazy" decoding="async"></span>`;
}
