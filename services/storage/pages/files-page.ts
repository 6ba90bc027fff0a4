import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { allows, type SystemPermission } from '../../../lib/contract/permissions.ts';
import type { IconName } from '../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import type { Crumbs } from '../../../web/shell.ts';
import { fileNameOf } from '../content/object-key.ts';
import { texts } from './texts.ts';

export type Bucket = CallOutput<'storage.buckets.read'>;
export type StoredFile = CallOutput<'storage.objects.list'>['data'][number];

/** A row of a folder: a folder below it, by its prefix, or a file. */
export type Row = { folder: string } | StoredFile;

/** The bucket in the path; throws NOT_FOUND when the organization has none of this name. */
export async function readBucket({ ctx, path }: OrganizationVisit): Promise<Bucket> {
  return await call(ctx, 'storage.buckets.read', { path: { bucketName: path.bucket ?? '' } });
}

/** The object of a key; null if the bucket has none. It is the first object whose key begins with the key. */
export async function findFile({ ctx }: OrganizationVisit, bucket: string, key: string): Promise<StoredFile | null> {
  if (key === '') return null;
  const query = { prefix: key, limit: '1' };
  const { data } = await call(ctx, 'storage.objects.list', { path: { bucketName: bucket }, query });
  const [first] = data;
  return first?.key === key.normalize('NFC') ? first : null;
}

/** The file that the query names by its key; throws NOT_FOUND. */
export async function readFile(visit: OrganizationVisit): Promise<StoredFile> {
  const { key } = visit.query;
  const file = typeof key === 'string' ? await findFile(visit, visit.path.bucket ?? '', key) : null;
  if (!file) throw apiError('NOT_FOUND');
  return file;
}

/** Whether the member holds a permission; the write permission of the area is about buckets only. */
export const may = ({ scopes }: OrganizationVisit, permission: SystemPermission): boolean => allows(scopes, permission);

/** The path of a bucket's page, or of a page below it. */
export function bucketPath(
  visit: OrganizationVisit,
  name: string,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return pathOf(visit, 'files', ['buckets', name, ...rest], query);
}

/** The path of a folder of a bucket; its prefix is empty or ends with `/`. */
export function folderPath(
  visit: OrganizationVisit,
  bucket: string,
  prefix: string,
  query: Record<string, string> = {},
): string {
  return bucketPath(visit, bucket, [], { prefix, ...query });
}

/** The path of a file's page, or of a page below it. */
export function filePath(
  visit: OrganizationVisit,
  { bucket, key }: Pick<StoredFile, 'bucket' | 'key'>,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return bucketPath(visit, bucket, ['file', ...rest], { key, ...query });
}

/** The folder of a key: everything up to its last `/`. */
export const folderOf = (key: string): string => key.slice(0, key.length - fileNameOf(key).length);

/** The links from the list of buckets to a page below a bucket. */
export function crumbsTo(visit: OrganizationVisit, bucket?: string): Crumbs {
  const list = [pathOf(visit, 'files'), texts().title] as const;
  return bucket === undefined ? [list] : [list, [bucketPath(visit, bucket), bucket]];
}

/** The icon of a media type. */
export function iconOf(mimeType: string): IconName {
  return icons.find(([types]) => types.test(mimeType))?.[1] ?? 'file';
}

/** The first that matches. */
const icons: readonly (readonly [RegExp, IconName])[] = [
  [/^image\//, 'image'],
  [/^text\/csv|spreadsheet|ms-excel/, 'grid'],
  [/^text\/(?:html|css|javascript|xml)|[/+](?:json|xml|javascript)$/, 'code'],
  [/^text\/|\/pdf$|wordprocessing|msword/, 'note'],
  [/zip|[/-](?:tar|7z-compressed|rar)/, 'box'],
];
