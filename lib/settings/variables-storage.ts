import { z } from 'zod';
import { count, httpUrl, port, secret } from './setting-schemas.ts';

/** The environment variables of the object storage. */
export const storageVariables = {
  STORAGE_URL: {
    about: 'Public URL of the storage API. Unset: this machine at STORAGE_PORT.',
    example: 'https://storage.example.com',
    schema: httpUrl.optional(),
  },
  CDN_URL: {
    about: 'Public URL of public objects, routed to /cdn of the storage API. Unset: /cdn of STORAGE_URL.',
    example: 'https://cdn.example.com',
    schema: httpUrl.optional(),
  },
  STORAGE_PORT: {
    about: 'Port of the storage API.',
    example: '3001',
    schema: port.default(3001),
  },
  S3_URL: {
    about: 'S3-compatible store for the bytes of objects. Unset: the folder objects of DATA_DIR.',
    example: 'https://s3.example.com',
    schema: httpUrl.optional(),
  },
  S3_ACCESS_KEY: {
    about: 'Access key of S3_URL.',
    example: 'platform',
    schema: z.string().min(1).max(256).optional(),
  },
  S3_SECRET_KEY: {
    about: 'Secret key of S3_URL.',
    example: 'the-secret-of-the-access-key',
    schema: secret(1, 256).optional(),
  },
  S3_BUCKET: {
    about: 'Bucket at S3_URL, created if it does not exist.',
    example: 'platform-objects',
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
      .default('platform-objects'),
  },
  S3_REGION: {
    about: 'Region of S3_URL.',
    example: 'eu-central-1',
    schema: z.string().min(1).max(64).default('us-east-1'),
  },
  IMAGE_PROCESSES: {
    about: 'Maximum number of concurrent image transformations, each in a process. Unset: one fewer than processors.',
    example: '4',
    schema: count.min(1, 'must be at least 1').max(64, 'must be at most 64').optional(),
  },
  DISK_RESERVE_MIB: {
    about: 'Free space on the disk of DATA_DIR reserved for the database, in MiB; 0: none.',
    example: '1024',
    schema: count.default(256),
  },
  MAX_FORM_UPLOAD_MIB: {
    about: 'Maximum size of a file uploaded by a form, in MiB.',
    example: '250',
    schema: count.min(1, 'must be at least 1').default(100),
  },
  MAX_UPLOAD_MIB: {
    about: 'Maximum size of a file uploaded by PUT, in MiB.',
    example: '10240',
    schema: count.min(1, 'must be at least 1').default(5120),
  },
};

type StorageSettings = {
  S3_URL?: string | undefined;
  S3_ACCESS_KEY?: string | undefined;
  S3_SECRET_KEY?: unknown;
};

/** The problems of the storage settings, one sentence each. */
export function problemsOfStorage({ S3_URL, S3_ACCESS_KEY, S3_SECRET_KEY }: StorageSettings): string[] {
  if (S3_URL === undefined || (S3_ACCESS_KEY !== undefined && S3_SECRET_KEY !== undefined)) return [];
  const { S3_ACCESS_KEY: access, S3_SECRET_KEY: key } = storageVariables;
  return [
    'S3_ACCESS_KEY and S3_SECRET_KEY must be set when S3_URL is set; for example ' +
      `S3_ACCESS_KEY=${access.example} and S3_SECRET_KEY=${key.example}`,
  ];
}

type Addresses = Record<'PUBLIC_URL' | 'STORAGE_URL' | 'CDN_URL', string>;

/**
 * Rejects addresses of files on the origin of the pages, one sentence each: there, a stored file could act on behalf of
 * the user who opens it.
 */
export function problemsOfOrigins({ PUBLIC_URL, ...addresses }: Addresses): string[] {
  const { origin, port: publicPort } = new URL(PUBLIC_URL);
  return (['STORAGE_URL', 'CDN_URL'] as const)
    .filter((name) => new URL(addresses[name]).origin === origin && publicPort !== '0')
    .map(
      (name) =>
        `${name} must have another host or port than PUBLIC_URL, so that a stored file has no access to the pages of ` +
        `the platform; for example ${name}=${storageVariables[name].example}`,
    );
}

/** The addresses of the storage API and of public objects. */
export function storageAddresses({
  STORAGE_URL,
  CDN_URL,
  STORAGE_PORT,
}: {
  STORAGE_URL?: string | undefined;
  CDN_URL?: string | undefined;
  STORAGE_PORT: number;
}): { STORAGE_URL: string; CDN_URL: string } {
  const storageUrl = STORAGE_URL ?? `http://localhost:${STORAGE_PORT}`;
  return { STORAGE_URL: storageUrl, CDN_URL: CDN_URL ?? `${storageUrl}/cdn` };
}
