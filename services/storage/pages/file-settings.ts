import { call } from '../../../lib/contract/context.ts';
import type { ErrorDetail } from '../../../lib/contract/errors.ts';
import { type Refusal, refusalOf, refuse, rejectMissing, withRenamedProblems } from '../../../web/attempt.ts';
import { renderCheck, renderChoice, renderFields } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderUploadForm } from '../../../web/upload.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { renderZoneSection } from '../../../web/zone.ts';
import { fileNameOf } from '../content/object-key.ts';
import { crumbsToFile, renderFileHead } from './file.ts';
import {
  type Bucket,
  bucketPath,
  filePath,
  findFile,
  folderOf,
  may,
  readBucket,
  readFile,
  type StoredFile,
} from './files-page.ts';
import { texts } from './texts.ts';
import { refusalOfUpload, uploadFormOf } from './upload.ts';

const formKind = 'file settings';

/** The settings of one file. */
export const fileSettingsPages = {
  'pages.files.file.settings': organizationPage('files', {
    rest: 'GET /buckets/:bucket/file/settings',
    summary: 'Show the settings of a file',
    handler: async (visit) => renderSettings(visit, await readFile(visit)),
  }),
  'pages.files.file.save': organizationPage('files', {
    rest: 'POST /buckets/:bucket/file/settings',
    summary: 'Change the access and the metadata of a file',
    handler: save,
  }),
  'pages.files.file.move': organizationPage('files', {
    rest: 'POST /buckets/:bucket/file/move',
    summary: 'Move a file to another key or bucket',
    handler: move,
  }),
  'pages.files.file.delete': organizationPage('files', {
    rest: 'POST /buckets/:bucket/file/delete',
    summary: 'Delete a file',
    handler: remove,
  }),
};

/** Why a form is rejected: it is stale, or the member lacks one of the permissions. */
function reject(visit: OrganizationVisit, isMove: boolean): Refusal | null {
  const { lacks, lacksDelete } = texts().fileSettings;
  return (
    rejectStaleForm(visit, formKind) ??
    (may(visit, 'storage.upload') ? null : refuse({}, lacks, 403)) ??
    (isMove && !may(visit, 'storage.delete') ? refuse({}, lacksDelete, 403) : null)
  );
}

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, 'public', 'metadata');
  const file = await readFile(visit);
  const { bucket, key } = file;
  const { metadata, wrong } = readMetadata(typed.metadata);
  const input = { path: { bucket, key }, headers: {}, body: { public: typed.public === 'on', metadata } };
  const refusal =
    reject(visit, false) ??
    (wrong === null ? null : refuse({ metadata: texts().fileSettings.metadataWrong(wrong) })) ??
    (await refusalOf(['public', 'metadata'], () => call(visit.ctx, 'storage.objects.update', input)));
  if (refusal) return renderSettings(visit, file, { refusal, typed });
  return redirectTo(filePath(visit, file, ['settings'], { done: 'saved' }));
}

/** Reads lines such as `alt: A city bike`. `wrong`: the number of the first line that is not an entry. */
function readMetadata(text: string): { metadata: Record<string, string>; wrong: number | null } {
  const metadata: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([a-z0-9][a-z0-9_-]*)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || Object.hasOwn(metadata, name))
      return { metadata, wrong: index + 1 };
    metadata[name] = value;
  }
  return { metadata, wrong: null };
}

const metadataLines = (metadata: Record<string, string>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

async function move(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, 'toBucket', 'toKey', 'replace');
  const file = await readFile(visit);
  const { move: t } = texts().fileSettings;
  const to = { bucket: typed.toBucket, key: typed.toKey.trim() };
  const from = { bucket: file.bucket, key: file.key };
  const refusal =
    reject(visit, true) ??
    rejectMissing({ toKey: to.key }, { toKey: t.missing }) ??
    (await rejectPresent(visit, file, { ...to, mayReplace: typed.replace === 'on' })) ??
    (await refusalOf(['toKey'], () =>
      withRenamedProblems(atKey, () => call(visit.ctx, 'storage.objects.move', { body: { from, to } })),
    ));
  if (refusal) return renderSettings(visit, file, { refusal, to });
  return redirectTo(filePath(visit, to, [], { done: 'moved' }));
}

type Target = { bucket: string; key: string; mayReplace: boolean };

/** Rejects a target that has another file, unless it may be replaced. */
async function rejectPresent(visit: OrganizationVisit, file: StoredFile, to: Target): Promise<Refusal | null> {
  if (to.mayReplace || (to.bucket === file.bucket && to.key === file.key)) return null;
  let isPresent = false;
  const refusal = await refusalOf([], async () => {
    isPresent = (await findFile(visit, to.bucket, to.key)) !== null;
  });
  return refusal ?? (isPresent ? refuse({ toKey: texts().fileSettings.move.exists }, null, 409) : null);
}

