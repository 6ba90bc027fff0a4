import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { submitForm } from '../../../web/attempt.ts';
import { renderBulkBar } from '../../../web/bulk.ts';
import { quoteForShell } from '../../../web/code.ts';
import { renderFilters } from '../../../web/filters.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { singleValues } from '../../../web/list-query.ts';
import { formatSize } from '../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../web/page.ts';
import { renderEmpty, renderName, renderPager, renderTable } from '../../../web/table.ts';
import { renderDay, renderWhen } from '../../../web/time.ts';
import { renderUploader } from '../../../web/upload.ts';
import { flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { fileNameOf } from '../content/object-key.ts';
import { renderAccess } from './buckets.ts';
import { removalForm } from './delete-files.ts';
import {
  type Bucket,
  bucketPath,
  crumbsTo,
  filePath,
  folderPath,
  iconOf,
  may,
  type Row,
  readBucket,
} from './files-page.ts';
import { texts } from './texts.ts';
import { renderTiles, renderViews, type View } from './tiles.ts';
import { refusalOfUpload, uploadFormOf } from './upload.ts';

/** The files of a bucket, by folders. */
export const folderPages = {
  'pages.files.folder': organizationPage('files', {
    rest: 'GET /buckets/:bucket',
    summary: 'Show the files of a folder of a bucket',
    handler: renderFolder,
  }),
};

type Listing = CallOutput<'storage.objects.list'>;

/** Where a page of the list is: a folder, the beginning of a name below it, a cursor, and how it is shown. */
type Place = { prefix: string; search: string; cursor: string; view: View };

const pageSize = '50';
const maxShownBuckets = '30';
const listId = 'file-list';
async function renderFolder(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, query, path } = visit;
  const {
    search = '',
    cursor = '',
    fragment,
    uploaded,
  } = singleValues(query, ['search', 'cursor', 'fragment', 'uploaded']);
  const view: View = query.view === 'tiles' ? 'tiles' : '';
  const place = { prefix: typeof query.prefix === 'string' ? query.prefix : '', search, cursor, view };
  const listing = {
    limit: pageSize,
    prefix: place.prefix + search,
    ...(search === '' && { delimiter: '/' }),
    ...(cursor !== '' && { cursor }),
  };
  const isFragment = fragment === 'list';
  const [bucket, attempt, buckets] = await Promise.all([
    readBucket(visit),
    submitForm([], () =>
      call(ctx, 'storage.objects.list', { path: { bucketName: path.bucket ?? '' }, query: listing }),
    ),
    isFragment ? null : call(ctx, 'storage.buckets.list', { query: { limit: maxShownBuckets } }),
  ]);
  const list = attempt.refusal ? null : renderList(visit, bucket, place, attempt.answer);
  if (isFragment && list) return renderFragment(list);
  const t = texts().folder;
  return renderOrganizationPage(visit, {
    title: path.bucket ?? '',
    parents: crumbsTo(visit),
    usesStorage: true,
    head: renderHead(visit, bucket, place),
    notice: uploaded ? t.uploaded(uploaded) : flashMessage(visit, t.notices),
    refusal: attempt.refusal ?? refusalOfUpload(visit),
    body: html`<div class="browser">
${renderBuckets(visit, buckets?.data ?? [], bucket, view)}
<section class="folder" aria-label="${t.label(bucket.name)}">
${renderPath(visit, bucket, place)}
${renderUpload(visit, bucket, place)}
${renderFilters({
  action: bucketPath(visit, bucket.name),
  search: { name: 'search', label: t.search, value: search },
  kept: { prefix: place.prefix, view },
})}
<div id="${listId}" class="file-table">${list}</div>
</section></div>`,
  });
}

function renderHead(visit: OrganizationVisit, bucket: Bucket, { prefix, view }: Place): Html {
  const t = texts().folder;
  const { name, createdAt } = bucket;
  const newFolder =
    may(visit, 'storage.upload') &&
    html`<a class="btn" href="${bucketPath(visit, name, ['folder'], { prefix, view })}">${renderIcon('folder')}${t.newFolder}</a>`;
  return html`<header class="detail"><span class="avatar lg sq t6" aria-hidden="true">${renderIcon('folder')}</span>
<div class="grow"><h1 class="over"><bdi>${name}</bdi> ${renderAccess(bucket)}</h1><p class="quiet"><span>${t.created(renderDay(createdAt))}</span></p></div>
<div class="acts">${newFolder}<a class="btn" href="${bucketPath(visit, name, ['settings'])}">${renderIcon('settings')}${t.settings}</a></div></header>`;
}

function renderBuckets(visit: OrganizationVisit, buckets: readonly Bucket[], current: Bucket, view: View): Html {
  const t = texts();
  const shown = buckets.some(({ name }) => name === current.name) ? buckets : [current, ...buckets];
  return html`<nav class="buckets" aria-label="${t.folder.buckets}"><h2 aria-hidden="true">${t.folder.buckets}</h2>
<ul>${shown.map(
    ({ name, public: isPublic }) =>
      html`<li><a href="${bucketPath(visit, name, [], { view })}"${name === current.name && html` aria-current="page"`}>${renderIcon('folder')}<span class="grow clip">${name}</span>${renderIcon(isPublic ? 'globe' : 'lock', 'xs')}<span class="vh">${isPublic ? t.access.public : t.access.private}</span></a></li>
`,
  )}</ul>
${visit.mayChange && html`<a class="btn plain sm" href="${pathOf(visit, 'files', ['new'])}">${renderIcon('plus')}${t.buckets.create}</a>`}</nav>`;
}

