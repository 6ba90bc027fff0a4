import type { AdapterPayload } from 'oidc-provider';
import type { CallOutput } from '../../lib/contract/context.ts';
import { decrypt, encrypt } from '../../lib/security/encryption.ts';

type Artifact = CallOutput<'identity.oauth.artifacts.find'>['artifact'];

const sealPurpose = 'oauth';

/** Encrypts an object of the provider for storage by the identity service. */
export function encryptPayload(payload: AdapterPayload): string {
  return encrypt(sealPurpose, JSON.stringify(payload));
}

/** Decrypts a stored object of the provider; undefined when there is none. */
export function decryptPayload(artifact: Artifact): AdapterPayload | undefined {
  if (!artifact) return undefined;
  const payload = JSON.parse(decrypt(sealPurpose, artifact.sealed)) as AdapterPayload;
  return { ...payload, ...(artifact.isConsumed && { consumed: true }) };
}