/** The endpoint names the target `to`; the form has a field for its key. */
const atKey = ({ path, message }: ErrorDetail): ErrorDetail => ({
  path: path.replace(/^body\.to(?:\..*)?$/, 'body.toKey'),
  message,
});

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const file = await readFile(visit);
  const { bucket, key } = file;
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (may(visit, 'storage.delete') ? null : refuse({}, texts().fileSettings.lacksDelete, 403)) ??
    (await refusalOf([], () => call(visit.ctx, 'storage.objects.delete', { path: { bucket, key }, headers: {} })));
  if (refusal) return renderSettings(visit, file, { refusal });
  return redirectTo(bucketPath(visit, bucket, [], { prefix: folderOf(key), done: 'file-deleted' }));
}

type Refused = {
  refusal?: Refusal;
  typed?: { public: string; metadata: string };
  to?: { bucket: string; key: string };
};

async function renderSettings(visit: OrganizationVisit, file: StoredFile, refused: Refused = {}): Promise<PageAnswer> {
  const t = texts().fileSettings;
  const mayUpload = may(visit, 'storage.upload');
  const mayDelete = may(visit, 'storage.delete');
  const [bucket, targets] = await Promise.all([
    readBucket(visit),
    mayUpload && mayDelete ? call(visit.ctx, 'storage.buckets.list', { query: { limit: maxTargets } }) : null,
  ]);
  const back = filePath(visit, file);
  return renderOrganizationPage(visit, {
    title: fileNameOf(file.key),
    parents: crumbsToFile(visit, file),
    usesStorage: true,
    head: renderFileHead(visit, file, 'settings'),
    notice: flashMessage(visit, t.notices),
    refusal: refused.refusal ?? refusalOfUpload(visit),
    body: html`<div class="file-page">${!mayUpload && html`<p class="hint">${t.readOnly}</p>`}
${mayUpload && renderAccessForm(visit, bucket, file, refused)}
${targets && renderMove(visit, file, targets.data, refused)}
${targets && renderReplacement(visit, bucket, file, back)}
${mayDelete && renderRemoval(visit, file)}</div>`,
  });
}

function renderAccessForm(
  visit: OrganizationVisit,
  bucket: Bucket,
  file: StoredFile,
  { typed, refusal }: Refused,
): Html {
  const t = texts().fileSettings;
  const isChecked = typed ? typed.public === 'on' : file.public;
  const metadata = {
    name: 'metadata',
    label: t.metadata,
    autocomplete: 'off',
    lines: 4,
    hint: t.metadataHint,
    value: typed?.metadata ?? metadataLines(file.metadata),
  };
  const access = bucket.public
    ? html`${renderCheck({ name: 'public', label: t.public, isChecked })}<p class="hint">${t.publicHint}</p>`
    : html`<p class="hint">${t.privateBucket}</p>`;
  return html`<section aria-labelledby="h-access"><div class="sec-head"><h2 id="h-access">${t.title}</h2></div>
${renderForm({
  action: filePath(visit, file, ['settings']),
  flow: openUserFlow(visit, formKind),
  fields: html`<div class="field">${access}</div>${renderFields([metadata], refusal?.errors)}`,
  submit: t.submit,
})}</section>`;
}

const maxTargets = '100';

function renderMove(
  visit: OrganizationVisit,
  file: StoredFile,
  targets: readonly Bucket[],
  { to = file, refusal }: Refused,
): Html {
  const { move: t } = texts().fileSettings;
  const names = [...new Set([file.bucket, ...targets.map(({ name }) => name)])].map((name) => [name, name] as const);
  const key = { name: 'toKey', label: t.key, autocomplete: 'off', isRequired: true, value: to.key };
  return html`<section class="sec" aria-labelledby="h-move"><div class="sec-head"><h2 id="h-move">${t.title}</h2></div>
<p class="hint">${t.words}</p>
${renderForm({
  action: filePath(visit, file, ['move']),
  flow: openUserFlow(visit, formKind),
  fields: html`${renderChoice({ name: 'toBucket', label: t.bucket, options: names }, to.bucket)}
${renderFields([key], refusal?.errors)}
${renderCheck({ name: 'replace', label: t.replace, isChecked: false })}`,
  submit: t.submit,
  isSecond: true,
})}</section>`;
}

function renderReplacement(visit: OrganizationVisit, bucket: Bucket, file: StoredFile, back: string): Html {
  const { replace: t } = texts().fileSettings;
  const { hint, action } = uploadFormOf(visit, bucket, { key: file.key, returnTo: back });
  return html`<section class="sec" aria-labelledby="h-replace"><div class="sec-head"><h2 id="h-replace">${t.title}</h2></div>
<p class="hint">${t.words}</p>
${renderUploadForm({ action, hint, isReplacement: true })}</section>`;
}

function renderRemoval(visit: OrganizationVisit, file: StoredFile): Html {
  const { title, words, ...form } = texts().fileSettings.remove;
  const action = filePath(visit, file, ['delete']);
  const confirmed = { id: 'delete-file', action, flow: openUserFlow(visit, formKind), ...form };
  return renderZoneSection(null, [{ title, words, confirmed }]);
}