/** Renders the folders above and the present one, each with a link, and the choice of a view. */
function renderPath(visit: OrganizationVisit, { name }: Bucket, { prefix, search, cursor, view }: Place): Html {
  const t = texts().folder;
  const names = prefix.split('/').slice(0, -1);
  const links = names.map((folder, at) => [folder, `${names.slice(0, at + 1).join('/')}/`] as const);
  const all = [[name, ''] as const, ...links];
  const place = { search, cursor };
  return html`<div class="pathbar"><nav class="crumbs" aria-label="${t.path}"><ol>${all.map(([folder, to], at) =>
    at === all.length - 1
      ? html`<li aria-current="page" class="clip"><bdi>${folder}</bdi></li>`
      : html`<li class="clip"><a href="${folderPath(visit, name, to, { view })}"><bdi>${folder}</bdi></a></li>`,
  )}</ol></nav>${renderViews(view, (other) => folderPath(visit, name, prefix, { ...place, view: other }))}</div>`;
}

function renderUpload(visit: OrganizationVisit, bucket: Bucket, { prefix, view }: Place): Html {
  if (!may(visit, 'storage.upload')) return html`<p class="hint">${texts().upload.lacksHint}</p>`;
  const back = folderPath(visit, bucket.name, prefix, { view });
  return renderUploader({
    ...uploadFormOf(visit, bucket, { key: prefix, returnTo: back }),
    signPath: bucketPath(visit, bucket.name, ['sign'], { prefix }),
    list: { id: listId, path: bucketPath(visit, bucket.name, [], { prefix, view, fragment: 'list' }) },
  });
}

/** Renders the folders and the files of a place, with the form that deletes the chosen files. */
function renderList(
  visit: OrganizationVisit,
  bucket: Bucket,
  place: Place,
  { data, prefixes, nextCursor }: Listing,
): Html {
  const t = texts().folder;
  const { prefix, search, cursor, view } = place;
  const rows: Row[] = [...prefixes.map((folder) => ({ folder })), ...data];
  const nameOf = (row: Row): string => ('folder' in row ? row.folder : row.key).slice(prefix.length);
  const mayDelete = may(visit, 'storage.delete') && data.length > 0;
  const here = (query: Record<string, string>) =>
    bucketPath(visit, bucket.name, [], { prefix, search, view, ...query });
  const label = search ? t.found(search) : t.label(`${bucket.name}/${prefix}`);
  const pager = {
    next: nextCursor && here({ cursor: nextCursor }),
    nextWords: t.more,
    first: cursor === '' ? null : here({}),
    words: t.content(bucket.objectCount, formatSize(bucket.usedBytes)),
  };
  const list =
    view === 'tiles' && rows.length > 0
      ? html`${renderTiles(visit, bucket, { rows, label, nameOf, canChoose: mayDelete })}${renderPager(pager)}`
      : renderTable<Row>({
          label,
          columns: [
            { heading: t.columns.name, cell: (row) => renderRowName(visit, bucket, row, nameOf(row)) },
            { heading: t.columns.type, cell: renderType, isMinor: true },
            { heading: t.columns.size, cell: (row) => ('folder' in row ? null : formatSize(row.size)), isNumber: true },
            {
              heading: t.columns.changed,
              cell: (row) => ('folder' in row ? null : renderWhen(row.updatedAt)),
              isNumber: true,
              isState: true,
            },
          ],
          rows,
          empty: renderNone(visit, bucket, place, nextCursor !== null),
          pager,
          ...(mayDelete && {
            choice: {
              idOf: (row) => ('folder' in row ? null : nameOf(row)),
              nameOf,
            },
          }),
        });
  return html`${list}
${mayDelete && renderBulk(visit, bucket, place)}`;
}

function renderBulk(visit: OrganizationVisit, { name }: Bucket, { prefix, view }: Place): Html {
  const t = texts().folder;
  return renderBulkBar({
    action: bucketPath(visit, name, ['delete']),
    flow: openUserFlow(visit, removalForm),
    label: t.chosen,
    acts: [{ value: 'delete', icon: 'trash', words: t.remove.submit }],
    fields: html`<input type="hidden" name="prefix" value="${prefix}"><input type="hidden" name="view" value="${view}">`,
  });
}

function renderRowName(visit: OrganizationVisit, bucket: Bucket, row: Row, name: string): Html {
  if ('folder' in row) {
    return renderName({
      href: folderPath(visit, bucket.name, row.folder),
      name: name.slice(0, -1),
      summary: texts().folder.folderType,
      picture: html`<span class="kind folder-kind">${renderIcon('folder')}</span>`,
    });
  }
  return renderName({
    href: filePath(visit, row),
    name,
    summary: html`${formatSize(row.size)}, ${row.mimeType}`,
    picture: html`<span class="kind">${renderIcon(iconOf(row.mimeType))}</span>`,
  });
}

function renderType(row: Row): Html {
  if ('folder' in row) return html`<span class="quiet">${texts().folder.folderType}</span>`;
  return html`<span class="quiet clip">${row.mimeType}</span>`;
}

function renderNone(
  visit: OrganizationVisit,
  bucket: Bucket,
  { prefix, search, cursor }: Place,
  hasMore: boolean,
): Html {
  const t = texts().folder;
  if (search !== '') return renderEmpty(t.notFound(search));
  if (hasMore || cursor !== '') return renderEmpty(t.skipped);
  const { title, words, code } = t.empty;
  const key = `${prefix}hello.txt`;
  const text = `echo hello > hello.txt
curl -sS ${settings.STORAGE_URL}/v1/upload \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${visit.orgId}" \\
  -F ${quoteForShell(`bucket=${bucket.name}`)} \\
  -F ${quoteForShell(`key=${key}`)} \\
  -F file=@${fileNameOf(key)}`;
  return renderEmpty({ icon: 'file', title, words, code: [{ label: code, text }] });
}
