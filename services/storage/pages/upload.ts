import { call } from '../../../lib/contract/context.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Refusal, refuse, submitForm } from '../../../web/attempt.ts';
import { type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import { formatSize } from '../../../web/numbers.ts';
import { type OrganizationVisit, organizationPage } from '../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../web/page.ts';
import { renderWhenWithin } from '../../../web/time.ts';
import type { Uploader, UploadForm } from '../../../web/upload.ts';
import { signForm } from '../transfers/signed-transfer.ts';
import { type Bucket, findFile, may, readBucket } from './files-page.ts';
import { texts } from './texts.ts';

/** The uploads of the script: the page signs each, because the storage takes no cookie. */
export const uploadPages = {
  'pages.files.sign': organizationPage('files', {
    rest: 'GET /buckets/:bucket/sign',
    summary: 'Sign the upload of one file for the script of a page',
    handler: signUpload,
  }),
};

/**
 * The form that uploads to a folder or, by `key`, replaces an object. It is signed for an hour, and leads back to
 * `returnTo`.
 */
export function uploadFormOf(
  visit: OrganizationVisit,
  { name, allowedMimeTypes, maxObjectBytes }: Bucket,
  { key, returnTo }: { key: string; returnTo: string },
): UploadForm & Pick<Uploader, 'scriptHint'> {
  const mayReplace = may(visit, 'storage.delete');
  const types = allowedMimeTypes?.join(', ') ?? null;
  const most = (mebibytes: number): string =>
    formatSize(Math.min(maxObjectBytes ?? Number.POSITIVE_INFINITY, mebibytes * mebibyte));
  return {
    action: signForm({ orgId: visit.orgId, bucket: name, key, mayReplace, returnTo }),
    hint: texts().upload.limits(types, most(settings.MAX_FORM_UPLOAD_MIB)),
    scriptHint: texts().upload.limits(types, most(settings.MAX_UPLOAD_MIB)),
    mayReplace,
  };
}

/** Why the upload was refused that led back to the page; null for none. */
export function refusalOfUpload({ query }: OrganizationVisit): Refusal | null {
  const { refused } = singleValues(query, ['refused']);
  if (refused === undefined) return null;
  const { refused: sentences, otherRefusal } = texts().upload;
  const [, sentence = otherRefusal] = Object.entries(sentences).find(([code]) => code === refused) ?? [];
  return refuse({}, sentence);
}

async function signUpload(visit: OrganizationVisit): Promise<PageAnswer> {
  const t = texts().upload;
  const { name = '', type, size, replace } = singleValues(visit.query, ['name', 'type', 'size', 'replace']);
  const { prefix } = visit.query;
  const bucket = await readBucket(visit);
  if (!may(visit, 'storage.upload')) return answerRefused(403, t.lacks);
  const key = (typeof prefix === 'string' ? prefix : '') + name;
  const present = replace === 'on' ? null : await findFile(visit, bucket.name, key);
  if (present) {
    if (!may(visit, 'storage.delete')) return answerRefused(409, t.mayNotReplace);
    const words = t.exists(formatSize(present.size), renderWhenWithin(present.uploadedAt));
    return answer(409, html`<p data-kind="exists" data-size="${present.size}">${words}</p>`);
  }
  const body = {
    bucket: bucket.name,
    key,
    mimeType: type ?? 'application/octet-stream',
    ...(size !== undefined && { size: Number(size) }),
  };
  const attempt = await submitForm(['key'], () => call(visit.ctx, 'storage.presign.upload', { body }));
  if (attempt.refusal) return answerRefused(attempt.refusal.status, problemOf(attempt.refusal));
  const { uploadUrl, headers } = attempt.answer;
  return answer(200, html`<a data-kind="signed" data-type="${headers['Content-Type']}" href="${uploadUrl}"></a>`);
}

const problemOf = ({ errors, problem }: Refusal): string => errors.key ?? problem ?? texts().upload.otherRefusal;

const answerRefused = (status: number, words: string): PageAnswer =>
  answer(status, html`<p data-kind="refused">${words}</p>`);

function answer(status: number, part: Html): PageAnswer {
  return { ...renderFragment(part), status };
}
