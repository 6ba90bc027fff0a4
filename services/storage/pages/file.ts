import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, submitForm } from '../../../web/attempt.ts';
import { renderCopyable, renderCopyField, renderSecret } from '../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../web/facts.ts';
import { renderChoice } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { formatCount, formatSize } from '../../../web/numbers.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderTabs } from '../../../web/states.ts';
import { renderTime, renderWhen } from '../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { fileNameOf } from '../content/object-key.ts';
import { signTransfer } from '../transfers/signed-transfer.ts';
import { renderAccess } from './buckets.ts';
import { renderVariants, variantOf } from './file-variants.ts';
import {
  crumbsTo,
  filePath,
  folderOf,
  folderPath,
  iconOf,
  readBucket,
  readFile,
  type StoredFile,
} from './files-page.ts';
import { renderPreview } from './preview.ts';
import { texts } from './texts.ts';
import { refusalOfUpload } from './upload.ts';

const linkForm = 'signed link';
const lifetimes = ['300', '900', '3600'] as const;

/** One file: a preview, its facts, its addresses and the variants of an image. */
export const filePages = {
  'pages.files.file.show': organizationPage('files', {
    rest: 'GET /buckets/:bucket/file',
    summary: 'Show a file with its addresses',
    handler: async (visit) => renderFile(visit),
  }),
  'pages.files.file.link': organizationPage('files', {
    rest: 'POST /buckets/:bucket/file',
    summary: 'Sign a link to a file, and show it once',
    handler: signLink,
  }),
  'pages.files.file.download': organizationPage('files', {
    rest: 'GET /buckets/:bucket/file/download',
    summary: 'Download a file',
    handler: download,
  }),
};

/** The seconds in which a browser follows the redirect of a download. */
const downloadSeconds = 60;

async function download(visit: OrganizationVisit): Promise<PageAnswer> {
  const { bucket, key } = await readFile(visit);
  const { orgId } = visit;
  const { url } = signTransfer({ method: 'GET', orgId, bucket, key, saveAs: fileNameOf(key) }, downloadSeconds);
  return redirectTo(url);
}

async function signLink(visit: OrganizationVisit): Promise<PageAnswer> {
  const { lifetime } = pickFields(visit.form, 'lifetime');
  const { bucket, key } = await readFile(visit);
  const t = texts().file.link;
  const refusal =
    rejectStaleForm(visit, linkForm) ??
    (lifetimes.some((seconds) => seconds === lifetime) ? null : refuse({ lifetime: t.wrong }));
  if (refusal) return renderFile(visit, { refusal });
  const body = { bucket, key, expiresIn: Number(lifetime) };
  const attempt = await submitForm([], () => call(visit.ctx, 'storage.presign.download', { body }));
  return renderFile(visit, attempt.refusal ? { refusal: attempt.refusal } : { link: attempt.answer });
}

type Shown = { refusal?: Refusal; link?: { url: string; expiresAt: string } };

async function renderFile(visit: OrganizationVisit, { refusal, link }: Shown = {}): Promise<PageAnswer> {
  const [bucket, file] = await Promise.all([readBucket(visit), readFile(visit)]);
  const t = texts().file;
  const variant = variantOf(visit, file);
  return renderOrganizationPage(visit, {
    title: fileNameOf(file.key),
    parents: crumbsToFile(visit, file),
    usesStorage: true,
    head: renderFileHead(visit, file, 'overview'),
    notice: visit.query.uploaded === undefined ? flashMessage(visit, t.notices) : t.notices.uploaded,
    refusal: refusal ?? variant.refusal ?? refusalOfUpload(visit),
    body: html`${
      link &&
      renderSecret({
        id: 'signed-link',
        title: t.link.readyTitle,
        text: link.url,
        name: t.link.name,
        words: t.link.ready(renderTime(link.expiresAt)),
      })
    }
<div class="split file-page"><div>
${await renderPreview(visit, bucket, file, variant.address)}
${renderVariants(visit, file, variant)}
</div><div>
${renderFileFacts(file)}
${renderAddress(file)}
${renderLinkForm(visit, file, refusal)}
</div></div>`,
  });
}

