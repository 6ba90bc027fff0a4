import { z } from 'zod';
import { apiError } from '../../../lib/contract/errors.ts';
import { fromNow, now, second } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { isSigned, sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { encodeKey } from '../content/object-key.ts';

/** The purpose of the signatures, with the id of their key. */
const purpose = 'storage.transfer.1';

export const maxSeconds = 3600;
export const defaultSeconds = 900;

const signed = z.strictObject({
  /** `POST`: a form of a page. */
  method: z.enum(['GET', 'PUT', 'POST']),
  id: z.string(),
  orgId: z.string(),
  bucket: z.string(),
  key: z.string(),
  expiresAt: z.number(),
  /** For uploads. */
  type: z.string().optional(),
  size: z.number().optional(),
  /** For reads: the name under which a browser saves the object, for any type; without it most types are shown. */
  saveAs: z.string().optional(),
  isPublic: z.boolean().optional(),
  mayReplace: z.boolean().optional(),
  /** For forms: where the browser continues, below the platform's address. */
  returnTo: z.string().optional(),
});

/** The claims of a signed URL, which allows one kind of request until it expires. */
export type SignedTransfer = z.output<typeof signed>;

type TransferRequest = Omit<SignedTransfer, 'id' | 'expiresAt'>;

/** Signs a URL that allows a request without a credential for `seconds`. */
export function signTransfer(request: TransferRequest, seconds: number): { url: string; expiresAt: Date } {
  const expiresAt = fromNow(seconds * second);
  const token = tokenOf(request, expiresAt);
  const path = `${encodeURIComponent(request.bucket)}/${encodeKey(request.key)}`;
  return { url: `${settings.STORAGE_URL}/v1/objects/${path}?signature=${token}`, expiresAt };
}

export type FormGrant = Required<Pick<SignedTransfer, 'orgId' | 'bucket' | 'key' | 'mayReplace' | 'returnTo'>>;

/**
 * Signs the address of a form that uploads a file for {@link maxSeconds}. The key is the key of the object, or, empty or
 * with `/` at the end, the folder that gets the file under its name.
 */
export function signForm(grant: FormGrant): string {
  const token = tokenOf({ method: 'POST', ...grant }, fromNow(maxSeconds * second));
  return `${settings.STORAGE_URL}${formPath}?signature=${token}`;
}

/** The path of the action that receives forms. */
export const formPath = '/v1/upload/form';

function tokenOf(request: TransferRequest, expiresAt: Date): string {
  const transfer = { ...request, id: newId('sgn'), expiresAt: expiresAt.getTime() };
  const text = Buffer.from(JSON.stringify(transfer)).toString('base64url');
  return `${text}.${sign(purpose, text)}`;
}

/** The query parameter with the signature. */
export const signatureQuery = z.string().max(8192);

type Request = { method: 'GET' | 'PUT'; bucket: string; key: string; signature: string };

/**
 * Verifies the signature of a request and returns its claims.
 *
 * @throws SIGNATURE_INVALID it is not the platform's, has expired, or is for another request.
 */
export function readSignature({ method, bucket, key, signature }: Request): SignedTransfer {
  const transfer = readToken(signature);
  const isSame = transfer.method === method && transfer.bucket === bucket && transfer.key === key;
  if (!isSame || isOver(transfer)) throw apiError('SIGNATURE_INVALID');
  return transfer;
}

/**
 * Returns what a signed form allows. `isOver`: it has expired; its claims then serve to return to the page.
 *
 * @throws SIGNATURE_INVALID
 */
export function readFormSignature(signature: string): FormGrant & { isOver: boolean } {
  const transfer = readToken(signature);
  const { method, orgId, bucket, key, mayReplace = false, returnTo } = transfer;
  if (method !== 'POST' || returnTo === undefined) throw apiError('SIGNATURE_INVALID');
  return { orgId, bucket, key, mayReplace, returnTo, isOver: isOver(transfer) };
}

function readToken(signature: string): SignedTransfer {
  const [text = '', mac = '', ...rest] = signature.split('.');
  if (rest.length > 0 || !isSigned(purpose, text, mac)) throw apiError('SIGNATURE_INVALID');
  return signed.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
}

const isOver = ({ expiresAt }: SignedTransfer): boolean => expiresAt <= now().getTime();
