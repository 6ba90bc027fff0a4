import { catalogue } from '../../../web/catalogue.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { counterIn } from '../../../web/numbers.ts';
import { de } from './texts-de.ts';
import { file, fileSettings } from './texts-file.ts';

const countOf = counterIn('en');

const access = { public: 'Public', private: 'Private' };

/** The list of buckets, and the form of one. */
const buckets = {
  lead: 'Files are in buckets. A public bucket is readable by everybody, a private one with a signed link or an API key.',
  create: 'Create bucket',
  label: 'Buckets, the oldest first',
  columns: { name: 'Bucket', access: 'Access', objects: 'Files', size: 'Size', created: 'Created' },
  summary: (files: number, size: string) => `${countOf(files, 'file', 'files')}, ${size}`,
  notices: { deleted: 'Bucket deleted. Its files are gone, and its name stays reserved for you.' },
  meters: {
    storage: 'Storage',
    traffic: 'Traffic this month',
    of: (used: string, limit: string) => `${used} of ${limit}`,
    notIncluded: 'Not in your plan',
    usedUp: 'Used up',
  },
  none: {
    title: 'No buckets yet',
    words: 'A bucket holds the files of your product: pictures, documents, uploads of your users.',
    code: 'Create a bucket',
  },
  form: {
    title: 'Create a bucket',
    lead: 'Its name is in the address of every file and cannot be changed.',
    name: 'Name',
    nameHint: '3 to 63 lower-case letters, digits and dashes. Unique on the platform, so begin with your own name.',
    nameMissing: 'Enter a name.',
    public: 'Public',
    publicHint: 'Everybody can read the files without a credential. A single file can still be private.',
    types: 'Allowed types',
    typesHint: html`One a line, such as <code>image/*</code> or <code>application/pdf</code>. Empty allows all types.`,
    size: 'Largest file, in MB',
    sizeHint: 'Such as 20 or 0.5. Empty allows what the platform allows.',
    maxObjectBytesWrong: 'Enter a number such as 20 or 0.5.',
    decimalMark: '.',
    cache: 'Cache-Control of public files',
    cacheHint: html`Such as <code>public, max-age=3600</code>. Empty is one minute.`,
    origins: 'Origins that may read files by script',
    originsHint: html`One a line, such as <code>https://shop.example.com</code>, or <code>*</code> for all. Without any, other sites cannot embed the files.`,
    originsWrong: 'Enter origins such as https://shop.example.com, without a path, or *.',
    expiry: 'Delete old files',
    expiryHint: html`One rule a line: days, then the beginning of the keys, such as <code>7 tmp/</code>. Only days apply to all files.`,
    expiryWrong: 'Begin each line with a number of days, such as 7 tmp/.',
    lacks: 'You cannot change buckets of this organization: your role lacks the permission storage.buckets.write.',
    submit: 'Create bucket',
  },
};

/** The settings of one bucket. */
const settings = {
  title: 'Settings',
  lead: (bucket: string) =>
    html`Of the bucket <bdi>${bucket}</bdi>. New rules for types and sizes apply to later uploads.`,
  notices: { saved: 'Settings saved.' },
  idName: 'bucket ID',
  facts: { id: 'ID', access: 'Access', objects: 'Content', created: 'Created' },
  submit: 'Save settings',
  danger: 'Danger zone',
  remove: 'Delete bucket',
  removeWords: (files: number) =>
    `Deletes the bucket with ${countOf(files, 'file', 'files')}. Links to them stop working. This cannot be undone.`,
  confirm: (bucket: string) => `Type ${bucket} to confirm`,
  confirmWrong: (bucket: string) => `Enter ${bucket} exactly.`,
};