/** The links from the list of buckets to a file, by its folders. */
export function crumbsToFile(visit: OrganizationVisit, { bucket, key }: StoredFile) {
  const folder = folderOf(key);
  const crumbs = crumbsTo(visit, bucket);
  return folder === '' ? crumbs : [...crumbs, [folderPath(visit, bucket, folder), folder.slice(0, -1)] as const];
}

/** The head of the pages of one file: its name and the tabs. */
export function renderFileHead(visit: OrganizationVisit, file: StoredFile, tab: 'overview' | 'settings'): Html {
  const t = texts().file;
  const tabs = [
    ['overview', filePath(visit, file), t.tabs.overview],
    ['settings', filePath(visit, file, ['settings']), t.tabs.settings],
  ] as const;
  return html`<header class="detail"><span class="avatar lg sq t6" aria-hidden="true">${renderIcon(iconOf(file.mimeType))}</span>
<div class="grow"><h1 class="over"><bdi>${fileNameOf(file.key)}</bdi> ${renderAccess(file)}</h1><p class="quiet">${formatSize(file.size)}, ${file.mimeType}</p></div>
<div class="acts"><a class="btn primary" href="${filePath(visit, file, ['download'])}">${renderIcon('download')}${t.download}</a></div></header>
${renderTabs(t.tabs.label, tabs, tab)}`;
}

function renderFileFacts(file: StoredFile): Html {
  const { facts: t, names, exactSize } = texts().file;
  const { key, objectId, size, mimeType, uploadedAt, updatedAt, version, sha256, metadata } = file;
  const entries = Object.entries(metadata);
  const facts: Fact[] = [
    [t.key, renderCopyable('file-key', key, names.key)],
    [t.id, renderCopyable('file-id', objectId, names.id)],
    [t.size, size < 1000 ? formatSize(size) : exactSize(formatSize(size), formatCount(size))],
    [t.type, mimeType],
    [t.access, renderAccess(file)],
    [t.uploaded, renderWhen(uploadedAt)],
    ...(updatedAt === uploadedAt ? [] : [[t.changed, renderWhen(updatedAt)] as const]),
    [t.version, renderCopyable('file-version', version, names.version)],
    [t.sha256, renderCopyable('file-sha256', sha256, names.sha256)],
    [
      t.metadata,
      entries.length === 0
        ? html`<span class="quiet">${t.noMetadata}</span>`
        : entries.map(([name, value]) => html`<span class="over"><code>${name}</code> <bdi>${value}</bdi></span><br>`),
    ],
  ];
  return html`<section aria-labelledby="h-facts"><h2 id="h-facts" class="vh">${t.title}</h2>${renderFacts(facts, true)}</section>`;
}

function renderAddress({ public: isPublic, url }: StoredFile): Html {
  const { address: t, names } = texts().file;
  return html`<section class="sec" aria-labelledby="h-address"><div class="sec-head"><h2 id="h-address">${t.title}</h2></div>
<p class="hint">${isPublic ? t.words : t.private}</p>
${isPublic && renderCopyField('public-address', url, names.url)}</section>`;
}

function renderLinkForm(visit: OrganizationVisit, file: StoredFile, refusal?: Refusal): Html {
  const t = texts().file.link;
  const options = lifetimes.map((seconds) => [seconds, t.lifetimes[seconds]] as const);
  return html`<section class="sec" aria-labelledby="h-link"><div class="sec-head"><h2 id="h-link">${t.title}</h2></div>
<p class="hint">${t.words}</p>
${renderForm({
  action: filePath(visit, file),
  flow: openUserFlow(visit, linkForm),
  fields: renderChoice({ name: 'lifetime', label: t.lifetime, options }, '900', refusal?.errors.lifetime),
  submit: t.submit,
  isSecond: true,
})}</section>`;
}
