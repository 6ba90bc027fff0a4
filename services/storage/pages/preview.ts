import { type Ctx, call } from '../../../lib/contract/context.ts';
import { submitForm } from '../../../web/attempt.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { formatSize } from '../../../web/numbers.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { renderEmpty } from '../../../web/table.ts';
import { findBucket } from '../buckets.ts';
import { isTextual } from '../content/media-type.ts';
import { fileNameOf } from '../content/object-key.ts';
import { requireObject } from '../objects/objects.ts';
import { openBandwidth } from '../quota/bandwidth.ts';
import { openToSend } from '../store/running-store.ts';
import { type Bucket, filePath, type StoredFile } from './files-page.ts';
import { texts } from './texts.ts';

/** The seconds in which a page loads what it shows of a private file. */
const shownSeconds = 900;
/** The beginning of a text that is shown, in bytes. */
const maxTextBytes = 16 * 1024;

/**
 * Renders what a file looks like: an image, a player, or the beginning of a text.
 *
 * @param variant - the address of the variant that is shown instead of the image.
 */
export async function renderPreview(
  visit: OrganizationVisit,
  bucket: Bucket,
  file: StoredFile,
  variant: string | null,
): Promise<Html> {
  const t = texts().file;
  const shown = file.size === 0 ? renderEmpty(t.emptyFile) : await renderContent(visit, bucket, file, variant);
  return html`<section aria-labelledby="h-preview"><h2 id="h-preview" class="vh">${t.preview}</h2>${shown}</section>`;
}

async function renderContent(
  visit: OrganizationVisit,
  bucket: Bucket,
  file: StoredFile,
  variant: string | null,
): Promise<Html> {
  const t = texts().file;
  const [kind] = file.mimeType.split('/');
  const isMedia = kind === 'image' || kind === 'audio' || kind === 'video';
  if (isMedia && bucket.corsOrigins.length === 0) return renderEmpty(t.notEmbedded);
  const name = fileNameOf(file.key);
  if (isMedia) {
    const address = variant ?? (await addressOf(visit, file));
    if (kind === 'image') return html`<div class="shot"><img src="${address}" alt="${name}"></div>`;
    if (kind === 'audio')
      return html`<audio controls preload="metadata" src="${address}" aria-label="${name}"></audio>`;
    return html`<div class="shot"><video controls preload="metadata" src="${address}" aria-label="${name}"></video></div>`;
  }
  if (isTextual(file.mimeType)) return renderText(visit, file);
  if (file.mimeType === 'application/pdf') {
    const href = await addressOf(visit, file);
    const acts = html`<a class="btn" href="${href}" target="_blank" rel="noreferrer">${renderIcon('external')}${t.open}</a>`;
    return renderEmpty({ icon: 'note', words: name, acts });
  }
  return renderEmpty({
    icon: 'file',
    words: t.noPreview,
    acts: html`<a class="btn" href="${filePath(visit, file, ['download'])}">${renderIcon('download')}${t.download}</a>`,
  });
}

/** The address that shows a file: its public one with the version, which browsers keep, or a signed one. */
async function addressOf(
  { ctx }: OrganizationVisit,
  { bucket, key, url, version, ...file }: StoredFile,
): Promise<string> {
  if (file.public) return `${url}?v=${version}`;
  const body = { bucket, key, expiresIn: shownSeconds };
  return (await call(ctx, 'storage.presign.download', { body })).url;
}

async function renderText({ ctx, orgId }: OrganizationVisit, file: StoredFile): Promise<Html> {
  const t = texts().file;
  const { refusal, ...read } = await submitForm([], () => readBeginning(ctx, orgId, file));
  // The plan has no traffic left, for example.
  if (refusal) return renderEmpty(refusal.problem ?? t.noPreview);
  const beginning = 'answer' in read ? read.answer : '';
  return html`<div class="code"><header><span>${file.mimeType}</span>${file.size > maxTextBytes && html`<span class="quiet">${t.truncated(formatSize(maxTextBytes))}</span>`}</header><pre tabindex="0" class="wrap" aria-label="${t.preview}">
${beginning}</pre></div>`;
}

/** Reads the beginning of a text, which counts as traffic like every read. */
async function readBeginning(ctx: Ctx, orgId: string, { bucket: name, key }: StoredFile): Promise<string> {
  const { file, size, charset } = await requireObject(await findBucket(orgId, name), key);
  if (file === null) return '';
  const length = Math.min(size, maxTextBytes);
  const bandwidth = await openBandwidth(ctx, orgId, length);
  let bytes = Buffer.alloc(0);
  try {
    const source = await openToSend({ name: file, size }, { first: 0, last: length - 1 }, AbortSignal.timeout(10_000));
    if (source) bytes = Buffer.concat((await source.toArray()) as Buffer[]);
  } finally {
    bandwidth.end(bytes.length);
  }
  // The end may be in the middle of a character, which is then left out.
  return new TextDecoder(charset ?? 'utf-8').decode(bytes, { stream: true });
}