/** A folder of a bucket. */
const folder = {
  buckets: 'Buckets',
  path: 'Folder',
  settings: 'Settings',
  newFolder: 'New folder',
  folderForm: {
    title: 'New folder',
    lead: 'Folders are the parts of keys before a slash. This one exists from its first file on.',
    name: 'Name',
    missing: 'Enter a name.',
    submit: 'Open folder',
  },
  content: (files: number, size: string) => `${countOf(files, 'file', 'files')}, ${size} in the bucket`,
  created: (day: Content): Html => html`Created on ${day}`,
  search: 'Find by the beginning of the name',
  label: (place: string) => `Files in ${place}`,
  found: (search: string) => `Files that begin with ${search}`,
  columns: { name: 'Name', type: 'Type', size: 'Size', changed: 'Changed' },
  folderType: 'Folder',
  folders: 'Folders',
  views: { label: 'View', list: 'List', tiles: 'Tiles' },
  notFound: (search: string) => html`No file here begins with “<bdi>${search}</bdi>”.`,
  skipped: 'The files here have expired and are being deleted.',
  more: 'More files',
  empty: {
    title: 'No files here yet',
    words: 'Upload files above, or send them from your server.',
    code: 'Upload a file',
  },
  notices: {
    created: 'Bucket created.',
    'file-deleted': 'File deleted.',
    'files-deleted': 'Files deleted.',
  },
  uploaded: (key: string) => `${key} is uploaded.`,
  chosen: 'Selected files',
  remove: {
    submit: 'Delete',
    title: (count: number) => `Delete ${countOf(count, 'file', 'files')}?`,
    lead: 'Links to them stop working. This cannot be undone.',
    list: 'Files to delete',
    confirm: (count: number) => `Delete ${countOf(count, 'file', 'files')}`,
    cancel: 'Keep files',
    none: 'Select the files to delete first.',
    lacks: 'You cannot delete files of this organization: your role lacks the permission storage.delete.',
    failed: (keys: string) => `Not deleted: ${keys}. Another request changed them, or they are gone. Try again.`,
  },
};

/** An upload by a form, and what refuses it. */
const upload = {
  lacks: 'You cannot upload files to this organization: your role lacks the permission storage.upload.',
  lacksHint: html`You can look, but not upload: your role lacks <code>storage.upload</code>.`,
  limits: (types: string | null, size: string) =>
    types === null ? `At most ${size} a file.` : `${types}, at most ${size} a file.`,
  /** By the code of the error. */
  refused: {
    PRECONDITION_FAILED: 'A file with this name exists. Choose to replace it, or rename your file.',
    PERMISSION_DENIED: 'A file with this name exists, and your role lacks the permission storage.delete to replace it.',
    CONFLICT: 'Not uploaded: another upload changed the file at the same time. Try again.',
    INPUT_INVALID: 'Not uploaded: choose a file whose type this bucket allows and whose content is of that type.',
    BODY_TOO_LARGE: 'Not uploaded: the file is larger than this bucket allows.',
    PLAN_LIMIT_EXCEEDED: 'Not uploaded: the storage of your plan is used up. Delete files or change the plan.',
    SERVICE_NOT_INCLUDED: 'Not uploaded: your plan does not include storage.',
    PAYMENT_REQUIRED: 'Not uploaded: a payment of your organization is overdue.',
    SIGNATURE_INVALID: 'This page was open for too long. Choose the file again.',
    STORE_FULL: 'Not uploaded: the platform has no room for more files. Contact its operator.',
    NOT_FOUND: 'Not uploaded: the bucket was deleted.',
  },
  otherRefusal: 'Not uploaded. Try again.',
  exists: (size: string, when: Content): Html => html`Already there: ${size}, ${when}.`,
  mayNotReplace: 'Already there. Your role lacks storage.delete to replace it.',
};

/** The English texts of the pages about buckets and files. */
export const en = {
  title: 'Files',
  guide: 'Guide to files',
  access,
  buckets,
  settings,
  folder,
  upload,
  file,
  fileSettings,
};

/** The texts of the pages about buckets and files. */
export const texts = catalogue({ en, de });
